package device

import (
	"fmt"
	"slices"
	"testing"

	"gpusim/array"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/tensor"
)

// A missing wait shows in the values if operations happen as late as they may; as they
// happen at once in JAX's interpret mode, it does not there.
func TestPallasLazyCompletion(t *testing.T) {
	for _, c := range []struct {
		program
		eager, lazy []float64
	}{
		{program{name: "a copy to shared memory", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, -1)
				k.fence()
				k.copyIn(s[0].Ref, sub(k.in(), sl(4, 4)), s[1])
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.wait(s[1])
			}, four...)
		}}, []float64{4, 5, 6, 7}, []float64{-1, -1, -1, -1}},
		{program{name: "a copy to global memory", args: zeroes, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.move(sub(k.out(), el(4)), sub(k.out(), el(0)))
				k.waitOut(0)
			}, four...)
		}}, []float64{5, 5, 5, 5, 5}, []float64{5, 5, 5, 5, 0}},
		{program{name: "the source of a copy", args: zeroes, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.put(s[0].Ref, 6)
				k.waitOut(0)
			}, four...)
		}}, []float64{5, 5}, []float64{6, 6}},
		{program{name: "a wait for all groups but one", args: zeroes, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 2)), sub(s[0].Ref, sl(0, 2)))
				k.copyOut(sub(k.out(), sl(2, 2)), sub(s[0].Ref, sl(0, 2)))
				k.waitOut(1)
				k.move(sub(k.out(), sl(4, 4)), sub(k.out(), sl(0, 4)))
				k.waitOut(0)
			}, four...)
		}}, []float64{5, 5, 5, 5, 5, 5, 5, 5}, []float64{5, 5, 5, 5, 5, 5, 0, 0}},
		{program{name: "a wait for reads", args: zeroes, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.waitRead(0)
				k.put(s[0].Ref, 6)
				k.move(sub(k.out(), el(4)), sub(k.out(), el(0)))
				k.waitOut(0)
			}, four...)
		}}, []float64{5, 5, 5, 5, 5}, []float64{5, 5, 5, 5, 0}},
		{program{name: "cp.async", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, -1)
				k.here()
				k.CopyInGroup(sub(k.in(), sl(4, 4)), s[0].Ref)
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.here()
				k.WaitCopiesIn(0)
			}, four...)
		}}, []float64{4, 5, 6, 7}, []float64{-1, -1, -1, -1}},
		{program{name: "wgmma", args: f32out, run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				k.wgmma(acc, a, b)
				k.result(acc, 1)
				k.waitWGMMA(0)
			})
		}}, sixteen(16), sixteen(8)},
		{program{name: "an operand of wgmma", args: f32out, run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				k.put(b, 3)
				k.result(acc, 0)
			})
		}}, sixteen(8), sixteen(12)},
		{program{name: "tcgen05", args: f32out, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.mma(m.acc, m.a, m.b, false, m.done)
				k.wait(m.done)
				k.mma(m.acc, m.a, m.b, true)
				k.save(m.acc)
				k.settle(m)
			})
		}}, sixteen(16), sixteen(8)},
		{program{name: "an operand of tcgen05 in tensor memory", args: f32out, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.lhs, 1)
				k.commitT()
				k.mma(m.acc, m.lhs, m.b, false, m.done)
				k.storeT(m.lhs, 2)
				k.commitT()
				k.wait(m.done)
				k.save(m.acc)
			})
		}}, sixteen(8), sixteen(16)},
		{program{name: "a store to tensor memory", args: f32out, run: func(k *kit) {
			tensorCore(k, func(m *blackwell) {
				k.storeT(m.acc, 1)
				k.commitT()
				k.storeT(m.acc, 2)
				k.save(m.acc)
				k.commitT()
			})
		}}, sixteen(2), sixteen(1)},
	} {
		for completion, want := range map[array.Completion][]float64{array.Eager: c.eager, array.Lazy: c.lazy} {
			o := c.start(t, 0, how{completion: completion})
			if !o.result.Complete {
				t.Errorf("%s: %s\n%s", c.name, o.result.Stopped, lines(o.findings))
				continue
			}
			if got := o.out[:len(want)]; !slices.Equal(got, want) {
				t.Errorf("%s, completion %d: %v, want %v", c.name, completion, got, want)
			}
			if len(o.findings) == 0 {
				t.Errorf("%s: nothing is found", c.name)
			}
		}
		seen := map[string]bool{} // at random it is the one or the other, or something in between
		for seed := range uint64(40) {
			o := c.start(t, 0, how{completion: array.Random, seed: seed})
			seen[fmt.Sprint(o.out[:len(c.eager)])] = true
		}
		if !seen[fmt.Sprint(c.eager)] || !seen[fmt.Sprint(c.lazy)] {
			t.Errorf("%s: of 40 random runs, none is as the eager, or the lazy, one: %v", c.name, seen)
		}
	}
}

