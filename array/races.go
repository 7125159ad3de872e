package array

import (
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/race/region"
)

// race turns a pair of accesses into a finding.
func (p *Program) race(r region.Race) {
	l := p.launch
	b := p.objects[r.B.Object]
	if r.Severity == kernel.Warning { // a read before an asynchronous overwrite without a fence
		switch {
		case p.ReadFence == "off", b.space == kernel.Global: // no fence of Pallas reaches global memory
			return
		case p.ReadFence == "error":
			r.Severity = kernel.Error
		}
	}
	key := exec.Key{Kind: kernel.DataRace, Severity: r.Severity, Launch: l.Index, Site: [2]int{min(r.A.Site, r.B.Site), max(r.A.Site, r.B.Site)},
		Object: r.B.Object, Detail: fmt.Sprint(r.Edge, r.A.Async, r.B.Async)}
	l.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: l.Kernel, Space: b.space, Object: b.name, Offset: r.Off - b.base, Size: int(r.Len), Edge: r.Edge}
		var place, doer [2]string
		for i, x := range [2]region.Party{r.A, r.B} {
			op := "read"
			if x.Write {
				op = "write"
			}
			f.Accesses = append(f.Accesses, kernel.Access{Op: op, Atomic: x.Atomic, Thread: p.threadID(x.Group, x.Thread), Source: p.Place(x.Site)})
			place[i] = exec.Place(p.Place(x.Site))
			doer[i] = p.who(x.Group, x.Thread) + " of " + p.blockText(x.Group, x.Thread)
			if x.Async {
				doer[i] = fmt.Sprintf("the %s issued by %s", p.named[x.Site], doer[i])
			}
			if x.Atomic {
				op = "atomically update"
			}
			doer[i] += " " + op + "s"
		}
		what := "which"
		if a := p.objects[r.A.Object]; a != b {
			what = fmt.Sprintf("whose memory was that of %s before, which", a.name)
		}
		f.Message = fmt.Sprintf("%s %s (%s), %s %s (%s); nothing orders the two", doer[1], b.name, place[1], what, doer[0], place[0])
		f.Missing, f.Fix = p.missing(r, place)
		return f
	})
}

// missing names the edge that a race lacks and how to supply it.
func (p *Program) missing(r region.Race, place [2]string) (edge, fix string) {
	switch {
	case r.Tensor:
		return fmt.Sprintf("an order for the tensor core between %s and %s: the barrier between them orders the threads only", place[0], place[1]),
			"create the barrier with orders_tensor_core=True"
	case r.Edge == kernel.ProxyFence:
		return fmt.Sprintf("commit_smem between %s and the %s at %s", place[0], p.named[r.B.Site], place[1]),
			fmt.Sprintf("call commit_smem after the access and before the %s (or before the barrier that leads to it)", p.named[r.B.Site])
	case r.ReadOnly:
		return fmt.Sprintf("a full wait for the copy issued at %s: it was waited for with wait_read_only, which covers what it reads and not what it writes", place[0]),
			"call wait_smem_to_gmem without wait_read_only"
	case r.Edge == kernel.NoWait:
		return fmt.Sprintf("a wait for the %s issued at %s before %s", p.named[r.A.Site], place[0], place[1]), p.waitAdvice(r)
	case r.A.Group != r.B.Group && (p.Communicates || p.otherDevice(r)):
		who := "blocks"
		if p.otherDevice(r) {
			who = "devices"
		}
		return "an order between the " + who + ": they run concurrently, and no semaphore is signalled after the one and waited for before the other",
			"signal a semaphore after the first access (and after waiting for it, if it is asynchronous), and wait for it before the second"
	case r.A.Group != r.B.Group:
		return "an order between the blocks: blocks of a grid run concurrently", "let every block access elements of its own, or split the work into separate kernels"
	case !r.A.Async && r.B.Async && r.B.Write && r.A.Thread != r.B.Thread && !r.A.Write:
		// The reader was early: what it wants is what the operation brings, or what was there before.
		return fmt.Sprintf("an order between %s and the %s at %s: neither a wait for the %s before the read, nor a barrier after the read and before the %s", place[0], p.named[r.B.Site], place[1], p.named[r.B.Site], p.named[r.B.Site]),
			fmt.Sprintf("to read what the %s brings, wait for it before the read; to read what was there before, arrive at a barrier after the read and wait on it before the %s", p.named[r.B.Site], p.named[r.B.Site])
	case r.A.Group == r.B.Group && p.otherBlock(r):
		return fmt.Sprintf("a cluster barrier between %s and %s", place[0], place[1]), "arrive at a ClusterBarrier after the first access, and wait on it before the second"
	}
	return fmt.Sprintf("a barrier between %s and %s", place[0], place[1]), "arrive at a barrier after the first access, and wait on it before the second"
}

// waitAdvice says how to wait for the first of two accesses.
func (p *Program) waitAdvice(r region.Race) string {
	switch p.named[r.A.Site] {
	case "store to tensor memory":
		return "call commit_tmem after the store"
	case "load from tensor memory":
		return "call wait_load_tmem after the load"
	case "tcgen05_mma", "copy to tensor memory":
		return "wait on a barrier at which it arrives: its own, or that of a tcgen05_commit_arrive after it"
	case "wgmma":
		return "wait with wgmma_wait, or read the accumulator with a wait"
	}
	if p.objects[r.A.Object].space == kernel.Global && r.A.Write {
		return "wait with wait_smem_to_gmem in the thread that issued it"
	}
	return "wait on its barrier (barrier_wait), or for a copy to global memory with wait_smem_to_gmem in the thread that issued it"
}

// otherDevice reports whether two threads run on different devices.
func (p *Program) otherDevice(r region.Race) bool {
	n := uint64(p.devices())
	return r.A.Group%n != r.B.Group%n
}

// otherBlock reports whether two threads of a cluster belong to different blocks.
func (p *Program) otherBlock(r region.Race) bool {
	return p.blockText(r.A.Group, r.A.Thread) != p.blockText(r.B.Group, r.B.Thread)
}
