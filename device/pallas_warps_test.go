package device

import (
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

func TestPallasWarps(t *testing.T) {
	one := Mesh{Warps: true}
	checkAll(t, []program{
		{name: "four warps, each once", mesh: one, args: []param{{"out", tensor.I32, []int{5}, zero}}, out: []float64{1, 1, 1, 1, 0}, run: func(k *kit) {
			k.warps(func(w *kit) {
				w.here()
				w.AddUpdate(sub(w.out(), el(w.Warp())), full(tensor.I32, 1))
			})
		}},
		{name: "a thread is no warp", mesh: one, out: []float64{-1}, run: func(k *kit) { k.put(sub(k.out(), el(0)), float64(k.Warp())) }},
		{name: "warps fork from their thread and join it", mesh: one, out: []float64{6, 7, 8, 9}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.warps(func(w *kit) {
					w.put(sub(s[1].Ref, el(w.Warp())), w.get(sub(s[0].Ref, el(0)))+float64(1+w.Warp()))
				})
				k.move(sub(k.out(), sl(0, 4)), s[1].Ref)
			}, i32("a", 4), i32("b", 4))
		}},
		{name: "warps of two threads in turn", mesh: Mesh{Threads: 2, Warps: true}, out: count(8, iota), run: func(k *kit) {
			for range 3 {
				k.warps(func(w *kit) { w.put(sub(w.out(), el(4*w.ID+w.Warp())), float64(4*w.ID+w.Warp())) })
			}
		}},
		{name: "warps share memory", mesh: one, bad: "data-race tile...warp 0 of thread 0", out: []float64{7}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.warps(func(w *kit) {
					switch w.Warp() {
					case 0:
						w.put(s[0].Ref, 7)
						w.arrive(s[1])
					case 3:
						if !w.bug() {
							w.wait(s[1])
						}
						w.move(sub(w.out(), el(0)), sub(s[0].Ref, el(0)))
					}
				})
			}, i32("tile", 4), bar("gate", 1))
		}},
		{name: "a fork in a warp", mesh: one, want: func(int) string { return "barrier-misuse...Cannot core_map over WarpMesh while already core_mapped." }, run: func(k *kit) {
			k.warps(func(w *kit) { w.warps(func(*kit) {}) })
		}},
		{name: "a warp cannot allocate", mesh: one, bad: "allocation-misuse...a warp cannot allocate", run: func(k *kit) {
			if !k.bug() {
				k.scope(func([]array.Item) {}, i32("tile", 4))
				return
			}
			k.warps(func(w *kit) { w.scope(func([]array.Item) {}, i32("tile", 4)) })
		}},
		{name: "some warps have waited, then their thread", mesh: one, bad: "barrier-misuse...but only 2 of its constituent warps have participated in the barrier previously.", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				k.warps(func(w *kit) {
					if w.Warp() < 2 || !w.bug() {
						w.wait(s[0])
					}
				})
				if !k.bug() {
					k.arrive(s[0])
				}
				k.wait(s[0])
			}, bar("gate", 1))
		}},
		{name: "warps have seen different phases", mesh: one, bad: "barrier-misuse...but its constituent warps have previously observed different phases: [2, 1, 1, 1].", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				k.warps(func(w *kit) { w.wait(s[0]) })
				k.arrive(s[0])
				k.warps(func(w *kit) {
					if w.Warp() == 0 || !w.bug() {
						w.wait(s[0])
					}
				})
				if !k.bug() {
					k.arrive(s[0])
				}
				k.wait(s[0])
			}, bar("gate", 1))
		}},
		{name: "one warp misses a phase", mesh: one, bad: "barrier-misuse...missed observing phase", allow: "warning barrier-misuse", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for i := range 4 {
					k.arrive(s[0])
					k.warps(func(w *kit) {
						if w.Warp() != 1 || i == 0 || !w.bug() {
							w.wait(s[0])
						}
					})
				}
			}, bar("gate", 1))
		}},
		{name: "warps go on from their thread's phase, and it from theirs", mesh: one, out: []float64{1}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for range 2 {
					k.arrive(s[0])
					k.wait(s[0])
					k.arrive(s[0])
					k.warps(func(w *kit) { w.wait(s[0]) })
				}
				k.put(sub(k.out(), el(0)), 1)
			}, bar("gate", 1))
		}},
		{name: "a warp copies, its thread waits", mesh: one, bad: "data-race tile wait", allow: "async-misuse", out: count(4, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.warps(func(w *kit) {
					if w.Warp() == 1 {
						w.copyIn(s[0].Ref, sub(w.in(), sl(0, 4)), s[1])
					}
				})
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, four...)
		}},
		{name: "the copies out of a warp are its thread's", mesh: one, bad: "async-misuse...Not all copy_smem_to_gmem", allow: "async-misuse", out: []float64{5}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.warps(func(w *kit) {
					if w.Warp() == 2 {
						w.copyOut(sub(w.out(), sl(0, 4)), s[0].Ref)
					}
				})
				if !k.bug() {
					k.waitOut(0)
				}
			}, four...)
		}},
		{name: "one warp signals another one that waits", mesh: one, bad: "deadlock...warp 1 of thread 0...phase 0 of barrier gate", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.warps(func(w *kit) {
					if w.Warp() == 1 {
						w.wait(s[0])
					}
					if w.Warp() == 2 && !w.bug() {
						w.arrive(s[0])
					}
				})
			}, bar("gate", 1))
		}},
	})
}
