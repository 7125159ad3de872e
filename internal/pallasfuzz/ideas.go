package pallasfuzz

import (
	"slices"

	"gpusim/kernel"
)

// access lets a thread load or store somewhere.
func (g *generator) access() { g.accessBy(g.thread()) }

func (g *generator) accessBy(t int) {
	space := pick(g, []kernel.Space{kernel.Shared, kernel.Shared, kernel.Shared, kernel.Global})
	if g.tensor && g.chance(0.15) {
		space = kernel.Tensor
	}
	list := g.arrays(space)
	if len(list) == 0 {
		return
	}
	r := g.slice(pick(g, list), 0, 0)
	switch op := pick(g, []Op{Load, Load, Store, Store, Store, Add, Swap}); op {
	case Load:
		g.put(t, Stmt{Op: Load, Src: r})
	default:
		g.put(t, Stmt{Op: op, Dst: r, N: g.IntN(7)})
	}
}

func (g *generator) masked() {
	t := g.thread()
	r := g.shared(0, 0)
	if g.chance(0.5) {
		g.put(t, Stmt{Op: LoadMasked, Src: r, N: g.IntN(256)})
	} else {
		g.put(t, Stmt{Op: SwapMasked, Dst: r, N: g.IntN(256), Flag: g.chance(0.5)})
	}
}

func (g *generator) atomics() {
	r := g.slice(pick(g, append(g.arrays(kernel.Shared), g.arrays(kernel.Global)...)), 0, 0)
	for range 1 + g.IntN(3) {
		t := g.thread()
		if g.chance(0.3) {
			g.put(t, Stmt{Op: pick(g, []Op{Load, Load, Store}), Src: r, Dst: r})
		}
		g.put(t, Stmt{Op: Atomic, Dst: r, N: g.IntN(7), Flag: g.chance(0.2)})
	}
}

func (g *generator) fence() { g.put(g.thread(), Stmt{Op: Fence}) }

func (g *generator) maybeFence(t int) {
	if g.chance(g.fences) {
		g.put(t, Stmt{Op: Fence})
	}
}

// wait is Wait, or now and then Poll.
func (g *generator) wait() Op {
	if g.chance(0.1) {
		return Poll
	}
	return Wait
}

// handOver lets some threads arrive and some wait.
func (g *generator) handOver() {
	t := g.thread()
	from, to := g.some(g.mates(t)), g.some(g.mates(t))
	b := g.bar(Bar{Arrivals: len(from), Tensor: g.tensor && g.chance(0.6)})
	phases := 1
	if safe := !slices.ContainsFunc(to, func(x int) bool { return !slices.Contains(from, x) }); safe && g.chance(0.4) || g.chance(0.03) {
		phases = 2 + g.IntN(2) // nobody misses a phase if all who wait arrive, too
	}
	for range phases {
		for _, x := range from {
			if g.chance(0.5) {
				g.accessBy(x)
			}
			g.maybeFence(x)
			g.put(x, Stmt{Op: Arrive, Bar: b})
		}
		for _, x := range to {
			g.put(x, Stmt{Op: g.wait(), Bar: b})
			if g.chance(0.5) {
				g.accessBy(x)
			}
		}
	}
}

// ring hands one array from one thread to another and back.
func (g *generator) ring() {
	if g.p.Threads < 2 {
		return
	}
	t := g.thread()
	m := g.mates(t)
	i := g.IntN(len(m))
	from, to := m[i], m[(i+1)%len(m)]
	full, empty := g.bar(Bar{Arrivals: 1}), g.bar(Bar{Arrivals: 1})
	rows, cols := g.extent()
	tile := g.shared(rows, cols)
	copies := g.chance(0.6)
	for k := range 2 + g.IntN(2) {
		if k > 0 && g.chance(0.9) {
			g.put(from, Stmt{Op: Wait, Bar: empty})
		}
		if copies {
			g.put(from, Stmt{Op: CopyIn, Src: g.global(rows, cols), Dst: tile, Bar: full})
		} else {
			g.put(from, Stmt{Op: Store, Dst: tile, N: k})
			g.put(from, Stmt{Op: Arrive, Bar: full})
		}
		g.put(to, Stmt{Op: Wait, Bar: full})
		g.put(to, Stmt{Op: Load, Src: tile})
		g.maybeFence(to)
		g.put(to, Stmt{Op: Arrive, Bar: empty})
	}
	g.put(from, Stmt{Op: Wait, Bar: empty})
}

