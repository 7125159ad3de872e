package array

import (
	"fmt"
	"slices"

	"gpusim/kernel"
	"gpusim/race/region"
	"gpusim/tensor"
)

// CopyIn says how a copy from global to shared memory is done.
type CopyIn struct {
	// Collective are the dimensions of the cluster whose blocks do the copy together: each
	// of them issues it, copies one part, and all receive all parts.
	Collective []int
	// Tracked: the first block's barrier gets the completions of all blocks' copies, and the
	// other blocks' barriers none.
	Tracked bool
	// Partition is, of a tracked copy, the dimension of the source of which every block gets
	// a part of its own; -1: every block gets all.
	Partition int
}

// CopyIn starts an asynchronous copy from global to shared memory, which arrives at the
// barrier when it is complete. It reads by the generic proxy and writes by the async one.
func (t *Thread) CopyIn(src, dst Ref, b *Barrier, how CopyIn) {
	if b.of != nil {
		t.Fail(kernel.BarrierMisuse, "copy", fmt.Sprintf("Attempting to get barrier from allocation with %s that is not a `Barrier`.", b.Name), "let the copy arrive at a plgpu.Barrier")
	}
	extent := t.program().Cluster
	group := []int{t.blockIndex}
	if len(how.Collective) > 0 {
		group = along(extent, t.InCluster(), how.Collective)
	}
	rank := slices.Index(group, t.blockIndex)
	switch {
	case len(group) == 1:
		t.copyIn(src, []Ref{dst}, func(o *region.Op) { t.landed(o, b, true) }, b, nil)
	case how.Tracked:
		if how.Partition >= 0 {
			n := dst.Shape()[how.Partition]
			indices := make([]Index, how.Partition+1)
			for i, size := range src.Shape()[:how.Partition+1] {
				indices[i] = Index{Size: size, Stride: 1}
			}
			indices[how.Partition] = Index{Start: rank * n, Size: n, Stride: 1}
			src = t.IndexCopy(src, indices...)
		}
		leader := t.cluster.counterBarrier(b, group[0])
		if rank == 0 {
			leader.state.Expect(len(group) - 1)
		}
		t.copyIn(src, []Ref{dst}, func(o *region.Op) { t.landed(o, leader, rank == 0) }, leader, nil)
	default:
		t.multicast(src, dst, b, group, rank)
	}
}

// multicast copies this block's part of a collective copy into the shared memory of all
// blocks of the group. Each of their barriers waits for all parts.
func (t *Thread) multicast(src, dst Ref, b *Barrier, group []int, rank int) {
	b.state.Expect(len(group))
	from, part := src, t.of(dst, group)
	if shape := dst.Shape(); len(shape) > 0 && shape[0]%len(group) == 0 {
		n := shape[0] / len(group)
		x := Index{Start: rank * n, Size: n, Stride: 1}
		from = src.clipped([]Index{x})
		for i := range part {
			part[i] = part[i].clipped([]Index{x})
		}
	} else if rank > 0 { // it cannot be divided: the first block does it all
		from, part = Ref{}, nil
	}
	var at []*Barrier
	for _, i := range group {
		at = append(at, t.cluster.counterBarrier(b, i))
	}
	arrive := func(o *region.Op) {
		for _, peer := range at {
			t.landed(o, peer, false)
		}
		t.landed(nil, b, true)
	}
	t.copyIn(from, part, arrive, b, at)
}

// copyIn issues a copy to one place or several. At its completion it arrives.
func (t *Thread) copyIn(src Ref, dst []Ref, arrive func(*region.Op), target *Barrier, others []*Barrier) {
	o := t.issue("copy")
	if src.Buffer != nil {
		t.record(o, src, false, region.Generic)
	}
	for _, r := range dst {
		t.record(o, r, true, region.Async)
	}
	var v tensor.Value
	t.start(&transfer{target: target, others: others,
		read: func() { v = t.taken(src) },
		write: func() {
			for _, r := range dst {
				r.write(v)
			}
			arrive(o)
		}})
}

// landed is the arrival of a copy at a barrier: of the thread that issued it, or, if that
// belongs to another block, of a transaction.
func (t *Thread) landed(o *region.Op, b *Barrier, own bool) {
	if o != nil {
		o.Arrive(b.phase())
	}
	if own {
		t.arrived(b)
		return
	}
	t.settled(b, func() (bool, error) { return b.state.Deliver(t.cluster.observerName) })
}

