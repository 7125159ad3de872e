package pallasfuzz

import "gpusim/kernel"

func (g *generator) wgmma() {
	t := g.thread()
	acc := g.acc[t]
	if g.chance(0.2) {
		g.put(t, Stmt{Op: StoreAcc, Dst: g.slice(acc, 4, 4), N: g.IntN(7)})
	}
	for range 1 + g.IntN(2) {
		k := pick(g, []int{1, 2, 4})
		g.maybeFence(t)
		g.put(t, Stmt{Op: WGMMA, Dst: g.slice(acc, 4, 4), Src: g.shared(4, k), Src2: g.shared(k, 4), Flag: g.chance(0.3), N: g.IntN(7)})
	}
	if g.chance(0.3) {
		g.accessBy(t)
	}
	if g.chance(g.waits) {
		g.put(t, Stmt{Op: WaitWGMMA, N: pick(g, []int{0, 0, 1})})
	}
	if g.chance(0.6) {
		g.put(t, Stmt{Op: LoadAcc, Src: g.slice(acc, 4, 4), N: pick(g, []int{-1, 0, 0, 1})})
	}
}

// cell is a part of tensor memory, mostly all of an array, so that products meet.
func (g *generator) cell() Slice {
	b := pick(g, g.arrays(kernel.Tensor))
	if g.chance(0.6) {
		return g.slice(b, 4, 4)
	}
	return g.slice(b, pick(g, []int{2, 4}), pick(g, []int{2, 4}))
}

// tcgen05 gives work to the tensor core.
func (g *generator) tcgen05() {
	t := g.thread()
	for range 1 + g.IntN(3) {
		g.tensorStep(t)
	}
	if g.chance(0.5 * g.waits) {
		g.commitTo(t)
	}
}

func (g *generator) commitTo(t int) {
	both := g.pairs() && g.chance(0.2)
	b := g.bar(Bar{Arrivals: 1, Tensor: true})
	if !both {
		g.put(t, Stmt{Op: CommitArrive, Bar: b})
		for _, x := range g.some(g.mates(t)) {
			g.put(x, Stmt{Op: Wait, Bar: b})
		}
		return
	}
	at := t % g.p.Threads
	for i := range g.p.Blocks() {
		g.put(i*g.p.Threads+at, Stmt{Op: CommitArrive, Bar: b, Flag: true})
		g.put(i*g.p.Threads+at, Stmt{Op: Wait, Bar: b})
	}
}

// pairs reports whether two blocks may work together.
func (g *generator) pairs() bool {
	return g.warp == nil && g.p.Cluster[len(g.p.Cluster)-1] == 2
}

func (g *generator) tensorStep(t int) {
	switch g.IntN(7) {
	case 0:
		g.put(t, Stmt{Op: StoreT, Dst: g.cell(), N: g.IntN(7)})
		if g.chance(g.waits) {
			g.put(t, Stmt{Op: CommitT})
		}
	case 1:
		g.put(t, Stmt{Op: LoadT, Src: g.cell()})
		if g.chance(g.waits) {
			g.put(t, Stmt{Op: WaitLoadT})
		}
	case 2, 3:
		dst := g.cell()
		g.maybeFence(t)
		s := Stmt{Op: ToTMEM, Src: g.shared(dst.Rows, dst.Cols), Dst: dst}
		if g.pairs() && g.chance(0.2) {
			s.Flag = true
			s.Src = g.slice(g.p.Scopes[0].Bufs[0], dst.Rows, dst.Cols)
			g.collectively(t, s)
			return
		}
		g.put(t, s)
	default:
		g.product(t)
	}
	if g.chance(0.3) { // another thread goes on
		x := pick(g, g.mates(t))
		b := g.bar(Bar{Arrivals: 1, Tensor: g.chance(0.8)})
		if g.warp == nil {
			g.put(t, Stmt{Op: Arrive, Bar: b})
			g.put(x, Stmt{Op: Wait, Bar: b})
			g.tensorStep(x)
		}
	}
}

