package device

import (
	"fmt"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/tensor"
)

// count is 0, 1, 2 and so on, n numbers, each plus one thing.
func count(n int, f func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func i32(name string, n int) array.Scratch { return smem(name, tensor.I32, n) }

func TestPallasValues(t *testing.T) {
	var list []program
	for n := 1; n <= 16; n++ {
		list = append(list, program{name: fmt.Sprintf("each of %d threads stores its own element", n), mesh: Mesh{Threads: n},
			out: count(n, iota), run: func(k *kit) { k.put(sub(k.out(), el(k.ID)), float64(k.ID)) }})
	}
	list = append(list, []program{
		{name: "a scalar", out: []float64{42}, run: func(k *kit) { k.put(sub(k.out(), el(0)), 42) }},
		{name: "two threads store to one scalar", mesh: Mesh{Threads: 2}, bad: "data-race out no-barrier...missing a barrier between", run: func(k *kit) {
			if k.ID == 0 || k.bug() {
				k.put(sub(k.out(), el(0)), 42)
			}
		}},
		{name: "two threads store to a collective scratch in global memory", mesh: Mesh{Threads: 2}, bad: "data-race scratch no-barrier", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 || k.bug() {
					k.put(sub(s[0].Ref, el(0)), 1)
				}
			}, gmem("scratch", tensor.I32, 4))
		}},
		{name: "blocks do not share memory", mesh: Mesh{Grid: []int{3}, Cluster: []int{2}}, out: count(6, iota), run: func(k *kit) {
			me := 2*k.Point()[0] + k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, el(0)), float64(me))
				k.Tick(5)
				k.move(sub(k.out(), el(me)), sub(s[0].Ref, el(0)))
			}, i32("tile", 4))
		}},
		{name: "clusters store to one element", mesh: Mesh{Grid: []int{3}}, bad: "data-race out...missing an order between the blocks", run: func(k *kit) {
			at := k.Point()[0]
			if k.bug() {
				for range at { // not at the same step
					k.put(sub(k.out(), el(8+at)), 0)
				}
				at = 0
			}
			k.put(sub(k.out(), el(at)), 1)
		}},
		{name: "M4: a cluster reads what another one writes", mesh: Mesh{Grid: []int{2}}, bad: "data-race out...missing an order between the blocks", run: func(k *kit) {
			switch {
			case k.Point()[0] == 0:
				for range 5 {
					k.put(sub(k.out(), el(1)), 0)
				}
				k.put(sub(k.out(), el(0)), 1)
			case k.bug():
				k.get(sub(k.out(), el(0)))
			}
		}},
		{name: "F3: the same operation on a private operand in two clusters", mesh: Mesh{Grid: []int{2}, Threads: 2}, out: []float64{7, 7}, run: func(k *kit) {
			b := k.Private("operand", kernel.Shared, tensor.I32, []int{4})
			if k.ID == 0 {
				k.put(b.All(), 7)
			}
			k.here()
			k.Meet("kernel")
			if k.ID == 1 {
				k.move(sub(k.out(), el(k.Point()[0])), sub(b.All(), el(0)))
			}
		}},
		{name: "F4: a collective scope begins with a barrier", mesh: Mesh{Threads: 2}, out: []float64{5}, run: func(k *kit) {
			k.scope(func(a []array.Item) {
				if k.ID == 0 {
					k.put(sub(a[0].Ref, el(0)), 5)
				}
				k.scope(func([]array.Item) {
					if k.ID == 1 {
						k.move(sub(k.out(), el(0)), sub(a[0].Ref, el(0)))
					}
				}, i32("b", 4))
			}, i32("a", 4))
		}},
		{name: "M12: nobody has written what is read", bad: "uninitialized-read tile...element 1 of tile", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, sl(0, 1)), 1)
				if !k.bug() {
					k.put(sub(s[0].Ref, sl(1, 3)), 1)
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, i32("tile", 4))
		}},
		{name: "uninitialised memory may hold zeros", out: []float64{0, 0}, set: func(p *array.Program) { p.Zero = true }, run: func(k *kit) {
			k.scope(func(s []array.Item) { k.move(sub(k.out(), sl(0, 2)), s[0].Ref) }, i32("tile", 2))
		}},
		{name: "uninitialised memory holds the greatest integer", want: func(int) string { return "uninitialized-read tile" }, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if x := k.get(s[0].Ref); x != 1<<31-1 {
					k.Fail(kernel.WrongResult, "get", fmt.Sprint(x), "")
				}
			}, i32("tile", 2))
		}},
		{name: "M11: the read of a swap", mesh: Mesh{Threads: 2}, bad: "data-race out", args: []param{defaults[0], {"out", tensor.I32, []int{64}, zero}}, run: func(k *kit) {
			at := sub(k.out(), el(0))
			switch {
			case k.ID == 0 && !k.bug():
				k.put(sub(k.out(), el(1)), 1)
			case k.ID == 0:
				k.put(at, 1)
			default:
				k.here()
				k.Swap(at, num(at, 2))
			}
		}},
		{name: "add to what is there", out: []float64{3, 4}, run: func(k *kit) {
			r := sub(k.out(), sl(0, 2))
			k.move(r, sub(k.in(), sl(1, 2)))
			k.AddUpdate(r, full(tensor.I32, 2, 2))
		}},
	}...)
	checkAll(t, list)
}

