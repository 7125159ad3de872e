package vm

import (
	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/race"
)

// group is a set of lanes that execute together.
type group struct {
	pc   int32
	mask uint32
	fr   *frame
}

// waiting is a group that cannot go on by itself.
type waiting struct {
	group
	kind exec.WaitKind
	in   *Inst
	spin *parked // OnMemory
	// OnCollective and OnBarrier: the group goes on behind the instruction once the warp
	// has Released its lanes.
}

// Thread is one thread of control: all lanes of a warp, or one of them. It implements
// exec.Thread.
type Thread struct {
	prog   *Program
	launch *exec.Launch
	block  *exec.Block
	ws     *warpState
	race   *race.Detector
	values storeValues
	index  int    // in Program.Threads' result
	lanes  uint32 // of the warp that this thread runs
	cache  []memCache
	sites  []race.Site

	cur       group
	ready     []group // that could run as well
	waits     []waiting
	pinned    bool // cur runs on although others are behind it
	turn      int
	alone     int // instructions since groups wait to be merged with cur
	budget    int
	warpSteps int64 // executed and not yet charged to the launch
	laneSteps int64
	frames    pool
	spins     []spin
	rec       *recording // reads of the loop iteration under scrutiny
	changes   uint64     // stores that changed a byte, or were not compared
	addr      D
	addr2     D
}

// warpState is what the threads of one warp share: the top frame's registers, in which
// every lane has its own column, and local memory.
type warpState struct {
	warp    *exec.Warp
	top     *frame
	special [numSpecials]V
	local   localMemory
	running uint64 // the block that it was reset for, plus 1

	resultPred uint32 // predicate results of collectives; values are in exec.Warp.Result
	resultMark D      // uninitialised bits of the values
	undefined  uint32 // lanes whose value comes from a lane that does not take part
	marks      map[*barrier.Meeting]*D
	wide       *wideLanes // nil until a matrix instruction is executed
}

// memCache is the last pattern and buffer of one memory instruction.
type memCache struct {
	shape shapeRef
	buf   bufRef
	miss  uint32
}

// Threads makes the threads of control of a slot.
func (p *Program) Threads(b *exec.Block) []exec.Thread {
	l := b.Launch
	env := p.environment(l)
	var out []exec.Thread
	for i := range b.Warps {
		ws := &warpState{warp: &b.Warps[i], top: newFrame(p.Entry)}
		ws.fillSpecials(b, p.Shared)
		parts := []uint32{ws.warp.Lanes}
		if l.Granularity == exec.ByThread {
			parts = nil
			for lane := range 32 {
				if ws.warp.Lanes>>lane&1 != 0 {
					parts = append(parts, 1<<lane)
				}
			}
		}
		for _, lanes := range parts {
			t := &Thread{prog: p, launch: l, block: b, ws: ws, race: l.Race, index: len(out), lanes: lanes,
				cache: env.cache, sites: env.sites, frames: env.frames, spins: make([]spin, len(p.Backs))}
			t.values.t = t
			out = append(out, t)
		}
	}
	return out
}

// environment is what all threads of one launch share besides exec.Launch.
type environment struct {
	cache  []memCache
	sites  []race.Site
	frames pool
}

// environment registers the program's access sites with the launch's detector once.
func (p *Program) environment(l *exec.Launch) *environment {
	if p.env == nil || p.envOf != l {
		e := &environment{cache: make([]memCache, len(p.Insts)), frames: pool{}}
		if l.Race != nil {
			for _, s := range p.Sites {
				e.sites = append(e.sites, l.Race.AddSite(s))
			}
			if !p.narrow() {
				l.Race.OnlyWide()
			}
		}
		p.env, p.envOf = e, l
	}
	return p.env
}

// narrow reports whether some instruction synchronises within its block only, by scope.
func (p *Program) narrow() bool {
	for i := range p.Insts {
		if p.Insts[i].Op == Fence && p.Insts[i].Mem.Scope < kernel.GPU {
			return true
		}
	}
	for _, s := range p.Sites {
		if s.Sem > kernel.Relaxed && s.Scope < kernel.GPU {
			return true
		}
	}
	return false
}

// Start takes up the slot's next block.
func (t *Thread) Start() {
	t.ws.startBlock(t.block)
	t.cur = group{pc: t.prog.Entry.Entry, mask: t.lanes, fr: t.ws.top}
	t.ready, t.waits = t.ready[:0], t.waits[:0]
	t.pinned, t.alone, t.rec = false, 0, nil
	clear(t.spins)
}

// Step runs until the thread ends or cannot go on, or has executed about budget
// instructions.
func (t *Thread) Step(budget int) exec.Outcome {
	t.budget = budget
	if t.race != nil {
		t.race.Values = &t.values
	}
	if len(t.waits) > 0 {
		t.takeReleased()
	}
	if len(t.ready) > 0 {
		t.nextTurn()
	}
	out := t.run()
	t.flush()
	if len(t.ready) > 0 {
		t.alone += budget - t.budget
	} else {
		t.alone = 0
	}
	return out
}

