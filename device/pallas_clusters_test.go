package device

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// rank is the number of the thread's block in its cluster.
func (k *kit) rank(cluster []int) int {
	n := 0
	for i, x := range k.InCluster() {
		n = n*cluster[i] + x
	}
	return n
}

func TestPallasClusterBarriers(t *testing.T) {
	list := []program{
		{name: "4.4.1: two blocks exchange rows", mesh: Mesh{Cluster: []int{2}}, bad: "data-race out", out: []float64{0, 1, 1, 0}, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.put(sub(k.out(), el(me)), float64(me))
				k.arrive(s[0])
				if !k.bug() {
					k.wait(s[0])
				}
				k.move(sub(k.out(), el(2+me)), sub(k.out(), el(1-me)))
			}, clusterBar("gate", 1, []int{0}))
		}},
		{name: "the missing edge of shared memory is a cluster barrier", mesh: Mesh{Cluster: []int{2}}, bad: "data-race tile...missing a cluster barrier between", out: []float64{1, 0}, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, float64(me))
				k.arrive(s[1])
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), el(me)), sub(k.OnBlock(s[0].Ref, []int{1 - me}), el(0)))
				k.arrive(s[2])
				k.wait(s[2])
			}, i32("tile", 4), clusterBar("gate", 1, []int{0}), clusterBar("end", 1, []int{0}))
		}},
		{name: "a copy arrives at no cluster barrier", mesh: Mesh{Cluster: []int{2}}, want: func(int) string { return "barrier-misuse...that is not a `Barrier`." }, run: func(k *kit) {
			k.scope(func(s []array.Item) { k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1]) }, i32("tile", 4), clusterBar("gate", 1, []int{0}))
		}},
		{name: "no such block", mesh: Mesh{Cluster: []int{2}}, want: func(int) string { return "out-of-bounds...there is no block 2 along dimension 0" }, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.OnBlock(s[0].Ref, []int{2})
			}, i32("tile", 4))
		}},
	}
	for _, n := range []int{1, 2, 3, 8} { // 4.4.2
		list = append(list, program{name: fmt.Sprint("a ring of rounds over blocks ", n), mesh: Mesh{Cluster: []int{n}}, n: 4,
			want: races("data-race out", func(i int) bool { return i > 0 && n > 1 }), out: count(4*n, func(i int) float64 { return float64((i%n + i/n) % n * 10) }), run: func(k *kit) {
				me := k.InCluster()[0]
				k.scope(func(s []array.Item) {
					k.put(sub(k.out(), el(me)), float64(me*10))
					for round := range 3 {
						k.arriveAt(s[0].Barriers[round])
						if k.i != round+1 {
							k.waitAt(s[0].Barriers[round])
						}
						// Each block takes over what its neighbour has.
						k.move(sub(k.out(), el((round+1)*n+me)), sub(k.out(), el(round*n+(me+1)%n)))
					}
				}, array.Scratch{Name: "gate", Kind: array.ClusterBarrierKind, Shape: []int{3}, Arrivals: 1, Axes: [][]int{{0}}})
			}})
	}
	// 4.4.3: a star over two axes does not order blocks that differ in both; the composite
	// axis does.
	for composite := range 2 {
		axes := [][]int{{0}, {1}}
		if composite == 1 {
			axes = [][]int{{0, 1}}
		}
		list = append(list, program{name: fmt.Sprint("block (1,1) reads what block (0,0) has written, composite ", composite), mesh: Mesh{Cluster: []int{2, 2}},
			want: races("data-race out", func(int) bool { return composite == 0 }), out: []float64{5, 5}, run: func(k *kit) {
				k.scope(func(s []array.Item) {
					r := k.rank([]int{2, 2})
					if r == 0 {
						k.put(sub(k.out(), el(0)), 5)
					}
					k.arrive(s[0])
					k.wait(s[0])
					if r == 3 {
						k.move(sub(k.out(), el(1)), sub(k.out(), el(0)))
					}
				}, clusterBar("gate", 1, axes...))
			}})
	}
	for _, c := range []struct { // 4.4.4
		cluster []int
		threads int
		axes    [][]int
	}{
		{[]int{2}, 2, [][]int{{0}}}, {[]int{2, 2}, 1, [][]int{{0}}}, {[]int{2, 3}, 2, [][]int{{1}}}, {[]int{2, 1, 2}, 2, [][]int{{0}, {2}}},
		{[]int{2, 2, 2}, 1, [][]int{{0, 2}}}, {[]int{2, 2, 2}, 2, [][]int{{0, 1, 2}}}, {[]int{2, 2}, 2, [][]int{{0}, {1}}},
	} {
		star := len(c.axes) > 1
		list = append(list, program{name: fmt.Sprint("a slice along the axes ", c.axes, " of ", c.cluster, c.threads), mesh: Mesh{Cluster: c.cluster, Threads: c.threads},
			n: 2, want: races("data-race out", func(i int) bool { return i == 1 || star }), run: func(k *kit) {
				var flat []int
				for _, a := range c.axes {
					flat = append(flat, a...)
				}
				k.scope(func(s []array.Item) {
					at := k.rank(c.cluster)*c.threads + k.ID
					k.put(sub(k.out(), el(at)), float64(at))
					k.arrive(s[0])
					if !k.bug() {
						k.wait(s[0])
					}
					for r := range tensor.Count(c.cluster) {
						if coords := coordinates(r, c.cluster); !slices.ContainsFunc(dimsOf(c.cluster), func(d int) bool { return coords[d] != k.InCluster()[d] && !slices.Contains(flat, d) }) {
							for id := range c.threads {
								if x := k.get(sub(k.out(), el(r*c.threads+id))); x != float64(r*c.threads+id) && !star && !k.bug() {
									k.Fail(kernel.WrongResult, "get", fmt.Sprint(x), "")
								}
							}
						}
					}
				}, clusterBar("gate", c.threads, c.axes...))
			}})
	}
	for _, shape := range [][]int{{2}, {2, 3}, {2, 1, 3}} { // 4.4.5 to 7
		n := tensor.Count(shape)
		list = append(list, program{name: fmt.Sprint("an array of cluster barriers ", shape), mesh: Mesh{Cluster: []int{2}}, bad: "data-race out", run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				for i := range n {
					k.put(sub(k.out(), el(2*i+me)), 1)
					k.arriveAt(s[0].Barriers[i])
					if i != n-1 || !k.bug() {
						k.waitAt(s[0].Barriers[i])
					}
					k.get(sub(k.out(), el(2*i+1-me)))
				}
			}, array.Scratch{Name: "gate", Kind: array.ClusterBarrierKind, Shape: shape, Arrivals: 1, Axes: [][]int{{0}}})
		}})
	}
	// Leader tracking: the first block waits for all, the others for nobody.
	leader := clusterBar("gate", 1, []int{0})
	leader.LeaderTracked = true
	list = append(list, program{name: "a barrier that tracks in the leader", mesh: Mesh{Cluster: []int{3}}, n: 3, out: []float64{0, 1, 2}, want: func(i int) string {
		return []string{"", "data-race out", "deadlock...phase 0 of barrier gate"}[i]
	}, run: func(k *kit) {
		me := k.InCluster()[0]
		k.scope(func(s []array.Item) {
			k.put(sub(k.out(), el(me)), float64(me))
			k.arrive(s[0])
			if me == 0 && k.i != 1 || me == 2 && k.i == 2 {
				k.wait(s[0])
			}
			if me == 0 {
				k.move(sub(k.out(), sl(4, 3)), sub(k.out(), sl(0, 3)))
			}
		}, leader)
	}})
	checkAll(t, list)
}

