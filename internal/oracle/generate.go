package oracle

import (
	"math/rand/v2"
	"slices"
)

// Feature is a part of the model that Generate may leave out.
type Feature uint16

// The optional parts.
const (
	Copies        Feature = 1 << iota // cp.async
	NamedBarriers                     // barriers other than 0, arrive
	Exits                             // lanes that end early
	ReadOnlyLoads                     // ld.global.nc
	OneWayFences                      // fence.acquire, fence.release
	Vectors                           // vector accesses
	SubWords                          // accesses of 1, 2 and 8 bytes beside words
	MoreLaunches                      // more than one launch
)

// GenConfig bounds the lists. The zero value is a good default: up to 2 blocks of 2 warps of 2 lanes, everything in it.
type GenConfig struct {
	Blocks, Warps, Lanes int // upper limits, 0 for 2
	Events               int // about how many events, 0 for a random number up to 60
	Without              Feature
	Cluster              int // blocks of a cluster, as in Config
}

// Generate returns the list of a seed. A uniformly random list has no power: every byte races at once and all that follows is masked. So threads run scraps of real synchronization
// (message passing, locks, barriers, last-block reductions), each with parts exchanged or left out at random, interleaved at random over a few cells,
// and most lists drop nearly all accesses that would race, so that the few races left depend on one detail. Near misses, which a stronger
// qualifier or scope would have ordered, stay more often.
func Generate(seed uint64, cfg GenConfig) []Event {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	upTo := func(n int) int {
		if n <= 0 {
			n = 2
		}
		return 1 + rng.IntN(n)
	}
	g := &generator{
		Rand: rng, cfg: cfg,
		check: NewChecker(Config{ClusterBlocks: cfg.Cluster}), lenient: NewChecker(Config{ClusterBlocks: cfg.Cluster}),
		blocks: upTo(cfg.Blocks), warps: upTo(cfg.Warps), lanes: upTo(cfg.Lanes),
		cells: 1 + rng.IntN(4), sticky: rng.IntN(4),
		keep: []int{1, 3, 10, 50, 0}[rng.IntN(5)], near: []int{0, 5, 30}[rng.IntN(3)],
	}
	target := cfg.Events
	if target <= 0 {
		target = 8 + rng.IntN(52)
	}
	for launches := 1 + g.chance(20); ; launches-- {
		g.start()
		for stop := target / launches; len(g.events) < stop && !g.deserted(); {
			if g.pending() < 4 || g.IntN(8) == 0 {
				g.idiom()
			}
			g.run()
		}
		if cfg.Without&MoreLaunches != 0 || launches == 1 {
			return g.events
		}
		g.finish()
		target += len(g.events)
	}
}

// step is an instruction that some lanes of one warp will execute together.
type step struct {
	Event
	after []*step // steps that go first: the exit of a spin loop waits for the write that ends it
	done  bool
}

type generator struct {
	*rand.Rand
	cfg                  GenConfig
	blocks, warps, lanes int
	cells                int // data words in use
	sticky               int // how long one thread goes on, 0 to 3
	keep                 int // one in keep racy accesses stays, none if 0
	near                 int // and this percentage of the near misses

	check   *Checker // of the list
	lenient *Checker // of the list with everything as strong as it can be
	events  []Event

	// One entry a thread: its queue, whether an exit is queued, whether it has ended, the barrier it waits at plus 1.
	queue   [][]*step
	leaving []bool
	ended   []bool
	waiting []int
	last    int // thread that ran last

	members [barriers]uint32   // warps that take part in each barrier
	arrived [][barriers]uint32 // by block: warps that have arrived
}

const barriers = 3

// chance is 1 with the given percentage, else 0.
func (g *generator) chance(percent int) int {
	if g.IntN(100) < percent {
		return 1
	}
	return 0
}

func (g *generator) yes(percent int) bool { return g.chance(percent) == 1 }

func (g *generator) with(f Feature) bool { return g.cfg.Without&f == 0 }

func (g *generator) thread(block, warp, lane int) int {
	return (block*g.warps+warp)*g.lanes + lane
}

