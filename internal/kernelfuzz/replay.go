package kernelfuzz

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"gpusim/exec"
	"gpusim/internal/oracle"
)

// Execution is an execution as the axioms see it.
type Execution struct {
	Events []oracle.Event
	Places []Place // of each event
	Global []byte  // at the end
	Sums   [][]uint64
}

// thread is one thread of the launch under way.
type thread struct {
	block, warp, lane int

	at      int // next statement
	vars    []uint64
	sum     uint64
	stored  uint64 // the checksum that the thread left behind
	ended   bool
	waits   bool // at a barrier
	barrier int  // the statement at which it waits
}

// phase is a barrier's phase under way.
type phase struct {
	warps   uint32 // that have arrived
	count   int
	waiting []*thread
	popc    uint64
}

// replayer follows all threads along the recorded events.
type replayer struct {
	p       *Program
	lines   map[int]Place
	out     Execution
	launch  int
	threads []*thread
	shared  [][]byte
	phases  map[[2]int]*phase
}

// Step is an event with the line of its instruction.
type Step struct {
	exec.Event
	Line int
}

// Replay follows the program along the steps of a run. The error tells what the executor did that the program does not say.
func Replay(p *Program, lines map[int]Place, steps []Step) (*Execution, error) {
	r := &replayer{p: p, lines: lines, launch: -1}
	r.out.Global = make([]byte, globalBytes)
	for i := range r.out.Global {
		r.out.Global[i] = initial(i)
	}
	r.begin()
	for i := range steps {
		s := &steps[i]
		for s.Launch != r.launch {
			if err := r.end(); err != nil {
				return nil, err
			}
			r.begin()
		}
		if err := r.step(s); err != nil {
			return nil, fmt.Errorf("step %d (%s): %w", i, s.describe(), err)
		}
	}
	for r.launch < len(p.Kernels) {
		if err := r.end(); err != nil {
			return nil, err
		}
		r.begin()
	}
	return &r.out, nil
}

func (s *Step) describe() string {
	what := [...]string{"executed", "synced", "arrived", "completed", "exited"}[s.Kind]
	return fmt.Sprintf("launch %d, block %d, warp %d, lanes %#x, line %d, barrier %d: %s", s.Launch, s.Block, s.Warp, s.Lanes, s.Line, s.Barrier, what)
}

// begin makes the threads of the next launch.
func (r *replayer) begin() {
	r.launch++
	r.threads, r.shared, r.phases = nil, nil, map[[2]int]*phase{}
	if r.launch >= len(r.p.Kernels) {
		return
	}
	for b := range r.p.Blocks {
		r.shared = append(r.shared, make([]byte, sharedBytes))
		for t := range r.p.Threads {
			r.threads = append(r.threads, &thread{block: b, warp: t / 32, lane: t % 32, sum: 1, vars: make([]uint64, r.p.Kernels[r.launch].Vars+1)})
		}
	}
}

// end closes a launch: every thread must have ended.
func (r *replayer) end() error {
	sums := make([]uint64, len(r.threads))
	for i, t := range r.threads {
		if !t.ended {
			return fmt.Errorf("launch %d ends, but thread %d of block %d has not: next statement %d", r.launch, t.warp*32+t.lane, t.block, t.at)
		}
		sums[i] = t.stored
	}
	r.out.Sums = append(r.out.Sums, sums)
	r.emit(oracle.Event{Op: oracle.LaunchEnd}, Place{r.launch, -1})
	return nil
}

func (r *replayer) emit(e oracle.Event, at Place) {
	r.out.Events = append(r.out.Events, e)
	r.out.Places = append(r.out.Places, at)
}

// lanes are the threads of a step.
func (r *replayer) lanes(s *Step) []*thread {
	var out []*thread
	for m := s.Lanes; m != 0; m &= m - 1 {
		i := int(s.Block)*r.p.Threads + s.Warp*32 + bits.TrailingZeros32(m)
		if i < len(r.threads) {
			out = append(out, r.threads[i])
		}
	}
	return out
}

// live is the mask of the lanes of a warp that have not ended.
func (r *replayer) live(block, warp int) (m uint32) {
	for _, t := range r.threads {
		if t.block == block && t.warp == warp && !t.ended {
			m |= 1 << t.lane
		}
	}
	return m
}