// dimsOf are the dimensions of a cluster.
func dimsOf(cluster []int) []int {
	var out []int
	for i := range cluster {
		out = append(out, i)
	}
	return out
}

func coordinates(i int, extent []int) []int {
	out := make([]int, len(extent))
	for d := len(extent) - 1; d >= 0; d-- {
		out[d], i = i%extent[d], i/extent[d]
	}
	return out
}

func TestPallasCollectiveCopies(t *testing.T) {
	pair := Mesh{Cluster: []int{2}}
	both := clusterBar("both", 1, []int{0})
	list := []program{
		{name: "4.2.15: two blocks copy to one place", mesh: pair, bad: "data-race out", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				at := 4 * k.InCluster()[0]
				if k.bug() {
					at = 0
				}
				k.copyOut(sub(k.out(), sl(at, 4)), s[0].Ref)
				k.waitOut(0)
			}, i32("tile", 4))
		}},
		{name: "4.2.16: two blocks copy from one place", mesh: pair, out: []float64{0, 0}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				k.wait(s[1])
				k.move(sub(k.out(), el(k.InCluster()[0])), sub(s[0].Ref, el(0)))
			}, i32("tile", 4), bar("loaded", 1))
		}},
		{name: "4.2.17 and 18: two blocks store to, and load from, one place", mesh: pair, bad: "data-race out", run: func(k *kit) {
			k.get(sub(k.in(), el(0)))
			at := k.InCluster()[0]
			if k.bug() {
				at = 0
			}
			k.put(sub(k.out(), el(at)), 1)
		}},
		{name: "4.2.19: shared memory of different clusters", mesh: Mesh{Grid: []int{3}}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for range k.Point()[0] + 1 {
					k.put(s[0].Ref, 1)
					k.get(s[0].Ref)
				}
			}, i32("tile", 4))
		}},
		{name: "multicast: every block gets all", mesh: pair, bad: "data-race tile wait", allow: "async-misuse", out: append(count(4, iota), count(4, iota)...), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(0, 4)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(4*k.InCluster()[0], 4)), s[0].Ref)
				if k.bug() {
					k.wait(s[1])
				}
			}, i32("tile", 4), bar("loaded", 1))
		}},
		{name: "multicast: the other block waits for its part only after this one has it", mesh: pair, out: append(count(4, iota), count(4, iota)...), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(0, 4)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
				if k.InCluster()[0] == 0 {
					k.wait(s[1])
				}
				k.arrive(s[2])
				k.wait(s[2])
				if k.InCluster()[0] == 1 {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(4*k.InCluster()[0], 4)), s[0].Ref)
			}, i32("tile", 4), bar("loaded", 1), both)
		}},
		{name: "multicast of what cannot be divided", mesh: pair, out: append(count(3, iota), count(3, iota)...), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(0, 3)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
				k.wait(s[1])
				k.move(sub(k.out(), sl(3*k.InCluster()[0], 3)), s[0].Ref)
			}, i32("tile", 3), bar("loaded", 1))
		}},
		{name: "M9: a multicast overwrites what the other block still reads", mesh: pair, bad: "data-race tile", allow: "warning data-race tile", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for i := range 2 {
					k.here()
					k.CopyIn(sub(k.in(), sl(4*i, 4)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
					k.wait(s[1])
					k.move(sub(k.out(), sl(8*i+4*k.InCluster()[0], 4)), s[0].Ref)
					k.fence()
					if !k.bug() {
						k.arrive(s[2])
						k.wait(s[2])
					}
				}
			}, i32("tile", 4), bar("loaded", 1), both)
		}, out: []float64{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7}},
		{name: "a partitioned copy tracked in the leader", mesh: pair, bad: "data-race out", out: []float64{0, 1, 2, 3, 4, 5, 6, 7}, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(0, 8)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Tracked: true, Partition: 0})
				if me == 0 {
					k.wait(s[1])
				}
				k.arrive(s[2])
				k.wait(s[2])
				at := 4 * me
				if k.bug() {
					at = 0
				}
				k.move(sub(k.out(), sl(at, 4)), s[0].Ref)
			}, i32("tile", 4), bar("loaded", 1), both)
		}},
		{name: "a tracked copy that the second block reads without a word of the leader", mesh: pair, bad: "data-race tile", allow: "async-misuse", out: []float64{0, 0}, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(0, 4)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Tracked: true, Partition: -1})
				if me == 0 {
					k.wait(s[1])
				}
				if !k.bug() {
					k.arrive(s[2])
					k.wait(s[2])
				}
				k.move(sub(k.out(), el(me)), sub(s[0].Ref, el(0)))
				if k.bug() {
					k.arrive(s[2])
					k.wait(s[2])
				}
			}, i32("tile", 4), bar("loaded", 1), both)
		}},
		{name: "the second block waits for a copy that is tracked in the leader", mesh: pair, want: func(int) string { return "deadlock...phase 0 of barrier loaded" }, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(0, 4)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Tracked: true, Partition: -1})
				k.wait(s[1])
			}, i32("tile", 4), bar("loaded", 1))
		}},
		{name: "only one block issues a multicast", mesh: pair, want: func(int) string { return "deadlock...phase 0 of barrier loaded...1 more part of copies" }, allow: "async-misuse", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.InCluster()[0] == 0 {
					k.here()
					k.CopyIn(sub(k.in(), sl(0, 4)), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
				}
				k.wait(s[1])
			}, i32("tile", 4), bar("loaded", 1))
		}},
		{name: "an asynchronous store to another block", mesh: pair, bad: "data-race tile", allow: "async-misuse", out: []float64{1, 0}, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.here()
				k.AsyncStore(full(tensor.I32, float64(me), 4), s[0].Ref, s[1].Barriers[0], 1-me, "")
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), el(me)), sub(s[0].Ref, el(0)))
				if k.bug() {
					k.wait(s[1])
				}
			}, i32("tile", 4), bar("stored", 1))
		}},
	}
	// The same with two axes: each row of blocks shares rows, each column columns.
	list = append(list, program{name: "multicasts along both axes of a cluster", mesh: Mesh{Cluster: []int{2, 2}}, args: []param{{"in", tensor.I32, []int{2, 4}, iota}, {"out", tensor.I32, []int{4, 2, 4}, nil}},
		out: []float64{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7}, run: func(k *kit) {
			x, y := k.InCluster()[0], k.InCluster()[1]
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), el(x)), s[0].Ref, s[2].Barriers[0], array.CopyIn{Collective: []int{1}, Partition: -1})
				k.CopyIn(sub(k.in(), el(y)), s[1].Ref, s[3].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
				k.wait(s[2])
				k.wait(s[3])
				k.move(sub(k.out(), el(2*x+y), el(0)), s[0].Ref)
				k.move(sub(k.out(), el(2*x+y), el(1)), s[1].Ref)
			}, i32("rows", 4), i32("columns", 4), bar("r", 1), bar("c", 1))
		}})
	checkAll(t, list)
}

