package oracle

import (
	"cmp"
	"slices"
)

// Severity of a race.
type Severity uint8

// Severities, from least to most.
const (
	Clean Severity = iota
	Warning
	Error
)

// Cause is what a pair is reported for.
type Cause uint8

// Unordered is the only error besides ReadOnly; the others are warnings.
const (
	Unordered Cause = iota
	ReadOnly        // ld.global.nc and a write of the same launch, ordered or not
	SameValue       // plain writes of one value to one location
	WeakFence       // ordered if every fence.acq_rel were a fence.sc
)

// Severity of a pair with this cause.
func (c Cause) Severity() Severity {
	if c == Unordered || c == ReadOnly {
		return Error
	}
	return Warning
}

// Access names one operation: an element of a lane's access in an event.
type Access struct {
	Event, Lane, Elem int
	Write             bool // of a CpAsync: the write to shared memory, else the read from global
}

// Pair is two accesses that race, in the order of the list, and the bytes that they share.
type Pair struct {
	First, Second Access
	Space         Space
	Launch, Block int // whose shared memory; zero for global
	Lo, Hi        int64
	Cause         Cause
	Mixed         bool // the accesses overlap partially: a mixed-size race
}

// Byte is the verdict on one byte that takes part in a race. Bytes that are not listed are clean.
type Byte struct {
	Space         Space
	Launch, Block int
	Addr          int64
	Severity      Severity
	Step          int // the first event that completes a race on the byte
	ErrorStep     int // the first event that completes one of severity Error, or -1
}

// Result is the verdict on a list.
type Result struct {
	Pairs []Pair // in order of the second access, then the first
	Bytes []Byte // sorted by space, launch, block, address
}

// race records the pairs of access j with the earlier accesses.
func (c *Checker) race(j int) {
	y := &c.ops[j]
	for i := range j {
		x := &c.ops[i]
		if !x.access || !x.overlaps(y) || !x.writes && !y.writes {
			continue
		}
		cause, racy := c.judge(i, j)
		if !racy {
			continue
		}
		p := Pair{
			First: Access{x.event, x.lane, x.elem, x.writes}, Second: Access{y.event, y.lane, y.elem, y.writes},
			Space: y.space, Lo: max(x.lo, y.lo), Hi: min(x.hi, y.hi), Cause: cause, Mixed: !x.sameLocation(y),
		}
		if y.space == Shared {
			p.Launch, p.Block = y.launch, y.block
		}
		c.pairs = append(c.pairs, p)
	}
}

// judge: "two conflicting memory operations are in a data race if they are not related in causality order and they are not morally strong"
// (Conflict and Data-races).
func (c *Checker) judge(i, j int) (Cause, bool) {
	x, y := &c.ops[i], &c.ops[j]
	if x.nc || y.nc {
		// Outside the model; its bytes must stay read-only for the whole launch (ld.global.nc).
		return ReadOnly, x.launch == y.launch
	}
	if c.causal(letter, i, j) || c.morallyStrong(x, y) {
		return 0, false
	}
	switch {
	case c.causal(promoted, i, j):
		return WeakFence, true
	case x.plainWrite() && y.plainWrite() && x.sameLocation(y) && x.known && y.known && x.value == y.value:
		return SameValue, true
	}
	return Unordered, true
}

func (o *operation) plainWrite() bool { return o.writes && !o.strong && !o.async }

// Result is the verdict on the events added so far.
func (c *Checker) Result() Result {
	return Result{Pairs: slices.Clone(c.pairs), Bytes: verdicts(c.pairs)}
}

// verdicts spreads pairs over their bytes.
func verdicts(pairs []Pair) []Byte {
	var all []Byte
	for _, p := range pairs {
		b := Byte{Space: p.Space, Launch: p.Launch, Block: p.Block, Severity: p.Cause.Severity(), Step: p.Second.Event, ErrorStep: -1}
		if b.Severity == Error {
			b.ErrorStep = b.Step
		}
		for b.Addr = p.Lo; b.Addr < p.Hi; b.Addr++ {
			all = append(all, b)
		}
	}
	// Pairs come in order of their second access, so a stable sort keeps each byte's steps in order.
	slices.SortStableFunc(all, func(a, b Byte) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Launch, b.Launch), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Addr, b.Addr))
	})
	out := all[:0]
	for _, b := range all {
		if n := len(out); n > 0 && out[n-1].Addr == b.Addr && out[n-1].Space == b.Space && out[n-1].Launch == b.Launch && out[n-1].Block == b.Block {
			last := &out[n-1]
			last.Severity = max(last.Severity, b.Severity)
			if last.ErrorStep < 0 {
				last.ErrorStep = b.ErrorStep
			}
			continue
		}
		out = append(out, b)
	}
	return out
}
