package pallasfuzz

import (
	"fmt"
	"math/rand/v2"

	"gpusim/kernel"
)

// generator makes a program of ideas, one after another, each of which adds statements to
// one thread or several.
type generator struct {
	*rand.Rand
	p      *Program
	scope  int         // the one that is open
	full   map[int]int // the barrier at which all threads of a block meet, by block
	meet   int         // that of the cluster; -1: none yet
	synced float64     // chance that all meet after an idea
	fences float64     // chance of a fence where one is needed
	waits  float64     // chance of a wait after an asynchronous operation
	apart  bool        // points keep to rows of their own
	host   []int
	tensor bool // there is tensor memory
	acc    []int
	themes []func()
	warp   *[]Stmt // statements go here: those of a warp
}

// chance is true with a probability.
func (g *generator) chance(x float64) bool { return g.Float64() < x }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// Generate makes the program of a seed.
func Generate(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 77)), full: map[int]int{}, meet: -1}
	p := &Program{Seed: seed, Devices: 1, Grid: pick(g, []int{1, 1, 1, 2, 3}), Cluster: pick(g, [][]int{{1}, {1}, {1}, {2}, {2}, {4}, {2, 2}, {3}}), Threads: 1 + g.IntN(4)}
	g.p = p
	if p.Blocks() > 2 {
		p.Threads = min(p.Threads, 2)
	}
	if g.chance(0.15) {
		p.Devices = 2
	}
	p.Warps, p.Zero = g.chance(0.3), g.chance(0.1)
	g.synced, g.fences, g.waits = pick(g, []float64{0, 0.3, 0.6, 1, 1}), pick(g, []float64{0.5, 0.9, 1}), pick(g, []float64{0.5, 0.9, 1, 1})
	g.apart = g.chance(0.8)
	g.tensor = g.chance(0.5)
	for i := range 2 {
		g.host = append(g.host, len(p.Bufs))
		p.Bufs = append(p.Bufs, Buf{Name: fmt.Sprint("g", i), Host: true, Space: kernel.Global})
	}
	p.Scopes = []Scope{{}}
	for i := range 1 + g.IntN(2) {
		g.array(0, fmt.Sprint("s", i), kernel.Shared)
	}
	if g.chance(0.3) {
		g.array(0, "m", kernel.Global)
	}
	if g.tensor {
		for i := range 1 + g.IntN(2) {
			g.array(0, fmt.Sprint("t", i), kernel.Tensor)
		}
	}
	n := p.Threads * p.Blocks()
	p.Code = make([][]Stmt, n)
	g.all(Stmt{Op: Enter, Bar: 0})
	if g.chance(0.6) {
		g.initialise()
	}
	g.choose()
	for range 3 + g.IntN(10) {
		pick(g, g.themes)()
		if g.chance(g.synced) {
			g.sync()
		}
		if g.chance(0.1) {
			g.change()
		}
	}
	if g.scope > 0 {
		g.change()
	}
	for t := range n {
		if g.chance(0.9) {
			g.drain(t)
		}
		if g.acc != nil {
			g.release(t)
		}
	}
	if p.Blocks() > 1 && g.chance(0.9) {
		g.sync()
	}
	g.all(Stmt{Op: Exit, Bar: 0})
	if g.chance(0.15) { // something is missing
		g.forget()
	}
	for _, b := range p.Bars {
		if b.Arrivals < 1 {
			panic("a barrier without arrivals")
		}
	}
	p.number()
	return p
}

// initialise lets a thread of each block write to all arrays.
func (g *generator) initialise() {
	for t := 0; t < len(g.p.Code); t += g.p.Threads {
		for _, b := range g.p.Scopes[0].Bufs {
			g.put(t, Stmt{Op: Store, Dst: g.slice(b, side, side), N: b})
		}
	}
	g.sync()
}