// pipelined is a product whose operands one thread copies into a ring of slots while two
// others multiply, each for half of the rows: nothing is to be found in it, and its result
// is the same however it is run.
func pipelined(slots int) program {
	const n, step = 8, 2
	a, b := func(i int) float64 { return float64(i % 5) }, func(i int) float64 { return float64(i % 7) }
	return program{name: fmt.Sprint("pipelined, slots ", slots), mesh: Mesh{Grid: []int{2}, Threads: 3},
		args: []param{{"a", tensor.F16, []int{2 * n, n}, a}, {"b", tensor.F16, []int{n, n}, b}, {"out", tensor.F32, []int{2 * n, n}, nil}},
		out:  matrix(2*n, n, n, a, b), run: func(k *kit) {
			rows := k.Point()[0] * n
			k.scope(func(s []array.Item) {
				as, bs, tile, full, empty := s[0].Ref, s[1].Ref, s[2].Ref, s[3].Barriers, s[4].Barriers
				if k.ID == 2 {
					for i := range n / step {
						slot := i % slots
						if i >= slots {
							k.waitAt(empty[slot])
						}
						k.here()
						k.CopyIn(sub(k.arg("a"), sl(rows, n), sl(i*step, step)), sub(as, el(slot)), full[slot], array.CopyIn{Partition: -1})
						k.CopyIn(sub(k.arg("b"), sl(i*step, step)), sub(bs, el(slot)), full[slot], array.CopyIn{Partition: -1})
					}
					return
				}
				half := sl(k.ID*n/2, n/2)
				k.own(func(acc []array.Item) {
					for i := range n / step {
						slot := i % slots
						k.waitAt(full[slot])
						k.wgmma(acc[0].Ref, sub(as, el(slot), half), sub(bs, el(slot)))
						k.waitWGMMA(0)
						if i+slots < n/step {
							k.arriveAt(empty[slot])
						}
					}
					k.here()
					k.Store(sub(tile, half), k.LoadAccumulator(acc[0].Ref, 0))
					k.fence()
					k.copyOut(sub(k.arg("out"), sl(rows+k.ID*n/2, n/2)), sub(tile, half))
					k.waitOut(0)
				}, accumulator("acc", n/2, n))
			}, smem("as", tensor.F16, slots, n, step), smem("bs", tensor.F16, slots, step, n), smem("tile", tensor.F32, n, n), bar("full", 2, slots), bar("empty", 2, slots))
		}}
}

// specialised is a product on the tensor core: one warp copies operands into a ring of
// slots, another one issues products, whose completions free the slots, and a second thread
// takes the results out of two accumulators in turn.
func specialised(slots int) program {
	const n, step = 8, 2
	a, b := func(i int) float64 { return float64(i % 5) }, func(i int) float64 { return float64(i % 7) }
	return program{name: fmt.Sprint("specialised, slots ", slots), mesh: Mesh{Grid: []int{2}, Threads: 2, Warps: true},
		args: []param{{"a", tensor.F16, []int{4 * n, n}, a}, {"b", tensor.F16, []int{n, n}, b}, {"out", tensor.F32, []int{4 * n, n}, nil}},
		out:  matrix(4*n, n, n, a, b), run: func(k *kit) {
			const tiles, steps = 2, n / step // of each block; and of each tile
			rows := k.Point()[0] * tiles * n
			k.scope(func(s []array.Item) {
				as, bs, accs, tile := s[0].Ref, s[1].Ref, s[2].Ref, s[3].Ref
				full, empty, done, taken := s[4].Barriers, s[5].Barriers, s[6].Barriers, s[7].Barriers
				if k.ID == 0 {
					k.warps(func(w *kit) {
						for i := range tiles * steps {
							slot, x := i%slots, i%steps*step
							switch w.Warp() {
							case 0:
								if i >= slots {
									w.waitAt(empty[slot])
								}
								w.here()
								w.CopyIn(sub(w.arg("a"), sl(rows+i/steps*n, n), sl(x, step)), sub(as, el(slot)), full[slot], array.CopyIn{Partition: -1})
								w.CopyIn(sub(w.arg("b"), sl(x, step)), sub(bs, el(slot)), full[slot], array.CopyIn{Partition: -1})
							case 1:
								w.waitAt(full[slot])
								w.here()
								w.MMA5(array.MMA5{Acc: sub(accs, el(i/steps)), A: sub(as, el(slot)), B: sub(bs, el(slot)), Accumulate: i%steps > 0})
								if i+slots < tiles*steps {
									w.CommitArrive(empty[slot], false)
								}
								if i%steps == steps-1 {
									w.CommitArrive(done[i/steps], false)
								}
							}
						}
					})
					for i := range tiles {
						k.waitAt(taken[i])
					}
					return
				}
				for i := range tiles {
					k.waitAt(done[i])
					k.here()
					k.Store(tile, k.LoadTMEM(sub(accs, el(i))))
					k.WaitLoadTMEM()
					k.fence()
					k.arriveAt(taken[i])
					k.copyOut(sub(k.arg("out"), sl(rows+i*n, n)), tile)
					k.waitRead(0)
				}
			}, smem("as", tensor.F16, slots, n, step), smem("bs", tensor.F16, slots, step, n), tmem("accs", tensor.F32, tiles, n, n), smem("tile", tensor.F32, n, n),
				bar("full", 2, slots), tcbar("empty", 1, slots), tcbar("done", 1, tiles), bar("taken", 1, tiles))
		}}
}

