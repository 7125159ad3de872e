// Package scheduler decides the order in which ready mailboxes are served, and how many
// blocks a modelled device holds at once. It is pure: every choice follows from the seed.
package scheduler

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Policy is a queue discipline over the ready mailboxes, which are known by number. A
// mailbox is pushed at most once until it is popped.
type Policy interface {
	Push(mailbox int32)
	Pop() int32 // call only when Len is not 0
	Len() int
	// Quantum is the number of warp instructions of a thread's next step. mixes tells
	// that the program's outcome may depend on how its threads interleave.
	Quantum(mixes bool) int
	// Blocks is how many blocks the policy wants to have in progress together, of the
	// most that may be; more start only when all of them wait.
	Blocks(most int, mixes bool) int
}

// Quantum is the full step of a thread of control in warp instructions: about 0.1 ms,
// so that messages cost next to nothing and an interrupt is noticed at once.
const Quantum = 2048

// Names lists the policies.
var Names = []string{"random", "rr"}

// New makes the policy of a name.
func New(name string, seed uint64) (Policy, error) {
	switch name {
	case "random":
		return NewRandom(seed), nil
	case "rr":
		return &RoundRobin{}, nil
	}
	return nil, fmt.Errorf("unknown schedule %q: want random or rr", name)
}

// Random serves ready mailboxes in a seeded random order and cuts quanta at seeded
// points.
type Random struct {
	rng   *rand.PCG
	ready []int32
	last  uint64 // the latest draw
}

// NewRandom makes a random policy; equal seeds give equal choices.
func NewRandom(seed uint64) *Random {
	return &Random{rng: rand.NewPCG(seed, 0x5851f42d4c957f2d)}
}

// Push implements Policy.
func (p *Random) Push(m int32) { p.ready = append(p.ready, m) }

// Len implements Policy.
func (p *Random) Len() int { return len(p.ready) }

// Pop implements Policy.
func (p *Random) Pop() int32 {
	last := len(p.ready) - 1
	// One draw serves the choice (its upper half) and the quantum that follows it.
	p.last = p.rng.Uint64()
	i := int(p.last >> 32 * uint64(last+1) >> 32)
	m := p.ready[i]
	p.ready[i] = p.ready[last]
	p.ready = p.ready[:last]
	return m
}

// Quantum implements Policy. Where interleaving matters, quanta are of all magnitudes
// alike; elsewhere a few short ones suffice to let seeds differ.
func (p *Random) Quantum(mixes bool) int {
	r := p.last
	if !mixes && r&7 != 0 {
		return Quantum
	}
	r >>= 3
	top := uint64(bits.Len(Quantum) - 1)
	return 1<<(r%(top+1)) + int(r>>8&7)
}

// Blocks implements Policy.
func (p *Random) Blocks(most int, mixes bool) int {
	if !mixes || most <= 1 {
		return 1
	}
	return 2 + int(p.rng.Uint64()%(uint64(min(most, MaxMixed))-1))
}

// MaxMixed bounds the blocks that a policy interleaves of its own accord: a few show
// every order of two or three blocks, and more only cost memory.
const MaxMixed = 16

// RoundRobin serves ready mailboxes first come, first served.
type RoundRobin struct {
	ring []int32 // a power of two
	head int
	n    int
}

// Push implements Policy.
func (p *RoundRobin) Push(m int32) {
	if p.n == len(p.ring) {
		p.grow()
	}
	p.ring[(p.head+p.n)&(len(p.ring)-1)] = m
	p.n++
}

// Pop implements Policy.
func (p *RoundRobin) Pop() int32 {
	m := p.ring[p.head]
	p.head = (p.head + 1) & (len(p.ring) - 1)
	p.n--
	return m
}

// Len implements Policy.
func (p *RoundRobin) Len() int { return p.n }

// Quantum implements Policy.
func (p *RoundRobin) Quantum(bool) int { return Quantum }

// Blocks implements Policy.
func (p *RoundRobin) Blocks(most int, mixes bool) int {
	if !mixes {
		return 1
	}
	return min(most, MaxMixed)
}

func (p *RoundRobin) grow() {
	next := make([]int32, max(16, 2*len(p.ring)))
	for i := range p.n {
		next[i] = p.ring[(p.head+i)&(len(p.ring)-1)]
	}
	p.ring, p.head = next, 0
}
