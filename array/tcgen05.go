package array

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/race/region"
	"gpusim/tensor"
)

// The fifth-generation tensor cores (PTX ISA, "TensorCore 5th Generation Family
// Instructions") execute matrix products and copies to tensor memory asynchronously, those
// of a block in the order of their issue.

// MMA5 is a matrix product of the tensor core.
type MMA5 struct {
	Acc, A, B  Ref // in tensor memory; shared or tensor memory; shared memory
	Accumulate bool
	Barrier    *Barrier // that it arrives at when it is complete; nil: none
	// Collective: two blocks, which differ in the last dimension of the cluster, do it
	// together. Each holds half of the rows of A and of the accumulator, and half of the
	// columns of B.
	Collective     bool
	AScale, BScale *Ref // in tensor memory, for a block-scaled product
	Sparse         *Ref // in tensor memory: which two of four elements of a row A holds
}

// pair are the blocks of a collective operation. The first one leads it; the calls of the
// other do nothing.
func (t *Thread) pair(collective bool) (blocks []int, leads bool) {
	if !collective {
		return []int{t.blockIndex}, true
	}
	extent := t.program().Cluster
	last := len(extent) - 1
	if last < 0 || extent[last] != 2 {
		t.Fail(kernel.BarrierMisuse, "collective", fmt.Sprintf("a collective operation of the tensor core needs a cluster of two blocks along its last axis, this one has the shape %s", shapeText(extent)),
			"give the last axis of the cluster the size 2")
	}
	blocks = along(extent, t.InCluster(), []int{last})
	return blocks, blocks[0] == t.blockIndex
}

// of are the counterparts of a view in some blocks.
func (t *Thread) of(r Ref, blocks []int) []Ref {
	out := make([]Ref, len(blocks))
	for i, b := range blocks {
		out[i] = r
		out[i].Buffer = t.cluster.counterpart(r.Buffer, b)
	}
	return out
}

// operand records that the tensor core reads a view.
func (t *Thread) operand(o *region.Op, r Ref) {
	proxy := region.Async
	if r.Buffer.Space == kernel.Tensor {
		proxy = region.Tensor
	}
	t.record(o, r, false, proxy)
}

// MMA5 starts a product.
func (t *Thread) MMA5(m MMA5) {
	if m.Barrier != nil {
		t.orders(m.Barrier, "tcgen05_mma")
	}
	blocks, leads := t.pair(m.Collective)
	if !leads {
		return
	}
	var o *region.Op
	if t.program().races {
		key := fmt.Sprint(m.Acc.Buffer.block, m.Acc.Buffer.base, m.Acc.off, m.Acc.dims, m.Acc.typ, m.Collective)
		o = t.issueTensor("tcgen05_mma", region.Pipe{MMA: true, Key: key, Unit: fmt.Sprint(blocks)})
	}
	accs, as, bs := t.of(m.Acc, blocks), t.of(m.A, blocks), t.of(m.B, blocks)
	for i := range blocks {
		t.operand(o, as[i])
		t.operand(o, bs[i])
		for _, s := range []*Ref{m.AScale, m.BScale, m.Sparse} {
			if s != nil {
				t.operand(o, t.of(*s, blocks)[i])
			}
		}
		t.record(o, accs[i], true, region.Tensor)
	}
	t.start(&transfer{order: t.cluster.blocks[blocks[0]], write: func() {
		b := t.taken(bs[0])
		if len(bs) == 2 {
			b = t.apply("concatenate", &tensor.Params{Dim: 1}, []int{b.Shape[0], 2 * b.Shape[1]}, b, t.taken(bs[1]))
		}
		if m.BScale != nil {
			b = t.scaled(b, t.taken(*m.BScale), false, m.Acc.typ)
		}
		for i := range blocks {
			a := t.taken(as[i])
			if m.Sparse != nil {
				a = t.dense(a, t.taken(t.of(*m.Sparse, blocks)[i]))
			}
			if m.AScale != nil {
				a = t.scaled(a, t.taken(t.of(*m.AScale, blocks)[i]), true, m.Acc.typ)
			}
			if m.Accumulate {
				t.initialised(accs[i], accs[i].runs())
			}
			t.accumulate(accs[i], m.Accumulate, a, b)
		}
	}})
	if m.Barrier != nil {
		t.CommitArrive(m.Barrier, m.Collective)
	}
}

