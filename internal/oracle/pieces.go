package oracle

// Addresses: data words from 0 and flags from 32 in both spaces, sources of copies from 64. Few, so that they meet.
const (
	flagBase   = 32
	sourceBase = 64
)

// actor is one lane.
type actor struct{ block, warp, lane int }

// Who.

func (g *generator) anyWarp() warpID { return warpID{g.IntN(g.blocks), g.IntN(g.warps)} }

func (g *generator) anyActor() actor {
	return actor{g.IntN(g.blocks), g.IntN(g.warps), g.IntN(g.lanes)}
}

func (a actor) do(op Op) Event {
	return Event{Op: op, Block: a.block, Warp: a.warp, Lanes: []int{a.lane}}
}

func (g *generator) wide(w warpID, op Op) Event {
	return Event{Op: op, Block: w.block, Warp: w.warp, Lanes: g.staying(w)}
}

// What.

type cell struct {
	space Space
	addr  int64
}

func (g *generator) dataCell() cell {
	return cell{Space(g.chance(40)), int64(4 * g.IntN(g.cells))}
}

// flagCell is a flag that all the given actors can reach.
func (g *generator) flagCell(who ...actor) cell {
	space := Space(g.chance(30))
	for _, a := range who {
		if a.block != who[0].block {
			space = Global
		}
	}
	return cell{space, flagBase + int64(4*g.IntN(2))}
}

func (g *generator) scope() Scope {
	return []Scope{GPU, GPU, GPU, GPU, GPU, GPU, Sys, Sys, CTA, CTA, CTA, Cluster}[g.IntN(12)]
}

// misplaced is the flag, or now and then the other one.
func (g *generator) misplaced(flag cell) cell {
	if g.yes(25) {
		flag.addr ^= 4
	}
	return flag
}

func (g *generator) value() uint64 { return uint64(1 + g.IntN(2)) }

// plain is a weak access of one actor.
func (g *generator) plain(a actor, op Op, c cell) Event {
	e := a.do(op)
	e.Space, e.Addr, e.Size = c.space, []int64{c.addr}, 4
	switch {
	case g.with(SubWords) && g.yes(15):
		e.Size = []int{1, 1, 2, 8}[g.IntN(4)]
		e.Addr[0] += int64(e.Size * g.IntN(max(4/e.Size, 1)))
		e.Addr[0] &^= int64(e.Size - 1)
	case g.with(Vectors) && g.yes(8):
		e.Elems = 2
		e.Addr[0] &^= 7
	}
	if op == Write {
		for range e.elems() {
			e.Value = append(e.Value, g.value())
		}
	}
	return e
}

func (g *generator) readOnly(a actor) Event {
	e := g.plain(a, Read, cell{Global, int64(4 * g.IntN(g.cells))})
	e.NC = true
	return e
}

// touch queues one or two weak accesses of data.
func (g *generator) touch(a actor, writes int, after ...*step) {
	for range 1 + g.chance(30) {
		g.push(g.plain(a, Op(g.chance(writes)), g.dataCell()), after...)
	}
}

// strong is a strong access of one actor; Read, Write or RMW.
func (g *generator) strong(a actor, op Op, c cell, sem Sem) Event {
	e := a.do(op)
	e.Space, e.Addr, e.Size, e.Sem, e.Scope = c.space, []int64{c.addr}, 4, sem, g.scope()
	if op != Read {
		e.Value = []uint64{g.value()}
	}
	if sem == Relaxed && op != RMW && g.yes(10) {
		e.Volatile = true
	}
	if g.with(SubWords) && g.yes(3) {
		e.Size = 8
		e.Addr[0] &^= 7
	}
	return e
}

func (g *generator) fence(a actor) Event {
	e := a.do(Fence)
	e.Scope = g.scope()
	kinds := []FenceKind{FenceSC, FenceSC, FenceSC, FenceAcqRel, FenceAcqRel, FenceAcqRel, FenceAcquire, FenceRelease}
	if !g.with(OneWayFences) {
		kinds = kinds[:6]
	}
	e.Fence = kinds[g.IntN(len(kinds))]
	return e
}

// publish queues a release pattern, or something that falls short of one, and returns its write.
func (g *generator) publish(a actor, c cell, after ...*step) *step {
	switch g.IntN(9) {
	case 0, 1:
		return g.push(g.strong(a, Write, c, Release), after...)
	case 2:
		return g.push(g.strong(a, RMW, c, []Sem{Release, AcqRel}[g.IntN(2)]), after...)
	case 3, 4:
		g.push(g.fence(a), after...)
		return g.push(g.strong(a, Write, c, Relaxed))
	case 5:
		g.push(g.fence(a), after...)
		e := g.strong(a, RMW, c, Relaxed)
		e.Red = g.yes(30)
		return g.push(e)
	case 6:
		g.push(g.strong(a, Write, g.misplaced(c), Release), after...)
		if g.yes(30) {
			g.touch(a, 70)
		}
		return g.push(g.strong(a, Write, c, Relaxed))
	case 7:
		e := g.strong(a, RMW, g.misplaced(c), []Sem{Release, AcqRel}[g.IntN(2)])
		e.Failed = 1 << a.lane
		g.push(e, after...)
		return g.push(g.strong(a, Write, c, Relaxed))
	default:
		return g.push(g.strong(a, Op(1+g.IntN(2)), c, Relaxed), after...)
	}
}

// subscribe queues an acquire pattern, or something that falls short of one, and returns its last step.
func (g *generator) subscribe(a actor, c cell, after ...*step) *step {
	switch g.IntN(10) {
	case 0, 1:
		return g.push(g.strong(a, Read, c, Acquire), after...)
	case 2:
		return g.push(g.strong(a, RMW, c, []Sem{Acquire, AcqRel}[g.IntN(2)]), after...)
	case 3, 4:
		g.push(g.strong(a, Read, c, Relaxed), after...)
		return g.push(g.fence(a))
	case 5, 6:
		e := g.strong(a, RMW, c, Relaxed)
		e.Red = g.yes(25)
		if g.yes(25) && !e.Red {
			e.Failed = 1 << a.lane
		}
		g.push(e, after...)
		return g.push(g.fence(a))
	case 7:
		e := g.strong(a, RMW, c, []Sem{Acquire, AcqRel}[g.IntN(2)])
		e.Failed = 1 << a.lane
		return g.push(e, after...)
	case 8:
		g.push(g.strong(a, Read, c, Relaxed), after...)
		return g.push(g.strong(a, Read, g.misplaced(c), Acquire))
	default:
		return g.push(g.strong(a, Op(2*g.IntN(2)), c, Relaxed), after...)
	}
}

// gate is the step mostly: a spin loop usually sees the write that it waits for.
func (g *generator) gate(s *step) *step {
	if g.yes(12) {
		return nil
	}
	return s
}
