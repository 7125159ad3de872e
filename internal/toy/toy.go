// Package toy makes programs for the engine's own tests: every thread of control runs a
// short script of steps, in both granularities, without any front end.
package toy

import (
	"fmt"
	"math/bits"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
)

// Result is what a step does to its thread.
type Result uint8

// The results.
const (
	Next  Result = iota // go on with the next step
	Again               // used up its turn; run the step again
	Block               // waits for a wake, then goes on with the next step
	Park                // waits for a change, then runs the step again
	End                 // the thread has ended
)

// Step is one simulated instruction of a thread.
type Step func(t *Thread) Result

// Program is a program of steps.
type Program struct {
	Vars  []exec.SharedVar
	Mixes bool // what OrdersBlocks reports
	// Script is asked for the steps of every thread when its block starts.
	Script func(t *Thread) []Step

	pending map[*barrier.Meeting]exec.BarOp // of warps that are gathering
	sites   map[int]race.Site               // by line
}

func (p *Program) remember(m *barrier.Meeting, op exec.BarOp) {
	if p.pending == nil {
		p.pending = map[*barrier.Meeting]exec.BarOp{}
	}
	p.pending[m] = op
}

// SharedVars implements exec.Program.
func (p *Program) SharedVars() []exec.SharedVar { return p.Vars }

// OrdersBlocks implements exec.Program.
func (p *Program) OrdersBlocks() bool { return p.Mixes }

// Source implements exec.Program: instruction n stands in line n.
func (p *Program) Source(n int) kernel.Source { return kernel.Source{File: "toy.cu", Line: n} }

// Threads implements exec.Program.
func (p *Program) Threads(b *exec.Block) []exec.Thread {
	var list []exec.Thread
	for w := range b.Warps {
		warp := &b.Warps[w]
		if b.Launch.Granularity == exec.ByWarp {
			list = append(list, &Thread{program: p, Block: b, Warp: warp, Lanes: warp.Lanes})
			continue
		}
		for m := warp.Lanes; m != 0; m &= m - 1 {
			list = append(list, &Thread{program: p, Block: b, Warp: warp, Lanes: m & -m})
		}
	}
	return list
}

// Thread is a warp or a single thread.
type Thread struct {
	Block *exec.Block
	Warp  *exec.Warp
	Lanes uint32 // that it runs

	program *Program
	steps   []Step
	pc      int
	waiting bool
	waits   []exec.Wait
}

// First is the linear number of the first of its threads in the block.
func (t *Thread) First() int { return t.Warp.Index*32 + bits.TrailingZeros32(t.Lanes) }

// Start implements exec.Thread.
func (t *Thread) Start() { t.steps, t.pc, t.waiting, t.waits = t.program.Script(t), 0, false, nil }

// Waits implements exec.Thread.
func (t *Thread) Waits() []exec.Wait { return t.waits }

// Where implements exec.Locator.
func (t *Thread) Where() string { return fmt.Sprintf("step %d", t.pc) }

// Step implements exec.Thread.
func (t *Thread) Step(budget int) exec.Outcome {
	l := t.Block.Launch
	if t.waiting {
		if t.Warp.Released&t.Lanes != t.Lanes {
			return exec.Blocked
		}
		t.Warp.Released &^= t.Lanes
		t.waiting, t.waits = false, nil
		t.pc++
	}
	for ; budget > 0; budget-- {
		if l.Stopped != "" {
			return exec.Aborted
		}
		if t.pc == len(t.steps) {
			t.exit()
			return exec.Done
		}
		n := int64(bits.OnesCount32(t.Lanes))
		if l.Budget -= n; l.Budget < 0 {
			l.Stop("instruction budget used up", false)
			return exec.Aborted
		}
		l.Now++
		l.Counters.WarpInstructions++
		l.Counters.ThreadInstructions += uint64(n)
		switch t.steps[t.pc](t) {
		case Next:
			t.waits = nil
			t.pc++
		case Block:
			t.waiting = true
			return exec.Blocked
		case Park:
			return exec.Parked
		case End:
			t.exit()
			return exec.Done
		}
	}
	return exec.Yielded
}

func (t *Thread) exit() {
	t.Block.Exited(t.Warp, t.Lanes)
	if t.Warp.Live == 0 {
		return
	}
	for _, m := range t.Warp.Meet.Pending() {
		if m.Complete(t.Warp.Live) {
			t.gathered(m, t.program.pending[m])
		}
	}
}

// Run does n instructions and nothing else.
func Run(n int) Step {
	return func(t *Thread) Result {
		if n--; n < 0 {
			return Next
		}
		return Again
	}
}

// Return ends the thread.
func Return() Step { return func(*Thread) Result { return End } }

// Panic is a bug of ours.
func Panic(v any) Step { return func(*Thread) Result { panic(v) } }

// Trap ends the launch.
func Trap(why string) Step {
	return func(t *Thread) Result {
		t.Block.Launch.Stop(why, true)
		return Again
	}
}

// Bar is a block barrier in the given line.
func Bar(line, id, count int, role barrier.Role) Step {
	return func(t *Thread) Result {
		op := exec.BarOp{ID: id, Count: count, Role: role, Instruction: line, Aligned: true, Text: "bar"}
		m := t.Warp.Meet.Open(fmt.Sprint("bar", id), t.Warp.Lanes)
		m.Arrived |= t.Lanes
		t.waits = []exec.Wait{{Warp: t.Warp.Index, Lanes: t.Lanes, Source: t.program.Source(line), On: exec.OnBarrier, Barrier: id}}
		if !m.Complete(t.Warp.Live) {
			t.program.remember(m, op)
			return Block
		}
		if t.gathered(m, op) {
			return Next
		}
		return Block
	}
}

// gathered performs a barrier at which all live lanes of the warp have met.
func (t *Thread) gathered(m *barrier.Meeting, op exec.BarOp) bool {
	others := m.Arrived &^ t.Lanes
	t.Warp.Meet.Close(m)
	if !t.Block.Bar(t.Warp, &op) {
		return false
	}
	if others != 0 {
		t.Block.WakeLanes(t.Warp, others)
	}
	return true
}

// Store writes a byte and wakes those who watch it.
func Store(b *memory.Buffer, off int64, v byte) Step {
	return func(t *Thread) Result {
		old := b.Data[off]
		b.Data[off] = v
		b.SetValid(off, 1, true)
		if b.Watched() && old != v {
			b.Changed(off, 1)
		}
		return Next
	}
}

// Add increments a byte.
func Add(b *memory.Buffer, off int64) Step {
	return func(t *Thread) Result {
		for range bits.OnesCount32(t.Lanes) {
			b.Data[off]++
		}
		if b.Watched() {
			b.Changed(off, 1)
		}
		return Next
	}
}

// Until spins in the given line until a byte has a value.
func Until(line int, b *memory.Buffer, off int64, v byte) Step {
	return func(t *Thread) Result {
		if b.Data[off] == v {
			return Next
		}
		t.waits = []exec.Wait{{Warp: t.Warp.Index, Lanes: t.Lanes, Source: t.program.Source(line), On: exec.OnMemory,
			What: fmt.Sprintf("a change of %s at offset %d", b.Name, off)}}
		wake := func() {
			if t.Block.Launch.Granularity == exec.ByWarp {
				t.Block.Wake(t.Warp.Index)
			} else {
				t.Block.Wake(t.First())
			}
		}
		b.AddWatch(&memory.Watch{Off: off, Len: 1, Wake: wake})
		return Park
	}
}