// orders checks that the tensor core may arrive at a barrier.
func (t *Thread) orders(b *Barrier, what string) {
	switch {
	case b.of != nil:
		t.Fail(kernel.BarrierMisuse, "arrive", what+" only allows arriving on a Barrier", "let it arrive at a plgpu.Barrier with orders_tensor_core=True")
	case !b.tensor:
		t.Fail(kernel.BarrierMisuse, "arrive", what+" only allows arriving on a Barrier that orders tensor core", "create the barrier with orders_tensor_core=True")
	}
}

// CommitArrive arrives at a barrier when all that the thread has given to the tensor core
// is complete; if collective, at those of both blocks.
func (t *Thread) CommitArrive(b *Barrier, collective bool) {
	t.orders(b, "tcgen05_commit_arrive")
	blocks, leads := t.pair(collective)
	if !leads {
		return
	}
	var done *region.Commit
	if t.program().races {
		done = t.clock.Commit()
	}
	for _, i := range blocks {
		peer := t.cluster.counterBarrier(b, i)
		t.start(&transfer{order: t.cluster.blocks[blocks[0]], target: peer, write: func() {
			if done != nil {
				done.Arrive(peer.phase())
			}
			t.arrived(peer)
		}})
	}
}

// CopyToTMEM starts a copy from shared to tensor memory. kind is what it holds: "" for
// data, "scales" or "sparse" for the layouts in which the operands of a product come.
func (t *Thread) CopyToTMEM(src, dst Ref, kind string, collective bool) {
	blocks, leads := t.pair(collective)
	if !leads {
		return
	}
	o := t.issueTensor("copy to tensor memory", region.Pipe{Unit: fmt.Sprint(blocks)})
	from, to := t.of(src, blocks), t.of(dst, blocks)
	for i := range blocks {
		t.operand(o, from[i])
		t.record(o, to[i], true, region.Tensor)
	}
	t.start(&transfer{order: t.cluster.blocks[blocks[0]], write: func() {
		for i := range blocks {
			v := t.taken(from[i])
			switch kind {
			case "scales":
				v = t.rearranged(v, to[i].Shape(), scalesAt)
			case "sparse":
				v = t.rearranged(v, to[i].Shape(), sparseAt)
			}
			to[i].write(v)
		}
	}})
}

// StoreTMEM starts a store to tensor memory, which CommitTMEM waits for.
func (t *Thread) StoreTMEM(r Ref, v tensor.Value) {
	o := t.issue("store to tensor memory")
	t.record(o, r, true, region.Tensor)
	x := t.start(&transfer{write: func() { r.write(v) }})
	t.stores = append(t.stores, &operation{o, x, t.site})
}

// CommitTMEM waits for the thread's stores to tensor memory.
func (t *Thread) CommitTMEM() {
	for _, o := range t.stores {
		t.finishTransfer(o.effect)
		if o.Op != nil {
			t.clock.Settle(o.Op)
		}
	}
	t.stores = nil
}

// LoadTMEM is the content of tensor memory. The value may be used at once; what is read may
// be overwritten after WaitLoadTMEM only.
func (t *Thread) LoadTMEM(r Ref) tensor.Value {
	o := t.issue("load from tensor memory")
	t.record(o, r, false, region.Tensor)
	v := t.taken(r)
	if o != nil {
		t.loads = append(t.loads, &operation{Op: o, site: t.site})
	}
	return v
}

// WaitLoadTMEM waits for the thread's loads from tensor memory.
func (t *Thread) WaitLoadTMEM() {
	for _, o := range t.loads {
		t.clock.Settle(o.Op)
	}
	t.loads = nil
}
