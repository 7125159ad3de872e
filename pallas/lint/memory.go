package lint

import (
	"slices"

	"gpusim/pallas"
	"gpusim/tensor"
)

// checks are those of primitives that are no arithmetic.
var checks map[string]func(l *linter, s *scope, e *pallas.Eqn, in []value)

func init() {
	none := func(*linter, *scope, *pallas.Eqn, []value) {}
	checks = map[string]func(l *linter, s *scope, e *pallas.Eqn, in []value){
		"get": (*linter).load, "swap": (*linter).store,
		"copy_gmem_to_smem": (*linter).copyIn, "copy_smem_to_gmem": (*linter).copyOut,
		"async_store_smem": (*linter).asyncStore, "atomic_store": (*linter).atomic,
		"barrier_arrive": (*linter).arrive, "wait_gmem_to_smem": (*linter).waitIn,
		"debug_print": (*linter).debugPrint, "check": (*linter).check,
		"wgmma": (*linter).wgmma, "tcgen05_mma": (*linter).tcgen05, "load_tmem": (*linter).rows, "store_tmem": (*linter).rows,
	}
	for _, name := range []string{"axis_index", "axis_size", "barrier_wait", "barrier_test", "optimization_barrier", "semaphore_signal", "semaphore_wait",
		"semaphore_read", "get_global", "mma", "wgmma_load", "wgmma_store", "copy_smem_to_tmem", "tcgen05_commit_arrive", "async_prefetch",
		"multimem_store", "multimem_load_reduce"} {
		checks[name] = none
	}
}

func (l *linter) load(s *scope, e *pallas.Eqn, _ []value) {
	v := s.view(e.In[0])
	switch {
	case len(e.Out) != 1 || !l.access(&v, "a load"):
	case len(e.Out[0].Shape) > 0:
		l.pieces("a load", e.Out[0].Shape)
	case l.warp && !l.lane && v.space == "smem" && s.uses[e.Out[0].Var]:
		l.report("load it before the warps, or use the semantics of lanes", "a load from shared memory inside of a warp: the compiler has a rule for stores only")
	}
}

func (l *linter) store(s *scope, e *pallas.Eqn, in []value) {
	v := s.view(e.In[0])
	if len(in) != 2 || !l.access(&v, "a store") || len(in[1].shape) == 0 || in[1].class != array {
		return
	}
	if n := elements(in[1].shape); !in[1].loaded && n == 1 {
		return // of a value that all threads have
	}
	l.pieces("a store", in[1].shape)
}

// pieces checks that the threads of hardware can share an array.
func (l *linter) pieces(what string, shape []int) {
	n := elements(shape)
	switch {
	case n == 0:
		l.report("leave it out", "%s of an array of shape %v, which has no elements", what, shape)
	case n%groupThreads == 0:
	case len(shape) == 1 && n%8 == 0 && l.tiled: // a row or a column of a tiled layout
	default:
		l.report("use a multiple of 128 elements, or scalars", "%s of an array of shape %v: its %d elements are not shared by 128 threads", what, shape, n)
	}
}

// access checks how memory is accessed without a copy. It reports whether the rest can be
// looked at.
func (l *linter) access(v *view, what string) bool {
	switch {
	case v.class == accumulator || v.class == unknown:
		return false
	case v.space == "tmem":
		l.report("use plgpu.async_load_tmem and plgpu.async_store_tmem", "%s in tensor memory: it can only be loaded and stored asynchronously", what)
		return false
	case len(v.lists) > 0:
		l.report("access the elements one by one, or copy them with a gather", "%s with indices that are arrays", what)
		return false
	case v.strided:
		l.report("access all elements, or copy them", "%s of a slice with a stride", what)
		return false
	case l.warp && len(v.dims) > 0:
		l.report("do it in the code of the whole thread", "%s of an array of shape %v inside of a warp: only scalars are possible there", what, v.shape)
		return false
	case v.cast && !l.lane:
		l.report("bitcast the array that is loaded", "%s through a bitcast reference", what)
		return false
	case v.plain() && len(v.dims) > 0 || v.explicit() || l.tiled || !v.moved || v.shaped || v.cast:
		return true
	}
	if n := len(v.dims); n > 0 && v.dims[n-1].of != len(v.base)-1 && v.dims[n-1].size > 1 {
		l.report("load it and use another layout, or copy it transposed", "%s through a transposed reference whose last dimension is not contiguous", what)
	}
	return true
}

type copyParams struct {
	Cluster []int
	Leader  string
	Op      string
	OOB     string
}

func (l *linter) copyIn(s *scope, e *pallas.Eqn, in []value) {
	src, dst := s.view(e.In[0]), s.view(e.In[1])
	p := params[copyParams](e)
	hopper := l.arch != "sm_80" && l.arch != "sm_86" && l.arch != "sm_89"
	if len(e.In) < 3 || e.In[2] == nil {
		if hopper {
			l.report("pass a barrier", "a copy to shared memory without a barrier is possible before Hopper only")
		}
		return
	}
	l.collective(&p, &dst)
	l.transfer(e, &src, &dst, &p, p.OOB == "" || p.OOB == "zeros")
}