func (g *generator) product(t int) {
	acc := g.cell()
	k := pick(g, []int{2, 4})
	s := Stmt{Op: MMA, Dst: acc, Src: g.shared(acc.Rows, k), Src2: g.shared(k, acc.Cols), Bar: -1, Flag: g.chance(0.5)}
	if g.chance(0.25) {
		s.Src = g.slice(pick(g, g.arrays(kernel.Tensor)), acc.Rows, k)
	}
	g.maybeFence(t)
	if g.pairs() && g.chance(0.2) {
		s.Both = true
		s.Dst = g.slice(acc.Buf, acc.Rows, 4)
		s.Src, s.Src2 = g.slice(g.p.Scopes[0].Bufs[0], acc.Rows, k), g.slice(g.p.Scopes[0].Bufs[0], k, 2)
		if g.chance(0.5) {
			s.Bar = g.bar(Bar{Arrivals: 1, Tensor: true})
		}
		g.collectively(t, s)
		return
	}
	if g.warp == nil && g.chance(0.5) {
		s.Bar = g.bar(Bar{Arrivals: 1, Tensor: true})
	}
	g.put(t, s)
	if s.Bar >= 0 && g.chance(g.waits) {
		x := pick(g, g.mates(t))
		g.put(x, Stmt{Op: Wait, Bar: s.Bar})
		if g.chance(0.6) {
			g.put(x, Stmt{Op: LoadT, Src: acc})
		}
	}
}

// collectively lets one thread of every block do something, and wait for it.
func (g *generator) collectively(t int, s Stmt) {
	n := g.p.Threads
	for b := range g.p.Blocks() {
		g.put(b*n+t%n, s)
	}
	if s.Op == MMA && s.Bar >= 0 {
		for b := range g.p.Blocks() {
			if g.chance(g.waits) {
				g.put(b*n+t%n, Stmt{Op: Wait, Bar: s.Bar})
			}
		}
	}
}

// fork lets the warps of a thread do something.
func (g *generator) fork() {
	t := g.thread()
	s := Stmt{Op: Fork, Warps: make([][]Stmt, 4)}
	hand := -1
	if g.chance(0.5) {
		hand = g.bar(Bar{Arrivals: 1, Tensor: g.tensor && g.chance(0.6)})
	}
	order := g.Perm(4)
	for i, w := range order[:2+g.IntN(3)] {
		g.warp = &s.Warps[w]
		if hand >= 0 && i > 0 {
			g.put(t, Stmt{Op: Wait, Bar: hand})
		}
		for range 1 + g.IntN(2) {
			switch k := g.IntN(6); {
			case k == 0 && g.tensor, k == 1 && g.tensor, k == 2 && g.tensor:
				g.tensorStep(t)
			case k == 3:
				g.maybeFence(t)
				rows, cols := g.extent()
				g.put(t, Stmt{Op: CopyOut, Src: g.shared(rows, cols), Dst: g.global(rows, cols), Flag: true})
				if g.chance(0.5) {
					g.put(t, Stmt{Op: WaitOut})
				}
			default:
				g.accessBy(t)
			}
		}
		g.maybeFence(t)
		if hand >= 0 && i == 0 {
			if g.tensor && g.p.Bars[hand].Tensor && g.chance(0.3) {
				g.put(t, Stmt{Op: CommitArrive, Bar: hand})
			} else {
				g.put(t, Stmt{Op: Arrive, Bar: hand})
			}
		}
	}
	g.warp = nil
	g.put(t, s)
}

// warpsWait lets warps wait at a barrier, then perhaps some of them again, then their thread.
func (g *generator) warpsWait() {
	if g.p.Threads < 2 {
		return
	}
	m := g.mates(g.thread())
	i := g.IntN(len(m))
	t, by := m[i], m[(i+1)%len(m)]
	b, back := g.bar(Bar{Arrivals: 1}), g.bar(Bar{Arrivals: 1})
	warps := 4
	for range 1 + g.IntN(2) {
		g.put(by, Stmt{Op: Arrive, Bar: b})
		s := Stmt{Op: Fork, Warps: make([][]Stmt, 4)}
		for w := range warps {
			g.warp = &s.Warps[w]
			g.put(t, Stmt{Op: Wait, Bar: b})
			if g.chance(0.2) {
				g.accessBy(t)
			}
		}
		g.warp = nil
		g.put(t, s)
		g.put(t, Stmt{Op: Arrive, Bar: back})
		g.put(by, Stmt{Op: Wait, Bar: back})
		if g.chance(0.2) {
			warps = 1 + g.IntN(4)
		}
	}
	g.put(by, Stmt{Op: Arrive, Bar: b})
	g.put(t, Stmt{Op: Wait, Bar: b})
}
