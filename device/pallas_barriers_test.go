package device

import (
	"fmt"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

func TestPallasBarriers(t *testing.T) {
	list := []program{
		{name: "a producer and a consumer", mesh: Mesh{Threads: 2}, bad: "data-race tile no-barrier", out: []float64{42}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 42)
					k.arrive(s[1])
					return
				}
				if !k.bug() {
					k.wait(s[1])
				}
				k.move(sub(k.out(), el(0)), sub(s[0].Ref, el(0)))
			}, i32("tile", 4), bar("gate", 1))
		}},
		{name: "a barrier that nobody waits for may have completed a phase", out: []float64{1}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				k.put(sub(k.out(), el(0)), 1)
			}, bar("gate", 1))
		}},
		{name: "two barriers and three threads", mesh: Mesh{Threads: 3}, bad: "data-race tile", out: []float64{1, 2}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				tile, first, second := s[0].Ref, s[1], s[2]
				switch k.ID {
				case 0:
					k.put(sub(tile, el(0)), 1)
					k.arrive(first)
				case 1:
					k.put(sub(tile, el(1)), 2)
					k.arrive(second)
				case 2:
					k.wait(first)
					if !k.bug() {
						k.wait(second)
					}
					k.move(sub(k.out(), sl(0, 2)), sub(tile, sl(0, 2)))
				}
			}, i32("tile", 4), bar("first", 1), bar("second", 1))
		}},
		{name: "completing a phase twice in one thread", bad: "barrier-misuse...Barrier completed phase 1, but no threads observed phase 0.", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				if k.bug() {
					k.arrive(s[0])
				}
			}, bar("gate", 1))
		}},
		{name: "completing a phase twice in two threads", mesh: Mesh{Threads: 2}, bad: "barrier-misuse...Barrier completed phase 1, but no threads observed phase 0.", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 || k.bug() {
					k.arrive(s[0])
				}
			}, bar("gate", 1))
		}},
		{name: "F5: a completion that nobody has seen at the end of the kernel", bad: "warning barrier-misuse gate...had only observed barrier up to phase 0, but barrier completed up to phase 1.", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				k.wait(s[0])
				k.arrive(s[0])
				if !k.bug() {
					k.wait(s[0])
				}
			}, bar("gate", 1))
		}},
		{name: "a completion that nobody has seen when another barrier is allocated", bad: "barrier-misuse...allocated a barrier after deallocating barrier",
			allow: "warning barrier-misuse gate", run: func(k *kit) {
				for _, name := range []string{"gate", "next"} {
					k.scope(func(s []array.Item) {
						k.arrive(s[0])
						k.wait(s[0])
						if k.bug() {
							k.arrive(s[0])
						}
					}, bar(name, 1))
				}
			}},
		{name: "arrivals that complete nothing", bad: "barrier-misuse...Barrier deallocated with 1 arrivals pending.", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				if !k.bug() {
					k.arrive(s[0])
					k.wait(s[0])
				}
			}, bar("gate", 2))
		}},
		{name: "waiting for the first time after two phases", mesh: Mesh{Threads: 2}, bad: "barrier-misuse...is waiting at barrier...for the first time, but barrier is already at phase 2", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				gate, done, other := s[0], s[1], s[2]
				if k.ID == 0 {
					for range 2 {
						k.arrive(gate)
						k.wait(gate)
						if !k.bug() {
							k.wait(other)
						}
					}
					k.arrive(done)
					return
				}
				if !k.bug() {
					k.wait(gate)
					k.arrive(other)
					k.wait(gate)
					k.arrive(other)
				}
				k.wait(done)
				if k.bug() {
					k.wait(gate)
				}
			}, bar("gate", 1), bar("done", 1), bar("other", 1))
		}},
		{name: "missing a phase", mesh: Mesh{Threads: 2}, bad: "barrier-misuse...only observed barrier up to phase 1, but barrier completed up to phase 3, meaning thread Warpgroup(device_id=0, cluster_id=0, block_id=0, warpgroup_id=1) missed observing phase 2.",
			allow: "warning barrier-misuse", run: func(k *kit) {
				k.scope(func(s []array.Item) {
					gate, other := s[0], s[1]
					for i := range 4 {
						switch {
						case k.ID == 0:
							k.arrive(gate)
							k.wait(gate)
							if i == 0 || !k.bug() {
								k.wait(other)
							}
						case i == 0 || !k.bug():
							k.wait(gate)
							k.arrive(other)
						}
					}
				}, bar("gate", 1), bar("other", 1))
			}},
		{name: "M3: a phase hands on what its own arrivals covered only", mesh: Mesh{Threads: 3}, bad: "data-race tile no-barrier", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				tile, gate := s[0].Ref, s[1]
				switch k.ID {
				case 0:
					if !k.bug() {
						k.put(tile, 1)
					}
					k.arrive(gate)
					k.wait(gate)
					if k.bug() {
						k.put(tile, 1)
					}
					k.arrive(gate)
					k.wait(gate)
				case 1:
					k.arrive(gate)
					k.wait(gate)
					k.wait(s[2])
					k.arrive(gate)
					k.wait(gate)
				case 2:
					k.wait(gate)
					k.get(tile)
					k.arrive(s[2])
					k.wait(gate)
				}
			}, i32("tile", 4), bar("gate", 2), bar("read", 1))
		}},
		{name: "a test that fails orders nothing", mesh: Mesh{Threads: 2}, bad: "data-race tile", out: []float64{7}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				gate, tested := s[1], s[2]
				if k.ID == 0 {
					k.put(s[0].Ref, 7)
					if k.bug() {
						k.wait(tested)
					}
					k.arrive(gate)
					return
				}
				for k.here(); !k.Test(gate.Barriers[0]); {
					if k.bug() {
						k.get(s[0].Ref)
						k.arrive(tested)
						k.wait(gate)
						break
					}
				}
				k.move(sub(k.out(), el(0)), sub(s[0].Ref, el(0)))
			}, i32("tile", 4), bar("gate", 1), bar("tested", 1))
		}},
	}
	checkAll(t, list)
}

