package kernelfuzz

import (
	"math/bits"
	"math/rand/v2"

	"gpusim/internal/oracle"
)

// generator writes the statements of a program. It knows which threads are live at the place it has come to, so that barriers and masks fit.
type generator struct {
	*rand.Rand
	p     *Program
	k     *Kernel
	live  [][]uint32 // by block and warp
	full  bool       // all lanes of a warp are live: few statements then
	flags int64      // next unused flag in global memory
	own   int64      // next unused flag in shared memory
	ids   int        // next unused barrier
	tidy  bool       // fragments keep to cells of their own, threads to places of their own
	care  int        // percentage of synchronisation that is as it should be
	yield int        // percentage of statements at which the scheduler may switch
	cell  int64      // next unused data cell in global memory
	local int64      // the same in shared memory
}

// Memory: data below dataBytes, flags behind; in shared memory flags from sharedData on.
const (
	sharedData = 96
	flagBytes  = 4
)

// Generate writes the program of a seed.
func Generate(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), p: &Program{Seed: seed}}
	g.p.Blocks = []int{1, 2, 2, 2}[g.IntN(4)]
	if g.chance(8) {
		g.p.Blocks = 3
	}
	g.p.Threads = []int{2, 3, 33, 34, 64, 64, 64, 64}[g.IntN(8)]
	g.p.Schedule = pick(g, "random", "random", "random", "rr")
	g.full = g.chance(12)
	g.tidy = g.chance(75)
	g.care = []int{75, 92, 98}[g.IntN(3)]
	g.yield = []int{10, 30, 60}[g.IntN(3)]
	g.flags = dataBytes
	for range 1 + g.IntN(2)*g.IntN(2) {
		g.kernel()
	}
	return g.p
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// kernel writes one launch.
func (g *generator) kernel() {
	g.p.Kernels = append(g.p.Kernels, Kernel{Vars: 1})
	g.k = &g.p.Kernels[len(g.p.Kernels)-1]
	g.own, g.ids, g.local, g.cell = sharedData, 1, 0, 0
	g.live = nil
	for range g.p.Blocks {
		var warps []uint32
		for left := g.p.Threads; left > 0; left -= 32 {
			warps = append(warps, uint32(1<<min(left, 32)-1))
		}
		g.live = append(g.live, warps)
	}
	first := Set{everyone.Blocks, 1, 1}
	for at := int64(0); at < sharedData; at += 16 {
		g.emit(Stmt{Op: Store, Who: first, Space: oracle.Shared, At: Address{Base: at}, Size: 8, Elems: 2, Value: Value{Base: uint64(at)}})
	}
	for at := int64(sharedData); at < sharedBytes; at += 8 {
		g.emit(Stmt{Op: Store, Who: first, Space: oracle.Shared, At: Address{Base: at}, Size: 8, Elems: 1})
	}
	if !g.full {
		g.thin()
	}
	g.blockBarrier()
	n := 3 + g.IntN(5)
	if g.full {
		n = 1 + g.IntN(2)
	}
	for range n {
		g.fragment()
	}
	g.emit(Stmt{Op: Result, Who: everyone})
}

// thin ends most lanes at once: the oracle is slow.
func (g *generator) thin() {
	if g.p.Threads <= 3 {
		return
	}
	keep := uint32(3)
	if g.p.Threads == 64 && g.chance(30) {
		keep = 1 | 1<<g.IntN(32) | 1<<g.IntN(32)
	}
	g.exit(Set{^uint32(0), ^uint32(0), ^keep})
}

// exit ends the threads of a set.
func (g *generator) exit(s Set) {
	g.emit(Stmt{Op: Exit, Who: s})
	for b := range g.live {
		for w := range g.live[b] {
			if s.Blocks>>b&1 != 0 && s.Warps>>w&1 != 0 {
				g.live[b][w] &^= s.Lanes
			}
		}
	}
}

// emit adds a statement and gives variables to what it reads.
func (g *generator) emit(s Stmt) *Stmt {
	if s.Op.observable() {
		s.Yield = g.chance(g.yield)
		s.Around = s.Op != Exit && s.Op != Barrier && g.chance(30)
		s.Call = (s.Op == Load || s.Op == Store) && s.Elems == 1 && g.chance(10)
	}
	if s.Op == Load || s.Op == Atomic && !s.Red || s.Op == Barrier && s.Role == oracle.RoleRed {
		s.Var = g.variable(max(s.Elems, 1))
	}
	g.k.Stmts = append(g.k.Stmts, s)
	return &g.k.Stmts[len(g.k.Stmts)-1]
}

// variable reserves variables of a thread.
func (g *generator) variable(n int) int {
	g.k.Vars += n
	return g.k.Vars - n
}

// skip is an unfinished jump over the statements to come.
type skip int

// unless writes a jump that is taken by the threads of a set whose variable differs from want; land tells where to.
func (g *generator) unless(who Set, v int, want uint64) skip {
	g.k.Stmts = append(g.k.Stmts, Stmt{Op: Jump, Who: who, Var: v, Want: want})
	return skip(len(g.k.Stmts) - 1)
}

