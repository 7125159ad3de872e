package device

import (
	"runtime"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// What internal/pallasfuzz has found.
func TestPallasFoundByFuzzing(t *testing.T) {
	bits := func(list ...byte) *tensor.Value {
		return &tensor.Value{Type: tensor.Bool, Shape: []int{len(list)}, Data: list}
	}
	checkAll(t, []program{
		{name: "a load, an atomic update, and another thread's update", mesh: Mesh{Threads: 2}, args: zeroes, bad: "data-race out no-barrier", run: func(k *kit) {
			if k.ID == 0 && k.bug() {
				k.get(k.out())
			}
			k.here()
			k.AtomicStore(k.out(), num(k.out(), 1), nil, "add")
		}, out: []float64{2, 2}},
		{name: "a group of copies to global memory is none of copies to shared memory", mesh: Mesh{Threads: 1}, bad: "data-race tile wait", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.CopyInGroup(sub(k.in(), sl(0, 4)), s[0].Ref)
				if k.bug() {
					k.CommitGroup()
					k.WaitCopiesIn(1)
				} else {
					k.WaitCopiesIn(0)
				}
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
				k.WaitCopiesIn(0)
			}, i32("tile", 4))
		}, out: []float64{0, 1, 2, 3}},
		{name: "a wait for no signals orders nothing", mesh: Mesh{Threads: 2}, args: zeroes, bad: "data-race tile no-barrier", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 1)
					k.here()
					k.Signal(s[1].Semaphores[0], 1, -1)
				} else {
					n := 1
					if k.bug() {
						n = 0
					}
					k.here()
					k.WaitSemaphore(s[1].Semaphores[0], n, false)
					k.put(s[0].Ref, 2)
				}
			}, i32("tile", 4), sema("flag", 1))
		}},
		{name: "a copy outlasts its scope, and not the next one in its place", bad: "async-misuse first wait", run: func(k *kit) {
			k.scope(func(done []array.Item) {
				k.scope(func(s []array.Item) {
					k.copyIn(s[0].Ref, sub(k.in(), sl(0, 4)), done[0])
					if !k.bug() {
						k.wait(done[0])
					}
				}, i32("first", 4))
				k.scope(func(s []array.Item) {}, i32("second", 4))
			}, bar("done", 1))
		}},
		{name: "an asynchronous addition to uninitialised memory", args: zeroes, bad: "uninitialized-read tile", out: []float64{4}, allow: "uninitialized-read", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if !k.bug() {
					k.put(s[0].Ref, 1)
				}
				k.here()
				k.AsyncStore(full(tensor.I32, 3, 4), s[0].Ref, s[1].Barriers[0], 0, "add")
				k.wait(s[1])
				k.move(sub(k.out(), sl(0, 4)), s[0].Ref)
			}, i32("tile", 4), bar("done", 1))
		}},
		{name: "a copy that adds to uninitialised memory", args: zeroes, bad: "uninitialized-read sum", out: []float64{4}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 3)
				if !k.bug() {
					k.put(s[1].Ref, 1)
				}
				k.fence()
				k.here()
				k.CopyOut(s[0].Ref, s[1].Ref, array.CopyOut{Commit: true, Reduction: "add"})
				k.waitOut(0)
				k.move(sub(k.out(), sl(0, 4)), s[1].Ref)
			}, i32("tile", 4), gmem("sum", tensor.I32, 4))
		}},
		{name: "what a masked update leaves out stays uninitialised", args: zeroes, bad: "uninitialized-read tile", allow: "uninitialized-read", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, sl(0, 2)), 1)
				k.here()
				k.AtomicStore(s[0].Ref, num(s[0].Ref, 1), bits(1, 1, 0, 0), "add")
				if k.bug() {
					k.get(sub(s[0].Ref, el(2)))
				}
			}, i32("tile", 4))
		}},
	})
}

// The place of a read of uninitialised memory is that of the product which reads it, also if
// a warp has issued it and the product takes place after the warp's end.
func TestPallasPlaceOfLateRead(t *testing.T) {
	place := 0
	c := program{name: "late read", mesh: Mesh{Warps: true}, args: f32out, run: func(k *kit) {
		k.scope(func(s []array.Item) {
			k.warps(func(w *kit) {
				if w.Warp() == 3 {
					_, _, place, _ = runtime.Caller(0)
					place += 2
					w.mma(s[2].Ref, s[0].Ref, s[1].Ref, false)
					w.fence()
				}
			})
			k.commit(s[3])
			k.wait(s[3])
		}, smem("a", tensor.F32, 4, 4), smem("b", tensor.F32, 4, 4), tmem("acc", tensor.F32, 4, 4), tcbar("done", 1))
	}}
	o := c.start(t, 0, how{completion: array.Lazy})
	n := 0
	for _, f := range o.findings {
		if f.Kind == kernel.UninitializedRead {
			if n++; f.Accesses[0].Source.Line != place {
				t.Errorf("line %d, want %d: %s", f.Accesses[0].Source.Line, place, line(f))
			}
		}
	}
	if n != 2 {
		t.Error(lines(o.findings))
	}
}
