package oracle

// idiom queues a scrap of a program for some threads.
func (g *generator) idiom() {
	type entry struct {
		weight int
		run    func()
	}
	table := []entry{
		{12, g.noise},
		{14, g.messagePassing},
		{8, g.lock},
		{16, g.lastBlock},
		{8, g.exchange},
		{6, g.observeThenShare},
		{6, g.fences},
		{6, func() { g.barrier(g.IntN(g.blocks), 0) }},
		{4, func() { g.warpSync(g.anyWarp()) }},
		{4, g.sameValue},
		{5, g.siblings},
	}
	if g.with(NamedBarriers) {
		table = append(table, entry{6, func() { g.barrier(g.IntN(g.blocks), 1+g.IntN(barriers-1)) }}, entry{6, g.pipeline})
	}
	if g.with(Exits) {
		table = append(table, entry{2, g.exit})
	}
	if g.with(Copies) {
		table = append(table, entry{6, g.copies})
	}
	if g.with(ReadOnlyLoads) {
		table = append(table, entry{1, func() { g.push(g.readOnly(g.anyActor())) }})
	}
	total := 0
	for _, e := range table {
		total += e.weight
	}
	n := g.IntN(total)
	for _, e := range table {
		if n -= e.weight; n < 0 {
			e.run()
			return
		}
	}
}

// Scraps of programs.

// noise is a single access without any purpose.
func (g *generator) noise() {
	if g.yes(50) {
		g.push(g.plain(g.anyActor(), Op(g.chance(50)), g.dataCell()))
		return
	}
	w := g.anyWarp()
	e := g.wide(w, []Op{Read, Write, RMW}[g.IntN(3)])
	c, stride := g.dataCell(), int64(4*g.IntN(2))
	e.Space, e.Size = c.space, 4
	if e.Op == RMW {
		e.Sem, e.Scope, e.Red = Sem(1+g.IntN(4)), g.scope(), g.yes(30)
		if e.Red && e.Sem != Release {
			e.Sem = Relaxed
		}
		if !e.Red {
			some, half := g.Uint64(), g.Uint64()
			e.Failed = uint32(some & half)
		}
		e.Addr, c.addr, stride = nil, flagBase, 0
	}
	for k := range e.Lanes {
		e.Addr = append(e.Addr, c.addr+stride*int64(k))
		if e.Op != Read {
			e.Value = append(e.Value, g.value())
		}
	}
	g.push(e)
}

// messagePassing: data, a flag, perhaps read-modify-writes of others in between, the flag seen, data.
func (g *generator) messagePassing() {
	from, to := g.anyActor(), g.anyActor()
	flag := g.flagCell(from, to)
	g.touch(from, 70)
	sent := g.publish(from, flag)
	for range g.IntN(3) {
		by := g.anyActor()
		if flag.space == Shared {
			by.block = from.block
		}
		e := g.strong(by, RMW, flag, Sem(1+g.IntN(4)))
		e.Failed = uint32(g.chance(20)) << by.lane
		if g.yes(25) {
			e.Red, e.Failed, e.Sem = true, 0, Relaxed
		}
		if s := g.push(e, sent); s != nil {
			sent = s
		}
	}
	g.subscribe(to, flag, g.gate(sent))
	g.share(to)
	g.touch(to, 40)
}

// share sometimes lets the rest of the warp or block take part in what an actor has learnt.
func (g *generator) share(a actor) {
	switch g.IntN(6) {
	case 0:
		g.warpSync(warpID{a.block, a.warp})
		g.touch(actor{a.block, a.warp, g.IntN(g.lanes)}, 40)
	case 1:
		g.barrier(a.block, 0)
		g.touch(actor{a.block, g.IntN(g.warps), g.IntN(g.lanes)}, 40)
	}
}

// lock: threads one after the other in a critical section.
func (g *generator) lock() {
	flag := cell{Global, flagBase}
	var free *step
	for range 2 + g.IntN(2) {
		a := g.anyActor()
		if g.yes(30) {
			e := g.strong(a, RMW, flag, Sem(1+g.IntN(2)))
			e.Failed = 1 << a.lane
			g.push(e)
		}
		e := g.strong(a, RMW, flag, []Sem{Acquire, Acquire, AcqRel, Relaxed}[g.IntN(4)])
		e.Scope = []Scope{GPU, GPU, GPU, g.scope()}[g.IntN(4)]
		g.push(e, g.gate(free))
		if e.Sem == Relaxed && g.yes(80) {
			g.push(g.fence(a))
		}
		g.touch(a, 60)
		free = g.publish(a, flag)
	}
}