// choose makes the list of ideas of the program.
func (g *generator) choose() {
	p := g.p
	g.themes = []func(){g.access, g.access, g.handOver, g.fence}
	more := []func(){g.copyIn, g.copyIn, g.copyOut, g.copyInGroup, g.atomics, g.atomics, g.masked, g.ring, g.asyncStore}
	if p.Blocks() > 1 {
		more = append(more, g.remote, g.remote, g.collective, g.collective)
	}
	if p.Devices > 1 {
		more = append(more, g.remote, g.remote)
	}
	if g.tensor {
		more = append(more, g.tcgen05, g.tcgen05, g.tcgen05, g.tcgen05)
	} else if g.chance(0.4) {
		for t := range p.Code {
			s := len(p.Scopes)
			p.Scopes = append(p.Scopes, Scope{Own: true})
			g.acc = append(g.acc, g.array(s, fmt.Sprint("acc", t), kernel.Local))
			g.put(t, Stmt{Op: Enter, Bar: s})
		}
		more = append(more, g.wgmma, g.wgmma, g.wgmma)
	}
	if p.Warps {
		more = append(more, g.fork, g.fork, g.fork, g.warpsWait)
	}
	if g.chance(0.4) {
		more = append(more, g.semaphore, g.semaphore)
	}
	for range 2 + g.IntN(4) {
		g.themes = append(g.themes, pick(g, more))
	}
}

func (g *generator) array(scope int, name string, space kernel.Space) int {
	i := len(g.p.Bufs)
	g.p.Bufs = append(g.p.Bufs, Buf{Name: name, Space: space})
	g.p.Scopes[scope].Bufs = append(g.p.Scopes[scope].Bufs, i)
	return i
}

func (g *generator) bar(b Bar) int {
	i := len(g.p.Bars)
	b.Name = fmt.Sprint("b", i)
	g.p.Bars = append(g.p.Bars, b)
	g.p.Scopes[0].Bars = append(g.p.Scopes[0].Bars, i)
	return i
}

// put adds a statement to a thread.
func (g *generator) put(t int, s Stmt) {
	blank := Slice{Block: -1, Device: -1}
	for _, x := range []*Slice{&s.Dst, &s.Src, &s.Src2} {
		if x.Rows == 0 {
			*x = blank
		}
	}
	s.Only = -1
	if g.warp != nil {
		*g.warp = append(*g.warp, s)
		return
	}
	g.p.Code[t] = append(g.p.Code[t], s)
}

func (g *generator) all(s Stmt) {
	for t := range g.p.Code {
		g.put(t, s)
	}
}

func (g *generator) thread() int { return g.IntN(len(g.p.Code)) }

// mates are the threads of a thread's block.
func (g *generator) mates(t int) []int {
	var out []int
	for i := range g.p.Threads {
		out = append(out, t/g.p.Threads*g.p.Threads+i)
	}
	return out
}

// some are a few of a list, at least one.
func (g *generator) some(list []int) []int {
	var out []int
	for _, x := range list {
		if g.chance(0.5) {
			out = append(out, x)
		}
	}
	if out == nil {
		out = append(out, pick(g, list))
	}
	return out
}

// arrays are those of a space that are there.
func (g *generator) arrays(space kernel.Space) []int {
	var out []int
	scopes := []int{0}
	if g.scope > 0 {
		scopes = append(scopes, g.scope)
	}
	for _, s := range scopes {
		for _, b := range g.p.Scopes[s].Bufs {
			if g.p.Bufs[b].Space == space {
				out = append(out, b)
			}
		}
	}
	if space == kernel.Global {
		out = append(out, g.host...)
	}
	return out
}

// slice is a part of an array, of the given extent or (0) a random one.
func (g *generator) slice(buf, rows, cols int) Slice {
	s := Slice{Buf: buf, Rows: rows, Cols: cols, RowBy: 1, ColBy: 1, Block: -1, Device: -1}
	if rows == 0 {
		s.Rows, s.Cols = pick(g, []int{1, 2, 2, 4, 4}), pick(g, []int{1, 2, 4, 4})
	}
	if s.Rows <= 2 && g.chance(0.15) {
		s.RowBy = 2
	}
	if s.Cols <= 2 && g.chance(0.15) {
		s.ColBy = 2
	}
	s.Row, s.Col = g.IntN(side-(s.Rows-1)*s.RowBy), g.IntN(side-(s.Cols-1)*s.ColBy)
	if g.p.Bufs[buf].Host {
		s.PerPoint = g.apart || g.chance(0.5)
	}
	return s
}

