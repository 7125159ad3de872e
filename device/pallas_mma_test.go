package device

import (
	"math"
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

var two = Mesh{Threads: 2}

// The tensor core's work between threads.
func TestPallasMMAThreads(t *testing.T) {
	checkTensor(t, []program{
		{name: "4.3.11: products of two threads on one accumulator, handed on by arriving", mesh: two, out: sixteen(16), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.mma(m.acc, m.a, m.b, false)
					k.arrive(m.gate)
					return
				}
				k.wait(m.gate)
				k.mma(m.acc, m.a, m.b, true, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.11: products of two threads on one accumulator, handed on by the product", mesh: two, out: sixteen(16), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.mma(m.acc, m.a, m.b, false, m.gate)
					return
				}
				k.wait(m.gate)
				k.mma(m.acc, m.a, m.b, true, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "M5: the barrier between two products does not order the tensor core", mesh: two, bad: "data-race acc proxy-fence...orders the threads only", out: sixteen(16), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				gate := m.gate
				if k.bug() {
					gate = m.plain
				}
				if k.ID == 0 {
					k.mma(m.acc, m.a, m.b, false, m.done2)
					k.wait(m.done2)
					k.arrive(gate)
					return
				}
				k.wait(gate)
				k.mma(m.acc, m.a, m.b, true, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "M5: a store, handed on by a barrier that does not order the tensor core", mesh: two, bad: "data-race lhs...orders the threads only", out: sixteen(24), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				gate := m.gate
				if k.bug() {
					gate = m.plain
				}
				if k.ID == 0 {
					k.storeT(m.lhs, 3)
					k.commitT()
					k.arrive(gate)
					return
				}
				k.wait(gate)
				k.mma(m.acc, m.lhs, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.12: both threads go on", mesh: two, bad: "data-race acc", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.mma(m.acc, m.a, m.b, false)
					k.arrive(m.gate)
					if k.bug() {
						k.mma(m.acc, m.a, m.b, true)
					}
					k.commit(m.done)
					k.wait(m.done)
					return
				}
				k.wait(m.gate)
				k.mma(m.acc, m.a, m.b, true)
				k.commit(m.done2)
				k.wait(m.done2)
			})
		}},
		{name: "4.3.21: what a thread hands on it has to wait for itself", mesh: two, n: 8, want: races("data-race acc", func(i int) bool { return i&1 == 1 }), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				load := k.i&4 != 0
				if k.ID == 0 {
					k.storeT(m.acc, 1)
					if load {
						k.commitT()
						k.loadT(m.acc)
					}
					if k.i&1 == 0 {
						k.commitT()
						k.waitLoadT()
					}
					k.arrive(m.gate)
					k.commitT()
					k.waitLoadT()
					return
				}
				k.wait(m.gate)
				if k.i&2 == 0 { // what this thread waits for does not matter
					k.commitT()
					k.waitLoadT()
				}
				if load {
					k.storeT(m.acc, 2)
				} else {
					k.loadT(m.acc)
				}
				k.settle(m)
			})
		}},
		{name: "4.3.22: a thread's commit_arrive covers its own work", mesh: two, bad: "data-race acc", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.mma(m.acc, m.a, m.b, false)
					if !k.bug() {
						k.commit(m.gate)
					} else {
						k.arrive(m.gate)
					}
					k.commit(m.done2)
					k.wait(m.done2)
					return
				}
				k.wait(m.gate)
				k.commit(m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.23: a copy in one thread, the product in another", mesh: two, n: 2, out: sixteen(8), want: func(int) string { return "" }, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.toTMEM(m.lhs, m.a)
					if k.i == 0 {
						k.arrive(m.gate)
					} else {
						k.commit(m.gate)
					}
					return
				}
				k.wait(m.gate)
				k.mma(m.acc, m.lhs, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.24: another thread waits for the product's barrier", mesh: two, bad: "data-race acc", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.mma(m.acc, m.a, m.b, false, m.done)
					k.wait(m.done)
					return
				}
				if !k.bug() {
					k.wait(m.done)
				}
				k.save(m.acc)
			})
		}},
		{name: "4.3.25: the arrival of a copy is not that of a product", bad: "data-race acc | barrier-misuse", args: []param{{"in", tensor.F16, []int{4, 4}, iota}, f32out[0]}, out: sixteen(8), allow: "warning barrier-misuse | async-misuse", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.scope(func(s []array.Item) {
					copied := m.done
					if !k.bug() {
						copied = m.done2
					}
					k.copyIn(s[0].Ref, k.in(), copied)
					if !k.bug() {
						k.wait(copied)
					}
					k.mma(m.acc, m.a, m.b, false, m.done)
					k.wait(m.done)
					k.save(m.acc)
				}, smem("tile", tensor.F16, 4, 4))
			})
		}},
		{name: "4.3.28: copies of two threads, a product in a third", mesh: Mesh{Threads: 3}, bad: "data-race lhs", allow: "async-misuse", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID < 2 {
					half := sl(2*k.ID, 2)
					k.toTMEM(sub(m.lhs, half), sub(m.a, half))
					k.arrive([]array.Item{m.gate, m.done2}[k.ID])
					return
				}
				k.wait(m.gate)
				if !k.bug() {
					k.wait(m.done2)
				}
				k.mma(m.acc, m.lhs, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "F2: a copy of the thread, a product of its warp", mesh: Mesh{Warps: true}, out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.toTMEM(m.lhs, m.a)
				k.warps(func(w *kit) {
					if w.Warp() == 0 {
						w.mma(m.acc, m.lhs, m.b, false)
					}
				})
				k.mma(m.acc, m.lhs, m.b, true)
				k.mma(m.acc2, m.lhs, m.b, false)
				k.settle(m)
				k.save(m.acc2)
			})
		}},
		{name: "F2: a product of a warp, the commit of its thread", mesh: Mesh{Warps: true}, bad: "data-race acc", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.warps(func(w *kit) {
					if w.Warp() == 2 {
						w.mma(m.acc, m.a, m.b, false)
					}
				})
				if !k.bug() {
					k.commit(m.done)
					k.wait(m.done)
				}
				k.save(m.acc)
				k.settle(m)
			})
		}},
		{name: "F2: a product of a thread, the commit of its warp", mesh: Mesh{Warps: true}, out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false)
				k.warps(func(w *kit) {
					if w.Warp() == 1 {
						w.commit(m.done)
					}
				})
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "F2: one warp's commit does not cover another one's product", mesh: Mesh{Warps: true}, bad: "data-race acc", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.warps(func(w *kit) {
					if w.Warp() == 0 {
						w.mma(m.acc, m.a, m.b, false)
						if !w.bug() {
							w.commit(m.done)
						}
					}
					if w.Warp() == 1 && w.bug() {
						w.commit(m.done)
					}
				})
				k.wait(m.done)
				k.save(m.acc)
				k.settle(m)
			})
		}},
		{name: "F2: a store of the thread, committed by it after its warps ran", mesh: Mesh{Warps: true}, out: sixteen(3), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 3)
				k.warps(func(w *kit) {})
				k.commitT()
				k.save(m.acc)
			})
		}},
	})
}

