package device

import (
	"fmt"
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

// blackwell is what the kernels of these tests work with: operands in shared memory that
// hold ones (A) and twos (B), operands and accumulators in tensor memory, and barriers.
type blackwell struct {
	a, b, lhs, acc, acc2 array.Ref
	done, done2, loaded  array.Item // order the tensor core, except loaded
	gate, plain          array.Item // between threads; plain does not order the tensor core
}

// tensorCore runs a body with its operands ready.
func tensorCore(k *kit, body func(m *blackwell)) {
	k.scope(func(s []array.Item) {
		if k.ID == 0 {
			k.put(s[0].Ref, 1)
			k.put(s[1].Ref, 2)
			k.fence()
			k.arrive(s[10])
		}
		k.wait(s[10])
		body(&blackwell{s[0].Ref, s[1].Ref, s[2].Ref, s[3].Ref, s[4].Ref, s[5], s[6], s[7], s[8], s[9]})
	}, smem("a", tensor.F16, 4, 4), smem("b", tensor.F16, 4, 4), tmem("lhs", tensor.F16, 4, 4), tmem("acc", tensor.F32, 4, 4), tmem("acc2", tensor.F32, 4, 4),
		tcbar("done", 1), tcbar("done2", 1), bar("loaded", 1), tcbar("gate", 1), bar("plain", 1), bar("operands", 1))
}

// save is what an accumulator holds as the kernel's result.
func (k *kit) save(acc array.Ref) {
	k.here()
	k.Store(k.out(), k.LoadTMEM(acc))
	k.WaitLoadTMEM()
}

// settle waits for all that the thread has under way, so that nothing else is found.
func (k *kit) settle(m *blackwell) {
	k.here()
	k.CommitTMEM()
	k.WaitLoadTMEM()
	k.commit(m.done2)
	k.wait(m.done2)
}

func checkTensor(t *testing.T, list []program) {
	t.Helper()
	for i := range list {
		if list[i].args == nil {
			list[i].args = f32out
		}
	}
	checkAll(t, list)
}

func TestPallasTensorMemory(t *testing.T) {
	checkTensor(t, []program{
		{name: "4.3.1: a store, or load, and then the other", n: 8, want: races("data-race acc", func(i int) bool { return i != 1 && i != 6 }), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 3)
				if load := k.i >= 4; load {
					k.commitT()
					k.loadT(m.acc)
				}
				switch k.i % 4 {
				case 1:
					k.commitT()
				case 2:
					k.waitLoadT()
				case 3:
					k.commit(m.done)
					k.wait(m.done)
				}
				if k.i < 4 {
					k.save(m.acc)
				} else {
					k.storeT(m.acc, 4)
				}
				k.settle(m)
			})
		}, values: func(i int) []float64 { return map[int][]float64{1: sixteen(3)}[i] }},
		{name: "4.3.2: a store, then a product", n: 4, want: func(i int) string {
			return []string{"", "data-race lhs wait...missing a wait", "", "data-race acc wait"}[i]
		}, values: func(i int) []float64 { return map[int][]float64{0: sixteen(24), 2: sixteen(11)}[i] }, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				a := m.lhs
				if k.i >= 2 {
					a = m.acc
				}
				k.storeT(a, 3)
				if k.i%2 == 0 {
					k.commitT()
				}
				if k.i < 2 {
					k.mma(m.acc, m.lhs, m.b, false, m.done)
				} else {
					k.mma(m.acc, m.a, m.b, true, m.done)
				}
				k.commitT()
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.3: stores over each other", bad: "data-race acc wait", out: sixteen(4), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 3)
				if !k.bug() {
					k.commitT()
				}
				k.storeT(m.acc, 4)
				k.commitT()
				k.save(m.acc)
			})
		}},
		{name: "4.3.4: a load, then an overwrite by a product or a copy", n: 4, want: func(i int) string {
			return []string{"", "data-race acc wait", "", "data-race lhs wait"}[i]
		}, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				r := m.acc
				if k.i >= 2 {
					r = m.lhs
				}
				k.storeT(r, 3)
				k.commitT()
				k.loadT(r)
				if k.i%2 == 0 {
					k.waitLoadT()
				}
				if k.i < 2 {
					k.mma(m.acc, m.a, m.b, false)
				} else {
					k.toTMEM(m.lhs, m.a)
				}
				k.settle(m)
			})
		}},
		{name: "4.3.5: a loaded value may be used at once", args: f32out, out: sixteen(3), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 3)
				k.commitT()
				k.scope(func(s []array.Item) {
					k.set(s[0].Ref, k.loadT(m.acc))
					k.fence()
					k.copyOut(k.out(), s[0].Ref)
					k.waitOut(0)
				}, smem("tile", tensor.F32, 4, 4))
				k.waitLoadT()
			})
		}},
		{name: "4.3.6: loads over each other", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 3)
				k.commitT()
				k.loadT(m.acc)
				k.loadT(sub(m.acc, sl(1, 2)))
				k.waitLoadT()
			})
		}},
		{name: "4.3.18: a copy, then a load", bad: "data-race lhs", out: sixteen(1), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.toTMEM(m.lhs, m.a)
				k.commit(m.done)
				if !k.bug() {
					k.wait(m.done)
				}
				k.here()
				v := k.loadT(m.lhs)
				k.set(k.out(), filled(tensor.F32, v.Float, 4, 4))
				k.settle(m)
				if k.bug() {
					k.wait(m.done)
				}
			})
		}},
		{name: "4.3.19: a copy, then a store, or another copy", n: 4, want: races("data-race lhs", func(i int) bool { return i%2 == 1 }), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.toTMEM(m.lhs, m.a)
				if k.i%2 == 0 {
					k.commit(m.done)
					k.wait(m.done)
				}
				if k.i < 2 {
					k.storeT(m.lhs, 1)
				} else {
					k.toTMEM(m.lhs, m.b)
				}
				k.settle(m)
			})
		}},
		{name: "M8: a store that nobody has committed at the end", bad: "async-misuse acc wait", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 3)
				if !k.bug() {
					k.commitT()
				}
			})
		}},
		{name: "M10: a warp's store that nobody has committed", mesh: Mesh{Warps: true}, bad: "async-misuse acc wait", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.warps(func(w *kit) {
					if w.Warp() == 1 {
						w.storeT(m.acc, 3)
						if !w.bug() {
							w.commitT()
						}
					}
				})
			})
		}},
		{name: "F7: what is waited for later does not make an old access later", mesh: Mesh{Threads: 2}, out: sixteen(3), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.ID == 0 {
					k.storeT(m.acc, 3)
					k.commitT()
					k.arrive(m.gate)
					k.storeT(m.acc2, 1)
					k.wait(m.done)
					k.commitT()
					k.loadT(m.acc2)
					k.waitLoadT()
					return
				}
				k.wait(m.gate)
				k.save(m.acc)
				k.arrive(m.done)
			})
		}},
		{name: "a store and a load by themselves", out: sixteen(5), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.put(m.acc, 5)
				k.move(k.out(), m.acc)
			})
		}},
	})
}

