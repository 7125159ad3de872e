package pallas

import (
	"gpusim/array"
	"gpusim/kernel"
)

var copyOps = map[string]func(c *compiler, s *scope, e *Eqn){
	"copy_gmem_to_smem": (*compiler).copyIn,
	"copy_smem_to_gmem": (*compiler).copyOut,
	"async_store_smem":  (*compiler).asyncStore,
	"async_prefetch":    (*compiler).prefetch,
	"wait_smem_to_gmem": (*compiler).waitOut,
	"wait_gmem_to_smem": (*compiler).waitIn,
	"commit_group":      bare(func(m *machine) { m.t.CommitGroup() }),
	"commit_smem":       bare(func(m *machine) { m.t.FenceAsync() }),
}

// bare is a primitive without operands and results.
func bare(run func(m *machine)) func(c *compiler, s *scope, e *Eqn) {
	return func(c *compiler, _ *scope, e *Eqn) {
		c.operands(e, 0, 0)
		c.results(e, 0)
		c.emit(run)
	}
}

// space checks which memory a view lies in.
func (c *compiler) space(v viewed, what string, spaces ...kernel.Space) {
	for _, s := range spaces {
		if v.kind.space == s {
			return
		}
	}
	c.fail("the %s lies in %s memory", what, v.kind.space)
}

// clusterDims checks dimensions of the cluster.
func (c *compiler) clusterDims(dims []int) []int {
	for i, d := range dims {
		if d < 0 || d >= len(c.module.Cluster) {
			c.fail("dimension %d of a cluster of shape %v", d, c.module.Cluster)
		}
		for _, o := range dims[:i] {
			if o == d {
				c.fail("dimension %d of the cluster is named twice", d)
			}
		}
	}
	return dims
}

// copyIn copies from global to shared memory. The box in global memory may lie partly
// outside of the array.
func (c *compiler) copyIn(s *scope, e *Eqn) {
	var p struct {
		Cluster []int
		Leader  string
		Dim     int
		OOB     string
	}
	c.params(e, &p)
	c.operands(e, 2, 3)
	c.results(e, 0)
	outside := boxed
	if p.OOB == "promise_in_bounds" {
		outside = copied
	}
	src, dst := c.view(s, e.In[0], outside), c.view(s, e.In[1], stored)
	c.space(src, "source", kernel.Global)
	c.space(dst, "destination", kernel.Shared)
	how := array.CopyIn{Collective: c.clusterDims(p.Cluster), Partition: -1}
	want := append([]int(nil), dst.shape...)
	switch p.Leader {
	case "":
	case "replicated", "partitioned":
		how.Tracked = true
		if p.Leader == "partitioned" {
			if p.Dim < 0 || p.Dim >= len(want) {
				c.fail("dimension %d of a copy of shape %v is partitioned", p.Dim, want)
			}
			how.Partition = p.Dim
			for _, d := range how.Collective {
				want[p.Dim] *= c.module.Cluster[d]
			}
		}
	default:
		c.fail("%q says how the blocks share the copy", p.Leader)
	}
	if src.dtype != dst.dtype || !equal(src.shape, want) {
		c.fail("a copy from %v to %v", src.kind, dst.kind)
	}
	if len(e.In) == 2 || e.In[2] == nil {
		if len(how.Collective) > 0 {
			c.fail("a collective copy has no barrier")
		}
		c.emit(func(m *machine) { m.t.CopyInGroup(src.get(m), dst.get(m)) })
		return
	}
	bar := c.barrier(s, e.In[2])
	c.emit(func(m *machine) { m.t.CopyIn(src.get(m), dst.get(m), bar(m), how) })
}

func (c *compiler) copyOut(s *scope, e *Eqn) {
	var p struct {
		Commit bool
		Op     string
	}
	c.params(e, &p)
	c.operands(e, 2, 2)
	c.results(e, 0)
	if p.Op != "" {
		p.Op = c.reduction(p.Op)
	}
	src, dst := c.view(s, e.In[0], copied), c.view(s, e.In[1], boxed)
	c.space(src, "source", kernel.Shared)
	c.space(dst, "destination", kernel.Global)
	if src.dtype != dst.dtype || !equal(src.shape, dst.shape) {
		c.fail("a copy from %v to %v", src.kind, dst.kind)
	}
	c.emit(func(m *machine) {
		m.t.CopyOut(src.get(m), dst.get(m), array.CopyOut{Commit: p.Commit, Reduction: p.Op})
	})
}

// asyncStore stores to shared memory of a block of the cluster.
func (c *compiler) asyncStore(s *scope, e *Eqn) {
	var p struct {
		Cluster []int
		Op      string
	}
	c.params(e, &p)
	c.operands(e, 4, 4)
	c.results(e, 0)
	if p.Op != "" {
		p.Op = c.reduction(p.Op)
	}
	dst := c.view(s, e.In[0], swaps)
	c.space(dst, "destination", kernel.Shared)
	get := c.stored(s, e.In[1], dst)
	bar := c.barrier(s, e.In[2])
	index := c.integer(s, e.In[3]).slot
	dims := c.clusterDims(p.Cluster)
	c.emit(func(m *machine) {
		m.t.AsyncStore(get(m), dst.get(m), bar(m), m.peer(dims, m.ints[index]), p.Op)
	})
}

// peer is the number of the block that has an index along dimensions of the cluster, and
// otherwise the own coordinates.
func (m *machine) peer(dims []int, index int64) int {
	extent := m.module.Cluster
	coords := append(m.coords[:0], m.block...)
	for i := len(dims) - 1; i >= 0; i-- {
		n := int64(extent[dims[i]])
		coords[dims[i]] = int(index % n)
		index /= n
	}
	if index != 0 || len(dims) > 0 && coords[dims[len(dims)-1]] < 0 {
		m.t.Fail(kernel.OutOfBounds, "cluster", "the index of the block exceeds the cluster", "use a block of the cluster")
	}
	n := 0
	for d, x := range coords {
		n = n*extent[d] + x
	}
	return n
}

// prefetch only moves data closer, which nobody can see.
func (c *compiler) prefetch(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 0)
	v := c.view(s, e.In[0], boxed)
	c.space(v, "source", kernel.Global)
	c.emit(func(m *machine) { v.get(m) })
}

type waitParams struct {
	N        int
	ReadOnly bool `json:"read_only"`
}

func (c *compiler) waitParams(e *Eqn) waitParams {
	var p waitParams
	c.params(e, &p)
	c.operands(e, 0, 0)
	c.results(e, 0)
	if p.N < 0 {
		c.fail("it waits for %d operations", p.N)
	}
	return p
}

func (c *compiler) waitOut(_ *scope, e *Eqn) {
	p := c.waitParams(e)
	c.emit(func(m *machine) { m.t.WaitCopies(p.N, p.ReadOnly) })
}

func (c *compiler) waitIn(_ *scope, e *Eqn) {
	p := c.waitParams(e)
	c.emit(func(m *machine) { m.t.WaitCopiesIn(p.N) })
}