// copyIn copies to shared memory, with a barrier for one copy or several.
func (g *generator) copyIn() {
	t := g.thread()
	n := 1 + g.IntN(2)
	to := g.some(g.mates(t))
	b := g.bar(Bar{Arrivals: n, Tensor: g.tensor && g.chance(0.2)})
	g.maybeFence(t)
	for range n {
		by := t
		if g.chance(0.2) {
			by = pick(g, g.mates(t))
		}
		rows, cols := g.extent()
		src := g.global(rows, cols)
		if g.chance(0.1) && src.Row > 0 { // a box that lies partly outside
			src.Row += side * g.p.Grid
			src.Row -= side
			src.RowBy = 1
			src.Row++
			src.PerPoint = false
		}
		g.put(by, Stmt{Op: CopyIn, Src: src, Dst: g.shared(rows, cols), Bar: b})
	}
	if g.chance(0.3) {
		g.accessBy(t)
	}
	for _, x := range to {
		if g.chance(g.waits) {
			g.put(x, Stmt{Op: g.wait(), Bar: b})
			if g.chance(0.5) {
				g.accessBy(x)
			}
		}
	}
}

func (g *generator) copyOut() {
	t := g.thread()
	g.maybeFence(t)
	for range 1 + g.IntN(2) {
		rows, cols := g.extent()
		red := 0
		if g.chance(0.25) {
			red = 1
		}
		dst := g.global(rows, cols)
		if g.p.Devices > 1 && g.p.Bufs[dst.Buf].Host && g.chance(0.2) {
			dst.Device = g.IntN(2)
		}
		g.put(t, Stmt{Op: CopyOut, Src: g.shared(rows, cols), Dst: dst, N: red, Flag: g.chance(0.7)})
	}
	if g.chance(0.3) {
		g.put(t, Stmt{Op: Commit})
	}
	if g.chance(0.3) {
		g.accessBy(t)
	}
	if g.chance(g.waits) {
		g.put(t, Stmt{Op: Commit})
		g.put(t, Stmt{Op: pick(g, []Op{WaitOut, WaitRead}), N: pick(g, []int{0, 0, 0, 1})})
	}
	if g.chance(0.5) {
		g.accessBy(t)
	}
}

func (g *generator) copyInGroup() {
	t := g.thread()
	for range 1 + g.IntN(3) {
		rows, cols := g.extent()
		g.put(t, Stmt{Op: CopyInGroup, Src: g.global(rows, cols), Dst: g.shared(rows, cols)})
		if g.chance(0.2) {
			g.put(t, Stmt{Op: Commit})
		}
	}
	if g.chance(g.waits) {
		g.put(t, Stmt{Op: WaitIn, N: pick(g, []int{0, 0, 0, 1})})
	}
}

func (g *generator) asyncStore() {
	t := g.thread()
	block := t / g.p.Threads
	if g.chance(0.5) {
		block = g.IntN(g.p.Blocks())
	}
	n := 1 + g.IntN(2)
	b := g.bar(Bar{Arrivals: n})
	add := g.chance(0.4)
	dst := g.slice(g.p.Scopes[0].Bufs[0], 0, 0)
	if add && g.chance(0.4) {
		at := dst
		at.Block = block
		g.put(t, Stmt{Op: pick(g, []Op{Atomic, Store}), Dst: at, N: g.IntN(7)})
	}
	for range n {
		by := t
		if g.chance(0.3) {
			by = g.thread()
		}
		g.put(by, Stmt{Op: AsyncStore, Dst: dst, Bar: b, Block: block, Flag: add, N: g.IntN(7)})
	}
	for _, x := range g.some(g.mates(block * g.p.Threads)) {
		if g.chance(g.waits) {
			g.put(x, Stmt{Op: Wait, Bar: b})
			if g.chance(0.5) {
				g.put(x, Stmt{Op: Load, Src: dst})
			} else if g.chance(0.5) {
				b := g.bar(Bar{Arrivals: 1})
				g.put(x, Stmt{Op: CopyIn, Src: g.global(dst.Rows, dst.Cols), Dst: dst, Bar: b})
				g.put(x, Stmt{Op: Wait, Bar: b})
			}
		}
	}
}

// remote accesses memory of another block or device.
func (g *generator) remote() {
	t := g.thread()
	var r Slice
	if g.p.Devices > 1 && (g.p.Blocks() == 1 || g.chance(0.5)) {
		r = g.slice(pick(g, g.host), 0, 0)
		if g.chance(0.2) {
			g.put(t, Stmt{Op: StoreAll, Dst: r, N: g.IntN(7)})
			return
		}
		r.Device = g.IntN(g.p.Devices)
	} else {
		r = g.slice(g.p.Scopes[0].Bufs[0], 0, 0)
		r.Block = g.IntN(g.p.Blocks())
	}
	if op := pick(g, []Op{Load, Store, Add, Atomic}); op == Load {
		g.put(t, Stmt{Op: op, Src: r})
	} else {
		g.put(t, Stmt{Op: op, Dst: r, N: g.IntN(7)})
	}
}