func (l *linter) copyOut(s *scope, e *pallas.Eqn, _ []value) {
	src, dst := s.view(e.In[0]), s.view(e.In[1])
	p := params[copyParams](e)
	l.reduction(p.Op, src.dtype)
	l.transfer(e, &dst, &src, &p, false)
}

func (l *linter) waitIn(*scope, *pallas.Eqn, []value) {
	l.report("use barriers", "wait_gmem_to_smem is possible before Hopper only")
}

// collective checks a copy that several blocks make together.
func (l *linter) collective(p *copyParams, dst *view) {
	if len(p.Cluster) == 0 {
		return
	}
	last := len(l.m.Cluster) - 1
	if p.Leader != "" {
		if len(p.Cluster) != 1 || p.Cluster[0] != last || l.m.Cluster[last] != 2 {
			l.report("make it collective along the last dimension of the cluster, of size 2", "a copy that one block tracks for all, along dimensions %v of a cluster of shape %v: it must be the last one, of size 2", p.Cluster, l.m.Cluster)
		}
		return
	}
	blocks := 1
	for _, d := range p.Cluster {
		if d >= 0 && d <= last {
			blocks *= max(l.m.Cluster[d], 1)
		}
	}
	// The leading dimensions are divided, one after the other.
	for _, n := range dst.shape {
		switch {
		case n > 0 && n%blocks == 0:
			return
		case n > 0 && blocks%n == 0:
			blocks /= n
			continue
		}
		break
	}
	if blocks > 1 && !dst.explicit() && !l.tiled {
		l.report("use a tile that the blocks can share", "%d blocks make a copy together, and cannot share a tile of shape %v", blocks, dst.shape)
	}
}

// transfer checks a bulk copy between a window of global memory and one of shared memory.
func (l *linter) transfer(e *pallas.Eqn, gmem, smem *view, p *copyParams, tensormap bool) {
	if gmem.class != reference || smem.class != reference {
		return
	}
	bits := gmem.bits()
	if gmem.dtype == tensor.Bool {
		l.report("use int8", "a copy of booleans")
		return
	}
	if !gmem.plain() {
		l.report("index the array, and reshape outside of the kernel", "a copy whose reference to global memory is transposed, reshaped or bitcast: it can only be indexed")
		return
	}
	if smem.cast && !l.lane {
		l.report("copy without the bitcast", "a copy whose reference to shared memory is bitcast")
		return
	}
	if gmem.restride {
		l.report("use a static start, in one index", "a copy of a slice with a stride, whose start is dynamic or that is a slice of a slice")
		return
	}
	if smem.strided {
		l.report("copy all of it", "a copy of a slice with a stride of shared memory")
		return
	}
	if !l.gathers(e, gmem) || !l.rowsOf(gmem, bits) {
		return
	}
	l.box(gmem, smem, p, bits, tensormap)
}

// gathers checks indices that are arrays; it reports whether the rest can be looked at.
func (l *linter) gathers(e *pallas.Eqn, gmem *view) bool {
	switch {
	case len(gmem.lists) == 0:
		return true
	case len(gmem.lists) > 1:
		l.report("gather along one dimension", "a copy gathers along %d dimensions: one is possible", len(gmem.lists))
	case gmem.lists[0] != 0:
		l.report("gather along the first dimension", "a copy gathers along dimension %d: only the first one is possible", gmem.lists[0])
	case e.When != nil:
		l.report("use a condition around it", "a copy that gathers has a predicate")
	case l.warp:
		l.report("do it in the code of the whole thread", "a copy that gathers inside of a warp")
	default:
		for _, d := range gmem.dims {
			if d.list && d.size%4 != 0 {
				l.report("use a multiple of 4", "a copy gathers %d elements, and a multiple of 4 is possible", d.size)
			}
		}
		return true
	}
	return false
}

// rowsOf checks the array in global memory.
func (l *linter) rowsOf(gmem *view, bits int) bool {
	stride := bits
	for i := len(gmem.base) - 1; i > 0; i-- {
		if stride *= gmem.base[i]; stride%128 != 0 {
			l.report("pad the last dimension", "a copy needs rows of a multiple of 16 bytes in global memory, and those of an array of shape %v of %s have %s",
				gmem.base, gmem.dtype, bytesText(stride))
			return false
		}
	}
	if n := len(gmem.dims); n > 0 && gmem.dims[n-1].of != len(gmem.base)-1 && gmem.dims[n-1].size > 1 {
		l.report("copy whole rows", "a copy of a column: the last dimension that is copied must be contiguous in global memory")
		return false
	}
	return true
}