// taken is the content of a source.
func (t *Thread) taken(r Ref) tensor.Value {
	if r.Buffer == nil {
		return tensor.Value{}
	}
	t.initialised(r, r.runs())
	return r.read(false)
}

// outgoing is copies that their thread waits for in groups.
type outgoing struct {
	open   []*operation   // of the group that is not committed
	reads  [][]*operation // groups whose reads no wait has covered
	writes [][]*operation // groups whose completion no wait has covered
}

func (g *outgoing) commit() {
	g.reads, g.writes = append(g.reads, g.open), append(g.writes, g.open)
	g.open = nil
}

// wait settles all but the last n groups.
func (g *outgoing) wait(t *Thread, n int, readOnly bool) {
	for ; len(g.reads) > n; g.reads = g.reads[1:] {
		for _, o := range g.reads[0] {
			t.settle(o, true)
		}
	}
	for ; !readOnly && len(g.writes) > n; g.writes = g.writes[1:] {
		for _, o := range g.writes[0] {
			t.settle(o, false)
		}
	}
}

// CopyOut says how a copy from shared to global memory is done.
type CopyOut struct {
	Commit    bool   // its group ends with it
	Reduction string // "add" and so on: it combines with what is there, each element atomically
}

// CopyOut starts an asynchronous copy from shared to global memory. It belongs to the
// group that the thread commits next: at once, or with CommitGroup.
func (t *Thread) CopyOut(src, dst Ref, how CopyOut) {
	o := t.issue("copy")
	t.record(o, src, false, region.Async)
	t.everywhere(dst, func(dst Ref) { t.recordUpdate(o, dst, how.Reduction, region.Async) })
	var v tensor.Value
	x := t.start(&transfer{
		read:  func() { v = t.taken(src) },
		write: func() { t.everywhere(dst, func(dst Ref) { t.update(dst, v, how.Reduction) }) }})
	t.copies.open = append(t.copies.open, &operation{o, x, t.site})
	if how.Commit {
		t.copies.commit()
	}
}

// CommitGroup ends the thread's group of copies to global memory. Copies without a barrier
// are groups of another kind, which each of them ends itself.
func (t *Thread) CommitGroup() { t.copies.commit() }

// WaitCopies waits until at most n of the thread's groups of copies to global memory are
// under way; if readOnly, until they have read what they copy.
func (t *Thread) WaitCopies(n int, readOnly bool) { t.copies.wait(t, n, readOnly) }

// CopyInGroup starts a copy from global to shared memory without a barrier (cp.async),
// which WaitCopiesIn waits for. It belongs to the generic proxy.
func (t *Thread) CopyInGroup(src, dst Ref) {
	o := t.issue("copy")
	t.record(o, src, false, region.Generic)
	t.record(o, dst, true, region.Generic)
	var v tensor.Value
	x := t.start(&transfer{read: func() { v = t.taken(src) }, write: func() { dst.write(v) }})
	t.incoming.open = append(t.incoming.open, &operation{o, x, t.site})
	t.incoming.commit()
}

// WaitCopiesIn waits until at most n of the thread's copies without a barrier are under way.
func (t *Thread) WaitCopiesIn(n int) { t.incoming.wait(t, n, false) }

// AsyncStore stores a value to shared memory of a block of the cluster, and arrives at a
// barrier of that block when it is there. With an operation ("add" and so on) it combines
// with what is there, each element atomically.
func (t *Thread) AsyncStore(v tensor.Value, dst Ref, b *Barrier, block int, op string) {
	dst.Buffer = t.cluster.counterpart(dst.Buffer, block)
	b = t.cluster.counterBarrier(b, block)
	o := t.issue("asynchronous store")
	t.recordUpdate(o, dst, op, region.Generic)
	t.start(&transfer{target: b, write: func() {
		t.update(dst, v, op)
		t.landed(o, b, true)
	}})
}

// FenceAsync is commit_smem: what the thread has done becomes visible to the async proxy.
func (t *Thread) FenceAsync() {
	if t.program().races {
		t.clock.ProxyFence()
	}
}
