package device

import (
	"fmt"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// races wants a race in those variants that a function tells.
func races(what string, when func(i int) bool) func(int) string {
	return func(i int) string {
		if when(i) {
			return what
		}
		return ""
	}
}

var four = []array.Scratch{i32("tile", 4), bar("loaded", 1), bar("gate", 1)}

func TestPallasCopiesIn(t *testing.T) {
	var list []program
	// 4.2.2: a write before a copy needs commit_smem between the two.
	for _, overlap := range []bool{true, false} {
		list = append(list, program{name: fmt.Sprint("a write, then a copy; commit_smem at one of four places ", overlap), n: 5,
			want: races("data-race tile proxy-fence...missing commit_smem between", func(i int) bool { return i != 1 && overlap }), out: count(4, iota),
			run: func(k *kit) {
				k.scope(func(s []array.Item) {
					fence := func(at int) {
						if k.i == at {
							k.fence()
						}
					}
					dst := s[0].Ref
					if !overlap {
						dst = sub(dst, sl(4, 4))
					} else {
						dst = sub(dst, sl(0, 4))
					}
					fence(0)
					k.put(sub(s[0].Ref, sl(2, 2)), 100)
					fence(1)
					k.copyIn(dst, sub(k.in(), sl(0, 4)), s[1])
					fence(2)
					k.wait(s[1])
					fence(3)
					k.move(sub(k.out(), sl(0, 4)), dst)
				}, i32("tile", 8), four[1])
			}})
	}
	// 4.2.4: producer and consumer; the place of the fence in the producer decides.
	for _, warps := range []bool{false, true} {
		list = append(list, program{name: fmt.Sprint("a producer writes and copies, a consumer waits; warps ", warps), n: 4, mesh: Mesh{Threads: 2, Warps: warps},
			want: races("data-race tile proxy-fence", func(i int) bool { return i != 1 }), out: count(4, iota), run: func(k *kit) {
				k.scope(func(s []array.Item) {
					fence := func(k *kit, at int) {
						if k.i == at {
							k.fence()
						}
					}
					produce := func(k *kit) {
						fence(k, 0)
						k.put(s[0].Ref, 100)
						fence(k, 1)
						k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
						fence(k, 2)
						k.arrive(s[2])
					}
					consume := func(k *kit) {
						k.wait(s[2])
						fence(k, 3)
						k.wait(s[1])
						if k.Warp() <= 0 {
							k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
						}
					}
					switch {
					case k.ID == 0 && warps:
						k.warps(func(w *kit) {
							if w.Warp() == 1 {
								produce(w)
							}
						})
					case k.ID == 0:
						produce(k)
					case warps:
						k.warps(consume)
					default:
						consume(k)
					}
				}, four...)
			}})
	}
	// 4.2.5: the write and the copy are in different threads; either of them may fence.
	list = append(list, program{name: "a write in one thread, a copy in another", n: 8, mesh: Mesh{Threads: 2},
		want: races("data-race tile proxy-fence", func(i int) bool { return i != 1 && i != 3 && i < 6 }), out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				fence := func(at int) {
					if k.i == at || k.i == 6 && at == 1 || k.i == 7 && at == 3 {
						k.fence()
					}
				}
				if k.ID == 0 {
					fence(0)
					k.put(s[0].Ref, 100)
					fence(1)
					k.arrive(s[2])
					fence(2)
					return
				}
				k.wait(s[2])
				fence(3)
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				fence(4)
				k.wait(s[1])
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
				fence(5)
			}, four...)
		}},
		program{name: "a copy that nobody waits for before the read", bad: "data-race tile wait...missing a wait for the copy issued at", allow: "async-misuse tile", out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, four...)
		}},
		program{name: "a write before the copy has been waited for", bad: "data-race tile wait", allow: "async-misuse tile", out: []float64{9}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				if !k.bug() {
					k.wait(s[1])
				}
				k.put(s[0].Ref, 9)
				if k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, four...)
		}},
		program{name: "a thread reads what another one has copied", mesh: Mesh{Threads: 2}, bad: "data-race tile", allow: "async-misuse tile", out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
					return
				}
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, four...)
		}},
		program{name: "two threads copy a half each to a barrier each", mesh: Mesh{Threads: 2}, bad: "data-race tile wait", allow: "async-misuse tile", out: count(8, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyIn(sub(k.in(), sl(4*k.ID, 4)), sub(s[0].Ref, sl(4*k.ID, 4)), s[1].Barriers[k.ID], array.CopyIn{Partition: -1})
				other := k.ID
				if k.bug() {
					other = 1 - k.ID
				}
				k.waitAt(s[1].Barriers[other])
				k.move(sub(k.out(), sl(4*k.ID, 4)), sub(s[0].Ref, sl(4*k.ID, 4)))
			}, i32("tile", 8), bar("loaded", 1, 2))
		}},
		program{name: "two copies arrive at one barrier", bad: "data-race tile wait", allow: "async-misuse tile", out: count(8, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for i := range 2 {
					k.copyIn(sub(s[0].Ref, sl(4*i, 4)), sub(k.in(), sl(4*i, 4)), s[1])
				}
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(0, 8)), s[0].Ref)
			}, i32("tile", 8), bar("loaded", 2))
		}})
	// 4.1.36 and M2: two copies to one place, whatever else was issued in between.
	for distance := 1; distance <= 11; distance++ {
		list = append(list, program{name: fmt.Sprint("M2: copies to one place at the distance ", distance), bad: "data-race tile wait", allow: "async-misuse", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				k.fence()
				if !k.bug() {
					k.wait(s[1])
				}
				for i := range distance - 1 {
					k.copyIn(sub(s[2].Ref, el(i)), sub(k.in(), sl(0, 4)), s[3])
					k.fence()
					k.wait(s[3])
				}
				k.copyIn(s[0].Ref, sub(k.in(), sl(4, 4)), s[4])
				if k.bug() {
					k.wait(s[1])
				}
				k.wait(s[4])
			}, i32("tile", 4), bar("first", 1), smem("others", tensor.I32, 11, 4), bar("other", 1), bar("second", 1))
		}})
	}
	// F6: a read, then a copy to the same place.
	for _, fence := range []string{"", "error", "off"} {
		want := map[string]string{"": "warning data-race tile proxy-fence", "error": "data-race tile proxy-fence", "off": ""}[fence]
		list = append(list, program{name: "F6: a read before a copy to the same place, ReadFence " + fence, n: 2, set: func(p *array.Program) { p.ReadFence = fence },
			want: races(want, func(i int) bool { return i == 1 }), out: count(4, func(i int) float64 { return float64(4 + i) }), run: func(k *kit) {
				k.scope(func(s []array.Item) {
					for i := range 2 {
						k.copyIn(s[0].Ref, sub(k.in(), sl(4*i, 4)), s[1])
						k.wait(s[1])
						k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
						if !k.bug() {
							k.fence()
						}
					}
				}, four...)
			}})
	}
	checkAll(t, list)
}

