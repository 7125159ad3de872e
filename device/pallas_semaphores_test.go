package device

import (
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

func (k *kit) signal(s array.Item, n int) { k.here(); k.Signal(s.Semaphores[0], n, -1) }
func (k *kit) await(s array.Item, n int)  { k.here(); k.WaitSemaphore(s.Semaphores[0], n, true) }
func (k *kit) signalOn(s array.Item, n int, device int) {
	k.here()
	k.Signal(s.Semaphores[0], n, device)
}

// flag is one semaphore of the whole kernel.
func (k *kit) flag(call int) array.Item { k.here(); return k.GlobalSemaphores(call, []int{1}) }

var clusters = Mesh{Grid: []int{2}, Communicates: true}

// M6: semaphores order, also between clusters.
func TestPallasSemaphores(t *testing.T) {
	checkAll(t, []program{
		{name: "between threads", mesh: two, bad: "data-race tile", out: []float64{7}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 7)
					k.signal(s[1], 1)
					return
				}
				if !k.bug() {
					k.await(s[1], 1)
				}
				k.move(sub(k.out(), el(0)), sub(s[0].Ref, el(0)))
			}, i32("tile", 4), sema("flag", 1))
		}},
		{name: "waits take off, or do not", mesh: two, bad: "deadlock...semaphore flag...1 more signal: it has 0 of 1", out: []float64{3, 2}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.signal(s[0], 3)
					return
				}
				k.here()
				k.WaitSemaphore(s[0].Semaphores[0], 2, false)
				k.put(sub(k.out(), el(0)), float64(k.ReadSemaphore(s[0].Semaphores[0])))
				k.await(s[0], 1)
				k.put(sub(k.out(), el(1)), float64(k.ReadSemaphore(s[0].Semaphores[0])))
				k.await(s[0], 2)
				if k.bug() {
					k.await(s[0], 1)
				}
			}, sema("flag", 1))
		}},
		{name: "reading a semaphore orders nothing", mesh: two, bad: "data-race tile", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 7)
					k.signal(s[1], 1)
					return
				}
				k.until(func() bool { return k.ReadSemaphore(s[1].Semaphores[0]) > 0 })
				if !k.bug() {
					k.await(s[1], 1)
				}
				k.get(s[0].Ref)
			}, i32("tile", 4), sema("flag", 1))
		}},
		{name: "M6: between clusters", mesh: clusters, bad: "data-race out...no semaphore is signalled after the one and waited for before the other", out: []float64{7, 7}, run: func(k *kit) {
			flag := k.flag(0)
			if k.Point()[0] == 0 {
				k.put(sub(k.out(), el(0)), 7)
				k.signal(flag, 1)
				return
			}
			if !k.bug() {
				k.await(flag, 1)
			}
			k.move(sub(k.out(), el(1)), sub(k.out(), el(0)))
		}},
		{name: "what follows the signal is not ordered", mesh: clusters, bad: "data-race out", out: []float64{7, 7}, run: func(k *kit) {
			flag := k.flag(0)
			if k.Point()[0] == 0 {
				k.put(sub(k.out(), el(0)), 7)
				k.signal(flag, 1)
				if k.bug() {
					k.put(sub(k.out(), el(0)), 7)
				}
				return
			}
			k.await(flag, 1)
			k.move(sub(k.out(), el(1)), sub(k.out(), el(0)))
		}},
		{name: "a wait promises the signals that it takes, though more have come", mesh: clusters, bad: "data-race out", args: zeroes, out: []float64{7, 7}, run: func(k *kit) {
			flag := k.flag(0)
			if k.Point()[0] == 0 {
				k.signal(flag, 1)
				k.put(sub(k.out(), el(0)), 7)
				k.signal(flag, 1)
				return
			}
			k.until(func() bool { return k.ReadSemaphore(flag.Semaphores[0]) >= 2 })
			k.await(flag, 1)
			if !k.bug() {
				k.await(flag, 1)
			}
			k.move(sub(k.out(), el(1)), sub(k.out(), el(0)))
		}},
		{name: "the copy has to be waited for before the signal", mesh: clusters, n: 3, want: races("data-race out", func(i int) bool { return i > 0 }), out: []float64{7, 7, 7, 7, 7}, run: func(k *kit) {
			flag := k.flag(0)
			k.scope(func(s []array.Item) {
				if k.Point()[0] == 0 {
					k.put(s[0].Ref, 7)
					k.fence()
					k.copyOut(sub(k.out(), sl(0, 4)), s[0].Ref)
					switch k.i {
					case 0:
						k.waitOut(0)
					case 1:
						k.waitRead(0)
					}
					k.signal(flag, 1)
					k.waitOut(0)
					return
				}
				k.await(flag, 1)
				k.move(sub(k.out(), el(4)), sub(k.out(), el(0)))
			}, i32("tile", 4))
		}},
		{name: "what another cluster has written is copied", mesh: clusters, bad: "data-race out", out: []float64{7, 7, 0, 0, 7, 7}, args: []param{defaults[0], {"out", tensor.I32, []int{64}, zero}}, run: func(k *kit) {
			flag := k.flag(0)
			k.scope(func(s []array.Item) {
				if k.Point()[0] == 0 {
					k.put(sub(k.out(), sl(0, 2)), 7)
					k.signal(flag, 1)
					return
				}
				if !k.bug() {
					k.await(flag, 1)
				}
				k.copyIn(s[0].Ref, sub(k.out(), sl(0, 2)), s[1])
				k.wait(s[1])
				k.move(sub(k.out(), sl(4, 2)), s[0].Ref)
			}, i32("tile", 2), bar("loaded", 1))
		}},
		{name: "a chain of clusters", mesh: Mesh{Grid: []int{4}, Communicates: true}, bad: "data-race out", out: []float64{1, 2, 3, 4}, run: func(k *kit) {
			me := k.Point()[0]
			k.here()
			flags := k.GlobalSemaphores(0, []int{4})
			if me == 0 {
				k.put(sub(k.out(), el(0)), 1)
			} else {
				if me < 3 || !k.bug() {
					k.here()
					k.WaitSemaphore(flags.Semaphores[me], 1, true)
				}
				k.put(sub(k.out(), el(me)), k.get(sub(k.out(), el(0)))+float64(me)) // what the first one wrote
			}
			if me < 3 {
				k.here()
				k.Signal(flags.Semaphores[me+1], 1, -1)
			}
		}},
		{name: "every call of get_global has semaphores of its own", mesh: clusters, bad: "deadlock...semaphore global semaphore", out: []float64{7}, run: func(k *kit) {
			mine, other := k.flag(0), k.flag(1)
			if k.Point()[0] == 0 {
				k.signal(mine, 1)
				return
			}
			if k.bug() {
				mine = other
			}
			k.await(mine, 1)
			k.put(sub(k.out(), el(0)), 7)
		}},
		{name: "semaphores of a scope belong to their cluster", mesh: clusters, bad: "deadlock...semaphore flag", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.Point()[0] == 0 || !k.bug() {
					k.signal(s[0], 1)
				}
				k.await(s[0], 1)
			}, sema("flag", 1))
		}},
		{name: "two clusters wait for each other", mesh: clusters, bad: "deadlock...k.py...global semaphore[0]...global semaphore[1]", run: func(k *kit) {
			k.here()
			flags := k.GlobalSemaphores(0, []int{2}).Semaphores
			me := k.Point()[0]
			if !k.bug() {
				k.Signal(flags[1-me], 1, -1)
			}
			k.here()
			k.WaitSemaphore(flags[me], 1, true)
			if k.bug() {
				k.Signal(flags[1-me], 1, -1)
			}
		}},
		{name: "a cluster fails while another one waits", mesh: clusters, want: func(int) string { return "wrong-result" }, run: func(k *kit) {
			flag := k.flag(0)
			if k.Point()[0] == 0 {
				k.here()
				k.Fail(kernel.WrongResult, "op", "it fails", "")
			}
			k.await(flag, 1)
		}},
		{name: "a lock between many clusters", mesh: Mesh{Grid: []int{6}, Threads: 2, Communicates: true}, bad: "data-race out", out: []float64{6}, args: []param{defaults[0], {"out", tensor.I32, []int{64}, zero}}, run: func(k *kit) {
			lock := k.flag(0)
			if k.ID != 0 {
				return
			}
			if k.Point()[0] == 0 {
				k.signal(lock, 1)
			}
			if !k.bug() {
				k.await(lock, 1)
			}
			k.here()
			k.AddUpdate(sub(k.out(), el(0)), num(k.out(), 1))
			if !k.bug() {
				k.signal(lock, 1)
			}
		}},
	})
}
