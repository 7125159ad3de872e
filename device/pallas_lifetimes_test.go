package device

import (
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

// inFlight is what is found of an operation in flight at the end of the scope of an object,
// if it is waited for before, never, or later.
func inFlight(object string) func(i int) string {
	return func(i int) string {
		return []string{"", "async-misuse " + object + " wait...the scope of " + object + " ends while", "info async-misuse " + object + " wait...it is waited for after that"}[i]
	}
}

// Memory of other blocks and of scopes that have ended, and operations that outlast them.
func TestPallasLifetimes(t *testing.T) {
	pair := Mesh{Cluster: []int{2}}
	checkAll(t, []program{
		{name: "a block stores to another one that has left the scope", mesh: pair, bad: "use-after-free tile...of block 1 of its cluster, whose scope...has ended there", allow: "data-race", run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(g []array.Item) {
				meet := func(b array.Item) {
					k.arrive(b)
					k.wait(b)
				}
				k.scope(func(s []array.Item) {
					k.put(s[0].Ref, 1)
					meet(g[0])
					if me == 0 && k.bug() {
						meet(g[1])
					}
					if me == 0 {
						k.put(k.OnBlock(s[0].Ref, []int{1}), 2)
					}
					if !k.bug() {
						meet(g[1])
					}
				}, i32("tile", 4))
				if me == 1 && k.bug() {
					meet(g[1])
				}
			}, clusterBar("all", 1, []int{0}), clusterBar("left", 1, []int{0}))
		}},
		{name: "a block may end while another one reads its memory", mesh: pair, bad: "use-after-free tile", out: []float64{1}, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, float64(me))
				k.arrive(s[1])
				k.wait(s[1])
				if me == 0 {
					k.move(sub(k.out(), el(0)), sub(k.OnBlock(s[0].Ref, []int{1}), el(0)))
				}
				if !k.bug() {
					k.arrive(s[2])
					k.wait(s[2])
				}
			}, i32("tile", 4), clusterBar("all", 1, []int{0}), clusterBar("end", 1, []int{0}))
		}},
		{name: "a block never enters the scope of a cluster barrier", mesh: pair, want: func(int) string { return "deadlock...phase 0 of barrier gate | allocation-misuse" }, run: func(k *kit) {
			if k.InCluster()[0] == 0 {
				k.scope(func(s []array.Item) {
					k.arrive(s[0])
					k.wait(s[0])
				}, clusterBar("gate", 1, []int{0}))
			}
		}},
		{name: "tensor memory is used again while a store is in flight", bad: "data-race second wait...whose memory was that of first before", allow: "async-misuse first", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.storeT(s[0].Ref, 1)
				if !k.bug() {
					k.commitT()
				}
			}, tmem("first", tensor.F32, 4, 4))
			k.scope(func(s []array.Item) {
				k.storeT(s[0].Ref, 2)
				k.commitT()
			}, tmem("second", tensor.F32, 4, 4))
		}},
		{name: "the scope ends with a copy in flight that nobody waits for", n: 3, want: inFlight("tile"), allow: "warning barrier-misuse", run: func(k *kit) {
			k.scope(func(b []array.Item) {
				k.scope(func(s []array.Item) {
					k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), b[0])
					if k.i == 0 {
						k.wait(b[0])
					}
				}, i32("tile", 4))
				if k.i == 2 { // before anybody uses the memory again
					k.wait(b[0])
				}
			}, bar("gate", 1))
		}},
		{name: "copies from one place at once", out: []float64{5, 5, 5, 5, 5, 5, 5, 5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.copyOut(sub(k.out(), sl(4, 4)), s[0].Ref)
				k.move(sub(k.out(), el(8)), sub(s[0].Ref, el(0)))
				k.waitOut(0)
			}, four...)
		}},
		{name: "a multicast into a scope that the other block has not entered yet", mesh: pair, args: []param{{"in", tensor.I32, []int{8}, iota}, {"out", tensor.I32, []int{16}, nil}}, out: append(count(8, iota), count(8, iota)...), run: func(k *kit) {
			me := k.InCluster()[0]
			for range 20 * me { // it comes late
				k.put(sub(k.out(), sl(8*me, 8)), 0)
			}
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(k.in(), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
				k.wait(s[1])
				k.move(sub(k.out(), sl(8*me, 8)), s[0].Ref)
			}, i32("tile", 8), bar("loaded", 1))
		}},
		{name: "multicasts in rounds, each into a scope of its own", mesh: pair, args: []param{{"in", tensor.I32, []int{8}, iota}, {"out", tensor.I32, []int{16}, zero}}, out: append(count(8, func(i int) float64 { return float64(3 * i) }), count(8, func(i int) float64 { return float64(3 * i) })...), bad: "data-race tile | use-after-free tile | async-misuse tile", allow: "data-race | warning data-race | async-misuse | use-after-free", run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(g []array.Item) {
				for range 3 {
					k.scope(func(s []array.Item) {
						k.here()
						k.CopyIn(k.in(), s[0].Ref, s[1].Barriers[0], array.CopyIn{Collective: []int{0}, Partition: -1})
						k.wait(s[1])
						k.here()
						k.AddUpdate(sub(k.out(), sl(8*me, 8)), k.Load(s[0].Ref))
						k.fence()
					}, i32("tile", 8), bar("loaded", 1))
					if !k.bug() { // the other block may still read its part of the memory
						k.arrive(g[0])
						k.wait(g[0])
					}
				}
			}, clusterBar("round", 1, []int{0}))
		}},
		{name: "nothing is copied", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(sub(s[0].Ref, sl(0, 0)), sub(k.in(), sl(0, 0)), s[1])
				k.wait(s[1])
				k.copyOut(sub(k.out(), sl(0, 0)), sub(s[0].Ref, sl(0, 0)))
				k.waitOut(0)
			}, four...)
		}},
		{name: "a copy of another thread lands while this one tests", mesh: two, bad: "data-race tile", allow: "async-misuse", out: []float64{0, 1}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					for i := range 2 {
						k.copyIn(sub(s[0].Ref, sl(i, 1)), sub(k.in(), sl(i, 1)), s[1])
					}
					return
				}
				k.until(func() bool { return k.bug() || k.Test(s[1].Barriers[0]) })
				k.move(sub(k.out(), sl(0, 2)), s[0].Ref)
			}, i32("tile", 2), bar("loaded", 2))
		}},
		{name: "a copy, or an arrival, more than a barrier takes", bad: "barrier-misuse | warning barrier-misuse", allow: "async-misuse | data-race | warning barrier-misuse", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for i := range 2 {
					k.copyIn(sub(s[0].Ref, sl(2*i, 2)), sub(k.in(), sl(0, 2)), s[1])
					if !k.bug() {
						k.wait(s[1])
					}
				}
				if k.bug() {
					k.wait(s[1])
				}
			}, four...)
		}},
		{name: "different clusters use the same shared memory", mesh: Mesh{Grid: []int{4}}, out: count(4, iota), run: func(k *kit) {
			me := k.Point()[0]
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, el(0)), float64(me))
				k.fence()
				k.copyOut(sub(k.out(), sl(me, 1)), sub(s[0].Ref, sl(0, 1)))
				k.waitRead(0) // its writes may outlast the cluster
			}, i32("tile", 4))
		}},
		{name: "many clusters read, one writes", mesh: Mesh{Grid: []int{8}}, bad: "data-race out...missing an order between the blocks", args: zeroes, run: func(k *kit) {
			k.get(sub(k.out(), el(0)))
			if k.bug() && k.Point()[0] == 5 {
				k.put(sub(k.out(), el(0)), 1)
			}
		}},
		{name: "all clusters but one wait for what they read", mesh: Mesh{Grid: []int{6}, Communicates: true}, bad: "data-race out", args: zeroes, run: func(k *kit) {
			flag, me := k.flag(0), k.Point()[0]
			k.get(sub(k.out(), el(0)))
			if me != 5 {
				if me != 2 || !k.bug() {
					k.signal(flag, 1)
				}
				return
			}
			n := 5
			if k.bug() {
				n = 4
			}
			k.await(flag, n)
			k.put(sub(k.out(), el(0)), 1)
		}},
	})
}