// lastBlock: all threads of a block store and fence, one of them signals after a barrier; one of another block sees it, all read after a
// barrier and a fence. The pair of fence.sc that other threads connect.
func (g *generator) lastBlock() {
	from, to := g.IntN(g.blocks), g.IntN(g.blocks)
	flag := cell{Global, flagBase + int64(4*g.IntN(2))}
	kind, scope := []FenceKind{FenceSC, FenceSC, FenceAcqRel}[g.IntN(3)], []Scope{GPU, GPU, GPU, g.scope()}[g.IntN(4)]
	all := func(block int, f func(a actor)) {
		for w := range g.warps {
			for l := range g.lanes {
				if g.yes(92) {
					f(actor{block, w, l})
				}
			}
		}
	}
	fence := func(a actor) {
		e := a.do(Fence)
		e.Fence, e.Scope = kind, scope
		if g.yes(10) {
			e = g.fence(a)
		}
		g.push(e)
	}
	sync := func(block int) {
		switch g.IntN(8) {
		case 0:
		case 1:
			g.warpSync(warpID{block, g.IntN(g.warps)})
		default:
			g.barrier(block, 0)
		}
	}
	all(from, func(a actor) { g.push(g.plain(a, Write, g.dataCell())) })
	early := g.yes(88)
	if early {
		all(from, fence)
	}
	sync(from)
	if !early {
		all(from, fence)
	}
	leader := actor{from, g.IntN(g.warps), g.IntN(g.lanes)}
	sent := g.push(g.strong(leader, Op(1+g.IntN(2)), flag, Relaxed))
	leader = actor{to, g.IntN(g.warps), g.IntN(g.lanes)}
	seen := g.strong(leader, Op(2*g.IntN(2)), flag, Relaxed)
	seen.Red = seen.Op == RMW && g.yes(20)
	g.push(seen, g.gate(sent))
	early = g.yes(12)
	if early {
		all(to, fence)
	}
	sync(to)
	if !early {
		all(to, fence)
	}
	all(to, func(a actor) { g.push(g.plain(a, Op(g.chance(20)), g.dataCell())) })
}

// exchange: the threads of a block store, synchronize in some way and read each other's cells.
func (g *generator) exchange() {
	block := g.IntN(g.blocks)
	space := Space(g.chance(70))
	each := func(op Op, shift int) {
		for w := range g.warps {
			e := g.wide(warpID{block, w}, op)
			e.Space, e.Size = space, 4
			for _, l := range e.Lanes {
				e.Addr = append(e.Addr, int64(4*((w*g.lanes+l+shift)%(g.warps*g.lanes))))
				if op == Write {
					e.Value = append(e.Value, g.value())
				}
			}
			g.push(e)
		}
	}
	each(Write, 0)
	switch g.IntN(4) {
	case 0:
		for w := range g.warps {
			g.warpSync(warpID{block, w})
		}
	case 1:
		if g.with(NamedBarriers) {
			g.barrier(block, 1+g.IntN(barriers-1))
		}
	default:
		g.barrier(block, 0)
	}
	each(Read, 1+g.IntN(max(g.warps*g.lanes-1, 1)))
	if g.yes(40) {
		g.barrier(block, 0)
	}
	if g.yes(60) {
		each(Write, 0)
	}
}

// observeThenShare: a flag is seen with relaxed order and read plainly, by the same thread or by others after a barrier.
func (g *generator) observeThenShare() {
	from, to := g.anyActor(), g.anyActor()
	flag := g.flagCell(from, to)
	sent := g.push(g.strong(from, Op(1+g.IntN(2)), flag, Relaxed))
	if g.yes(30) {
		by := g.anyActor()
		if flag.space == Shared {
			by.block = from.block
		}
		if s := g.push(g.strong(by, RMW, flag, Relaxed), sent); s != nil {
			sent = s
		}
	}
	seen := g.strong(to, Op(2*g.IntN(2)), flag, Relaxed)
	seen.Failed = uint32(g.chance(70)) << to.lane
	if seen.Op == Read {
		seen.Failed = 0
	} else if g.yes(15) {
		seen.Red, seen.Failed = true, 0
	}
	g.push(seen, g.gate(sent))
	reader := to
	switch g.IntN(4) {
	case 0:
		g.warpSync(warpID{to.block, to.warp})
		reader.lane = g.IntN(g.lanes)
	case 1:
		g.barrier(to.block, 0)
		reader.warp, reader.lane = g.IntN(g.warps), g.IntN(g.lanes)
	case 2:
		if next := g.anyActor(); next.block == to.block || flag.space == Global {
			second := g.flagCell(to, next)
			g.subscribe(next, second, g.gate(g.publish(to, second)))
			reader = next
		}
	}
	g.push(g.plain(reader, Op(g.chance(25)), flag))
}

// fences queues accesses of flags and fences without any purpose.
func (g *generator) fences() {
	a := g.anyActor()
	for range 1 + g.IntN(3) {
		g.push(g.fence(a))
		if g.yes(60) {
			g.push(g.strong(a, Op(g.IntN(3)), g.flagCell(a), Relaxed))
		}
	}
}

// sameValue: threads that store to one place.
func (g *generator) sameValue() {
	c, v := g.dataCell(), g.value()
	for range 2 {
		w := g.anyWarp()
		e := g.wide(w, Write)
		e.Space, e.Size = c.space, 4
		for range e.Lanes {
			e.Addr, e.Value = append(e.Addr, c.addr), append(e.Value, v)
		}
		g.push(e)
	}
}