// shared is a part of shared memory, of a global array with global.
func (g *generator) shared(rows, cols int) Slice {
	return g.slice(pick(g, g.arrays(kernel.Shared)), rows, cols)
}
func (g *generator) global(rows, cols int) Slice {
	return g.slice(pick(g, g.arrays(kernel.Global)), rows, cols)
}

func (g *generator) extent() (rows, cols int) {
	return pick(g, []int{1, 2, 4, 4}), pick(g, []int{2, 4, 4})
}

// sync lets all threads meet.
func (g *generator) sync() {
	p := g.p
	for t := range p.Code {
		if g.chance(g.fences) {
			g.put(t, Stmt{Op: Fence})
		}
	}
	if p.Blocks() > 1 && g.chance(0.8) {
		if g.meet < 0 {
			axes := [][]int{{0}}
			if len(p.Cluster) == 2 {
				axes = pick(g, [][][]int{{{0, 1}}, {{0, 1}}, {{0}, {1}}, {{1}}})
			}
			g.meet = g.bar(Bar{Arrivals: p.Threads, Cluster: true, Axes: axes})
		}
		g.all(Stmt{Op: Arrive, Bar: g.meet})
		g.all(Stmt{Op: Wait, Bar: g.meet})
		return
	}
	b, ok := g.full[0]
	if !ok {
		b = g.bar(Bar{Arrivals: p.Threads, Tensor: g.tensor && g.chance(0.7)})
		g.full[0] = b
	}
	for t := range p.Code {
		g.put(t, Stmt{Op: Arrive, Bar: b})
		g.put(t, Stmt{Op: Wait, Bar: b})
	}
}

// change opens an inner scope, or closes it.
func (g *generator) change() {
	if g.scope > 0 {
		g.all(Stmt{Op: Exit, Bar: g.scope})
		g.scope = 0
		return
	}
	g.scope = len(g.p.Scopes)
	g.p.Scopes = append(g.p.Scopes, Scope{})
	n := 1 + g.IntN(2)
	for i := range n {
		g.array(g.scope, fmt.Sprintf("u%d_%d", g.scope, i), kernel.Shared)
	}
	if g.tensor && g.chance(0.5) {
		g.array(g.scope, fmt.Sprintf("v%d", g.scope), kernel.Tensor)
	}
	g.all(Stmt{Op: Enter, Bar: g.scope})
}

// drain waits for all that a thread may have under way.
func (g *generator) drain(t int) {
	g.put(t, Stmt{Op: Commit})
	g.put(t, Stmt{Op: pick(g, []Op{WaitOut, WaitOut, WaitRead})})
	g.put(t, Stmt{Op: WaitIn})
	if g.acc != nil {
		g.put(t, Stmt{Op: WaitWGMMA})
	}
	if g.tensor {
		g.put(t, Stmt{Op: CommitT})
		g.put(t, Stmt{Op: WaitLoadT})
	}
}

// release ends the scope of a thread's accumulator.
func (g *generator) release(t int) {
	for s := range g.p.Scopes {
		if x := &g.p.Scopes[s]; x.Own && x.Bufs[0] == g.acc[t] {
			g.put(t, Stmt{Op: Exit, Bar: s})
		}
	}
}

// forget leaves a few statements out.
func (g *generator) forget() {
	for t := range g.p.Code {
		var kept []Stmt
		for _, s := range g.p.Code[t] {
			drop := 0.0
			switch s.Op {
			case Fence, WaitOut, WaitRead, WaitIn, WaitWGMMA, CommitT, WaitLoadT, Commit, Wait, Await:
				drop = 0.15
			case Arrive, Signal, CommitArrive:
				drop = 0.03
			}
			if !g.chance(drop) {
				kept = append(kept, s)
			}
		}
		g.p.Code[t] = kept
	}
}