func (r *replayer) step(s *Step) error {
	if r.launch >= len(r.p.Kernels) || int(s.Block) >= r.p.Blocks {
		return fmt.Errorf("no such launch or block")
	}
	all := r.lanes(s)
	if len(all) != bits.OnesCount32(s.Lanes) {
		return fmt.Errorf("no such lanes")
	}
	e := oracle.Event{Block: int(s.Block), Warp: s.Warp}
	for _, t := range all {
		e.Lanes = append(e.Lanes, t.lane)
	}
	if s.Kind == exec.Completed {
		return r.completed(s, e)
	}
	var first *Stmt
	at := Place{r.launch, -1}
	for _, t := range all {
		st, index, err := r.next(t)
		if err != nil {
			return err
		}
		if s.Kind == exec.Exited {
			if st != nil && st.Op != Exit {
				return fmt.Errorf("lane %d ends at statement %d", t.lane, index)
			}
			t.ended = true
			continue
		}
		if st == nil {
			return fmt.Errorf("lane %d should have ended", t.lane)
		}
		if got := r.lines[s.Line]; s.Kind == exec.Executed && got != (Place{r.launch, index}) {
			return fmt.Errorf("lane %d executes statement %v out of turn: its next one is %d", t.lane, got, index)
		}
		if first == nil {
			first, at.Stmt = st, index
		}
		t.at = index + 1
	}
	switch s.Kind {
	case exec.Exited:
		e.Op = oracle.Exit
		r.emit(e, at)
	case exec.Synced:
		return r.synced(s, all, e, at)
	case exec.Arrived:
		return r.arrived(s, all, e, at)
	default:
		return r.executed(first, all, e, at)
	}
	return nil
}

// next lets a thread run up to its next statement that others may notice: nil at the end.
func (r *replayer) next(t *thread) (*Stmt, int, error) {
	if t.ended || t.waits {
		return nil, 0, fmt.Errorf("lane %d has ended or waits", t.lane)
	}
	code := r.p.Kernels[r.launch].Stmts
	for i := t.at; i < len(code); i++ {
		s := &code[i]
		if !s.Who.has(t.block, t.warp, t.lane) {
			continue
		}
		switch s.Op {
		case Jump:
			if (t.vars[s.Var] == s.Want) == s.Equal {
				i = s.Target - 1
			}
		case Set1:
			t.vars[s.Var] = s.Want
		case Less:
			t.vars[s.Var]--
		case Vote:
		default:
			t.at = i
			return s, i, nil
		}
	}
	t.at = len(code)
	return nil, len(code), nil
}

// synced checks that exactly the live lanes of a mask meet.
func (r *replayer) synced(s *Step, all []*thread, e oracle.Event, at Place) error {
	code := r.p.Kernels[r.launch].Stmts
	mask := code[at.Stmt].Mask
	for _, t := range all {
		if st := &code[t.at-1]; st.Op != WarpSync || st.Mask != mask {
			return fmt.Errorf("lane %d is not at a bar.warp.sync with mask %#x", t.lane, mask)
		}
	}
	if want := mask & r.live(int(s.Block), s.Warp); want != s.Lanes {
		return fmt.Errorf("lanes %#x meet, want %#x", s.Lanes, want)
	}
	e.Op = oracle.WarpSync
	r.emit(e, at)
	return nil
}

// arrived checks that a warp comes to a barrier as a whole, and from one line unless the barrier is loose.
func (r *replayer) arrived(s *Step, all []*thread, e oracle.Event, at Place) error {
	code := r.p.Kernels[r.launch].Stmts
	st := &code[r.lines[s.Line].Stmt]
	for _, t := range all {
		own := &code[t.at-1]
		if own.Op != Barrier || own.ID != s.Barrier || own.ID != st.ID || own.Count != st.Count || own.Role != st.Role || own != st && !(own.Loose && st.Loose) {
			return fmt.Errorf("lane %d is not at this barrier", t.lane)
		}
	}
	if live := r.live(int(s.Block), s.Warp); live != s.Lanes {
		return fmt.Errorf("lanes %#x arrive, the warp has %#x", s.Lanes, live)
	}
	k := [2]int{int(s.Block), s.Barrier}
	ph := r.phases[k]
	if ph == nil {
		ph = &phase{count: st.Count}
		r.phases[k] = ph
	}
	ph.warps |= 1 << s.Warp
	for _, t := range all {
		if t.lane&1 == 0 {
			ph.popc++
		}
		if st.Role != oracle.RoleArrive {
			t.waits, t.barrier = true, t.at-1
			ph.waiting = append(ph.waiting, t)
		}
	}
	e.Op, e.Barrier, e.Role = oracle.BarArrive, s.Barrier, st.Role
	r.emit(e, at)
	return nil
}

// completed ends a phase: it must have all its arrivals.
func (r *replayer) completed(s *Step, e oracle.Event) error {
	k := [2]int{int(s.Block), s.Barrier}
	ph := r.phases[k]
	if ph == nil {
		return fmt.Errorf("a phase without arrivals")
	}
	delete(r.phases, k)
	if ph.count != 0 && ph.count != 32*bits.OnesCount32(ph.warps) {
		return fmt.Errorf("warps %#x have arrived, %d threads should", ph.warps, ph.count)
	}
	for w := range r.p.warps() {
		if ph.count == 0 && ph.warps>>w&1 == 0 && r.live(int(s.Block), w) != 0 {
			return fmt.Errorf("warp %d has not arrived", w)
		}
	}
	for _, t := range ph.waiting {
		t.waits = false
		if st := &r.p.Kernels[r.launch].Stmts[t.barrier]; st.Role == oracle.RoleRed {
			t.take(st, 0, ph.popc)
		}
	}
	e.Op, e.Barrier = oracle.BarComplete, s.Barrier
	r.emit(e, Place{r.launch, -1})
	return nil
}

