package exec

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gpusim/kernel"
)

// Stuck is a block in progress none of whose threads can go on.
type Stuck struct {
	Block  *Block
	Waits  []Wait
	Inside bool // all its threads wait for each other, none for memory: nobody outside can help
}

// maxWaits bounds the waits that a finding lists.
const maxWaits = 32

// maxClauses bounds the waits that its message tells.
const maxClauses = 4

// ReportHang is called at quiescence: every thread of every block in progress waits, and
// no further block may start, because none is left or because `limit` are in progress.
// It reports a deadlock if a barrier, a collective or a block that can never start is
// part of it, else a livelock, and ends the launch.
func ReportHang(l *Launch, stuck []Stuck, notStarted uint64, limit int) {
	if len(stuck) == 0 {
		return
	}
	stuck = slices.SortedFunc(slices.Values(stuck), func(a, b Stuck) int { return cmp.Compare(a.Block.Linear, b.Block.Linear) })
	h := &hang{launch: l, limit: limit, notStarted: notStarted}
	for _, s := range stuck {
		if s.Inside {
			h.notStarted = 0 // whatever else starts, this block never goes on
		}
	}
	for _, s := range stuck {
		if s.Inside || !slices.ContainsFunc(stuck, func(o Stuck) bool { return o.Inside }) {
			h.blocks = append(h.blocks, newStuckBlock(s))
		}
	}
	kind := h.kind()
	key := Key{Kind: kind, Severity: kernel.Error, Launch: l.Index, Site: [2]int{-1, -1}, Object: -1}
	l.Findings.Report(key, h.finding)
	l.Stop(string(kind), false)
}

// hang is the wait-for graph at quiescence.
type hang struct {
	launch     *Launch
	blocks     []*stuckBlock
	notStarted uint64
	limit      int
}

// stuckBlock is a block's waits, merged so that both granularities tell the same.
type stuckBlock struct {
	*Block
	waits []Wait
	at    map[int][]int // by warp: its waits
}

func newStuckBlock(s Stuck) *stuckBlock {
	b := &stuckBlock{Block: s.Block, at: map[int][]int{}}
	for _, w := range s.Waits {
		i := slices.IndexFunc(b.waits, func(o Wait) bool {
			return o.Warp == w.Warp && o.On == w.On && o.Barrier == w.Barrier && o.What == w.What && o.Missing == w.Missing && o.Who == w.Who && Place(o.Source) == Place(w.Source)
		})
		if i < 0 {
			b.waits = append(b.waits, w)
		} else {
			b.waits[i].Lanes |= w.Lanes
		}
	}
	slices.SortFunc(b.waits, func(x, y Wait) int {
		return cmp.Or(cmp.Compare(x.Warp, y.Warp), cmp.Compare(bits.TrailingZeros32(x.Lanes), bits.TrailingZeros32(y.Lanes)))
	})
	for i, w := range b.waits {
		b.at[w.Warp] = append(b.at[w.Warp], i)
	}
	return b
}

func (h *hang) kind() kernel.Kind {
	if h.notStarted > 0 {
		return kernel.Deadlock
	}
	for _, b := range h.blocks {
		for _, w := range b.waits {
			if w.On != OnMemory {
				return kernel.Deadlock
			}
		}
	}
	return kernel.Livelock
}

func (h *hang) finding() kernel.Finding {
	f := kernel.Finding{Kernel: h.launch.Kernel}
	total := 0
	for _, b := range h.blocks {
		total += len(b.waits)
		for _, w := range b.waits {
			if len(f.Waits) < maxWaits {
				id := b.ThreadID(w.Warp, bits.TrailingZeros32(w.Lanes))
				if w.ID != nil {
					id = *w.ID
				}
				f.Waits = append(f.Waits, kernel.Wait{Thread: id, Source: w.Source, On: w.on(), Needs: h.needs(b, w)})
			}
		}
	}
	f.Message = h.message(total)
	f.Fix = h.fix()
	return f
}

