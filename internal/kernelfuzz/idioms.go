package kernelfuzz

import "gpusim/internal/oracle"

// exchange: every thread stores, a barrier (or none), every thread loads what another stored.
func (g *generator) exchange() {
	d := g.data(oracle.Space(g.IntN(2)))
	g.access(Store, g.anyone(), d)
	if g.chance(g.care) {
		g.blockBarrier()
	}
	g.access(pick(g, Load, Load, Store), g.anyone(), d)
	if g.chance(g.care) {
		g.blockBarrier()
	}
}

// warpExchange is the same within a warp, for all lanes or some of them.
func (g *generator) warpExchange() {
	a := g.actor()
	mask := g.live[a.block][a.warp]
	who := Set{1 << a.block, 1 << a.warp, mask}
	if g.chance(40) && !g.full {
		who.Lanes &= uint32(g.Uint64()) | 1<<a.lane
	}
	d := g.data(oracle.Space(g.IntN(2)))
	g.access(Store, pick(g, who, a.set()), d)
	if g.chance(g.care) {
		g.warpSync(who)
	} else {
		g.emit(Stmt{Op: Vote, Who: who, Mask: who.Lanes})
	}
	to := pick(g, who, a.set())
	if !g.chance(g.care - 20) {
		to.Lanes = mask // some of them may not have taken part
	}
	g.access(pick(g, Load, Store), to, d)
}

// warpSync lets lanes of one warp meet. The mask may name lanes that have exited.
func (g *generator) warpSync(who Set) {
	m := who.Lanes
	for b := range g.live {
		for w, live := range g.live[b] {
			if who.Blocks>>b&1 != 0 && who.Warps>>w&1 != 0 && g.chance(30) {
				m |= uint32(g.Uint64()) &^ live & uint32(1<<min(g.p.Threads-32*w, 32)-1)
			}
		}
	}
	g.emit(Stmt{Op: WarpSync, Who: who, Mask: m})
}

// pipeline: one warp arrives, the other waits.
func (g *generator) pipeline() {
	if g.warpsOf(everyone.Warps) < 2 {
		g.namedSync()
		return
	}
	d := g.data(oracle.Space(g.IntN(2))) // which may write a barrier, and that frees all numbers
	id, ok := g.barrierID()
	if !ok {
		return
	}
	from := g.IntN(2)
	producer, consumer := Set{everyone.Blocks, 1 << from, everyone.Lanes}, Set{everyone.Blocks, 1 << (1 - from), everyone.Lanes}
	early := !g.chance(g.care)
	if !early {
		g.access(Store, g.part(producer), d)
	}
	g.emit(Stmt{Op: Barrier, Who: producer, ID: id, Count: 64, Role: pick(g, oracle.RoleArrive, oracle.RoleArrive, oracle.RoleSync)})
	if early {
		g.access(Store, g.part(producer), d)
	}
	if !g.chance(g.care) {
		g.access(pick(g, Load, Store), g.part(consumer), d)
		if g.chance(50) {
			g.access(Load, g.part(producer), d) // which has only arrived
		}
	}
	g.emit(Stmt{Op: Barrier, Who: consumer, ID: id, Count: 64, Role: oracle.RoleSync})
	g.access(pick(g, Load, Store), g.part(consumer), d)
}

// part is a set or one live thread of it.
func (g *generator) part(s Set) Set {
	if g.chance(50) {
		return s
	}
	for range 4 {
		if a := g.actor(); s.has(a.block, a.warp, a.lane) {
			return a.set()
		}
	}
	return s
}

// namedSync is a barrier of one warp: an order among its lanes.
func (g *generator) namedSync() {
	a := g.actor()
	d := g.data(oracle.Space(g.IntN(2)))
	id, ok := g.barrierID()
	if !ok {
		return
	}
	who := Set{1 << a.block, 1 << a.warp, everyone.Lanes}
	g.access(Store, a.set(), d)
	g.emit(Stmt{Op: Barrier, Who: who, ID: id, Count: 32})
	g.access(Load, who, d)
}

