package exec

import (
	"fmt"
	"math/bits"
	"strings"

	"gpusim/barrier"
	"gpusim/kernel"
)

// source resolves an instruction of the running program.
func (l *Launch) source(ins int) kernel.Source {
	if l.Program == nil {
		return kernel.Source{}
	}
	return l.Program.Source(ins)
}

// Place is a source position as messages show it: "k.cu:12".
func Place(s kernel.Source) string {
	if s.File == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// misuse reports a barrier instruction that does something wrong.
func (b *Block) misuse(m barrier.Misuse, w *Warp, op BarOp) {
	key := Key{Kind: kernel.BarrierMisuse, Severity: kernel.Error, Launch: b.Launch.Index, Site: [2]int{op.Instruction, -1},
		Object: op.ID, Detail: fmt.Sprint(m)}
	other := -1 // the warp whose arrival this one does not fit
	if m == barrier.CountDiffers || m == barrier.RedMixed || m == barrier.ArrivedTwice {
		n := &b.bars.named[op.ID]
		other = bits.TrailingZeros32(n.Arrived)
		if m == barrier.ArrivedTwice {
			other = w.Index
		}
		key.Site[1] = int(n.site[other].ins)
	}
	b.Launch.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: b.Launch.Kernel, Object: fmt.Sprintf("barrier %d", op.ID)}
		f.Message, f.Fix = b.misuseText(m, w, op, other)
		f.Accesses = append(f.Accesses, b.barrierAccess(w, op.Role, op.Instruction))
		if other >= 0 {
			n := &b.bars.named[op.ID]
			f.Accesses = append(f.Accesses, b.barrierAccess(&b.Warps[other], n.RoleOf(other), int(n.site[other].ins)))
		}
		return f
	})
}

func (b *Block) misuseText(m barrier.Misuse, w *Warp, op BarOp, other int) (message, fix string) {
	who := fmt.Sprintf("warp %d of block %v", w.Index, b.Index)
	var n *namedBarrier
	if other >= 0 {
		n = &b.bars.named[op.ID]
	}
	threads := b.Launch.Block.Count()
	switch m {
	case barrier.BadID:
		return fmt.Sprintf("%s uses barrier %d: a block has the barriers 0 to %d", who, op.ID, barrier.MaxNamed-1),
			"use a barrier number from 0 to 15"
	case barrier.BadCount:
		return fmt.Sprintf("%s enters barrier %d with a count of %d threads, which is not a positive multiple of the warp size 32", who, op.ID, op.Count),
			"count whole warps: round the number of threads up to a multiple of 32"
	case barrier.ArriveWithout:
		return fmt.Sprintf("%s arrives at barrier %d without a thread count, which an arrive needs", who, op.ID),
			"pass the number of threads of all arrivals and waits together"
	case barrier.CountTooLarge:
		return fmt.Sprintf("%s enters barrier %d with a count of %d threads, but the block has only %d", who, op.ID, op.Count, threads),
			fmt.Sprintf("use a thread count of at most %d, or launch larger blocks", (threads+31)/32*32)
	case barrier.CountDiffers:
		return fmt.Sprintf("%s enters barrier %d with %s, but warp %d entered the same phase with %s", who, op.ID, countText(op.Count), other, countText(n.Count())),
			"give every instruction that uses this barrier the same thread count, or use two barriers"
	case barrier.RedMixed:
		return fmt.Sprintf("%s enters barrier %d with barrier.%v while warp %d is there with barrier.%v: reductions must not meet other barrier instructions in one phase", who, op.ID, op.Role, other, n.RoleOf(other)),
			"use a barrier of its own for the reduction"
	case barrier.ArrivedTwice:
		return fmt.Sprintf("%s comes to barrier %d again before the phase that it has already arrived in is complete", who, op.ID),
			"wait for the barrier (sync) before arriving again, or use two barriers in turn"
	}
	return fmt.Sprintf("%s misuses barrier %d", who, op.ID), ""
}

func countText(n int) string {
	if n == 0 {
		return "all threads of the block"
	}
	return fmt.Sprintf("a count of %d threads", n)
}

func (b *Block) barrierAccess(w *Warp, role barrier.Role, ins int) kernel.Access {
	lane := bits.TrailingZeros32(w.Lanes)
	if w.Live != 0 {
		lane = bits.TrailingZeros32(w.Live)
	}
	return kernel.Access{Op: role.String(), Thread: b.ThreadID(w.Index, lane), Source: b.Launch.source(ins)}
}

// warnExits reports a barrier that is released because threads which its count includes
// have exited.
func (b *Block) warnExits(id int) {
	n := &b.bars.named[id]
	first := bits.TrailingZeros32(n.Waiting)
	ins := int(n.site[first].ins)
	key := Key{Kind: kernel.BarrierMisuse, Severity: kernel.Warning, Launch: b.Launch.Index, Site: [2]int{ins, -1}, Object: id, Detail: "exits"}
	b.Launch.Findings.Report(key, func() kernel.Finding {
		return kernel.Finding{Kernel: b.Launch.Kernel, Object: fmt.Sprintf("barrier %d", id),
			Message: fmt.Sprintf("barrier %d of block %v counts %d threads, of which only %s arrived; the others have exited, so it is released without them",
				id, b.Index, n.Count(), warpList(n.Arrived)),
			Fix:      "let all threads that the count includes reach the barrier before they return, or count only those that do",
			Accesses: []kernel.Access{b.barrierAccess(&b.Warps[first], n.RoleOf(first), ins)}}
	})
}

// unmatched reports arrivals that nobody has waited for when the block ends.
func (b *Block) unmatched(id int) {
	n := &b.bars.named[id]
	first := bits.TrailingZeros32(n.Arrived)
	ins := int(n.site[first].ins)
	key := Key{Kind: kernel.BarrierMisuse, Severity: kernel.Error, Launch: b.Launch.Index, Site: [2]int{ins, -1}, Object: id, Detail: "unmatched"}
	b.Launch.Findings.Report(key, func() kernel.Finding {
		return kernel.Finding{Kernel: b.Launch.Kernel, Object: fmt.Sprintf("barrier %d", id),
			Message: fmt.Sprintf("block %v ends with an unmatched arrive: %s arrived at barrier %d, which takes %d threads, and no phase was completed",
				b.Index, warpList(n.Arrived), id, n.Count()),
			Fix:      fmt.Sprintf("let the consumer wait with a sync on barrier %d and the same thread count, or drop the arrive", id),
			Accesses: []kernel.Access{b.barrierAccess(&b.Warps[first], n.RoleOf(first), ins)}}
	})
}

// warpList names the warps of a mask: "warp 3", "warps 0-2, 5".
func warpList(m uint32) string {
	var parts []string
	for i := 0; i < 32; i++ {
		if m>>i&1 == 0 {
			continue
		}
		j := i
		for j < 31 && m>>(j+1)&1 != 0 {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, fmt.Sprint(i))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", i, j))
		}
		i = j
	}
	if bits.OnesCount32(m) == 1 {
		return "warp " + parts[0]
	}
	return "warps " + strings.Join(parts, ", ")
}