func TestPallasSameResultHoweverItRuns(t *testing.T) {
	for _, c := range []program{pipelined(1), pipelined(2), pipelined(3), specialised(1), specialised(2), specialised(3)} {
		for _, schedule := range []string{"random", "rr"} {
			for seed := range uint64(12) {
				for _, completion := range []array.Completion{array.Eager, array.Lazy, array.Random} {
					h := how{completion: completion, seed: seed, schedule: schedule}
					c.judge(t, 0, h, c.start(t, 0, h))
				}
			}
		}
	}
}

// What is found does not depend on the number of workers, nor on the granularity.
func TestPallasSameFindings(t *testing.T) {
	c := program{name: "racy", mesh: Mesh{Grid: []int{3}, Threads: 3}, run: func(k *kit) {
		k.scope(func(s []array.Item) {
			k.put(sub(s[0].Ref, el(k.ID/2)), 1)
			k.move(sub(k.out(), el(k.ID)), sub(s[0].Ref, el(0)))
		}, i32("tile", 4))
	}}
	first := c.start(t, 0, how{seed: 3})
	if len(first.findings) < 2 {
		t.Fatal(lines(first.findings))
	}
	for i := range 6 {
		h := how{seed: 3, workers: i, granularity: []exec.Granularity{exec.ByWarp, exec.ByThread}[i%2]}
		if o := c.start(t, 0, h); o.text != first.text {
			t.Errorf("two runs differ:\n%s\n%s", first.text, o.text)
		}
	}
}

// A program may be launched again, on the same memory.
func TestPallasLaunchedTwice(t *testing.T) {
	d := newDevice(t, Options{})
	b := newBuffer(t, d, "x", 16)
	var p *array.Program
	p = Kernel(Mesh{Grid: []int{1}, Threads: 2}, func(site int) kernel.Source { return kernel.Source{} }, func(th *Thread) {
		r := p.Global(b, tensor.I32, []int{4}, false).All()
		th.At(1)
		th.AddUpdate(sub(r, el(th.ID)), tensor.Int(tensor.I32, 1))
		th.GlobalSemaphores(0, []int{1})
	})
	grid, block := p.Extent()
	for range 3 {
		if r := d.Launch(p, Spec{Kernel: "k", Grid: grid, Block: block}); !r.Complete {
			t.Fatal(r.Stopped, d.Findings())
		}
	}
	none(t, d)
	if b.Data[0] != 3 || b.Data[4] != 3 {
		t.Error(b.Data)
	}
}

// Whoever polls for what never comes uses up its budget, and does not hang.
func TestPallasPollingForever(t *testing.T) {
	for name, poll := range map[string]func(k *kit, s []array.Item){
		"barrier":   func(k *kit, s []array.Item) { k.Test(s[0].Barriers[0]) },
		"semaphore": func(k *kit, s []array.Item) { k.ReadSemaphore(s[1].Semaphores[0]) },
	} {
		d, err := New(Options{MaxInstructions: 20000})
		if err != nil {
			t.Fatal(err)
		}
		p := Kernel(Mesh{Grid: []int{1}, Threads: 2}, func(int) kernel.Source { return kernel.Source{} }, func(th *Thread) {
			k := &kit{Thread: th}
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.await(s[1], 1)
				}
				for {
					k.here()
					poll(k, s)
				}
			}, bar("gate", 1), sema("flag", 1))
		})
		grid, block := p.Extent()
		if r := d.Launch(p, Spec{Kernel: "k", Grid: grid, Block: block}); r.Complete || r.Err != nil {
			t.Error(name, r.Stopped, r.Err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