// message tells the first block's waits in words, and how many others there are; all blocks'
// waits, if they name their blocks.
func (h *hang) message(total int) string {
	blocks := h.blocks[:1]
	prefix, its := fmt.Sprintf("block %v: ", blocks[0].Index), "its waits"
	if len(blocks[0].waits) > 0 && blocks[0].waits[0].Named {
		blocks, prefix, its = h.blocks, "", "the waits"
	}
	var clauses, more []string
	for _, b := range blocks {
		clauses = append(clauses, b.clauses()...)
	}
	if n := len(clauses) - maxClauses; n > 0 {
		clauses = clauses[:maxClauses]
		more = append(more, fmt.Sprintf("%d more of %s", n, its))
	}
	s := prefix + strings.Join(clauses, "; ")
	if n := len(h.blocks) - len(blocks); n > 0 {
		more = append(more, plural(n, "further block")+" that "+verb(n, "hangs", "hang")+" too")
	}
	if len(more) > 0 {
		s += "; and " + strings.Join(more, " and ")
	}
	if n := h.notStarted; n > 0 {
		s += fmt.Sprintf("; %s can never start, because the device holds at most %s at once",
			plural(int(n), "block"), plural(h.limit, "block of this launch", "blocks of this launch"))
	}
	if total > maxWaits {
		s += fmt.Sprintf(" (%d of %d waits are listed)", maxWaits, total)
	}
	return s
}

// clauses describes a block's waits, those of several warps at one place together.
func (b *stuckBlock) clauses() []string {
	var out []string
	told := make([]bool, len(b.waits))
	for i, w := range b.waits {
		if told[i] || w.On != OnBarrier || !b.whole(w) {
			continue
		}
		var warps uint32
		for j, o := range b.waits {
			if o.On == OnBarrier && o.Barrier == w.Barrier && b.whole(o) && Place(o.Source) == Place(w.Source) {
				warps |= 1 << o.Warp
				told[j] = true
			}
		}
		s := fmt.Sprintf("%s %s at %s (%s)", warpList(warps), verb(bits.OnesCount32(warps), "waits", "wait"), w.on(), Place(w.Source))
		missing, need := b.missing(w.Barrier)
		if need != "" {
			s += " for " + need
		}
		if bits.OnesCount32(missing) <= maxClauses {
			for m := missing; m != 0; m &= m - 1 {
				for _, j := range b.at[bits.TrailingZeros32(m)] {
					told[j] = true
					s += ", " + b.whichDoes(b.waits[j], bits.OnesCount32(missing) > 1)
				}
			}
		}
		out = append(out, s)
	}
	for i, w := range b.waits {
		if told[i] {
			continue
		}
		if w.On == OnMBarrier && b.whole(w) {
			out = append(out, b.phaseClause(i, told))
			continue
		}
		out = append(out, b.subject(w)+" "+b.does(w))
	}
	return out
}

// phaseClause tells a wait for a phase, with the other warps that wait at the same place.
func (b *stuckBlock) phaseClause(i int, told []bool) string {
	w, warps := b.waits[i], uint32(0)
	for j, o := range b.waits {
		if o.On == w.On && o.What == w.What && b.whole(o) && Place(o.Source) == Place(w.Source) {
			warps |= 1 << o.Warp
			told[j] = true
		}
	}
	return fmt.Sprintf("%s %s at %s (%s) for %s", warpList(warps), verb(bits.OnesCount32(warps), "waits", "wait"), w.on(), Place(w.Source), w.Needs)
}

// whole reports whether a wait is that of all live lanes of its warp.
func (b *stuckBlock) whole(w Wait) bool { return b.Warps[w.Warp].Live&^w.Lanes == 0 }

// subject names a wait's lanes.
func (b *stuckBlock) subject(w Wait) string {
	if w.On == OnObject {
		return w.Who
	}
	if b.whole(w) {
		return fmt.Sprintf("warp %d", w.Warp)
	}
	return fmt.Sprintf("%s of warp %d", laneList(w.Lanes), w.Warp)
}

// whichDoes continues a sentence about the lanes of a wait.
func (b *stuckBlock) whichDoes(w Wait, several bool) string {
	switch {
	case several:
		return "of which " + b.subject(w) + " " + b.does(w)
	case b.whole(w):
		return "which " + b.does(w)
	}
	return "whose " + laneList(w.Lanes) + " " + b.does(w)
}