// reduction: a bar.red among all warps.
func (g *generator) reduction() {
	d := g.data(oracle.Space(g.IntN(2)))
	id, ok := g.barrierID()
	if !ok {
		return
	}
	g.access(Store, g.anyone(), d)
	s := Stmt{Op: Barrier, Who: everyone, ID: id, Role: oracle.RoleRed, Sum: true, Size: 4}
	if n := g.warpsOf(everyone.Warps); n == g.p.warps() && g.chance(50) {
		s.Count = 32 * n
	}
	g.emit(s)
	g.access(Load, g.anyone(), d)
}

// copies: cp.async, groups, a wait that may be too early, and a barrier or none.
func (g *generator) copies() {
	who := g.part(g.anyone())
	sizes := []int{4, 4, 8, 16}
	if g.tidy && !who.one() {
		sizes = sizes[:2]
	}
	d, src := g.data(oracle.Shared), g.data(oracle.Global)
	if g.chance(15) {
		g.access(Store, g.anyone(), src)
		g.blockBarrier()
	}
	for range 1 + g.IntN(2)*bit(!g.chance(g.care)) {
		s := Stmt{Op: Copy, Who: who, Size: pick(g, sizes...)}
		s.At, s.From, s.Read = g.spread(d.base, s.Size, who), g.spread(src.base, s.Size, who), s.Size
		if g.chance(20) {
			s.Read = g.IntN(s.Size + 1)
		}
		g.emit(s)
		if g.chance(g.care - 10) {
			g.emit(Stmt{Op: Commit, Who: who})
		}
	}
	if !g.chance(g.care) {
		g.access(Store, who, data{oracle.Global, src.base}) // the source, before the copy is known to be done
	}
	if !g.chance(g.care) {
		g.emit(Stmt{Op: Wait, Who: who, Pending: 1})
	} else if g.chance(g.care) {
		g.emit(Stmt{Op: Wait, Who: who, Pending: pick(g, 0, -1)})
	}
	g.access(Load, who, d)
	if g.chance(70) {
		g.blockBarrier()
		g.access(pick(g, Load, Store), g.anyone(), d)
	}
}

// atomics: a counter that many threads hit, and somebody who reads it plainly.
func (g *generator) atomics() {
	space := oracle.Space(g.IntN(2))
	d := g.data(space)
	s := Stmt{Op: Atomic, Who: g.anyone(), Space: space, Generic: g.chance(15), Size: pick(g, 4, 4, 4, 8), Elems: 1, Value: g.value(), Sum: true}
	s.Operator = pick(g, "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc")
	if s.Operator == "inc" {
		s.Size = 4
	}
	s.Old = uint64(g.IntN(3))
	s.Sem, s.Scope = pick(g, oracle.Weak, oracle.Relaxed, oracle.AcqRel), g.scope(space == oracle.Shared)
	if s.Operator != "cas" && s.Operator != "exch" && g.chance(30) {
		s.Red, s.Sem = true, oracle.Relaxed
	}
	s.At = g.spread(d.base, s.Size, s.Who)
	g.emit(s)
	if !g.chance(g.care) {
		s.Size, s.Yield = 12-s.Size, true // another size at the same place
		if s.Operator == "inc" {
			s.Operator = "add"
		}
		s.At = g.spread(d.base, s.Size, s.Who)
		g.emit(s)
	}
	if g.chance(g.care) {
		g.blockBarrier()
	}
	g.strong(g.anyone(), d)
	if g.chance(50) {
		g.access(Load, g.anyone(), d)
	}
}

// strong is a strong load or store of any size, perhaps of a vector.
func (g *generator) strong(who Set, d data) {
	s := Stmt{Op: pick(g, Load, Load, Store), Who: who, Space: d.space, Generic: g.chance(15), Size: pick(g, 1, 2, 4, 4, 4, 8), Elems: pick(g, 1, 1, 1, 2),
		Value: g.value(), Sum: true, Scope: g.scope(d.space == oracle.Shared), Sem: oracle.Relaxed}
	s.At = g.spread(d.base, s.Size*s.Elems, who)
	if g.chance(25) {
		s.Volatile, s.Sem = true, oracle.Weak
	}
	g.emit(s)
}

