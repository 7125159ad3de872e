package race

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpusim/kernel"
	"gpusim/shape"
)

// The reference: a full vector clock per thread and every pair of accesses of every
// byte. Warp-wide weak accesses, barriers of all kinds, exits, interleaved blocks,
// several launches, elements of 1 to 16 bytes.
type refAccess struct {
	thread, t, launch, step int
	write                   bool
	value                   byte
	size                    int
	vc                      []int
}

type refByte struct {
	space, block int // block: owner of shared memory
	off          int64
}

type refThread struct {
	vc []int
}

type reference struct {
	n       int // threads of the launch
	threads []refThread
	bytes   map[refByte][]refAccess
	first   map[refByte]int // step of the first race
	worst   map[refByte]int // step of the first error
	launch  int
}

func (o *reference) start(n int) {
	o.n = n
	o.threads = make([]refThread, n)
	for i := range o.threads {
		o.threads[i].vc = make([]int, n)
		o.threads[i].vc[i] = 1
	}
}

// arrive returns the join of the threads' clocks and moves them on.
func (o *reference) arrive(join []int, ts []int) []int {
	if join == nil {
		join = make([]int, o.n)
	}
	for _, t := range ts {
		for k, v := range o.threads[t].vc {
			join[k] = max(join[k], v)
		}
	}
	for _, t := range ts {
		o.threads[t].vc[t]++
	}
	return join
}

func (o *reference) depart(join []int, ts []int) {
	for _, t := range ts {
		for k, v := range join {
			o.threads[t].vc[k] = max(o.threads[t].vc[k], v)
		}
	}
}

// racy is the severity that an access would have with those before.
func (o *reference) racy(b refByte, n refAccess) kernel.Severity {
	worst := kernel.Off
	var same []refAccess // writes of the same value that race
	for i := len(o.bytes[b]) - 1; i >= 0; i-- {
		a := o.bytes[b][i]
		if !a.write && !n.write || a.launch != n.launch || a.thread == n.thread {
			continue
		}
		if a.step != n.step && o.threads[n.thread].vc[a.thread] >= a.t {
			continue
		}
		s := kernel.Error
		if a.write && n.write && a.value == n.value && a.size == n.size && (a.step == n.step || !o.torn(b, n.size, n.step)) {
			s = kernel.Warning
			if a.step != n.step {
				same = append(same, a)
			}
		} else if a.write && n.write && slices.ContainsFunc(same, func(q refAccess) bool { return q.thread == a.thread || q.vc[a.thread] >= a.t }) {
			s = kernel.Warning // what a write of the same value had overwritten is not remembered
		}
		worst = max(worst, s)
	}
	return worst
}

// torn reports whether the bytes of an element were last written by different stores:
// then memory no longer shows what one of them wrote, and it is taken to differ.
func (o *reference) torn(b refByte, size, now int) bool {
	last := func(off int64) int {
		as := o.bytes[refByte{b.space, b.block, off}]
		for i := len(as) - 1; i >= 0; i-- {
			if as[i].write && as[i].step != now {
				return as[i].step
			}
		}
		return 0
	}
	first := b.off &^ int64(size-1)
	for k := range int64(size) {
		if last(first+k) != last(first) {
			return true
		}
	}
	return false
}

func (o *reference) access(b refByte, n refAccess) {
	if s := o.racy(b, n); s != kernel.Off {
		if _, ok := o.first[b]; !ok {
			o.first[b] = n.step
		}
		if _, ok := o.worst[b]; !ok && s == kernel.Error {
			o.worst[b] = n.step
		}
	}
	n.vc = slices.Clone(o.threads[n.thread].vc)
	o.bytes[b] = append(o.bytes[b], n)
}

// oneValue answers for stores whose bytes all have the value of their lane.
type oneValue struct {
	lane [32]byte
	old  func(off int64) (byte, bool)
}

func (v *oneValue) OldEqual(l int, off int64) bool {
	b, ok := v.old(off)
	return ok && b == v.lane[l]
}
func (v *oneValue) LanesEqual(a, b int, _ int64) bool { return v.lane[a] == v.lane[b] }

type fuzzBlock struct {
	Block
	sh     *Shadow
	live   []uint32
	phases map[int]*Phase
	refs   map[int][]int
	steps  int
	done   bool
}

