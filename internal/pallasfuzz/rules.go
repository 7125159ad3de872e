package pallasfuzz

import (
	"fmt"
	"slices"

	"gpusim/kernel"
)

// do follows a statement that does not wait for others.
func (x *doing) do() {
	s, t := x.s, x.t
	switch s.Op {
	case Load:
		r := x.slice(s.Src)
		x.own(r, false, false)
		x.initialised(r)
		x.loaded(r.read())
	case Store:
		r := x.slice(s.Dst)
		x.own(r, true, false)
		r.write(x.given(len(r.at)))
	case StoreAll:
		for d := range x.p.Devices {
			one := s.Dst
			one.Device = d
			r := x.slice(one)
			x.own(r, true, false)
			r.write(x.given(len(r.at)))
		}
	case Add, Swap:
		r := x.slice(s.Dst)
		v := x.given(len(r.at))
		x.own(r, false, false)
		x.initialised(r)
		x.own(r, true, false)
		old := r.read()
		if s.Op == Add {
			r.write(sum(old, v))
			return
		}
		r.write(v)
		x.loaded(old)
	case LoadMasked:
		r := x.slice(s.Src).masked(s.N)
		x.own(r, false, false)
		x.initialised(r)
		v := r.read()
		for i, at := range r.at {
			if at < 0 {
				v[i] = 3
			}
		}
		x.loaded(v)
	case SwapMasked:
		r := x.slice(s.Dst).masked(s.N)
		if s.Flag {
			x.own(r, false, false)
			x.initialised(r)
		}
		x.own(r, true, false)
		r.write(x.given(len(r.at)))
	case Atomic:
		r := x.slice(s.Dst)
		if s.Flag {
			r = r.masked(s.N)
		}
		x.own(r, true, true)
		x.initialised(r)
		r.write(sum(r.read(), x.given(len(r.at))))
	case Fence:
		x.fence[t.node] = true
	case Arrive:
		for _, b := range x.p.targets(&x.p.Bars[s.Bar], x.block) {
			x.arrive(x.barrier(x.group, b, s.Bar), t.node, true)
		}
	case CopyIn:
		x.copyIn()
	case CopyOut:
		o := x.issue()
		from, to := x.slice(s.Src), x.slice(s.Dst)
		x.touch(from, access{op: o, proxy: async})
		x.touch(to, access{op: o, write: true, atomic: s.N > 0, proxy: async})
		x.initialised(from)
		v := from.read()
		if s.N > 0 {
			x.initialised(to)
			v = sum(v, to.read())
		}
		to.write(v)
		t.open = append(t.open, o)
		if s.Flag {
			x.commit()
		}
	case Commit:
		x.commit()
	case WaitOut, WaitRead:
		for ; len(t.reads) > s.N; t.reads = t.reads[1:] {
			x.settle(t.reads[0], true, false)
		}
		for ; s.Op == WaitOut && len(t.writes) > s.N; t.writes = t.writes[1:] {
			x.settle(t.writes[0], false, false)
		}
	case CopyInGroup:
		o := x.issue()
		from, to := x.slice(s.Src), x.slice(s.Dst)
		x.touch(from, access{op: o})
		x.touch(to, access{op: o, write: true})
		x.initialised(from)
		to.write(from.read())
		t.in = append(t.in, o)
	case WaitIn:
		for ; len(t.in) > s.N; t.in = t.in[1:] {
			x.settle(t.in[:1], false, false)
		}
	case AsyncStore:
		x.asyncStore()
	case Signal:
		q := x.sem(s, s.Device)
		q.value += s.N
		q.signals = append(q.signals, signal{q.value + q.consumed, t.node})
	case Exit:
		k := scopeOf{x.group, x.block, s.Bar}
		if x.left[k]++; x.left[k] == x.p.Threads || x.p.Scopes[s.Bar].Own {
			x.leave(s.Bar)
		}
	case End:
		t.ended = true
		if !x.blind && (len(t.open) > 0 || len(slices.Concat(t.reads...)) > 0) {
			x.due("Not all copy_smem_to_gmem read-side operations completed")
		}
	default:
		x.matrix()
	}
}

func (x *doing) commit() {
	t := x.t
	t.reads, t.writes = append(t.reads, t.open), append(t.writes, t.open)
	t.open = nil
}

