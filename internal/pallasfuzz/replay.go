package pallasfuzz

import (
	"math"

	"gpusim/kernel"
)

// home is an array of a block, of a thread (an accumulator) or of a device.
type home struct{ group, block, thread, device, buf int }

// contents is what an array holds in the replay, in which everything takes effect when it
// is issued.
type contents struct {
	data  []float32
	valid []bool
}

// target is a slice of an array: its elements, -1 for those outside of it.
type target struct {
	home
	buf  *Buf
	at   []int
	mem  *contents
	rows int
}

// slice finds the elements of a slice.
func (x *doing) slice(s Slice) target {
	b := &x.p.Bufs[s.Buf]
	a := home{x.group, x.block, -1, -1, s.Buf}
	rows, first := side, s.Row
	switch {
	case b.Host:
		rows *= x.p.Grid
		a = home{-1, -1, -1, x.device(x.group), s.Buf}
		if s.Device >= 0 {
			a.device = s.Device
		}
		if s.PerPoint {
			first += side * x.point(x.group)
		}
	case b.Space == kernel.Local:
		a.thread = x.e.Thread
	case s.Block >= 0:
		a.block = s.Block
	}
	out := target{home: a, buf: b, rows: s.Rows, mem: x.contents(a, rows)}
	for i := range s.Rows {
		for j := range s.Cols {
			r, c := first+i*s.RowBy, s.Col+j*s.ColBy
			if r < 0 || r >= rows || c < 0 || c >= side {
				out.at = append(out.at, -1)
			} else {
				out.at = append(out.at, r*side+c)
			}
		}
	}
	return out
}

func (m *model) contents(a home, rows int) *contents {
	c := m.memory[a]
	if c != nil {
		return c
	}
	b := &m.p.Bufs[a.buf]
	c = &contents{make([]float32, rows*side), make([]bool, rows*side)}
	for i := range c.data {
		switch {
		case b.Host:
			c.data[i], c.valid[i] = initial(i), true
		case b.Space == kernel.Local || m.p.Zero:
			c.valid[i] = true
		default:
			c.data[i] = float32(math.NaN())
		}
	}
	m.memory[a] = c
	return c
}

// in is the same slice in another block.
func (x *doing) in(s Slice, block int) target {
	if x.p.Bufs[s.Buf].Host {
		return x.slice(s)
	}
	s.Block = block
	return x.slice(s)
}

// part is some rows of a slice.
func (t target) part(first, rows int) target {
	cols := len(t.at) / t.rows
	t.at, t.rows = t.at[first*cols:(first+rows)*cols], rows
	return t
}

// read is what a slice holds; what is outside is zero.
func (t target) read() []float32 {
	out := make([]float32, len(t.at))
	for i, at := range t.at {
		if at >= 0 {
			out[i] = t.mem.data[at]
		}
	}
	return out
}

func (t target) write(v []float32) {
	for i, at := range t.at {
		if at >= 0 {
			t.mem.data[at], t.mem.valid[at] = v[i], true
		}
	}
}

// masked is a slice without those elements that a mask leaves out.
func (t target) masked(n int) target {
	list := t.at
	t.at = make([]int, len(list))
	for i, at := range list {
		if t.at[i] = at; n>>(i%8)&1 == 0 {
			t.at[i] = -1
		}
	}
	return t
}

// initialised notes a read of elements that nobody has written.
func (x *doing) initialised(t target) {
	for _, at := range t.at {
		if at >= 0 && !t.mem.valid[at] {
			x.uninit[read{x.s.uninitialisedAt(), t.buf.Name}] = true
			return
		}
	}
}

// uninitialisedAt is the site of a read of uninitialised memory; 0 for an atomic update: it
// depends on the run which of several comes first.
func (s *Stmt) uninitialisedAt() int {
	if s.Op == Atomic || s.Op == AsyncStore && s.Flag || s.Op == CopyOut && s.N > 0 {
		return 0
	}
	return s.Site
}

// touch records an access.
func (x *doing) touch(t target, a access) {
	a.group, a.site, a.object = x.group, x.s.Site, t.buf.Name
	a.global = t.buf.Space == kernel.Global
	if !t.buf.Host && t.buf.Space != kernel.Local && x.freed(t) {
		x.due("accesses " + t.buf.Name)
	}
	if x.fatal != "" {
		return
	}
	for _, at := range t.at {
		if at < 0 {
			continue
		}
		p := place{t.group, t.block, t.device, t.buf.Space.String(), at}
		if sp := t.buf.Space; sp == kernel.Shared || sp == kernel.Tensor {
			p.at += x.bases[t.home.buf]
		} else {
			p.space = t.buf.Name
			p.block = max(p.block, t.thread)
		}
		if x.accesses[p] == nil {
			x.places = append(x.places, p)
		}
		one := a
		x.accesses[p] = append(x.accesses[p], &one)
	}
}

// freed reports whether all threads of a block have left the scope of an array.
func (x *doing) freed(t target) bool {
	for i, s := range x.p.Scopes {
		for _, b := range s.Bufs {
			if b == t.home.buf {
				return x.left[scopeOf{t.group, t.block, i}] == x.p.Threads
			}
		}
	}
	return false
}

// own is an access of the thread itself.
func (x *doing) own(t target, write, atomic bool) {
	if t.buf.Space != kernel.Tensor {
		x.touch(t, access{node: x.t.node, write: write, atomic: atomic})
		return
	}
	o := x.issue() // with its wait
	x.touch(t, access{op: o, write: write, proxy: tmem})
	x.step(x.t)
	x.settle([]*operation{o}, false, true)
}

// given is what a statement stores.
func (x *doing) given(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = element(x.s, i, x.t.value)
	}
	return out
}

// loaded compares values with those of the run.
func (x *doing) loaded(v []float32) {
	x.t.value = fold(x.t.value, v)
	if !same(v, x.e.Values) {
		x.values = append(x.values, x.p.text(x.s))
	}
}

func same(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return true
}

func sum(a, b []float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

// product is the product of an m by k and a k by n matrix.
func product(a, b []float32, m, k, n int) []float32 {
	out := make([]float32, m*n)
	for i := range m {
		for j := range n {
			s := 0.0
			for l := range k {
				s += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			out[i*n+j] = float32(s)
		}
	}
	return out
}
