package kernelfuzz

import "gpusim/internal/oracle"

// fragment writes a scrap of a program: mostly idioms, because statements without any purpose race at once and then tell nothing.
func (g *generator) fragment() {
	table := []struct {
		weight int
		write  func()
	}{
		{1, g.noise},
		{16, g.messagePassing},
		{7, g.lock},
		{10, g.lastBlock},
		{8, g.exchange},
		{9, g.warpExchange},
		{6, g.pipeline},
		{4, g.reduction},
		{6, g.copies},
		{5, g.atomics},
		{3, g.sameValue},
		{3, g.observeThenShare},
		{2, g.fences},
		{2, g.leave},
		{2, g.readOnly},
		{3, g.loop},
		{3, g.ownLoops},
		{4, g.meetingPoints},
		{4, g.blockBarrier},
	}
	total := 0
	for _, e := range table {
		total += e.weight
	}
	n := g.IntN(total)
	for _, e := range table {
		if n -= e.weight; n < 0 {
			e.write()
			return
		}
	}
}

func (g *generator) noise() {
	d := g.data(oracle.Space(g.IntN(2)))
	for range 1 + g.IntN(2) {
		g.access(pick(g, Load, Store), g.anyone(), d)
	}
}

// blockBarrier is bar.sync of all threads. Its predicates may be true for every thread.
func (g *generator) blockBarrier() {
	s := g.emit(Stmt{Op: Barrier, Who: everyone})
	if g.chance(15) && g.p.Threads%32 == 0 && g.warpsOf(everyone.Warps) == g.p.warps() {
		s.Count = g.p.Threads
	}
	g.ids = 1
}

// warpsOf counts the warps of a set that are live in every block, -1 if blocks differ.
func (g *generator) warpsOf(warps uint32) int {
	n := -1
	for _, list := range g.live {
		k := 0
		for w, m := range list {
			k += bit(warps>>w&1 != 0 && m != 0)
		}
		if n >= 0 && n != k {
			return -1
		}
		n = k
	}
	return n
}

// barrierID is an unused named barrier.
func (g *generator) barrierID() (int, bool) {
	if g.ids > 15 {
		return 0, false
	}
	g.ids++
	return g.ids - 1, true
}

// fence is what a careful or careless author puts next to a flag.
func (g *generator) fence(who Set, sameBlock bool) {
	if who.one() && !g.chance(g.care) { // a neighbour executes it instead
		for b := range g.live {
			for w, m := range g.live[b] {
				if other := m &^ who.Lanes; other != 0 && who.Blocks>>b&1 != 0 && who.Warps>>w&1 != 0 {
					who.Lanes = other
				}
			}
		}
	}
	s := Stmt{Op: Fence, Who: who, Scope: g.scope(sameBlock)}
	switch g.IntN(4) {
	case 0, 1:
		s.Membar = s.Scope != oracle.Cluster
		s.Kind = oracle.FenceSC
	case 2:
		s.Kind = oracle.FenceSC
	case 3:
		s.Kind = oracle.FenceAcqRel
	}
	if !g.chance(g.care) {
		s.Membar, s.Kind = false, oracle.FenceKind(g.IntN(4))
	}
	g.emit(s)
}

// signal writes a flag, in one of the ways that release and in some that do not.
func (g *generator) signal(who Set, space oracle.Space, flag Address, value uint64, sameBlock bool) {
	s := Stmt{Op: Store, Who: who, Space: space, At: flag, Size: 4, Elems: 1, Value: Value{Base: value}, Scope: g.scope(sameBlock), Generic: g.chance(15)}
	s.Sem = pick(g, oracle.Release, oracle.Release, oracle.Relaxed)
	switch g.IntN(8) {
	case 0:
		s.Op, s.Operator = Atomic, "exch"
	case 1:
		s.Op, s.Operator, s.Red = Atomic, "add", true
	case 2:
		s.Op, s.Operator = Atomic, "cas"
		if s.Sem == oracle.Release && g.chance(50) {
			s.Sem = oracle.AcqRel
		}
	case 3:
		s.Volatile, s.Sem = true, oracle.Weak
	}
	switch {
	case g.chance(12): // a release first, and then a relaxed write of the same thread
		first := s
		first.Op, first.Sem, first.Volatile, first.Red, first.Value = Store, oracle.Release, false, false, Value{}
		g.emit(first)
	case (s.Sem == oracle.Relaxed || s.Volatile) && g.chance(g.care) || g.chance(20):
		g.fence(who, sameBlock)
	}
	g.emit(s)
}