func (x *doing) arrive(b *barrier, node int, tensor bool) {
	b.join(node, tensor)
	if c := b.arrive(); c != "" {
		x.due(c)
	}
}

func (x *doing) copyIn() {
	s := x.s
	o := x.issue()
	from, to := x.slice(s.Src), x.slice(s.Dst)
	group := []int{x.block}
	if len(s.Dims) > 0 {
		group = x.p.alike(x.block, s.Dims)
	}
	rank := slices.Index(group, x.block)
	own := x.barrier(x.group, x.block, s.Bar)
	switch {
	case len(group) == 1:
		x.move(o, from, []target{to})
		x.owe(x.block, func() string { own.join(o.complete, false); return own.arrive() })
	case s.Track:
		if s.Part {
			from = from.part(rank*to.rows, to.rows)
		}
		leader := x.barrier(x.group, group[0], s.Bar)
		if rank == 0 {
			leader.expected += len(group) - 1
		}
		x.move(o, from, []target{to})
		x.owe(group[0], func() string {
			leader.join(o.complete, false)
			if rank == 0 {
				return leader.arrive()
			}
			return leader.deliver()
		})
	default:
		own.expected += len(group)
		var all []target
		for _, b := range group {
			all = append(all, x.in(s.Dst, b))
		}
		if n := to.rows / len(group); to.rows%len(group) == 0 {
			from = from.part(rank*n, n)
			for i := range all {
				all[i] = all[i].part(rank*n, n)
			}
		} else if rank > 0 {
			all = nil
		}
		if all != nil {
			x.move(o, from, all)
		}
		x.owe(x.block, func() string {
			for _, b := range group {
				peer := x.barrier(x.group, b, s.Bar)
				peer.join(o.complete, false)
				if c := peer.deliver(); c != "" {
					return c
				}
			}
			return own.arrive()
		}, group...)
	}
}

// move is the effect of a copy from global to shared memory.
func (x *doing) move(o *operation, from target, to []target) {
	x.touch(from, access{op: o})
	x.initialised(from)
	v := from.read()
	for _, r := range to {
		x.touch(r, access{op: o, write: true, proxy: async})
		r.write(v)
	}
}

func (x *doing) asyncStore() {
	s := x.s
	o, to := x.issue(), x.in(s.Dst, s.Block)
	x.touch(to, access{op: o, write: true, atomic: s.Flag})
	v := x.given(len(to.at))
	if s.Flag {
		x.initialised(to)
		v = sum(v, to.read())
	}
	to.write(v)
	b := x.barrier(x.group, s.Block, s.Bar)
	x.owe(s.Block, func() string { b.join(o.complete, false); return b.arrive() })
}

// matrix follows a statement of the tensor cores.
func (x *doing) matrix() {
	s, t := x.s, x.t
	switch s.Op {
	case WGMMA:
		var after []*operation
		if n := len(t.wgmmas); n > 0 {
			after = t.wgmmas[n-1:]
		}
		o := x.issue(after...)
		b, acc := x.slice(s.Src2), x.slice(s.Dst)
		a := x.given(s.Dst.Rows * s.Src2.Rows)
		if !s.Flag {
			from := x.slice(s.Src)
			x.touch(from, access{op: o, proxy: async})
			x.initialised(from)
			a = from.read()
		}
		x.touch(b, access{op: o, proxy: async})
		x.initialised(b)
		x.touch(acc, access{op: o, write: true})
		acc.write(sum(acc.read(), product(a, b.read(), s.Dst.Rows, s.Src2.Rows, s.Dst.Cols)))
		t.wgmmas = append(t.wgmmas, o)
	case WaitWGMMA:
		x.waitWGMMA(s.N)
	case LoadAcc:
		if s.N >= 0 {
			x.waitWGMMA(s.N)
		}
		r := x.slice(s.Src)
		x.own(r, false, false)
		x.loaded(r.read())
	case StoreAcc:
		r := x.slice(s.Dst)
		x.own(r, true, false)
		r.write(x.given(len(r.at)))
	case StoreT:
		o, r := x.issue(), x.slice(s.Dst)
		x.touch(r, access{op: o, write: true, proxy: tmem})
		r.write(x.given(len(r.at)))
		t.stores = append(t.stores, o)
	case LoadT:
		o, r := x.issue(), x.slice(s.Src)
		x.touch(r, access{op: o, proxy: tmem})
		x.initialised(r)
		x.loaded(r.read())
		t.loads = append(t.loads, o)
	case CommitT:
		x.settle(t.stores, false, true)
		t.stores = nil
	case WaitLoadT:
		x.settle(t.loads, false, true)
		t.loads = nil
	case CommitArrive:
		if blocks, leads := x.pairOf(s.Flag); leads {
			x.commitArrive(blocks)
		}
	case MMA:
		x.mma()
	case ToTMEM:
		blocks, leads := x.pairOf(s.Flag)
		if !leads {
			return
		}
		o := x.tensorCore("", s.Flag)
		for _, b := range blocks {
			from, to := x.in(s.Src, b), x.in(s.Dst, b)
			x.touch(from, access{op: o, proxy: async})
			x.initialised(from)
			x.touch(to, access{op: o, write: true, proxy: tmem})
			to.write(from.read())
		}
	}
}