// sameValue: several threads store one value, as in flags and initialisations.
func (g *generator) sameValue() {
	d := g.data(oracle.Space(g.IntN(2)))
	size := pick(g, 1, 4, 4, 8)
	for range 1 + g.IntN(2) {
		g.emit(Stmt{Op: Store, Who: g.anyone(), Space: d.space, At: Address{Base: d.base}, Size: size, Elems: 1, Value: Value{Base: 5}})
	}
}

// observeThenShare: one thread sees a flag, a barrier, then others read the flag plainly.
func (g *generator) observeThenShare() {
	from, to := g.actor(), g.actor()
	flag, ok := g.flag(oracle.Global)
	if !ok {
		return
	}
	same := from.block == to.block
	g.signal(from.set(), oracle.Global, flag, 1, same)
	g.await(to.set(), oracle.Global, flag, 1, same)()
	g.blockBarrier()
	who := g.anyone()
	who.Blocks = 1 << to.block
	g.emit(Stmt{Op: Load, Who: who, Space: oracle.Global, At: flag, Size: 4, Elems: 1, Sum: true})
}

func (g *generator) fences() { g.fence(g.anyone(), g.chance(50)) }

// leave ends some threads early: lanes of one warp, or a warp in every block.
func (g *generator) leave() {
	if len(g.actors()) < 4 {
		return
	}
	a := g.actor()
	s := a.set()
	if g.chance(40) && g.warpsOf(everyone.Warps) > 1 {
		s = Set{everyone.Blocks, 1 << a.warp, everyone.Lanes}
	} else if g.live[a.block][a.warp] == 1<<a.lane {
		return // the warp would end in this block only
	}
	g.exit(s)
}

// readOnly loads through the non-coherent path what nobody should write, not even behind a barrier.
func (g *generator) readOnly() {
	d := g.data(oracle.Global)
	write := !g.chance(g.care)
	if write && g.chance(50) {
		g.access(Store, g.anyone(), d)
		g.blockBarrier()
		write = false
	}
	s := g.access(Load, g.anyone(), d)
	s.NC, s.Generic, s.Call = true, false, false
	if write {
		g.blockBarrier()
		g.access(Store, g.anyone(), d)
	}
}

// loop repeats an exchange.
func (g *generator) loop() {
	v := g.variable(1)
	g.emit(Stmt{Op: Set1, Who: everyone, Var: v, Want: uint64(2 + g.IntN(2))})
	top := len(g.k.Stmts)
	g.exchange()
	g.emit(Stmt{Op: Less, Who: everyone, Var: v})
	g.k.Stmts = append(g.k.Stmts, Stmt{Op: Jump, Who: everyone, Var: v, Want: 0, Target: top})
}

// ownLoops lets threads of a warp go round a loop a different number of times.
func (g *generator) ownLoops() {
	d := g.data(oracle.Space(g.IntN(2)))
	v := g.variable(1)
	g.emit(Stmt{Op: Set1, Who: everyone, Var: v, Want: 1})
	g.emit(Stmt{Op: Set1, Who: g.anyone(), Var: v, Want: uint64(2 + g.IntN(2))})
	who := g.anyone()
	top := len(g.k.Stmts)
	g.access(pick(g, Load, Store), who, d)
	g.access(Load, who, d)
	g.emit(Stmt{Op: Less, Who: everyone, Var: v})
	g.k.Stmts = append(g.k.Stmts, Stmt{Op: Jump, Who: everyone, Var: v, Want: 0, Target: top})
}

// meetingPoints lets warps, or lanes of a warp, come to one barrier from different lines.
func (g *generator) meetingPoints() {
	d := g.data(oracle.Space(g.IntN(2)))
	id, ok := g.barrierID()
	if !ok {
		return
	}
	a := g.actor()
	here, there := everyone, everyone
	loose := g.chance(50)
	if loose {
		here.Lanes = 1<<a.lane | uint32(g.Uint64())
		there.Lanes = ^here.Lanes
	} else {
		here.Warps = 1 << a.warp
		there.Warps = ^here.Warps
	}
	for _, s := range []Set{here, there} {
		g.access(Store, g.part(s), d)
		g.emit(Stmt{Op: Barrier, Who: s, ID: id, Loose: loose})
		if g.chance(50) {
			g.access(Load, s, d)
		}
	}
	g.access(pick(g, Load, Store), g.anyone(), d)
}