func TestPallasGrids(t *testing.T) {
	var list []program
	shapes := [][]int{{1, 1, 1}, {2, 1, 3}, {1, 3, 2}, {3, 2, 2}}
	for _, grid := range shapes {
		for _, n := range []int{1, 2, 3} {
			list = append(list, program{name: fmt.Sprint("grid", grid, n), mesh: Mesh{Grid: grid, Threads: n}, out: count(tensor.Count(grid)*n, iota), run: func(k *kit) {
				p := k.Point()
				at := ((p[0]*grid[1]+p[1])*grid[2]+p[2])*n + k.ID
				k.move(sub(k.out(), el(at)), sub(k.in(), el(at)))
			}})
		}
	}
	for _, cluster := range [][]int{{2}, {2, 1}, {1, 2}, {2, 2}, {1, 2, 2}} {
		for _, n := range []int{1, 2} {
			size := tensor.Count(cluster)
			list = append(list, program{name: fmt.Sprint("cluster", cluster, n), mesh: Mesh{Grid: []int{2, 2}, Cluster: cluster, Threads: n}, out: count(4*size*n, iota), run: func(k *kit) {
				at := 2*k.Point()[0] + k.Point()[1]
				for i, x := range k.InCluster() {
					at = at*cluster[i] + x
				}
				at = at*n + k.ID
				k.move(sub(k.out(), el(at)), sub(k.in(), el(at)))
			}})
		}
	}
	// Products of tiles: threads take parts of the contracted dimension, or, wrongly, add to
	// the same tile without a barrier.
	for _, n := range []int{1, 2, 4} {
		list = append(list, program{name: fmt.Sprint("product with barriers between ", n, " threads"), mesh: Mesh{Grid: []int{2, 2}, Threads: n}, bad: map[bool]string{true: "data-race sum no-barrier"}[n > 1],
			args: []param{{"a", tensor.F32, []int{8, 8}, iota}, {"b", tensor.F32, []int{8, 8}, func(i int) float64 { return float64(i % 3) }}, {"out", tensor.F32, []int{8, 8}, nil}},
			out:  matrix(8, 8, 8, iota, func(i int) float64 { return float64(i % 3) }),
			run: func(k *kit) {
				x, y, part := k.Point()[0]*4, k.Point()[1]*4, 8/n
				k.scope(func(s []array.Item) {
					turn := s[1].Barriers
					if k.ID > 0 && !k.bug() {
						k.waitAt(turn[k.ID])
					}
					a := k.Load(sub(k.arg("a"), sl(x, 4), sl(k.ID*part, part)))
					b := k.Load(sub(k.arg("b"), sl(k.ID*part, part), sl(y, 4)))
					if k.ID == 0 {
						k.put(s[0].Ref, 0)
					}
					k.here()
					sum := k.Load(s[0].Ref)
					v, err := tensor.MatMul(&sum, a, b, tensor.F32)
					if err != nil {
						panic(err)
					}
					k.set(s[0].Ref, v)
					if k.ID < n-1 {
						if !k.bug() {
							k.arriveAt(turn[k.ID+1])
						}
						return
					}
					k.set(sub(k.arg("out"), sl(x, 4), sl(y, 4)), v)
				}, smem("sum", tensor.F32, 4, 4), bar("turn", 1, n))
			}})
	}
	checkAll(t, list)
}

// matrix is the product of two matrices whose elements two functions give.
func matrix(m, n, depth int, a, b func(int) float64) []float64 {
	out := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for k := range depth {
				out[i*n+j] += a(i*depth+k) * b(k*n+j)
			}
		}
	}
	return out
}