// does says what a wait's lanes do.
func (b *stuckBlock) does(w Wait) string {
	n := 1
	if !b.whole(w) {
		n = bits.OnesCount32(w.Lanes)
	}
	switch w.On {
	case OnObject:
		return fmt.Sprintf("waits at %s (%s) for %s", w.on(), Place(w.Source), w.Needs)
	case OnMBarrier:
		return fmt.Sprintf("%s at %s (%s) for %s", verb(n, "waits", "wait"), w.on(), Place(w.Source), w.Needs)
	case OnMemory:
		return fmt.Sprintf("%s at %s %s", verb(n, "spins", "spin"), Place(w.Source), w.spin())
	case OnCollective:
		return fmt.Sprintf("%s at %s (%s) for %s", verb(n, "waits", "wait"), w.on(), Place(w.Source), laneList(w.Missing))
	}
	s := fmt.Sprintf("%s at %s (%s)", verb(n, "waits", "wait"), w.on(), Place(w.Source))
	if !b.whole(w) {
		s += fmt.Sprintf(" for %s of the warp", laneList(b.Warps[w.Warp].Live&^w.Lanes))
	} else if _, need := b.missing(w.Barrier); need != "" {
		s += " for " + need
	}
	return s
}

// missing is who could still complete a barrier.
func (b *stuckBlock) missing(id int) (warps uint32, words string) {
	if id < 0 || id >= len(b.bars.named) {
		return 0, ""
	}
	n := &b.bars.named[id]
	rest := b.bars.live &^ n.Arrived
	if n.Count() == 0 {
		if rest == 0 {
			return 0, ""
		}
		return rest, warpList(rest)
	}
	lack := n.Count() - 32*bits.OnesCount32(n.Arrived)
	words = fmt.Sprintf("%d more threads of the %d that it counts", lack, n.Count())
	if rest == 0 {
		return 0, words + ", but no live warp is left"
	}
	return rest, words + " (of " + warpList(rest) + ")"
}

// needs says who could still satisfy a wait.
func (h *hang) needs(b *stuckBlock, w Wait) string {
	switch w.On {
	case OnObject, OnMBarrier:
		return w.Needs
	case OnCollective:
		return fmt.Sprintf("%s of warp %d", laneList(w.Missing), w.Warp)
	case OnBarrier:
		if !b.whole(w) {
			return fmt.Sprintf("%s of warp %d", laneList(b.Warps[w.Warp].Live&^w.Lanes), w.Warp)
		}
		_, need := b.missing(w.Barrier)
		return need
	}
	switch {
	case !strings.HasPrefix(w.What, changeOf):
		return "nothing: the loop has no way out"
	case h.notStarted > 0:
		return w.What + ", perhaps by a block that can never start"
	}
	return w.What + ", but no thread is left that could make it"
}

// fix suggests what to do, by what the graph contains.
func (h *hang) fix() string {
	if h.notStarted > 0 {
		return fmt.Sprintf("launch at most %s, or do not wait for blocks that may not have started", plural(h.limit, "block"))
	}
	var barrier, collective, partial, memory, object, phase bool
	for _, b := range h.blocks {
		for _, w := range b.waits {
			barrier = barrier || w.On == OnBarrier
			partial = partial || w.On == OnBarrier && !b.whole(w)
			collective = collective || w.On == OnCollective
			memory = memory || w.On == OnMemory
			object = object || w.On == OnObject
			phase = phase || w.On == OnMBarrier
		}
	}
	switch {
	case object:
		return "let every wait be matched by the arrivals (or copies, or signals) that it waits for"
	case collective:
		return "name in the mask only lanes that execute the instruction, and let all of those reach it"
	case partial:
		return "move the barrier out of the divergent code, so that all threads of the block reach it"
	case phase:
		return "let as many threads arrive in each phase as mbarrier.init counts, and wait for the phase (or parity) that the arrivals belong to"
	case barrier && memory:
		return "do not spin on memory that is written only behind the barrier at which the others wait"
	case barrier:
		return "let every live thread of the block (or all that the count includes) reach the barrier"
	}
	return "make sure that some thread still writes the awaited value, and that locks are released on every path"
}

// on is what a wait is for, in words.
func (w *Wait) on() string {
	if w.On == OnBarrier {
		return fmt.Sprintf("barrier %d", w.Barrier)
	}
	return strings.TrimPrefix(w.What, changeOf)
}

// changeOf begins the What of a parked loop that reads memory.
const changeOf = "a change of "

// spin says what a parked loop spins on.
func (w *Wait) spin() string {
	if strings.HasPrefix(w.What, changeOf) {
		return "on " + w.on()
	}
	return "in " + w.What
}

// laneList names the lanes of a mask: "lane 3", "lanes 0-15".
func laneList(m uint32) string {
	return strings.Replace(strings.Replace(warpList(m), "warps ", "lanes ", 1), "warp ", "lane ", 1)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// plural is a number with its noun.
func plural(n int, noun string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