type fuzzer struct {
	*rand.Rand
	t     *testing.T
	d     *Detector
	tab   *shape.Table
	ref   *reference
	mem   map[refByte]byte
	gl    *Shadow
	sites map[string]Site
	step  int
	warps int
	words bool
	rows  bool // mostly some lanes of one row
	span  int  // bytes in use
	keep  int
	log   strings.Builder
	first map[refByte]int
	worst map[refByte]int
}

func (f *fuzzer) logf(s string, a ...any) {
	fmt.Fprintf(&f.log, "%d "+s+"\n", append([]any{f.step}, a...)...)
}

func (f *fuzzer) site(write bool, elem int) Site {
	k := fmt.Sprint(write, elem)
	s, ok := f.sites[k]
	if !ok {
		s = f.d.AddSite(SiteInfo{Read: !write, Write: write, Elem: elem})
		f.sites[k] = s
	}
	return s
}

func fuzzOne(t *testing.T, seed uint64, exits bool) (int, *difference) {
	r := rand.New(rand.NewPCG(seed, 7))
	tab := shape.NewTable()
	f := &fuzzer{Rand: r, t: t, tab: tab, d: New(tab), warps: 1 + r.IntN(4), sites: map[string]Site{}, first: map[refByte]int{}, worst: map[refByte]int{}, mem: map[refByte]byte{}}
	f.d.limits = limits{[]int{2, 4, 32}[r.IntN(3)], [2]int{[]int{1, 2, 4}[r.IntN(3)], []int{1, 4, 16}[r.IntN(3)]}, []int{2, 4, 8}[r.IntN(3)]}
	f.ref = &reference{bytes: map[refByte][]refAccess{}, first: map[refByte]int{}, worst: map[refByte]int{}}
	f.span = []int{8, 32, 160, 520}[r.IntN(4)]
	f.words, f.rows = r.IntN(2) == 0, r.IntN(4) == 0
	f.keep = []int{3, 10, 50}[r.IntN(3)]
	f.gl = f.d.NewShadow(0, kernel.Global, 4096)
	resident := 1 + r.IntN(3)
	slots := make([]*fuzzBlock, resident)
	for i := range slots {
		slots[i] = &fuzzBlock{sh: f.d.NewShadow(1+i, kernel.Shared, 4096)}
	}
	var now []*fuzzBlock
	f.d.trace = func(sd *Shadow, _ *Block, off int64, n int, s kernel.Severity) {
		for k := range int64(n) {
			b := refByte{0, 0, off + k}
			if sd != f.gl {
				b = refByte{1, int(sd.object), off + k}
			}
			if _, ok := f.first[b]; !ok {
				f.first[b] = f.step
			}
			if _, ok := f.worst[b]; !ok && s == kernel.Error {
				f.worst[b] = f.step
			}
		}
	}
	for range 1 + r.IntN(2) {
		blocks := []int{1, 1, 3, 5}[r.IntN(4)]
		if err := f.d.BeginLaunch(uint64(blocks), false); err != nil {
			t.Fatal(err)
		}
		f.ref.launch++
		f.ref.start(blocks * f.warps * 32)
		next := 0
		now = now[:0]
		for {
			for len(now) < resident && next < blocks {
				var b *fuzzBlock
				for _, s := range slots {
					if s.done || s.d == nil {
						b = s
						break
					}
				}
				f.begin(b, next)
				now = append(now, b)
				next++
			}
			if len(now) == 0 {
				break
			}
			i := r.IntN(len(now))
			b := now[i]
			f.step++
			f.act(b, exits)
			if b.steps--; b.steps <= 0 || b.deserted() {
				f.d.EndBlock(&b.Block)
				f.logf("end block %d", b.linear)
				b.done = true
				now = append(now[:i], now[i+1:]...)
			}
		}
		f.d.EndLaunch()
		for _, s := range slots {
			s.done = true
		}
	}
	return len(f.ref.first), f.compare(seed)
}

func (f *fuzzer) begin(b *fuzzBlock, linear int) {
	f.d.BeginBlock(&b.Block, uint64(linear), f.warps*32)
	b.live = make([]uint32, f.warps)
	for i := range b.live {
		b.live[i] = shape.Full
	}
	b.phases, b.refs = map[int]*Phase{}, map[int][]int{}
	b.steps, b.done = 5+f.IntN(100), false
	for k := range f.ref.bytes { // shared memory is new
		if k.space == 1 && k.block == b.sh.object {
			delete(f.ref.bytes, k)
			delete(f.mem, k)
		}
	}
	f.logf("begin block %d in slot %d", linear, b.sh.object)
}