// box checks the shape of what is copied.
func (l *linter) box(gmem, smem *view, p *copyParams, bits int, tensormap bool) {
	shape := smem.shape
	n := len(shape)
	if t := smem.Tiling; len(t) > 0 {
		if !l.tiles(smem) || n < len(t) || !smem.plain() {
			return
		}
		tiled := slices.Clone(shape[:n-len(t)])
		for i, k := range t {
			if k < 1 {
				return
			}
			tiled = append(tiled, shape[n-len(t)+i]/k)
		}
		shape = append(tiled, t...)
		n = len(shape)
	} else if n > 0 && smem.moved && !smem.shaped && !l.tiled && smem.dims[n-1].of != len(smem.base)-1 {
		l.report("copy it as it is, and load it transposed", "a copy whose reference to shared memory is transposed: the last dimension must stay the last one")
		return
	} else if smem.plain() && !l.tiled && !smem.contiguous() && len(p.Cluster) == 0 {
		l.report("use an array of its own", "a copy of a part of shared memory that is not in one piece: shape %v of %v", smem.shape, smem.base)
		return
	}
	last := bits
	if n > 0 {
		last *= shape[n-1]
	}
	if last%128 != 0 {
		l.report("copy a multiple of 16 bytes, or load and store without a copy", "a copy of %s along the last dimension: a multiple of 16 is possible", bytesText(last))
		return
	}
	if n > 5 {
		l.report("copy fewer dimensions at a time", "a copy of %d dimensions: at most 5 are possible", n)
		return
	}
	linear := !tensormap && p.Op == "" && smem.Swizzle == 0 && len(smem.Tiling) == 0 && gmem.contiguous()
	if linear || len(p.Cluster) > 0 || l.tiled && len(smem.Tiling) == 0 && n > 1 {
		return // in one piece, or the blocks share it, or the compiler may choose tiles
	}
	for _, k := range shape {
		if k > 256 {
			l.report("copy in several parts, or use tiles", "a copy of %d elements along a dimension: at most 256 are possible", k)
			return
		}
	}
}

// tiles checks that a view of a tiled array consists of whole tiles.
func (l *linter) tiles(v *view) bool {
	first := len(v.base) - len(v.Tiling)
	if first < 0 || v.shaped || v.cast {
		return true
	}
	for i, t := range v.Tiling {
		if v.picked[first+i] {
			l.report("copy whole tiles", "a copy of a part of tiles of shape %v: an index picks a row or a column", v.Tiling)
			return false
		}
		for _, d := range v.dims {
			if d.of == first+i && t > 0 && (d.size%t != 0 || d.known && d.start%t != 0) {
				l.report("copy whole tiles", "a copy of a part of tiles of shape %v: a slice of %d elements from %d on is not whole tiles", v.Tiling, d.size, d.start)
				return false
			}
		}
	}
	return true
}

// reductions are the types of elements that a copy can reduce.
var reductions = map[string]map[string]bool{
	"add": set("float16 bfloat16 float32 int32 uint32 int64 uint64"), "min": set("float16 bfloat16"), "max": set("float16 bfloat16"),
	"umin": set("int32 uint32 int64 uint64"), "umax": set("int32 uint32 int64 uint64"), "smin": set("int32 uint32 int64 uint64"), "smax": set("int32 uint32 int64 uint64"),
	"inc": set("int32 uint32"), "dec": set("int32 uint32"),
	"and": set("int32 uint32 int64 uint64"), "or": set("int32 uint32 int64 uint64"), "xor": set("int32 uint32 int64 uint64"),
}

func (l *linter) reduction(op string, d tensor.DType) {
	if types := reductions[op]; types != nil && !types[d.String()] {
		fix := "use another type"
		if (op == "min" || op == "max") && !d.Float() {
			fix = "use smin, smax, umin or umax"
		}
		l.report(fix, "a copy cannot reduce elements of %s with %s", d, op)
	}
}

func (l *linter) asyncStore(s *scope, e *pallas.Eqn, in []value) {
	if len(in) > 1 && in[1].class == array && len(in[1].shape) == 0 {
		l.report("store an array", "async_store_smem of a scalar")
	}
}

func (l *linter) atomic(s *scope, e *pallas.Eqn, _ []value) {
	v := s.view(e.In[0])
	op := params[struct{ Op string }](e).Op
	if v.class != reference || !l.access(&v, "an atomic operation") {
		return
	}
	d := v.dtype
	switch {
	case d == tensor.F32 && op != "add":
		l.report("use int32", "an atomic %s of float32: only add is possible", op)
	case (d == tensor.F16 || d == tensor.BF16) && op != "add" && (op != "min" && op != "max" || v.space == "smem"):
		l.report("use float32 or int32", "an atomic %s of %s in %s", op, d, v.space)
	case (d == tensor.F16 || d == tensor.BF16) && !l.tiled && elements(v.shape)%(2*groupThreads) != 0:
		l.report("use a multiple of 256 elements", "an atomic operation on %d elements of %s: each thread of hardware needs pairs of them", elements(v.shape), d)
	case d != tensor.F32 && d != tensor.F16 && d != tensor.BF16 && (d.Float() || d.Bits() != 32):
		l.report("use a type of 32 bits", "an atomic operation on %s", d)
	}
}

func (l *linter) arrive(_ *scope, _ *pallas.Eqn, in []value) {
	if l.warp && len(in) > 0 && in[0].class == clusterBarrier {
		l.report("do it in the code of the whole thread", "a warp arrives at a cluster barrier")
	}
}
