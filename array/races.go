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
	key := exec.Key{Kind: kernel.DataRace, Severity: r.Severity, Launch: l.Index, Site: [2]int{min(r.A.Site, r.B.Site), max(r.A.Site, r.B.Site)},
		Object: r.Object, Detail: fmt.Sprint(r.Edge, r.A.Async, r.B.Async)}
	l.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: l.Kernel, Space: p.spaces[r.Object], Object: p.objects[r.Object], Offset: r.Off, Size: int(r.Len), Edge: r.Edge}
		var place, doer [2]string
		for i, x := range [2]region.Party{r.A, r.B} {
			op := "read"
			if x.Write {
				op = "write"
			}
			id := kernel.ThreadID{Block: l.Grid.At(x.Block), Thread: l.Block.At(uint64(x.Thread))}
			f.Accesses = append(f.Accesses, kernel.Access{Op: op, Thread: id, Source: p.Place(x.Site)})
			place[i] = placeText(p.Place(x.Site))
			doer[i] = fmt.Sprintf("thread %d of block %v", x.Thread, id.Block)
			if x.Async {
				doer[i] = "the asynchronous copy issued by " + doer[i]
			}
			doer[i] += " " + op + "s"
		}
		f.Message = fmt.Sprintf("%s %s (%s), which %s (%s); nothing orders the two", doer[1], f.Object, place[1], doer[0], place[0])
		f.Missing, f.Fix = missing(r, place)
		return f
	})
}

// missing names the edge that a race lacks and how to supply it.
func missing(r region.Race, place [2]string) (edge, fix string) {
	switch {
	case r.A.Block != r.B.Block:
		return "an order between the blocks: blocks of a grid run concurrently", "let every block access elements of its own, or split the work into separate kernels"
	case r.ReadOnly:
		return fmt.Sprintf("a full wait for the copy issued at %s: it was waited for with wait_read_only, which covers what it reads and not what it writes", place[0]),
			"call wait_smem_to_gmem without wait_read_only"
	case r.Edge == kernel.NoWait:
		return fmt.Sprintf("a wait for the copy issued at %s before %s", place[0], place[1]),
			"wait on the copy's barrier (barrier_wait), or with wait_smem_to_gmem in the thread that issued it"
	case r.Edge == kernel.ProxyFence:
		return fmt.Sprintf("commit_smem between %s and the copy at %s", place[0], place[1]), "call commit_smem after the access and before the copy (or before the barrier that leads to it)"
	}
	return fmt.Sprintf("a barrier between %s and %s", place[0], place[1]), "arrive at a barrier after the first access, and wait on it before the second"
}
