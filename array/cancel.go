package array

import (
	"gpusim/kernel"
	"gpusim/race/region"
	"gpusim/tensor"
)

// TryCancel asks for the work of a cluster that has not started (PTX ISA,
// "clusterlaunchcontrol.try_cancel"). The answer of 16 bytes comes to the result of every
// block of the cluster, as a transaction of the barriers there. Of the threads and blocks
// along the collective dimensions only the first ones ask.
func (t *Thread) TryCancel(result Ref, b *Barrier, threads bool, dims []int) {
	first, leads := !threads || t.ID == 0, true
	for _, d := range dims {
		leads = leads && t.InCluster()[d] == 0
	}
	if first {
		b.state.Expect(1)
	}
	if first && leads {
		t.ask(result, b)
	}
	t.arriveAt(b)
}

func (t *Thread) ask(result Ref, b *Barrier) {
	blocks := make([]int, len(t.cluster.blocks))
	for i := range blocks {
		blocks[i] = i
	}
	answer := t.program().next(t.cluster)
	v := tensor.Make(tensor.U64, []int{2})
	words := tensor.As[uint64](v)
	words[0], words[1] = answer, 1
	o := t.issue("request for a cluster")
	to := t.of(result, blocks)
	for _, r := range to {
		t.record(o, r, true, region.Async)
	}
	t.start(&transfer{target: b, write: func() {
		for i, r := range to {
			r.write(tensor.Value{Type: r.typ, Shape: r.Shape(), Data: v.Data})
			t.landed(o, t.cluster.counterBarrier(b, blocks[i]), false)
		}
	}})
}

// next takes the first cluster of the device that has not started out of the launch. It
// returns 1 more than its place in the grid, or 0.
func (p *Program) next(c *cluster) uint64 {
	n := uint64(p.devices())
	// The device starts as many clusters as it holds, one block on each multiprocessor.
	for point := uint64(max(p.launch.SMs/len(c.blocks), 1)); point < uint64(tensor.Count(p.Grid)); point++ {
		if linear := point*n + uint64(c.device); !p.started[linear] {
			p.started[linear] = true
			p.canceled[linear] = true
			return point + 1
		}
	}
	return 0
}

// QueryCancel decodes an answer: the coordinates of the cluster whose work is now the
// asker's, if there is one.
func (t *Thread) QueryCancel(result Ref) (point []int, ok bool) {
	v := t.Load(result)
	v.Type, v.Shape = tensor.U64, []int{2}
	words := tensor.As[uint64](v)
	grid := t.program().Grid
	switch {
	case len(v.Data) != 16 || words[1] != 1 || words[0] > uint64(tensor.Count(grid)):
		t.Fail(kernel.AsyncMisuse, "query", "the memory holds no answer of try_cluster_cancel", "wait for its barrier before the query")
	case words[0] == 0:
		return make([]int, len(grid)), false
	}
	return coordinates(int(words[0]-1), grid), true
}