func (t *Thread) run() exec.Outcome {
	l := t.launch
	for {
		if l.Stopped != "" {
			return exec.Aborted
		}
		if t.cur.mask == 0 && !t.pick() {
			return t.idle()
		}
		limit := noLimit
		if len(t.ready) > 0 {
			if limit = t.limit(); t.cur.pc == limit {
				t.merge()
				continue
			}
		}
		t.straight(limit)
		if t.cur.pc < limit {
			t.control()
		}
		if l.Budget < t.laneSteps {
			l.Stop("instruction budget used up", false)
		}
		if int64(t.budget) <= t.warpSteps {
			if t.cur.mask == 0 && !t.pick() {
				return t.idle()
			}
			return exec.Yielded
		}
	}
}

// Where is the instruction that the thread executes, for the report of an internal error.
func (t *Thread) Where() string {
	if pc := t.cur.pc; pc >= 0 && int(pc) < len(t.prog.Sources) {
		return t.prog.Sources[pc].PTX
	}
	return ""
}

// idle is the outcome when no group can run.
func (t *Thread) idle() exec.Outcome {
	out := exec.Done
	for i := range t.waits {
		if t.waits[i].kind != exec.OnMemory {
			return exec.Blocked
		}
		out = exec.Parked
	}
	return out
}

// takeReleased makes groups runnable whose wait is over.
func (t *Thread) takeReleased() {
	n := 0
	for i := range t.waits {
		w := &t.waits[i]
		if !t.released(w) {
			if n != i {
				t.waits[n] = *w
			}
			n++
		}
	}
	t.waits = t.waits[:n]
}

// released moves a waiting group to the runnable ones if its wait is over.
func (t *Thread) released(w *waiting) bool {
	if w.kind == exec.OnMemory {
		if !w.spin.woken {
			return false
		}
	} else {
		warp := t.ws.warp
		if w.mask&^warp.Released != 0 {
			return false
		}
		warp.Released &^= w.mask
		t.resume(w.in, &w.group)
	}
	if t.cur.mask == 0 && len(t.ready) == 0 {
		t.cur = w.group
	} else {
		t.ready = append(t.ready, w.group)
	}
	return true
}

// patience is how many instructions a warp executes before it lets go on the groups that
// wait where the others will reconverge with them. A loop whose lanes leave it one after
// the other should end before that; a lane that waits for such a group in a loop that
// cannot be parked (it counts, say) has to go round for that long.
const patience = 1 << 14

// nextTurn lets another group go first when several have been runnable for long, so that
// diverged lanes make progress independently of each other.
func (t *Thread) nextTurn() {
	t.pinned = false
	if t.cur.mask == 0 || t.alone < patience {
		return
	}
	t.turn++
	if t.turn%2 == 0 {
		return // the group that is furthest behind
	}
	i := t.turn / 2 % len(t.ready)
	t.cur, t.ready[i] = t.ready[i], t.cur
	t.pinned = true
}

// pick chooses the next group: the deepest activation first, so that diverged callers
// meet again behind the call, then the lowest pc, which lies before every point where the
// groups can reconverge.
func (t *Thread) pick() bool {
	if len(t.ready) == 0 {
		t.takeReleased()
		return t.cur.mask != 0 // limit exchanges it for one that is further behind
	}
	best := 0
	for i := 1; i < len(t.ready); i++ {
		if before(&t.ready[i], &t.ready[best]) {
			best = i
		}
	}
	t.cur = t.ready[best]
	t.ready = append(t.ready[:best], t.ready[best+1:]...)
	t.pinned = false
	return true
}

func before(a, b *group) bool {
	if a.fr.depth != b.fr.depth {
		return a.fr.depth > b.fr.depth
	}
	return a.pc < b.pc
}

// limit is the pc at which the current group must stop because another group waits there
// to be merged. Unless it is pinned, the current group is exchanged for one that is behind.
func (t *Thread) limit() int32 {
	if !t.pinned {
		for i := range t.ready {
			if before(&t.ready[i], &t.cur) {
				t.cur, t.ready[i] = t.ready[i], t.cur
			}
		}
	}
	limit := noLimit
	for i := range t.ready {
		if g := &t.ready[i]; g.fr == t.cur.fr && g.pc >= t.cur.pc && g.pc < limit {
			limit = g.pc
		}
	}
	return limit
}

// merge joins the groups that stand where the current one does.
func (t *Thread) merge() {
	keep := t.ready[:0]
	for _, g := range t.ready {
		if g.pc == t.cur.pc && g.fr == t.cur.fr {
			t.cur.mask |= g.mask
		} else {
			keep = append(keep, g)
		}
	}
	t.ready = keep
}

// observe tells the launch's observer that lanes execute an instruction.
func (t *Thread) observe(in *Inst, m uint32) {
	if t.launch.Observe != nil {
		t.block.Observe(exec.Executed, t.ws.warp, m, int(in.Number), 0)
	}
}

// wait parks the current group at its instruction.
func (t *Thread) wait(kind exec.WaitKind, in *Inst, s *parked) {
	t.waits = append(t.waits, waiting{group: t.cur, kind: kind, in: in, spin: s})
	t.cur.mask = 0
}
