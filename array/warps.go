package array

import (
	"fmt"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
)

// Warps forks the thread into four warps, which all run the body, and goes on when all of
// them have come to its end (core_map and mpmd_map over a WarpMesh).
func (t *Thread) Warps(body func(w *Thread)) {
	if t.warp >= 0 {
		t.Fail(kernel.BarrierMisuse, "fork", "Cannot core_map over WarpMesh while already core_mapped.", "fork in the thread, not in a warp")
	}
	warps := t.warps()
	t.working = len(warps)
	for _, w := range warps {
		t.clock.Fork(w.clock)
		w.site, w.smemTop, w.tmemTop = t.site, t.smemTop, t.tmemTop
		w.work = body
		w.wake()
	}
	for t.working > 0 {
		t.await(join{})
	}
	for _, w := range warps {
		t.clock.Join(w.clock)
	}
}

// warps are the warps of a thread.
func (t *Thread) warps() []*Thread {
	first := t.cluster.warpgroups() + barrier.Warps*t.index
	return t.cluster.threads[first : first+barrier.Warps]
}

// runWarp serves a warp's thread until it has come to its end.
func (t *Thread) runWarp() {
	of := t.warpgroup()
	for {
		for t.work == nil {
			if of.out {
				return
			}
			t.suspend(exec.Blocked) // idle: it waits for nothing that could be missing
		}
		t.work(t)
		t.finish()
		t.work = nil
		if of.working--; of.working == 0 {
			of.wake()
		}
	}
}

// releaseWarps lets the warps of a thread that has come to its end do so too.
func (t *Thread) releaseWarps() {
	if t.program().Warps {
		for _, w := range t.warps() {
			w.wake()
		}
	}
}

// join is the wait of a thread for its warps.
type join struct{}

func (join) waits(t *Thread) exec.Wait {
	return exec.Wait{What: "the end of its warps", Needs: fmt.Sprintf("%d of the %d", t.working, barrier.Warps)}
}