func TestPallasScopes(t *testing.T) {
	axes := func(list []memory.Axis, axis bool, threads int, want string) program {
		return program{name: fmt.Sprint("axes ", list, axis, threads), mesh: Mesh{Grid: []int{1}, Cluster: []int{2, 2}, Threads: threads}, set: func(p *array.Program) { p.ThreadAxis = axis },
			want: func(int) string { return want }, run: func(k *kit) {
				k.here()
				k.Scoped([]array.Scratch{i32("tile", 4)}, list, func(s []array.Item) { k.put(sub(s[0].Ref, el(k.ID)), 1) })
			}}
	}
	list := []program{
		axes([]memory.Axis{memory.ThreadAxis}, true, 2, ""),
		axes(nil, true, 2, "allocation-misuse...Scoped allocation must have the thread axis in its collective axes."),
		axes([]memory.Axis{memory.ClusterAxis}, true, 2, "allocation-misuse...Collective allocations along cluster axes are not supported."),
		axes([]memory.Axis{memory.ThreadAxis, memory.ClusterAxis}, true, 2, "allocation-misuse...Collective allocations along cluster axes are not supported."),
		axes([]memory.Axis{memory.ThreadAxis}, false, 1, "allocation-misuse...Requesting collective allocations, but no explicit thread axis specified."),
		axes(nil, false, 1, ""),
		{name: "M7: a view lives longer than its scope", bad: "use-after-free tile...after the end of the scope", run: func(k *kit) {
			var kept array.Ref
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 1)
				if kept = s[0].Ref; !k.bug() {
					k.get(kept)
				}
			}, i32("tile", 4))
			if k.bug() {
				k.get(kept)
			}
		}},
		{name: "M7: memory that an earlier scope had is used again too early", mesh: Mesh{Threads: 2}, run: func(k *kit) {
			// The barrier at the entry of the second scope orders what the threads did in the first.
			for _, name := range []string{"first", "second"} {
				k.scope(func(s []array.Item) {
					k.put(sub(s[0].Ref, el(k.ID)), 1)
					k.get(sub(s[0].Ref, el(k.ID)))
				}, i32(name, 4))
			}
		}},
		{name: "only some threads enter a scope", mesh: Mesh{Threads: 2}, bad: "allocation-misuse...out of step", run: func(k *kit) {
			if k.ID == 0 || !k.bug() {
				k.scope(func([]array.Item) {}, i32("a", 4))
			}
			k.scope(func([]array.Item) {}, i32("b", 4))
		}},
		{name: "threads in scopes of different sizes", mesh: Mesh{Threads: 2}, bad: "allocation-misuse...out of step", run: func(k *kit) {
			n := 4
			if k.bug() {
				n += k.ID
			}
			k.scope(func([]array.Item) {}, i32("a", n))
		}},
		{name: "accumulators need no other threads", mesh: Mesh{Threads: 2}, out: []float64{0}, run: func(k *kit) {
			if k.ID == 0 {
				k.own(func(s []array.Item) {
					k.set(sub(k.out(), sl(0, 4)), filled(tensor.I32, func(i int) float64 { return k.LoadAccumulator(s[0].Ref, 0).Float(i) }, 4))
				}, accumulator("acc", 2, 2))
			}
			k.scope(func([]array.Item) {}, i32("tile", 4))
		}},
	}
	checkAll(t, list)
}

func TestPallasBounds(t *testing.T) {
	ints := func(name, op, doing, want string, x ...array.Index) program {
		return program{name: name, want: func(int) string { return want }, run: func(k *kit) {
			k.here()
			k.Index(sub(k.in(), sl(0, 8)), op, doing, x...)
		}}
	}
	checkAll(t, []program{
		ints("inside", "read", "reading", "", sl(2, 6)),
		ints("element beyond", "read", "reading", "out-of-bounds in...Out-of-bounds read of in: reading [8] but buffer has shape (8,).", el(8)),
		ints("negative", "read", "reading", "out-of-bounds in...reading [-1] but", el(-1)),
		ints("slice partly outside", "swap", "swapping", "out-of-bounds in...Out-of-bounds swap of in: swapping [6:10] but buffer has shape (8,).", sl(6, 4)),
		ints("strides", "read", "reading", "", array.Index{Start: 1, Size: 3, Stride: 3}),
		ints("strides outside", "read", "reading", "out-of-bounds in...[1:13:3]", array.Index{Start: 1, Size: 4, Stride: 3}),
		ints("too many", "read", "reading", "out-of-bounds in...[0, 0]", el(0), el(0)),
		ints("list outside", "read", "reading", "out-of-bounds in...[[1 9]]", array.Index{List: []int{1, 9}}),
		ints("nothing of it", "read", "reading", "", sl(8, 0)),
		{name: "reads outside give uninitialised values", set: func(p *array.Program) { p.ReadOutside = true }, out: []float64{62, 63, 1<<31 - 1}, run: func(k *kit) {
			k.here()
			k.Store(sub(k.out(), sl(0, 3)), k.Load(k.Index(k.in(), "read", "reading", sl(62, 3))))
		}},
	})
}