func TestPallasCopiesOut(t *testing.T) {
	list := []program{
		{name: "4.2.6: a write, then a copy; commit_smem at one of four places", n: 5, want: races("data-race tile proxy-fence", func(i int) bool { return i != 1 }), out: []float64{5, 5, 5, 5}, run: func(k *kit) {
			fence := func(at int) {
				if k.i == at {
					k.fence()
				}
			}
			k.scope(func(s []array.Item) {
				fence(0)
				k.put(s[0].Ref, 5)
				fence(1)
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				fence(2)
				k.waitOut(0)
				fence(3)
			}, four...)
		}},
		{name: "4.2.1: what was copied out is read", bad: "data-race out wait", out: []float64{5, 5, 5, 5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				if !k.bug() {
					k.waitOut(0)
				}
				k.move(sub(k.out(), el(4)), sub(k.out(), el(0)))
				k.waitOut(0)
			}, four...)
		}},
		{name: "4.2.7: a wait for all copies but one", bad: "data-race out wait", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.copyOut(sub(k.out(), sl(4, 4)), s[0].Ref)
				k.waitOut(1)
				at := 0
				if k.bug() {
					at = 4
				}
				k.get(sub(k.out(), el(at)))
				k.waitOut(0)
			}, four...)
		}},
		{name: "4.2.8: waiting again with a larger number", out: []float64{5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitOut(0)
				k.waitOut(3)
				k.get(sub(k.out(), el(0)))
			}, four...)
		}},
		{name: "4.2.9: a wait for reads covers the source only", n: 4, want: races("data-race out wait...wait_read_only", func(i int) bool { return i == 2 }), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitRead(0)
				switch k.i {
				case 0:
					k.put(s[0].Ref, 6)
				case 1:
					k.put(sub(k.out(), el(5)), 6)
				case 2:
					k.put(sub(k.out(), el(3)), 6)
				case 3:
					k.waitOut(0)
					k.put(sub(k.out(), el(3)), 6)
				}
			}, four...)
		}},
		{name: "the source is overwritten too early", bad: "data-race tile wait", out: []float64{5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				if !k.bug() {
					k.waitRead(0)
				}
				k.put(s[0].Ref, 6)
				k.waitOut(0)
			}, four...)
		}},
		{name: "4.2.10: another thread's wait", mesh: Mesh{Threads: 2}, n: 4, want: races("data-race", func(i int) bool { return i < 2 }), allow: "async-misuse", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 5)
					k.fence()
					k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
					if k.i >= 2 {
						k.waitOut(0)
					}
					k.arrive(s[2])
					k.waitOut(0)
					return
				}
				k.wait(s[2])
				k.waitOut(0)
				if k.i%2 == 0 {
					k.get(sub(k.out(), el(0)))
				} else {
					k.put(s[0].Ref, 1)
				}
			}, four...)
		}},
		{name: "4.2.11: what was copied in is copied out", bad: "data-race tile wait", allow: "async-misuse", out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				if !k.bug() {
					k.wait(s[1])
				}
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitOut(0)
			}, four...)
		}},
		{name: "4.2.12: two copies to one place", bad: "data-race out wait", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				if !k.bug() {
					k.waitOut(0)
				}
				k.copyOut(sub(k.out(), sl(2, 4)), s[0].Ref)
				k.waitOut(0)
			}, four...)
		}},
		{name: "4.2.13: a copy that nobody waits for before the kernel ends", n: 3, want: func(i int) string {
			return []string{"", "async-misuse...Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread Warpgroup(device_id=0, cluster_id=0, block_id=0, warpgroup_id=0).", ""}[i]
		}, allow: "async-misuse tile", out: []float64{5, 5, 5, 5}, run: func(k *kit) {
			b := k.Private("tile", kernel.Shared, tensor.I32, []int{4})
			k.put(b.All(), 5)
			k.fence()
			k.copyOut(sub(k.out(), sl(0, 4)), b.All())
			switch k.i {
			case 0:
				k.waitOut(0)
			case 2: // 4.2.14: the writes may outlast the kernel
				k.waitRead(0)
			}
		}},
		{name: "M10: a copy of a warp that nobody waits for", mesh: Mesh{Warps: true}, bad: "async-misuse...Not all copy_smem_to_gmem", out: []float64{5, 5}, run: func(k *kit) {
			b := k.Private("tile", kernel.Shared, tensor.I32, []int{4}).All()
			k.put(b, 5)
			k.fence()
			k.warps(func(w *kit) {
				if w.Warp() == 3 {
					w.copyOut(sub(w.out(), sl(0, 4)), b)
					if !w.bug() {
						w.waitOut(0)
					}
				}
			})
		}},
		{name: "a store to global memory, then a copy over it", bad: "data-race out proxy-fence", out: []float64{5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				if k.bug() {
					k.fence()
				}
				k.put(sub(k.out(), sl(0, 4)), 6)
				if !k.bug() {
					k.fence()
				}
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitOut(0)
			}, four...)
		}},
		{name: "a load from global memory, then a copy over it", args: zeroes, out: []float64{5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.get(sub(k.out(), sl(0, 4)))
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitOut(0)
			}, four...)
		}},
		{name: "a group that is not committed", bad: "async-misuse...Not all copy_smem_to_gmem read-side operations completed", out: []float64{5, 5}, run: func(k *kit) {
			b := k.Private("tile", kernel.Shared, tensor.I32, []int{4}).All()
			k.put(b, 5)
			k.fence()
			k.here()
			k.CopyOut(b, sub(k.out(), sl(0, 4)), array.CopyOut{})
			if !k.bug() {
				k.CommitGroup()
			}
			k.waitOut(0)
		}},
		{name: "groups of copies", bad: "data-race out wait", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				for i := range 2 {
					k.here()
					k.CopyOut(s[0].Ref, sub(k.out(), sl(4*i, 4)), array.CopyOut{})
				}
				k.CommitGroup()
				k.copyOut(sub(k.out(), sl(8, 4)), s[0].Ref)
				k.waitOut(1)
				at := 4
				if k.bug() {
					at = 8
				}
				k.get(sub(k.out(), el(at)))
				k.waitOut(0)
			}, four...)
		}},
		{name: "a copy that adds", mesh: Mesh{Grid: []int{2}}, bad: "data-race out", args: []param{defaults[0], {"out", tensor.I32, []int{64}, zero}}, out: []float64{10, 10}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				op := "add"
				if k.bug() && k.Point()[0] == 1 {
					op = ""
				}
				k.here()
				k.CopyOut(s[0].Ref, sub(k.out(), sl(0, 4)), array.CopyOut{Commit: true, Reduction: op})
				k.waitOut(0)
			}, four...)
		}},
		{name: "M7: a copy out may outlast the scope, if it is waited for before the memory is used again", bad: "info async-misuse tile wait...it is waited for after that", out: []float64{5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				if k.i == 0 {
					k.waitRead(0)
				}
			}, i32("tile", 4))
			k.waitOut(0)
		}},
		{name: "M7: the next scope uses the memory of a copy in flight", bad: "data-race second wait...whose memory was that of first before", allow: "async-misuse first", out: []float64{5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				if !k.bug() {
					k.waitRead(0)
				}
			}, i32("first", 4))
			k.scope(func(s []array.Item) { k.put(s[0].Ref, 6) }, i32("second", 4))
			k.waitOut(0)
		}},
		{name: "M7: a copy into the memory that another scope had", bad: "data-race second proxy-fence...whose memory was that of first before", out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) { k.put(s[0].Ref, 6) }, i32("first", 4))
			if !k.bug() {
				k.fence()
			}
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				k.wait(s[1])
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, i32("second", 4), bar("gate", 1))
		}},
	}
	checkAll(t, list)
}

