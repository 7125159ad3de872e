package array

import (
	"fmt"
	"strings"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
)

// Barrier is one barrier of a block.
type Barrier struct {
	Name     string
	state    barrier.Phased
	key      memory.AllocKey
	clocks   map[int]*region.Phase // by phase; a late waiter needs those of its own phase only
	waiting  []*Thread
	arriving map[int]bool // threads that have arrived at it
	released int
}

func (t *Thread) allocBarriers(s Scratch, axes []memory.Axis) Item {
	out := Item{Shape: s.Shape}
	for i := range Count(s.Shape) {
		one := s
		one.Space = kernel.Shared
		if Count(s.Shape) > 1 {
			one.Name = fmt.Sprintf("%s[%d]", s.Name, i)
		}
		key := t.alloc(one, 8, axes)
		b := t.state.barriers[key]
		if b == nil {
			b = &Barrier{Name: one.Name, state: barrier.Phased{Arrivals: s.Arrivals}, key: key, clocks: map[int]*region.Phase{}, arriving: map[int]bool{}}
			t.state.barriers[key] = b
		}
		out.Barriers = append(out.Barriers, b)
	}
	return out
}

func (t *Thread) freeBarrier(b *Barrier) {
	t.state.block.Release(b.key)
	if b.released++; b.released < t.state.holders(b.key) {
		return
	}
	delete(t.state.barriers, b.key)
	warning, err := b.state.End(b.key.ID)
	if err != nil {
		t.Fail(kernel.BarrierMisuse, "release", err.Error(), fmt.Sprintf("let the arrivals at %s complete a phase, and wait for it", b.Name))
	}
	if warning != "" {
		t.report(kernel.Finding{Message: warning, Object: b.Name, Fix: "wait once for every completed phase, also for the last ones"}, kernel.BarrierMisuse, kernel.Warning, warning)
	}
}

// Arrive arrives at a barrier.
func (t *Thread) Arrive(b *Barrier) {
	t.clock.Arrive(b.phase())
	t.arrived(b)
}

// phase is the clock of the phase under way.
func (b *Barrier) phase() *region.Phase {
	p := b.clocks[b.state.Phase]
	if p == nil {
		p = &region.Phase{}
		b.clocks[b.state.Phase] = p
		delete(b.clocks, b.state.Phase-4) // nobody may be so late
	}
	return p
}

// arrived counts an arrival whose clock is in the phase.
func (t *Thread) arrived(b *Barrier) {
	b.arriving[t.ID] = true
	completed, err := b.state.Arrive()
	if err != nil {
		t.Fail(kernel.BarrierMisuse, "arrive", err.Error(), "let every thread that uses the barrier wait for each of its phases before the next one can be completed")
	}
	if !completed {
		return
	}
	for _, w := range b.waiting {
		t.state.block.Wake(w.ID)
	}
	b.waiting = nil
}

// Wait waits until the next phase of a barrier that the thread has not seen is complete.
func (t *Thread) Wait(b *Barrier) {
	since, waited := t.state.block.Launch.Now, false
	for {
		ready, err := b.state.Ready(t.ID, t.name(), b.key.ID)
		if err != nil {
			t.Fail(kernel.BarrierMisuse, "wait", err.Error(), "wait for every phase of the barrier, before it can complete the next one")
		}
		if ready {
			break
		}
		waited = true
		b.waiting = append(b.waiting, t)
		t.waitsOn = b
		t.suspend(exec.Blocked)
		t.waitsOn = nil
	}
	if waited {
		c := t.state.block.Launch.Counters
		c.BarrierWaits[exec.WaitNamed]++
		c.BarrierWaitTime[exec.WaitNamed] += t.state.block.Launch.Now - since
	}
	if p := b.clocks[b.state.Next(t.ID)]; p != nil {
		t.clock.Depart(p)
	}
	b.state.Observe(t.ID)
}

// Waits implements exec.Thread.
func (t *Thread) Waits() []exec.Wait {
	b := t.waitsOn
	if b == nil {
		return nil
	}
	return []exec.Wait{{Warp: t.ID / 32, Lanes: 1 << (t.ID % 32), Source: t.source(), On: exec.OnObject,
		What: fmt.Sprintf("phase %d of barrier %s", b.state.Next(t.ID), b.Name), Who: fmt.Sprintf("thread %d", t.ID), Needs: b.needs(t)}}
}

// needs says what is missing for a phase, and who has arrived before.
func (b *Barrier) needs(t *Thread) string {
	n := b.state.Arrivals - b.state.Arrived()
	s := fmt.Sprintf("%d more of its %d arrivals", n, b.state.Arrivals)
	var who []string
	for i := range int(t.state.block.Launch.Block.Count()) {
		if b.arriving[i] {
			who = append(who, fmt.Sprint(i))
		}
	}
	if len(who) == 0 {
		return s + " (nobody has arrived so far)"
	}
	return s + " (so far those of " + plural(len(who), "thread") + " " + strings.Join(who, ", ") + ")"
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