// A persistent kernel: the clusters that run take over the work of those that do not.
func TestPallasClusterLaunchControl(t *testing.T) {
	const points = 140 // more than multiprocessors
	var taken atomic.Int64
	persistent := func(cluster []int, threads int) program {
		blocks := tensor.Count(cluster)
		return program{name: fmt.Sprint("persistent ", cluster, threads), mesh: Mesh{Grid: []int{10, 14}, Cluster: cluster, Threads: threads},
			args: []param{defaults[0], {"out", tensor.I32, []int{points * blocks}, zero}}, out: count(points*blocks, func(int) float64 { return 1 }), n: 2,
			want: races("data-race answer wait | uninitialized-read answer", func(i int) bool { return i == 1 }), allow: "async-misuse | barrier-misuse", run: func(k *kit) {
				k.scope(func(s []array.Item) {
					point := k.Point()
					for {
						k.here()
						if k.ID == 0 {
							r := sub(k.arg("out"), el((point[0]*14+point[1])*blocks+k.rank(cluster)))
							k.AddUpdate(r, full(tensor.I32, 1))
						}
						k.TryCancel(s[0].Ref, s[1].Barriers[0], threads > 1, dimsOf(cluster))
						if !k.bug() {
							k.wait(s[1])
						}
						k.here()
						next, ok := k.QueryCancel(s[0].Ref)
						if !ok {
							return
						}
						point = next
						taken.Add(1)
						k.fence()
						k.arrive(s[2]) // all have decoded the answer
						k.wait(s[2])
					}
				}, smem("answer", tensor.U32, 4), bar("answered", threads), clusterBar("decoded", threads, dimsOf(cluster)))
			}}
	}
	for _, c := range []program{persistent([]int{1}, 1), persistent([]int{2}, 1), persistent([]int{1}, 2), persistent([]int{2, 2}, 2)} {
		taken.Store(0)
		checkAll(t, []program{c})
		if taken.Load() == 0 {
			t.Error(c.name, "takes nothing over")
		}
	}
}