// A barrier of an array is one of its own.
func TestPallasBarrierArrays(t *testing.T) {
	var list []program
	for _, shape := range [][]int{{2}, {2, 3}, {2, 1, 3}} {
		n := tensor.Count(shape)
		list = append(list, program{name: fmt.Sprint("shape ", shape), mesh: Mesh{Threads: 2}, bad: "data-race tile", out: count(n, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				for i := range n {
					if k.ID == 0 {
						k.put(sub(s[0].Ref, el(i)), float64(i))
						k.arriveAt(s[1].Barriers[i])
						continue
					}
					if i < n-1 || !k.bug() {
						k.waitAt(s[1].Barriers[i])
					}
					k.move(sub(k.out(), el(i)), sub(s[0].Ref, el(i)))
				}
			}, i32("tile", n), bar("gate", 1, shape...))
		}})
	}
	for n := 2; n <= 16; n += 3 {
		list = append(list, program{name: fmt.Sprint("one barrier, arrivals ", n), mesh: Mesh{Threads: n}, bad: "data-race tile", out: count(n, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, el(k.ID)), float64(k.ID))
				k.arrive(s[1])
				if k.ID == 0 {
					if !k.bug() {
						k.wait(s[1])
					}
					k.move(sub(k.out(), sl(0, n)), sub(s[0].Ref, sl(0, n)))
				}
			}, i32("tile", n), bar("gate", n))
		}}, program{name: fmt.Sprint("barriers ", n), mesh: Mesh{Threads: n}, bad: "data-race tile", out: count(n, iota), run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, el(k.ID)), float64(k.ID))
				k.arriveAt(s[1].Barriers[k.ID])
				if k.ID == 0 {
					for i := range n {
						if i != 1 || !k.bug() {
							k.waitAt(s[1].Barriers[i])
						}
					}
					k.move(sub(k.out(), sl(0, n)), sub(s[0].Ref, sl(0, n)))
				}
			}, i32("tile", n), bar("gate", 1, n))
		}})
	}
	for _, arrive := range []int{1, 3, 7} {
		for _, observe := range []int{1, 4, 7} {
			list = append(list, program{name: fmt.Sprint("arrivers and observers ", arrive, observe), mesh: Mesh{Threads: 16}, run: func(k *kit) {
				k.scope(func(s []array.Item) {
					for range 3 {
						if k.ID < arrive {
							k.arrive(s[0])
						}
						if k.ID >= 16-observe || k.ID < arrive {
							k.wait(s[0])
						}
						if k.ID >= 16-observe || k.ID < arrive { // all have seen the phase
							k.arrive(s[1])
							k.wait(s[1])
						}
					}
				}, bar("gate", arrive), bar("seen", arrive+observe))
			}})
		}
	}
	checkAll(t, list)
}

