package exec

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/memory"
)

// Desynchronised reports threads of a block that do not make the same collective
// allocations in the same order.
func (l *Launch) Desynchronised(block uint64, e *memory.DesyncError) {
	key := Key{Kind: kernel.AllocationMisuse, Severity: kernel.Error, Launch: l.Index, Site: [2]int{-1, -1}, Object: -1,
		Detail: fmt.Sprint(Place(e.Sites[0]), "|", Place(e.Sites[1]))}
	l.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: l.Kernel, Space: e.Key.Space, Object: e.Names[0], Message: e.Error(),
			Fix: "let every thread of the block make the same collective allocations in the same order, outside of code that only some of them enter"}
		for i, s := range e.Sites {
			if s.File != "" {
				f.Accesses = append(f.Accesses, kernel.Access{Op: "allocate", Source: s,
					Thread: kernel.ThreadID{Block: l.Grid.At(block), Thread: l.Block.At(uint64(e.Threads[i]))}})
			}
		}
		return f
	})
}