// Copies that arrive at no barrier, stores that do, boxes that lie partly outside, and
// gathered ones.
func TestPallasOtherCopies(t *testing.T) {
	checkAll(t, []program{
		{name: "cp.async without a wait", bad: "data-race tile wait", allow: "async-misuse tile", out: count(8, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for i := range 2 {
					k.here()
					k.CopyInGroup(sub(k.in(), sl(4*i, 4)), sub(s[0].Ref, sl(4*i, 4)))
				}
				k.here()
				k.WaitCopiesIn(map[bool]int{true: 1}[k.bug()])
				k.move(sub(k.out(), sl(0, 8)), s[0].Ref)
				k.WaitCopiesIn(0)
			}, i32("tile", 8))
		}},
		{name: "cp.async needs no proxy fence", out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 1)
				k.here()
				k.CopyInGroup(sub(k.in(), sl(0, 4)), s[0].Ref)
				k.WaitCopiesIn(0)
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, i32("tile", 4))
		}},
		{name: "an asynchronous store", mesh: Mesh{Threads: 2}, bad: "data-race tile", allow: "async-misuse tile", out: []float64{3, 3}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.here()
					k.AsyncStore(full(tensor.I32, 3, 4), s[0].Ref, s[1].Barriers[0], 0, "")
					return
				}
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, i32("tile", 4), bar("stored", 1))
		}},
		{name: "asynchronous stores that add", mesh: Mesh{Threads: 2}, bad: "data-race tile", allow: "async-misuse tile", out: []float64{13, 13}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 10)
					k.arrive(s[2])
				}
				k.wait(s[2])
				op := "add"
				if k.bug() && k.ID == 1 {
					op = ""
				}
				k.here()
				k.AsyncStore(full(tensor.I32, float64(1+k.ID), 4), s[0].Ref, s[1].Barriers[0], 0, op)
				k.wait(s[1])
				if k.ID == 0 {
					k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
				}
			}, i32("tile", 4), bar("stored", 2), bar("ready", 1))
		}},
		{name: "a box partly outside of the source holds zeros there", out: []float64{62, 63, 0, 0}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, k.IndexCopy(k.in(), sl(62, 4)), s[1])
				k.wait(s[1])
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, four...)
		}},
		{name: "a box partly outside of the destination", args: []param{defaults[0], {"out", tensor.I32, []int{6}, zero}}, out: []float64{0, 0, 0, 0, 5, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(k.IndexCopy(k.out(), sl(4, 4)), s[0].Ref)
				k.waitOut(0)
			}, four...)
		}},
		{name: "a box that begins before the source", args: []param{{"in", tensor.I32, []int{4, 4}, iota}, {"out", tensor.I32, []int{2, 3}, nil}}, out: []float64{0, 0, 1, 0, 4, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, k.IndexCopy(k.in(), sl(0, 2), sl(-1, 3)), s[1])
				k.wait(s[1])
				k.move(k.out(), s[0].Ref)
			}, smem("tile", tensor.I32, 2, 3), four[1])
		}},
		{name: "gathered rows", args: []param{{"in", tensor.I32, []int{4, 2}, iota}, {"out", tensor.I32, []int{3, 2}, nil}}, out: []float64{6, 7, 0, 1, 4, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, k.IndexCopy(k.in(), array.Index{List: []int{3, 0, 2}}), s[1])
				k.wait(s[1])
				k.move(k.out(), s[0].Ref)
			}, smem("tile", tensor.I32, 3, 2), four[1])
		}},
		{name: "gathered rows of which one does not exist", args: []param{{"in", tensor.I32, []int{4, 2}, iota}, {"out", tensor.I32, []int{2, 2}, nil}}, out: []float64{0, 0, 4, 5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, k.IndexCopy(k.in(), array.Index{List: []int{9, 2}}), s[1])
				k.wait(s[1])
				k.move(k.out(), s[0].Ref)
			}, smem("tile", tensor.I32, 2, 2), four[1])
		}},
		{name: "scattered rows race with their own rows only", mesh: Mesh{Grid: []int{2}}, bad: "data-race out", args: []param{defaults[0], {"out", tensor.I32, []int{4, 2}, nil}}, out: []float64{1, 1, 0, 0, 1, 1, 0, 0}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				at := [][]int{{3, 1}, {0, 2}}[k.Point()[0]]
				if k.bug() {
					at = []int{k.Point()[0], 2}
				}
				k.put(s[0].Ref, float64(k.Point()[0]))
				k.fence()
				k.copyOut(k.IndexCopy(k.out(), array.Index{List: at}), s[0].Ref)
				k.waitOut(0)
			}, smem("tile", tensor.I32, 2, 2))
		}},
		{name: "what is copied is not initialised", bad: "uninitialized-read tile", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if !k.bug() {
					k.put(s[0].Ref, 5)
				}
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitOut(0)
			}, four...)
		}},
	})
}