// await spins until a flag has a value, or looks once and skips what follows.
func (g *generator) await(who Set, space oracle.Space, flag Address, value uint64, sameBlock bool) (land func()) {
	s := Stmt{Op: Load, Who: who, Space: space, At: flag, Size: 4, Elems: 1, Scope: g.scope(sameBlock), Generic: g.chance(15)}
	s.Sem = pick(g, oracle.Acquire, oracle.Acquire, oracle.Relaxed)
	weak := s.Sem == oracle.Relaxed
	switch g.IntN(8) {
	case 0:
		s.Volatile, s.Sem, weak = true, oracle.Weak, true
	case 1: // an atomic that changes nothing
		s.Op, s.Operator = Atomic, "or"
	case 2:
		s.Op, s.Operator, s.Old, s.Value = Atomic, "cas", 77, Value{Base: 78}
	}
	spins := g.chance(70)
	s.Sum = !spins
	top := len(g.k.Stmts)
	v := g.emit(s).Var
	land = func() {}
	if spins {
		g.k.Stmts = append(g.k.Stmts, Stmt{Op: Jump, Who: who, Var: v, Want: value, Target: top})
	} else {
		j := g.unless(who, v, value)
		land = func() { g.land(j) }
	}
	switch {
	case g.chance(12): // an acquire at last, of what a relaxed read has seen
		g.emit(Stmt{Op: Load, Who: who, Space: space, At: flag, Size: 4, Elems: 1, Scope: s.Scope, Sem: oracle.Acquire, Sum: true})
	case weak && g.chance(g.care) || g.chance(15):
		g.fence(who, sameBlock)
	}
	return land
}

// messagePassing: data, a flag, perhaps read-modify-writes of others, the flag seen, data.
func (g *generator) messagePassing() {
	from, to := g.actor(), g.actor()
	same := from.block == to.block
	if same && from.block > 0 && g.p.Blocks > 1 && g.chance(50) {
		to.block = 0
		if g.live[0][to.warp]>>to.lane&1 == 0 {
			return
		}
		same = false
	}
	fs := g.space(same)
	flag, ok := g.flag(fs)
	if !ok {
		return
	}
	d := g.data(g.space(same))
	g.access(Store, from.set(), d)
	g.signal(from.set(), fs, flag, 1, same)
	if g.chance(30) {
		by := g.actor()
		if fs == oracle.Shared {
			by.block = from.block
		}
		if g.live[by.block][by.warp]>>by.lane&1 != 0 {
			g.neutral(by.set(), fs, flag)
		}
	}
	land := g.await(to.set(), fs, flag, 1, same)
	g.access(pick(g, Load, Load, Store), to.set(), d)
	if g.chance(30) {
		g.signalBack(to, from, d)
	}
	land()
}

// signalBack hands the data on to a third thread, or back.
func (g *generator) signalBack(from, to actor, d data) {
	if g.chance(50) {
		to = g.actor()
	}
	if d.space == oracle.Shared && to.block != from.block {
		return
	}
	flag, ok := g.flag(oracle.Global)
	if !ok {
		return
	}
	same := from.block == to.block
	g.signal(from.set(), oracle.Global, flag, 1, same)
	if from == to {
		return
	}
	// Only one look: the first thread may not have got here.
	s := Stmt{Op: Load, Who: to.set(), Space: oracle.Global, At: flag, Size: 4, Elems: 1, Sem: oracle.Acquire, Scope: g.scope(same), Sum: true}
	j := g.unless(to.set(), g.emit(s).Var, 1)
	g.access(pick(g, Load, Store), to.set(), d)
	g.land(j)
}

// neutral is a read-modify-write that leaves a flag as it is.
func (g *generator) neutral(who Set, space oracle.Space, flag Address) {
	s := Stmt{Op: Atomic, Who: who, Space: space, At: flag, Size: 4, Elems: 1, Scope: g.scope(false), Sum: true}
	s.Sem = pick(g, oracle.Weak, oracle.Relaxed, oracle.Acquire, oracle.Release, oracle.AcqRel)
	switch g.IntN(4) {
	case 0:
		s.Operator, s.Old, s.Value = "cas", 99, Value{Base: 98} // fails
	case 1:
		s.Operator, s.Old, s.Value = "cas", 1, Value{Base: 1}
	case 2:
		s.Operator, s.Red = "add", true
		if s.Sem == oracle.Acquire || s.Sem == oracle.AcqRel {
			s.Sem = oracle.Relaxed
		}
	default:
		s.Operator = "or"
	}
	g.emit(s)
}