func TestPallasMMA(t *testing.T) {
	list := []program{
		{name: "4.3.7: an accumulator is read", n: 5, want: races("data-race acc", func(i int) bool { return i != 0 && i != 2 }), out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				if k.i < 2 {
					k.mma(m.acc, m.a, m.b, false, m.done)
				} else {
					k.mma(m.acc, m.a, m.b, false)
				}
				if k.i == 2 || k.i == 3 {
					k.commit(m.done)
				}
				if k.i == 0 || k.i == 2 {
					k.wait(m.done)
				}
				k.save(m.acc)
				k.settle(m)
			})
		}},
		{name: "M12: a product is added to what nobody has written", bad: "uninitialized-read acc", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, k.bug(), m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.8: products on one accumulator are pipelined", out: sixteen(16), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false)
				k.mma(m.acc, m.a, m.b, true, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.9: commit_arrive covers what was issued before", bad: "data-race acc2", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false)
				k.commit(m.done)
				k.mma(m.acc2, m.a, m.b, false)
				k.wait(m.done)
				if k.bug() {
					k.save(m.acc2)
				} else {
					k.save(m.acc)
				}
				k.settle(m)
			})
		}},
		{name: "F1: the barrier of a product covers earlier ones", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false)
				k.mma(m.acc2, m.a, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.10: a store to an accumulator in use", bad: "data-race acc", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false, m.done)
				if !k.bug() {
					k.wait(m.done)
				}
				k.storeT(m.acc, 3)
				k.settle(m)
			})
		}},
		{name: "4.3.13: an operand that no commit_smem covers", bad: "data-race b proxy-fence", out: sixteen(12), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.put(m.b, 3)
				if !k.bug() {
					k.fence()
				}
				k.mma(m.acc, m.a, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.14: an operand in shared memory is overwritten", n: 4, args: []param{{"in", tensor.F16, []int{4, 4}, iota}, f32out[0]},
			want: races("data-race b wait", func(i int) bool { return i%2 == 1 }), out: sixteen(8), run: func(k *kit) {
				tensorCore(k, func(m *blackwell) {
					k.mma(m.acc, m.a, m.b, false, m.done)
					if k.i%2 == 0 {
						k.wait(m.done)
					}
					if k.i < 2 {
						k.put(m.b, 7)
					} else {
						k.copyIn(m.b, k.in(), m.loaded)
						k.wait(m.loaded)
					}
					k.settle(m)
					k.save(m.acc)
				})
			}},
		{name: "4.3.15: an operand in tensor memory is overwritten", bad: "data-race lhs", out: sixteen(24), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.lhs, 3)
				k.commitT()
				k.mma(m.acc, m.lhs, m.b, false, m.done)
				if !k.bug() {
					k.wait(m.done)
				}
				k.storeT(m.lhs, 4)
				k.settle(m)
				k.save(m.acc)
			})
		}},
		{name: "4.3.16: the source of a copy is overwritten", bad: "data-race a wait", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.toTMEM(m.lhs, m.a)
				k.commit(m.done)
				if !k.bug() {
					k.wait(m.done)
				}
				k.put(m.a, 9)
				k.mma(m.acc, m.lhs, m.b, false)
				k.settle(m)
				k.save(m.acc)
			})
		}},
		{name: "4.3.17: a copy, then a product", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.toTMEM(m.lhs, m.a)
				k.mma(m.acc, m.lhs, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "4.3.20: a copy into an accumulator in use", bad: "data-race both", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.scope(func(s []array.Item) {
					acc := must(s[0].Ref.Alias(tensor.F32, []int{4, 4}, 0, 0))
					k.mma(acc, m.a, m.b, false, m.done)
					if !k.bug() {
						k.wait(m.done)
					}
					k.toTMEM(must(s[0].Ref.Alias(tensor.F16, []int{4, 4}, 0, 1)), m.a)
					k.settle(m)
				}, array.Scratch{Name: "both", Space: m.acc.Buffer.Space, Bytes: 64})
			})
		}},
		{name: "4.3.26: a product and two commits, any may be waited for", n: 3, out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				bars := []array.Item{m.done, m.done2, m.gate}
				k.mma(m.acc, m.a, m.b, false, bars[0])
				k.commit(bars[1])
				k.commit(bars[2])
				k.wait(bars[k.i])
				k.save(m.acc)
			})
		}},
		{name: "4.3.27: other tensor memory is released while a product runs", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.scope(func(s []array.Item) {
					k.mma(m.acc, m.a, m.b, false, m.done)
				}, tmem("other", tensor.F32, 4, 4))
				k.wait(m.done)
				k.save(m.acc)
			})
		}},
		{name: "M7: tensor memory is released while a product runs", bad: "async-misuse own wait", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.scope(func(s []array.Item) {
					k.mma(s[0].Ref, m.a, m.b, false, m.done)
					if !k.bug() {
						k.wait(m.done)
					}
				}, tmem("own", tensor.F32, 4, 4))
				if k.bug() {
					k.wait(m.done)
				}
			})
		}},
		{name: "4.3.29: one copy, two products", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.toTMEM(m.lhs, m.a)
				k.mma(m.acc, m.lhs, m.b, false)
				k.mma(m.acc2, m.lhs, m.b, false, m.done)
				k.wait(m.done)
				k.save(m.acc)
				k.save(m.acc2)
			})
		}},
		{name: "an accumulator of another shape is not pipelined", bad: "data-race acc", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false)
				acc := m.acc
				a := m.a
				if k.bug() {
					acc, a = sub(acc, sl(0, 2)), sub(a, sl(0, 2))
				}
				k.mma(acc, a, m.b, true)
				k.settle(m)
			})
		}},
		{name: "a barrier that does not order the tensor core", n: 3, want: func(i int) string {
			return []string{"", "barrier-misuse...tcgen05_mma only allows arriving on a Barrier that orders tensor core", "barrier-misuse...tcgen05_commit_arrive only allows arriving on a Barrier that orders tensor core"}[i]
		}, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				switch k.i {
				case 0:
					k.mma(m.acc, m.a, m.b, false, m.done)
					k.wait(m.done)
				case 1:
					k.mma(m.acc, m.a, m.b, false, m.plain)
				case 2:
					k.commit(m.plain)
				}
			})
		}},
		{name: "a load with its wait is no wait for a product", bad: "data-race acc", out: sixteen(8), run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false, m.done)
				if !k.bug() {
					k.wait(m.done)
				}
				k.move(k.out(), m.acc)
				k.settle(m)
			})
		}},
	}
	for distance := 1; distance <= 7; distance++ {
		list = append(list, program{name: fmt.Sprint("M2: a store over a store at the distance ", distance), bad: "data-race acc", run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(sub(m.acc, el(0)), 1)
				if !k.bug() {
					k.commitT()
				}
				for i := range distance - 1 { // of other operations
					k.storeT(sub(m.acc2, el(i/4), el(i%4)), 1)
				}
				k.storeT(sub(m.acc, el(0)), 2)
				k.commitT()
			})
		}})
	}
	checkTensor(t, list)
}