// take puts an element that was read into its variable and the checksum.
func (t *thread) take(s *Stmt, elem int, v uint64) {
	t.vars[s.Var+elem] = v
	if s.Sum {
		t.sum = t.sum*3 + v
	}
}

// executed performs a statement for its lanes, in order.
func (r *replayer) executed(s *Stmt, all []*thread, e oracle.Event, at Place) error {
	switch s.Op {
	case Result:
		for _, t := range all {
			t.stored = t.sum
		}
		return nil // at an address of the thread's own
	case Load, Store, Atomic:
		for _, t := range all {
			r.access(s, t, &e)
		}
	case Copy:
		e.Op, e.Size, e.SrcSize = oracle.CpAsync, s.Size, s.Read
		for _, t := range all {
			to, from := s.At.of(t.block, t.warp, t.lane), s.From.of(t.block, t.warp, t.lane)
			e.Addr, e.Src = append(e.Addr, to), append(e.Src, from)
			dst := r.shared[t.block][to : to+int64(s.Size)]
			clear(dst)
			copy(dst, r.out.Global[from:from+int64(s.Read)])
		}
	case Fence:
		e.Op, e.Fence, e.Scope = oracle.Fence, s.Kind, s.Scope
		if s.Membar {
			e.Fence = oracle.FenceSC
		}
	case Commit:
		e.Op = oracle.CpCommit
	case Wait:
		if s.Pending < 0 { // "equivalent to cp.async.commit_group and cp.async.wait_group 0" (cp.async.wait_all)
			commit := e
			commit.Op, commit.Lanes = oracle.CpCommit, slices.Clone(e.Lanes)
			r.emit(commit, at)
		}
		e.Op, e.Pending = oracle.CpWait, max(s.Pending, 0)
	default:
		return fmt.Errorf("statement %d is no access", at.Stmt)
	}
	r.emit(e, at)
	return nil
}

// memory is the state space of an access as the block sees it.
func (r *replayer) memory(s *Stmt, block int) []byte {
	if s.Space == oracle.Shared {
		return r.shared[block]
	}
	return r.out.Global
}

// access performs one lane of a load, store or atomic and adds it to the event.
func (r *replayer) access(s *Stmt, t *thread, e *oracle.Event) {
	e.Op = [...]oracle.Op{Load: oracle.Read, Store: oracle.Write, Atomic: oracle.RMW}[s.Op]
	e.Space, e.Size, e.Elems, e.Sem, e.Scope, e.Volatile, e.NC, e.Red = s.Space, s.Size, s.Elems, s.Sem, s.Scope, s.Volatile, s.NC, s.Red
	if s.Op == Atomic && s.Sem == oracle.Weak {
		e.Sem, e.Scope = oracle.Relaxed, oracle.GPU // "If no .sem is specified ... .relaxed", "no scope ... .gpu" (atom)
	}
	at := s.At.of(t.block, t.warp, t.lane)
	e.Addr = append(e.Addr, at)
	for k := range max(s.Elems, 1) {
		m := r.memory(s, t.block)[at+int64(k*s.Size):]
		old := get(m, s.Size)
		switch s.Op {
		case Load:
			t.take(s, k, old)
		case Store:
			v := s.Value.of(t.lane, k) & mask(s.Size)
			e.Value = append(e.Value, v)
			put(m, s.Size, v)
		case Atomic:
			v, wrote := s.apply(old, s.Value.of(t.lane, 0)&mask(s.Size))
			if !wrote {
				e.Failed |= 1 << t.lane
			}
			put(m, s.Size, v)
			if !s.Red {
				t.take(s, 0, old)
			}
		}
	}
}

// apply is the new value that an atomic leaves.
func (s *Stmt) apply(old, x uint64) (v uint64, wrote bool) {
	switch s.Operator {
	case "add":
		v = old + x
	case "min":
		v = min(old, x)
	case "max":
		v = max(old, x)
	case "inc":
		if v = old + 1; old >= x {
			v = 0
		}
	case "and":
		v = old & x
	case "or":
		v = old | x
	case "xor":
		v = old ^ x
	case "exch":
		v = x
	case "cas":
		if old != s.Old {
			return old, false
		}
		v = x
	}
	return v & mask(s.Size), true
}

func mask(size int) uint64 { return ^uint64(0) >> (64 - 8*size) }

func get(b []byte, size int) uint64 {
	var raw [8]byte
	copy(raw[:], b[:size])
	return binary.LittleEndian.Uint64(raw[:])
}

func put(b []byte, size int, v uint64) {
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], v)
	copy(b[:size], raw[:size])
}