// pipeline: one warp fills a cell, another empties it; barrier 1 says that it is full, barrier 2 that it is empty.
func (g *generator) pipeline() {
	both := g.members[1] & g.members[2]
	if g.warps < 2 || both&3 != 3 {
		g.barrier(g.IntN(g.blocks), 0)
		return
	}
	block, c := g.IntN(g.blocks), cell{Shared, int64(4 * g.IntN(g.cells))}
	half := func(w, id int, role Role) {
		e := g.wide(warpID{block, w}, BarArrive)
		e.Barrier, e.Role = id, role
		g.push(e)
	}
	for range 1 + g.IntN(2) {
		filler := g.IntN(2)
		g.push(g.plain(actor{block, filler, g.IntN(g.lanes)}, Write, c))
		half(filler, 1, RoleArrive)
		half(1-filler, 1, RoleSync)
		for w := 2; w < g.warps; w++ {
			if g.members[1]>>w&1 != 0 {
				half(w, 1, RoleSync)
			}
		}
		g.push(g.plain(actor{block, 1 - filler, g.IntN(g.lanes)}, Read, c))
		if g.yes(80) {
			half(1-filler, 2, RoleArrive)
			half(filler, 2, RoleSync)
			for w := 2; w < g.warps; w++ {
				if g.members[2]>>w&1 != 0 {
					half(w, 2, RoleSync)
				}
			}
		}
	}
}

// siblings: the lanes of one warp meet in one atomic instruction, where a later lane observes an earlier one.
func (g *generator) siblings() {
	w := g.anyWarp()
	c := g.flagCell(actor{block: w.block})
	g.touch(actor{w.block, w.warp, g.IntN(g.lanes)}, 70)
	e := g.wide(w, RMW)
	e.Space, e.Size, e.Sem, e.Scope = c.space, 4, []Sem{AcqRel, AcqRel, Acquire, Release, Relaxed}[g.IntN(5)], g.scope()
	for range e.Lanes {
		e.Addr, e.Value = append(e.Addr, c.addr), append(e.Value, g.value())
	}
	g.push(e)
	g.touch(actor{w.block, w.warp, g.IntN(g.lanes)}, 50)
}

// barrier queues one phase of a barrier for all its warps.
func (g *generator) barrier(block, id int) {
	red := g.yes(15)
	waits := false
	for w := range g.warps {
		if g.members[id]>>w&1 == 0 {
			continue
		}
		e := g.wide(warpID{block, w}, BarArrive)
		e.Barrier, e.Role = id, RoleSync
		switch {
		case red:
			e.Role = RoleRed
		case id > 0 && g.members[id]>>(w+1) != 0 && g.yes(40), id > 0 && waits && g.yes(40):
			e.Role = RoleArrive
		}
		waits = waits || e.Role != RoleArrive
		g.push(e)
	}
}

func (g *generator) warpSync(w warpID) {
	e := g.wide(w, WarpSync)
	if len(e.Lanes) > 1 && g.yes(20) {
		e = keepLanes(e, func(int) bool { return g.yes(70) })
	}
	g.push(e)
}

func (g *generator) exit() {
	if g.yes(50) {
		w := g.anyWarp()
		g.leave(w, g.staying(w))
		return
	}
	a := g.anyActor()
	if !g.leaving[g.thread(a.block, a.warp, a.lane)] {
		g.leave(warpID{a.block, a.warp}, []int{a.lane})
	}
}

// copies: cp.async, commit, wait and reads, with each part now and then left out or misplaced.
func (g *generator) copies() {
	a := g.anyActor()
	n := 1 + g.IntN(2)
	for k := range n {
		e := a.do(CpAsync)
		e.Size = []int{4, 4, 8, 16}[g.IntN(4)]
		e.Addr, e.Src, e.SrcSize = []int64{int64(4*k*g.IntN(g.cells)) &^ int64(e.Size-1)}, []int64{sourceBase}, e.Size
		switch g.IntN(10) {
		case 0:
			e.SrcSize = 0
		case 1:
			e.Src[0] = int64(4*g.IntN(g.cells)) &^ int64(e.Size-1)
		}
		g.push(e)
		if g.yes(85) {
			g.push(a.do(CpCommit))
		}
		if g.yes(10) {
			g.push(g.plain(a, Op(g.chance(50)), cell{Global, sourceBase}))
		}
	}
	if g.yes(85) {
		e := a.do(CpWait)
		e.Pending = g.IntN(1 + g.IntN(n+1))
		g.push(e)
	}
	reader := a
	if g.yes(60) {
		g.share(a)
		reader = actor{a.block, g.IntN(g.warps), g.IntN(g.lanes)}
	}
	for range 2 {
		g.push(g.plain(reader, Op(g.chance(30)), cell{Shared, int64(4 * g.IntN(g.cells))}))
	}
}