// A queue of slots between producers and a consumer, in several rounds.
func TestPallasBuffering(t *testing.T) {
	var list []program
	for _, slots := range []int{1, 2, 3} {
		for _, rounds := range []int{2, 7} {
			list = append(list, program{name: fmt.Sprint("slots ", slots, rounds), mesh: Mesh{Threads: 2}, n: 3, out: count(rounds, iota),
				want: func(i int) string {
					if i == 0 {
						return ""
					}
					return "data-race queue"
				},
				allow: "warning barrier-misuse", run: func(k *kit) {
					k.scope(func(s []array.Item) {
						queue, produced, consumed := s[0].Ref, s[1].Barriers, s[2].Barriers
						for i := range rounds {
							slot := sub(queue, el(i%slots))
							if k.ID == 0 {
								if i >= slots {
									k.waitAt(consumed[i%slots])
								}
								k.put(slot, float64(i))
								if k.i == 2 { // one write too late
									k.arriveAt(produced[i%slots])
									k.put(slot, float64(i))
									continue
								}
								k.arriveAt(produced[i%slots])
								continue
							}
							if k.i == 1 && i == rounds-1 { // one read too early
								k.get(slot)
							}
							k.waitAt(produced[i%slots])
							k.move(sub(k.out(), el(i)), slot)
							if i+slots < rounds {
								k.arriveAt(consumed[i%slots])
							}
						}
					}, i32("queue", slots), bar("produced", 1, slots), bar("consumed", 1, slots))
				}})
		}
	}
	checkAll(t, list)
}

// Nothing hangs: a deadlock names who waits, for what, and who could help.
func TestPallasDeadlocks(t *testing.T) {
	checkAll(t, []program{
		{name: "two threads wait for each other", mesh: Mesh{Threads: 2}, want: func(int) string {
			return "deadlock...phase 0 of barrier first...phase 0 of barrier second...nobody has arrived so far"
		}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.wait(s[k.ID])
				k.arrive(s[1-k.ID])
			}, bar("first", 1), bar("second", 1))
		}},
		{name: "a barrier and a semaphore", mesh: Mesh{Threads: 2}, want: func(int) string {
			return "deadlock...phase 0 of barrier gate...semaphore flag"
		}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.wait(s[0])
					k.Signal(s[1].Semaphores[0], 1, -1)
					return
				}
				k.here()
				k.WaitSemaphore(s[1].Semaphores[0], 1, true)
				k.arrive(s[0])
			}, bar("gate", 1), sema("flag", 1))
		}},
		{name: "too few arrivals", mesh: Mesh{Threads: 3}, bad: "deadlock...1 more of its 3 arrivals (so far those of threads 0, 1)", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID < 2 || !k.bug() {
					k.arrive(s[0])
				}
				k.wait(s[0])
			}, bar("gate", 3))
		}},
		{name: "one thread never enters the scope", mesh: Mesh{Threads: 2}, want: func(int) string { return "allocation-misuse" }, run: func(k *kit) {
			if k.ID == 0 {
				k.scope(func([]array.Item) {}, i32("tile", 4))
			}
		}},
		{name: "one thread waits at the entry of a scope, the other at a barrier", mesh: Mesh{Threads: 2}, want: func(int) string {
			return "deadlock...phase 0 of barrier gate...the entry of the scope of tile"
		}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.wait(s[0])
				}
				k.scope(func([]array.Item) {}, i32("tile", 4))
			}, bar("gate", 1))
		}},
		{name: "a thread fails while another one waits", mesh: Mesh{Threads: 2}, want: func(int) string { return "out-of-bounds in" }, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.here()
					k.Index(k.in(), "read", "reading", el(99))
					k.arrive(s[0])
				}
				k.wait(s[0])
			}, bar("gate", 1))
		}},
		{name: "a thread fails while the warps of another one wait", mesh: Mesh{Threads: 2, Warps: true}, want: func(int) string { return "wrong-result" }, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.here()
					k.Fail(kernel.WrongResult, "op", "it fails", "")
				}
				k.warps(func(w *kit) { w.wait(s[0]) })
			}, bar("gate", 1))
		}},
		{name: "a warp fails while its thread waits for it", mesh: Mesh{Warps: true}, want: func(int) string { return "wrong-result" }, run: func(k *kit) {
			k.warps(func(w *kit) {
				if w.Warp() == 2 {
					w.here()
					w.Fail(kernel.WrongResult, "op", "it fails", "")
				}
			})
		}},
		{name: "a copy that never comes", mesh: Mesh{}, want: func(int) string { return "deadlock...phase 1 of barrier gate" }, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), s[1])
				k.wait(s[1])
				k.wait(s[1])
			}, i32("tile", 4), bar("gate", 1))
		}},
	})
}