func (x *doing) waitWGMMA(n int) {
	for t := x.t; len(t.wgmmas) > n; t.wgmmas = t.wgmmas[1:] {
		x.settle(t.wgmmas[:1], false, false)
	}
}

// pairOf are the blocks of an operation of the tensor core, and whether this one leads.
func (x *doing) pairOf(both bool) ([]int, bool) {
	if !both {
		return []int{x.block}, true
	}
	blocks := x.p.alike(x.block, []int{len(x.p.Cluster) - 1})
	return blocks, blocks[0] == x.block
}

// tensorCore issues work of the tensor core of a block: a product executes after products
// on the same accumulator and after copies, that its issuer knows to be issued before.
func (x *doing) tensorCore(key string, both bool) *operation {
	k := pipeOf{x.group, x.block}
	var after []*operation
	for _, i := range x.issued[k] {
		if key != "" && (i.key == key || i.key == "") && i.both == both && x.path(i.node, x.t.node, tensorWay) {
			after = append(after, i.op)
		}
	}
	o := x.issue(after...)
	x.issued[k] = append(x.issued[k], issue{x.t.node, o, key, both})
	x.t.given = append(x.t.given, o)
	return o
}

func (x *doing) mma() {
	s := x.s
	blocks, leads := x.pairOf(s.Both)
	if !leads {
		return
	}
	d := s.Dst
	accumulator := x.slice(d)
	o := x.tensorCore(fmt.Sprint(accumulator.block, x.bases[d.Buf], d.Row, d.Col, d.Rows, d.Cols, d.RowBy, d.ColBy), s.Both)
	part := func(r target, write bool) target {
		if r.buf.Space == kernel.Tensor {
			x.touch(r, access{op: o, write: write, proxy: tmem})
		} else {
			x.touch(r, access{op: o, proxy: async})
		}
		return r
	}
	var a, b, acc []target
	for _, block := range blocks {
		a, b = append(a, part(x.in(s.Src, block), false)), append(b, part(x.in(s.Src2, block), false))
		acc = append(acc, part(x.in(d, block), true))
	}
	k, n := s.Src2.Rows, s.Src2.Cols
	var wide []float32 // the columns of both B
	for i := range k {
		for _, r := range b {
			wide = append(wide, r.read()[i*n:(i+1)*n]...)
		}
	}
	for i := range blocks {
		x.initialised(b[i])
		x.initialised(a[i])
		v := product(a[i].read(), wide, d.Rows, k, d.Cols)
		if s.Flag {
			x.initialised(acc[i])
			v = sum(v, acc[i].read())
		}
		acc[i].write(v)
	}
	if s.Bar >= 0 {
		x.step(x.t)
		x.commitArrive(blocks)
	}
}

// commitArrive arrives when all work that was given to the tensor core is complete.
func (x *doing) commitArrive(blocks []int) {
	c := x.node()
	x.edge(x.t.node, c, true)
	for _, o := range x.t.given {
		x.edge(o.complete, c, true)
	}
	for _, block := range blocks {
		b := x.barrier(x.group, block, x.s.Bar)
		x.owe(block, func() string { b.join(c, true); return b.arrive() })
	}
}