func (b *fuzzBlock) deserted() bool {
	for _, l := range b.live {
		if l != 0 {
			return false
		}
	}
	return true
}

func (f *fuzzer) thread(b *fuzzBlock, w, l int) int { return int(b.linear)*f.warps*32 + w*32 + l }

func (f *fuzzer) threads(b *fuzzBlock, w int, mask uint32) (ts []int) {
	for m := mask; m != 0; m &= m - 1 {
		ts = append(ts, f.thread(b, w, bits.TrailingZeros32(m)))
	}
	return ts
}

func (f *fuzzer) someMask(live uint32) uint32 {
	m := live
	switch f.IntN(4) {
	case 0:
		m &= f.Uint32()
	case 1:
		m &= 3
	}
	return m
}

func (f *fuzzer) act(b *fuzzBlock, exits bool) {
	w := f.IntN(f.warps)
	if f.IntN(100) < 70 {
		f.access(b, w)
		return
	}
	switch f.IntN(6) {
	case 0, 1:
		var all []int
		for i, l := range b.live {
			all = append(all, f.threads(b, i, l)...)
		}
		b.BarrierAll()
		f.ref.depart(f.ref.arrive(nil, all), all)
		f.logf("block %d barrier", b.linear)
	case 2, 3:
		m := b.live[w]
		if f.IntN(2) == 0 {
			m = f.someMask(m)
		}
		if m == 0 {
			return
		}
		b.Warp(w).Sync(m, b.live[w])
		if ts := f.threads(b, w, m); len(ts) > 1 {
			f.ref.depart(f.ref.arrive(nil, ts), ts)
		}
		f.logf("block %d warp %d sync %#x", b.linear, w, m)
	case 4: // a named barrier: some warps wait, some only arrive
		p := &Phase{}
		var join []int
		type part struct {
			w int
			m uint32
		}
		var waits []part
		for i := range f.warps {
			m := f.someMask(b.live[i])
			if m == 0 || f.IntN(2) == 0 {
				continue
			}
			b.Warp(i).Arrive(p, m)
			join = f.ref.arrive(join, f.threads(b, i, m))
			wait := f.IntN(3) != 0
			if wait {
				waits = append(waits, part{i, m})
			}
			f.logf("block %d warp %d arrives %#x wait=%v", b.linear, i, m, wait)
		}
		for _, x := range waits {
			b.Warp(x.w).Depart(p, x.m)
			f.ref.depart(join, f.threads(b, x.w, x.m))
		}
	case 5:
		if !exits || f.IntN(3) != 0 {
			return
		}
		m := b.live[w]
		if f.IntN(2) == 0 {
			m &= f.Uint32()
		}
		b.live[w] &^= m
		b.Warp(w).Exit(m)
		f.logf("block %d warp %d exit %#x", b.linear, w, m)
	}
}