// lock: several threads one after the other in a critical section.
func (g *generator) lock() {
	a := g.actor()
	who := a.set()
	switch g.IntN(3) {
	case 0:
		who.Blocks = ^uint32(0)
	case 1:
		who.Warps = ^uint32(0)
	default:
		who.Lanes = ^uint32(0)
	}
	same := who.Blocks != ^uint32(0)
	fs := g.space(same)
	flag, ok := g.flag(fs)
	if !ok || g.full && who.Lanes != 1<<a.lane {
		return
	}
	d := g.data(g.space(same))
	s := Stmt{Op: Atomic, Who: who, Space: fs, At: flag, Size: 4, Elems: 1, Operator: "cas", Value: Value{Base: 1}, Scope: g.scope(same)}
	s.Sem = pick(g, oracle.Acquire, oracle.Acquire, oracle.AcqRel, oracle.Relaxed, oracle.Weak)
	top := len(g.k.Stmts)
	v := g.emit(s).Var
	g.k.Stmts = append(g.k.Stmts, Stmt{Op: Jump, Who: who, Var: v, Want: 0, Target: top})
	if (s.Sem == oracle.Relaxed || s.Sem == oracle.Weak) && g.chance(g.care) {
		g.fence(who, same)
	}
	g.access(Load, who, d)
	g.access(Store, who, d)
	if g.chance(70) {
		s = Stmt{Op: Atomic, Operator: "exch"}
	} else {
		s = Stmt{Op: Store, Sem: oracle.Release}
	}
	s.Who, s.Space, s.At, s.Size, s.Elems, s.Scope = who, fs, flag, 4, 1, g.scope(same)
	if s.Op == Atomic {
		s.Sem = pick(g, oracle.Release, oracle.Release, oracle.Relaxed)
		if s.Sem == oracle.Relaxed && g.chance(g.care) {
			g.fence(who, same)
		}
	}
	g.emit(s)
}

// lastBlock: all threads store and fence; one of each block counts after a barrier; who comes last reads everything, after a barrier and a fence.
func (g *generator) lastBlock() {
	counter, ok := g.flag(oracle.Global)
	mark, ok2 := g.flag(oracle.Shared)
	leader, exists := g.leader()
	if !ok || !ok2 || !exists {
		return
	}
	d := g.data(oracle.Global)
	g.access(Store, everyone, d)
	g.fence(g.mostly(everyone, leader), false)
	if g.chance(g.care) {
		g.blockBarrier()
	}
	s := Stmt{Op: Atomic, Who: leader, Space: oracle.Global, At: counter, Size: 4, Elems: 1, Operator: pick(g, "add", "inc"), Scope: g.scope(false),
		Sem: pick(g, oracle.Weak, oracle.Relaxed, oracle.AcqRel, oracle.Release), Sum: true}
	s.Value = Value{Base: 1}
	if s.Operator == "inc" {
		s.Value.Base = 100
	}
	v := g.emit(s).Var
	j := g.unless(leader, v, uint64(g.p.Blocks-1))
	g.emit(Stmt{Op: Store, Who: leader, Space: oracle.Shared, At: mark, Size: 4, Elems: 1, Value: Value{Base: 1000}})
	g.land(j)
	g.blockBarrier()
	v = g.emit(Stmt{Op: Load, Who: everyone, Space: oracle.Shared, At: mark, Size: 4, Elems: 1, Sum: true}).Var
	j = g.unless(everyone, v, 1000)
	g.fence(g.mostly(everyone, leader), false)
	g.access(Load, everyone, d)
	g.land(j)
}

// mostly is the first set, unless the author is careless.
func (g *generator) mostly(right, wrong Set) Set {
	if g.chance(g.care) {
		return right
	}
	return wrong
}

// leader is one lane that is live in every block.
func (g *generator) leader() (Set, bool) {
	a := g.actor()
	for b := range g.live {
		if g.live[b][a.warp]>>a.lane&1 == 0 {
			return Set{}, false
		}
	}
	s := a.set()
	s.Blocks = ^uint32(0)
	return s, true
}