// start begins a launch.
func (g *generator) start() {
	n := g.blocks * g.warps * g.lanes
	g.queue, g.leaving, g.ended, g.waiting = make([][]*step, n), make([]bool, n), make([]bool, n), make([]int, n)
	g.arrived = make([][barriers]uint32, g.blocks)
	all := uint32(1)<<g.warps - 1
	g.members[0] = all
	for id := 1; id < barriers; id++ {
		g.members[id] = all
		if g.yes(30) {
			g.members[id] = max(uint32(g.Uint64())&all, 1)
		}
	}
}

// finish lets every thread run to its end and ends the launch.
func (g *generator) finish() {
	for b := range g.blocks {
		for w := range g.warps {
			g.leave(warpID{b, w}, g.staying(warpID{b, w}))
		}
	}
	for g.pending() > 0 {
		g.run()
	}
	g.emit(Event{Op: LaunchEnd})
}

// deserted reports whether every thread has ended.
func (g *generator) deserted() bool { return !slices.Contains(g.ended, false) }

// pending counts queued steps, once per lane.
func (g *generator) pending() int {
	n := 0
	for _, q := range g.queue {
		n += len(q)
	}
	return n
}

type warpID struct{ block, warp int }

// staying are the lanes of a warp for which no exit is queued yet.
func (g *generator) staying(w warpID) []int {
	var lanes []int
	for l := range g.lanes {
		if !g.leaving[g.thread(w.block, w.warp, l)] {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// push queues an event for its lanes, without those that will have ended; nil if none is left.
func (g *generator) push(e Event, after ...*step) *step {
	e = keepLanes(e, func(lane int) bool { return !g.leaving[g.thread(e.Block, e.Warp, lane)] })
	if len(e.Lanes) == 0 {
		return nil
	}
	s := &step{Event: e}
	for _, a := range after {
		if a != nil {
			s.after = append(s.after, a)
		}
	}
	for _, l := range e.Lanes {
		t := g.thread(e.Block, e.Warp, l)
		g.queue[t] = append(g.queue[t], s)
	}
	return s
}

func (g *generator) leave(w warpID, lanes []int) {
	g.push(Event{Op: Exit, Block: w.block, Warp: w.warp, Lanes: lanes})
	for _, l := range lanes {
		g.leaving[g.thread(w.block, w.warp, l)] = true
	}
}

// run executes one queued step of a random thread that can go on.
func (g *generator) run() {
	var ready []*step
	if g.IntN(4) < g.sticky && len(g.queue[g.last]) > 0 && g.ready(g.queue[g.last][0]) {
		ready = append(ready, g.queue[g.last][0])
	} else {
		for _, q := range g.queue {
			if len(q) > 0 && g.ready(q[0]) {
				ready = append(ready, q[0])
			}
		}
	}
	if len(ready) == 0 {
		// Steps that wait for each other in a circle: let one of the spin loops end early.
		for _, q := range g.queue {
			if len(q) > 0 {
				q[0].after = nil
			}
		}
		return
	}
	s := ready[g.IntN(len(ready))]
	s.done = true
	for _, l := range s.Lanes {
		t := g.thread(s.Block, s.Warp, l)
		g.queue[t] = g.queue[t][1:]
		g.last = t
	}
	g.execute(s.Event)
}

// ready reports whether all lanes of the step have come to it and nothing holds it back.
func (g *generator) ready(s *step) bool {
	for _, a := range s.after {
		if !a.done {
			return false
		}
	}
	for _, l := range s.Lanes {
		t := g.thread(s.Block, s.Warp, l)
		if g.queue[t][0] != s || g.waiting[t] != 0 {
			return false
		}
	}
	if s.Op != BarArrive {
		return true
	}
	// An arrival counts the whole warp: its other lanes must have ended, and it may not arrive twice in one phase.
	for l := range g.lanes {
		if !g.ended[g.thread(s.Block, s.Warp, l)] && !slices.Contains(s.Lanes, l) {
			return false
		}
	}
	return g.arrived[s.Block][s.Barrier]>>s.Warp&1 == 0
}

func (g *generator) execute(e Event) {
	switch e.Op {
	case Read, Write, RMW, CpAsync:
		g.access(e)
		return
	case BarArrive:
		g.arrived[e.Block][e.Barrier] |= 1 << e.Warp
		if e.Role != RoleArrive {
			for _, l := range e.Lanes {
				g.waiting[g.thread(e.Block, e.Warp, l)] = e.Barrier + 1
			}
		}
	case Exit:
		for _, l := range e.Lanes {
			g.ended[g.thread(e.Block, e.Warp, l)] = true
		}
	}
	g.emit(e)
	if e.Op == BarArrive || e.Op == Exit {
		g.complete(e.Block)
	}
}

// complete ends the phases of a block that wait for nobody any more: exited threads are never waited for.
func (g *generator) complete(block int) {
	for id := range barriers {
		missing := g.members[id] &^ g.arrived[block][id]
		for w := range g.warps {
			if !slices.Contains(g.ended[g.thread(block, w, 0):g.thread(block, w, 0)+g.lanes], false) {
				missing &^= 1 << w
			}
		}
		if g.arrived[block][id] == 0 || missing != 0 {
			continue
		}
		g.arrived[block][id] = 0
		for t := g.thread(block, 0, 0); t < g.thread(block+1, 0, 0); t++ {
			if g.waiting[t] == id+1 {
				g.waiting[t] = 0
			}
		}
		g.emit(Event{Op: BarComplete, Block: block, Barrier: id})
	}
}

// access executes a memory access in a random order of its lanes, mostly without the lanes that would race.
func (g *generator) access(e Event) {
	order := g.Perm(len(e.Lanes))
	e = permuted(e, order)
	for len(e.Lanes) > 0 {
		pairs, err := g.check.Add(e)
		if err != nil {
			return
		}
		if len(pairs) == 0 || g.keep > 0 && g.IntN(g.keep) == 0 || g.nearMiss(e) {
			g.record(e)
			return
		}
		var racing uint32
		for _, p := range pairs {
			racing |= 1 << p.Second.Lane
		}
		g.check.Undo()
		e = keepLanes(e, func(lane int) bool { return racing>>lane&1 == 0 })
	}
}

// nearMiss reports, for a share of them, that the races of an access are due to qualifiers only.
func (g *generator) nearMiss(e Event) bool {
	if !g.yes(g.near) {
		return false
	}
	pairs, err := g.lenient.Add(strongest(e))
	if err != nil {
		return false
	}
	g.lenient.Undo()
	return len(pairs) == 0
}

// strongest returns the event with the strongest qualifiers there are.
func strongest(e Event) Event {
	if e.Sem != Weak || e.Volatile {
		e.Sem, e.Volatile = AcqRel, false
	}
	e.Scope, e.Fence, e.Role, e.Red, e.NC = Sys, FenceSC, RoleSync, false, false
	return e
}

// record appends an event that check has accepted.
func (g *generator) record(e Event) {
	g.events = append(g.events, e)
	_, _ = g.lenient.Add(strongest(e)) // valid, since e is
}

// emit appends an event that is no access.
func (g *generator) emit(e Event) {
	if _, err := g.check.Add(e); err == nil {
		g.record(e)
	}
}

// keepLanes returns the event for those lanes only.
func keepLanes(e Event, keep func(lane int) bool) Event {
	var order []int
	for k, l := range e.Lanes {
		if keep(l) {
			order = append(order, k)
		}
	}
	if len(order) == len(e.Lanes) {
		return e
	}
	return permuted(e, order)
}

// permuted returns the event with the lanes at the given places, in that order.
func permuted(e Event, order []int) Event {
	f := e
	f.Lanes, f.Addr, f.Src, f.Value = nil, nil, nil, nil
	n := e.elems()
	for _, k := range order {
		f.Lanes = append(f.Lanes, e.Lanes[k])
		if len(e.Addr) > 0 {
			f.Addr = append(f.Addr, e.Addr[k])
		}
		if len(e.Src) > 0 {
			f.Src = append(f.Src, e.Src[k])
		}
		if len(e.Value) > 0 {
			f.Value = append(f.Value, e.Value[k*n:(k+1)*n]...)
		}
	}
	return f
}
