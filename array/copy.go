package array

import "gpusim/race/region"

// CopyIn starts an asynchronous copy from global to shared memory, which arrives at the
// barrier when it is complete. It reads by the generic proxy and writes by the async one.
func (t *Thread) CopyIn(src, dst Ref, b *Barrier) {
	op := t.issue(src, dst, false)
	op.Arrive(b.phase())
	t.arrived(b)
}

// CopyOut starts an asynchronous copy from shared to global memory. It belongs to the
// group that the thread commits next: at once, or with CommitGroup.
func (t *Thread) CopyOut(src, dst Ref, commit bool) {
	t.open = append(t.open, pending{t.issue(src, dst, true), t.site})
	if commit {
		t.CommitGroup()
	}
}

// CommitGroup ends the thread's group of copies to global memory.
func (t *Thread) CommitGroup() {
	t.reads, t.writes = append(t.reads, t.open), append(t.writes, t.open)
	t.open = nil
}

// WaitCopies waits until at most n of the thread's groups of copies to global memory are
// under way; if readOnly, until they have read what they copy.
func (t *Thread) WaitCopies(n int, readOnly bool) {
	for ; len(t.reads) > n; t.reads = t.reads[1:] {
		for _, op := range t.reads[0] {
			t.clock.AwaitRead(op.Op)
		}
	}
	for ; !readOnly && len(t.writes) > n; t.writes = t.writes[1:] {
		for _, op := range t.writes[0] {
			t.clock.Await(op.Op)
		}
	}
}

// FenceAsync is commit_smem: what the thread has done becomes visible to the async proxy.
func (t *Thread) FenceAsync() { t.clock.ProxyFence() }

// issue performs a copy at its earliest moment, and records it as one that may take
// effect at any moment before it is waited for.
func (t *Thread) issue(src, dst Ref, asyncRead bool) *region.Op {
	t.alive(src, "copy")
	t.alive(dst, "copy")
	from, to := src.runs(), dst.runs()
	op := t.clock.Issue()
	if t.state.program.races {
		op.Access(src.Buffer.shadow, from, false, asyncRead, t.site)
		op.Access(dst.Buffer.shadow, to, true, true, t.site)
	}
	t.initialised(src, from)
	dst.write(src.read())
	return op
}