// A product that two blocks do together.
func TestPallasCollectiveMMA(t *testing.T) {
	values := func() []float64 {
		out := make([]float64, 64)
		for i := range out {
			block, column := i/32, i%8
			out[i] = 4 * float64(1+block) * float64(2+column/4)
		}
		return out
	}()
	kernel := func(fence, ready, done bool) func(k *kit) {
		return func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				a, b, acc := s[0].Ref, s[1].Ref, s[2].Ref
				k.put(a, float64(1+me))
				k.put(b, float64(2+me))
				if fence || me == 0 {
					k.fence()
				}
				k.arrive(s[4])
				if ready {
					k.wait(s[4])
				}
				k.here()
				k.MMA5(array.MMA5{Acc: acc, A: a, B: b, Barrier: s[3].Barriers[0], Collective: true})
				if done {
					k.wait(s[3])
				}
				k.here()
				k.Store(sub(k.out(), el(me)), k.LoadTMEM(acc))
				k.WaitLoadTMEM()
				if !ready {
					k.wait(s[4])
				}
				if !done {
					k.wait(s[3])
				}
				k.arrive(s[5])
				k.wait(s[5])
			}, smem("a", tensor.F16, 4, 4), smem("b", tensor.F16, 4, 4), tmem("acc", tensor.F32, 4, 8), tcbar("done", 1), clusterBar("ready", 1, []int{0}), clusterBar("end", 1, []int{0}))
		}
	}
	list := []program{
		{name: "two blocks", out: values, run: kernel(true, true, true)},
		{name: "an operand of the other block without a fence", want: func(int) string { return "data-race b proxy-fence" }, allow: "data-race a", run: kernel(false, true, true)},
		{name: "the leader does not wait for the other block's operands", want: func(int) string { return "data-race b" }, allow: "data-race", run: kernel(true, false, true)},
		{name: "the accumulators are read too early", want: func(int) string { return "data-race acc" }, run: kernel(true, true, false)},
		{name: "a cluster of one block", mesh: Mesh{Cluster: []int{2, 1}}, want: func(int) string {
			return "barrier-misuse...needs a cluster of two blocks along its last axis, this one has the shape (2, 1)"
		}, run: kernel(true, true, true)},
		{name: "a copy to tensor memory of both blocks", out: values, run: func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				a, b, acc, lhs := s[0].Ref, s[1].Ref, s[2].Ref, s[6].Ref
				k.put(a, float64(1+me))
				k.put(b, float64(2+me))
				k.fence()
				k.arrive(s[4])
				k.wait(s[4])
				k.here()
				k.CopyToTMEM(a, lhs, "", true)
				k.MMA5(array.MMA5{Acc: acc, A: lhs, B: b, Collective: true})
				k.CommitArrive(s[3].Barriers[0], true)
				k.wait(s[3])
				k.here()
				k.Store(sub(k.out(), el(me)), k.LoadTMEM(acc))
				k.WaitLoadTMEM()
				k.arrive(s[5])
				k.wait(s[5])
			}, smem("a", tensor.F16, 4, 4), smem("b", tensor.F16, 4, 4), tmem("acc", tensor.F32, 4, 8), tcbar("done", 1), clusterBar("ready", 1, []int{0}), clusterBar("end", 1, []int{0}),
				tmem("lhs", tensor.F16, 4, 4))
		}},
	}
	for i := range list {
		list[i].args = []param{{"out", tensor.F32, []int{2, 4, 8}, nil}}
		if list[i].mesh.Cluster == nil {
			list[i].mesh.Cluster = []int{2}
		}
	}
	checkAll(t, list)
}