// collective is a copy that blocks of the cluster do together.
func (g *generator) collective() {
	p := g.p
	var dims []int
	for d := range p.Cluster {
		if g.chance(0.7) {
			dims = append(dims, d)
		}
	}
	if dims == nil {
		return
	}
	dst := g.slice(g.p.Scopes[0].Bufs[0], pick(g, []int{1, 2, 4}), 4)
	dst.RowBy = 1
	dst.Row = min(dst.Row, side-dst.Rows)
	n := len(p.alike(0, dims))
	s := Stmt{Op: CopyIn, Dst: dst, Dims: dims, Bar: g.bar(Bar{Arrivals: 1})}
	s.Src = g.slice(pick(g, g.host), dst.Rows, 4)
	if s.Track = g.chance(0.4); s.Track {
		if s.Part = g.chance(0.5); s.Part {
			if dst.Rows*n > side {
				s.Dst.Rows = 1
			}
			s.Src.Row, s.Src.Rows, s.Src.RowBy = 0, s.Dst.Rows*n, 1
		}
	}
	by, to := g.IntN(p.Threads), g.IntN(p.Threads)
	for b := range p.Blocks() {
		g.maybeFence(b*p.Threads + by)
		g.put(b*p.Threads+by, s)
	}
	for b := range p.Blocks() {
		if g.chance(g.waits) && (!s.Track || p.alike(b, dims)[0] == b || g.chance(0.05)) {
			g.put(b*p.Threads+to, Stmt{Op: g.wait(), Bar: s.Bar})
		}
	}
}

func (g *generator) semaphore() {
	p := g.p
	i := len(p.Sems)
	s := Sem{Name: "q" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Global: g.chance(0.6)}
	p.Sems = append(p.Sems, s)
	if !s.Global {
		p.Scopes[0].Sems = append(p.Scopes[0].Sems, i)
	}
	to := g.thread()
	if s.Global {
		p.Talks = true
	}
	n := 0
	for range 1 + g.IntN(3) {
		from := g.thread()
		if !s.Global {
			from = pick(g, g.mates(to))
		}
		if g.chance(0.5) {
			g.accessBy(from)
		}
		x := Stmt{Op: Signal, Bar: i, N: 1 + g.IntN(2), Device: -1}
		only := -1
		if s.Global {
			only = g.IntN(p.Grid * p.Devices)
			if p.Devices > 1 && g.chance(0.5) {
				x.Device = g.IntN(2)
			}
		}
		n += x.N
		g.put(from, x)
		g.only(from, only)
	}
	only := -1
	if s.Global && g.chance(0.7) {
		only = g.IntN(p.Grid * p.Devices)
	}
	if p.Devices > 1 && g.chance(0.8) {
		n = 1
	}
	k := n
	if g.chance(0.3) {
		k = g.IntN(n + 1)
	}
	if s.Global && g.chance(0.4) { // what one cluster has stored, another one overwrites with a copy
		from, r := g.thread(), g.slice(pick(g, g.host), 2, 4)
		r.PerPoint = false
		g.put(from, Stmt{Op: Store, Dst: r, N: 1})
		at := g.IntN(p.Grid * p.Devices)
		g.only(from, at)
		g.put(from, Stmt{Op: Signal, Bar: i, N: 1, Device: -1})
		g.only(from, at)
		n++
		only = g.IntN(p.Grid * p.Devices)
		g.put(to, Stmt{Op: Await, Bar: i, N: n})
		g.only(to, only)
		g.maybeFence(to)
		g.put(to, Stmt{Op: CopyOut, Src: g.shared(2, 4), Dst: r, Flag: true})
		g.only(to, only)
		return
	}
	dec := g.chance(0.5)
	g.put(to, Stmt{Op: Await, Bar: i, N: k, Flag: dec})
	g.only(to, only)
	if g.chance(0.7) {
		g.accessBy(to)
	}
	if g.chance(0.3) {
		if dec {
			n -= k
		}
		g.put(to, Stmt{Op: Await, Bar: i, N: n, Flag: g.chance(0.5)})
		g.only(to, only)
		g.accessBy(to)
	}
}

// only lets the last statement of a thread be executed by one cluster only.
func (g *generator) only(t, cluster int) {
	list := g.p.Code[t]
	list[len(list)-1].Only = cluster
}