// land ends a jump here. A statement must follow, as the checksum does at the latest.
func (g *generator) land(s skip) { g.k.Stmts[s].Target = len(g.k.Stmts) }

// actor is one live thread.
type actor struct{ block, warp, lane int }

func (a actor) set() Set { return Set{1 << a.block, 1 << a.warp, 1 << a.lane} }

// actors lists the live threads.
func (g *generator) actors() []actor {
	var list []actor
	for b, warps := range g.live {
		for w, m := range warps {
			for l := range 32 {
				if m>>l&1 != 0 {
					list = append(list, actor{b, w, l})
				}
			}
		}
	}
	return list
}

func (g *generator) actor() actor {
	list := g.actors()
	return list[g.IntN(len(list))]
}

// anyone is a random set with a live thread in it.
func (g *generator) anyone() Set {
	a := g.actor()
	s := everyone
	switch g.IntN(8) {
	case 0:
	case 1:
		s.Blocks = 1 << a.block
	case 2:
		s.Warps = 1 << a.warp
	case 3:
		s.Lanes = 1 << a.lane
	case 4:
		s = Set{1 << a.block, 1 << a.warp, ^uint32(0)}
	default:
		s = a.set()
	}
	return s
}

// data is where a fragment keeps its data.
type data struct {
	space oracle.Space
	base  int64
}

// cellBytes is the size of a fragment's data: a word for each of eight threads.
const cellBytes = 32

// data are cells of a fragment's own, or those of others.
func (g *generator) data(space oracle.Space) data {
	end, next := int64(dataBytes), &g.cell
	if space == oracle.Shared {
		end, next = sharedData, &g.local
	}
	if !g.tidy && g.chance(50) {
		return data{space, cellBytes * int64(g.IntN(int(end)/cellBytes))}
	}
	if *next == end {
		g.blockBarrier()
		*next = 0
	}
	*next += cellBytes
	return data{space, *next - cellBytes}
}

// one reports whether a set is a single thread.
func (s Set) one() bool {
	return bits.OnesCount32(s.Blocks) == 1 && bits.OnesCount32(s.Warps) == 1 && bits.OnesCount32(s.Lanes) == 1
}

// access is a weak load or store in a data cell.
func (g *generator) access(op Op, who Set, d data) *Stmt {
	s := Stmt{Op: op, Who: who, Space: d.space, Generic: g.chance(15), Size: 4, Elems: 1, Sum: true, Value: g.value()}
	kinds := 12
	if g.tidy && !who.one() {
		kinds = 2 // what fits into a word
	}
	switch g.IntN(12) % kinds {
	case 0:
		s.Size = 1 + g.IntN(2)
	case 2:
		s.Size = 8
	case 3:
		s.Elems = 2
	case 4:
		s.Size, s.Elems = 8, 2
	case 5:
		s.Elems = 4
	}
	s.At = g.spread(d.base, s.Size*s.Elems, who)
	return g.emit(s)
}

// spread is an address in a data cell, by thread.
func (g *generator) spread(base int64, size int, who Set) Address {
	n := cellBytes / size
	a := Address{Base: base, Lane: 1, Warp: 2, Block: 4, Mask: n - 1, Scale: size}
	switch {
	case g.tidy && who.one():
		return Address{Base: base + int64(size*g.IntN(min(n, 4)))}
	case g.tidy || g.chance(40): // a place of each thread's own, or of its neighbour
		a.Flip = g.IntN(4)
	case g.chance(50):
		return Address{Base: base + int64(size*g.IntN(n))}
	default:
		a.Lane, a.Warp, a.Block, a.Flip = g.IntN(4), g.IntN(4), g.IntN(4), g.IntN(n)
	}
	return a
}

func (g *generator) value() Value {
	if g.chance(30) {
		return Value{Base: 5}
	}
	return Value{Base: uint64(g.IntN(200)), Lane: uint64(g.IntN(3))}
}

// space is shared only where one block has the data to itself.
func (g *generator) space(sameBlock bool) oracle.Space {
	return oracle.Space(g.IntN(2) & bit(sameBlock))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scope is most often wide enough for two threads.
func (g *generator) scope(sameBlock bool) oracle.Scope {
	if !g.chance(g.care) {
		return oracle.Scope(g.IntN(4))
	}
	if sameBlock {
		return pick(g, oracle.CTA, oracle.CTA, oracle.GPU, oracle.Sys)
	}
	return pick(g, oracle.GPU, oracle.GPU, oracle.Sys)
}

// flag is an unused word of flags, which no other fragment spins on.
func (g *generator) flag(space oracle.Space) (Address, bool) {
	next, end := &g.flags, int64(globalBytes)
	if space == oracle.Shared {
		next, end = &g.own, sharedBytes
	}
	if *next+flagBytes > end {
		return Address{}, false
	}
	*next += flagBytes
	return Address{Base: *next - flagBytes}, true
}