// Scales come in the order in which the tensor core wants them, and so do the places of a
// sparse matrix's elements.
func TestPallasScaledMMA(t *testing.T) {
	scale := func(i int) float64 { // of the row and block that stand at i
		row, block := i/16+i%16/4*32, i%4
		return math.Exp2(float64(row/32 - block))
	}
	want := func(i int) float64 { // 32 ones times each of the four scales of the row
		return 32 * math.Exp2(float64(i/8/32)) * (1 + .5 + .25 + .125)
	}
	checkAll(t, []program{
		{name: "scales for each 32 elements", args: []param{
			{"sa", tensor.F8E8M0FNU, []int{1, 1, 32, 16}, scale}, {"sb", tensor.F8E8M0FNU, []int{1, 1, 32, 16}, func(int) float64 { return 1 }}, {"out", tensor.F32, []int{128, 8}, nil}},
			out: count(128*8, want), bad: "data-race sa", allow: "data-race sb", run: func(k *kit) {
				k.scope(func(s []array.Item) {
					a, b, acc, done, loaded := s[0].Ref, s[1].Ref, s[2].Ref, s[3], s[4]
					k.put(a, 1)
					k.put(b, 1)
					k.copyIn(s[5].Ref, k.arg("sa"), loaded)
					k.copyIn(s[6].Ref, k.arg("sb"), loaded)
					k.fence()
					if !k.bug() {
						k.wait(loaded)
					}
					k.here()
					k.CopyToTMEM(s[5].Ref, s[7].Ref, "scales", false)
					k.CopyToTMEM(s[6].Ref, s[8].Ref, "scales", false)
					k.MMA5(array.MMA5{Acc: acc, A: a, B: b, Barrier: done.Barriers[0], AScale: &s[7].Ref, BScale: &s[8].Ref})
					k.wait(done)
					k.save(acc)
					if k.bug() {
						k.wait(loaded)
					}
				}, smem("a", tensor.F8E4M3FN, 128, 128), smem("b", tensor.F8E4M3FN, 128, 8), tmem("acc", tensor.F32, 128, 8), tcbar("done", 1), bar("loaded", 2),
					smem("sa", tensor.F8E8M0FNU, 1, 1, 32, 16), smem("sb", tensor.F8E8M0FNU, 1, 1, 32, 16), tmem("ta", tensor.F8E8M0FNU, 128, 4), tmem("tb", tensor.F8E8M0FNU, 128, 4))
			}},
		{name: "a sparse operand", args: []param{{"meta", tensor.U2, []int{1, 1, 128, 64}, func(i int) float64 { return float64(i%2*2 + i/64%2) }}, {"out", tensor.F32, []int{128, 8}, nil}},
			out: count(128*8, func(i int) float64 { return float64(32 * (2 + 2*(i/8%2))) }), run: func(k *kit) {
				k.scope(func(s []array.Item) {
					a, b, acc, done, loaded := s[0].Ref, s[1].Ref, s[2].Ref, s[3], s[4]
					k.put(a, 1)
					k.set(b, filled(tensor.F16, func(i int) float64 { return float64(i / 8 % 4) }, 128, 8))
					k.copyIn(s[5].Ref, k.arg("meta"), loaded)
					k.fence()
					k.wait(loaded)
					k.here()
					k.CopyToTMEM(s[5].Ref, s[6].Ref, "sparse", false)
					k.MMA5(array.MMA5{Acc: acc, A: a, B: b, Barrier: done.Barriers[0], Sparse: &s[6].Ref})
					k.wait(done)
					k.save(acc)
				}, smem("a", tensor.F16, 128, 64), smem("b", tensor.F16, 128, 8), tmem("acc", tensor.F32, 128, 8), tcbar("done", 1), bar("loaded", 1),
					smem("meta", tensor.U2, 1, 1, 128, 64), tmem("tmeta", tensor.U2, 128, 64))
			}},
		{name: "scales that do not fit", args: f32out, want: func(int) string { return "async-misuse...scales of shape (2, 3) do not fit an operand of shape (4, 4)" }, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.scope(func(s []array.Item) {
					k.storeT(s[0].Ref, 1)
					k.commitT()
					k.here()
					k.MMA5(array.MMA5{Acc: m.acc, A: m.a, B: m.b, Barrier: m.done.Barriers[0], AScale: &s[0].Ref, BScale: &s[0].Ref})
					k.wait(m.done)
				}, tmem("scales", tensor.F32, 2, 3))
			})
		}},
		{name: "scales in another layout", args: f32out, want: func(int) string { return "async-misuse...in no layout of scales or sparse metadata" }, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.here()
				k.CopyToTMEM(m.a, m.lhs, "scales", false)
				k.settle(m)
			})
		}},
	})
}