func (f *fuzzer) access(b *fuzzBlock, w int) {
	mask := f.someMask(b.live[w])
	if f.IntN(8) == 0 {
		mask = b.live[w] & (1 << f.IntN(32))
	}
	width := []int{4, 4, 4, 4, 8, 16, 1, 2}[f.IntN(6+2*f.IntN(2))]
	elem := min(width, 4)
	if f.words {
		width, elem = []int{4, 4, 8}[f.IntN(3)], 4
	}
	n := max(f.span/width, 1)
	base := f.IntN(n)
	if f.rows {
		base = 0
	}
	if f.IntN(2) == 0 {
		base = base / 32 * 32
	}
	var a shape.Lanes
	pat := f.IntN(6)
	if f.rows && f.IntN(4) != 0 {
		pat = 0
	}
	for l := range 32 {
		c := base
		switch pat {
		case 0, 1:
			c += l
		case 2:
		case 3:
			c += l % 16
		case 4:
			c = f.IntN(n)
		case 5:
			c += 2 * l
		}
		a[l] = uint64(c * width)
	}
	write := f.IntN(100) < 35
	space, sd := 1, b.sh
	if f.IntN(2) == 0 {
		space, sd = 0, f.gl
	}
	var v oneValue
	same := f.IntN(4) == 0
	for l := range v.lane {
		v.lane[l] = byte(f.IntN(2))
		if same {
			v.lane[l] = 1
		}
	}
	at := func(off int64) refByte {
		if space == 0 {
			return refByte{0, 0, off}
		}
		return refByte{1, sd.object, off}
	}
	v.old = func(off int64) (byte, bool) { x, ok := f.mem[at(off)]; return x, ok }
	acc := func(l int) refAccess {
		t := f.thread(b, w, l)
		return refAccess{t, f.ref.threads[t].vc[t], f.ref.launch, f.step, write, v.lane[l], elem, nil}
	}
	if f.IntN(f.keep) != 0 { // drop the lanes that race, most of the time
		seen := map[uint64]bool{}
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			bad := write && seen[a[l]]
			for k := range int64(width) {
				bad = bad || f.ref.racy(at(int64(a[l])+k), acc(l)) != kernel.Off
			}
			if bad {
				mask &^= 1 << l
			} else {
				seen[a[l]] = true
			}
		}
	}
	if mask == 0 {
		return
	}
	f.logf("block %d warp %d space %d write=%v mask %#x pat %d base %d width %d", b.linear, w, space, write, mask, pat, base*width, width)
	f.d.Values = &v
	id := f.site(write, elem)
	if f.IntN(3) == 0 || f.rows {
		var off [32]int64
		for l := range off {
			off[l] = int64(a[l])
		}
		f.d.AccessLanes(b.Warp(w), sd, &off, mask, width, id)
	} else {
		s := f.tab.Of(&a, mask, width)
		f.d.Access(b.Warp(w), sd, s, int64(a[s.First]), id)
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		for k := range int64(width) {
			f.ref.access(at(int64(a[l])+k), acc(l))
			if write {
				f.mem[at(int64(a[l])+k)] = v.lane[l]
			}
		}
	}
}

// compare returns the first difference, nil if there is none.
func (f *fuzzer) compare(seed uint64) *difference {
	var ds []difference
	differ := func(want, got map[refByte]int, what string) {
		for b, st := range want {
			if g, ok := got[b]; !ok || g != st {
				at := st
				if ok {
					at = min(g, st)
				}
				ds = append(ds, difference{at, b, fmt.Sprintf("%s: reference at step %d, detector at step %d", what, st, g)})
			}
		}
		for b, st := range got {
			if _, ok := want[b]; !ok {
				ds = append(ds, difference{st, b, fmt.Sprintf("%s: false alarm at step %d", what, st)})
			}
		}
	}
	differ(f.ref.first, f.first, "race")
	differ(f.ref.worst, f.worst, "error")
	if len(ds) == 0 {
		return nil
	}
	d := slices.MinFunc(ds, func(a, b difference) int {
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.b.space, b.b.space), cmp.Compare(a.b.block, b.b.block), cmp.Compare(a.b.off, b.b.off))
	})
	var log strings.Builder
	for _, l := range strings.SplitAfter(f.log.String(), "\n") {
		var n int
		fmt.Sscan(l, &n)
		if n > d.step {
			break
		}
		log.WriteString(l)
	}
	d.text = fmt.Sprintf("seed %d: byte %v: %s\n%s", seed, d.b, d.text, log.String())
	return &d
}

// difference is where detector and reference part.
type difference struct {
	step int
	b    refByte
	text string
}

// fuzzN is the number of programs: short by default, RACE_FUZZ for more.
func fuzzN(short int) int {
	if n, err := strconv.Atoi(os.Getenv("RACE_FUZZ")); err == nil {
		return n
	}
	return short
}

func TestWeakAgainstReference(t *testing.T) {
	clean, racy := 0, 0
	n := fuzzN(150)
	var worst *difference // the shortest
	bad := 0
	for seed := range uint64(n) {
		k, diff := fuzzOne(t, seed, seed%3 == 0)
		if diff != nil {
			if bad++; worst == nil || diff.step < worst.step {
				worst = diff
			}
		}
		racy += k
		if k == 0 {
			clean++
		}
	}
	if worst != nil {
		t.Fatalf("%d of %d programs differ; the shortest: %s", bad, n, worst.text)
	}
	t.Logf("%d programs, %d clean, %d racy bytes", n, clean, racy)
	if clean == 0 || racy == 0 {
		t.Error("the generator has no power")
	}
}
