package array

import "gpusim/tensor"

// AtomicStore combines a value with the content of a view, each element atomically: "add",
// "max" and so on. With a mask, those elements only for which it holds. Atomic operations
// do not race with each other, but they order nothing.
func (t *Thread) AtomicStore(r Ref, v tensor.Value, mask *tensor.Value, op string) {
	t.everywhere(r, func(r Ref) {
		runs := r.runs()
		if mask != nil {
			runs = r.masked(*mask)
		}
		t.permitted(&r, runs, "atomic", true, false)
		t.initialised(r, runs)
		if t.program().races {
			t.clock.Atomic(r.Buffer.shadow, r.Buffer.placed(runs), r.Buffer.object, t.site)
		}
		t.traffic(r, runs)
		old := r.read(true)
		sum := t.combine(op, old, t.spread(v, old.Shape))
		if mask != nil {
			r.writeMasked(sum, *mask)
		} else {
			r.write(sum)
		}
	})
}

// MultimemStore stores to the same buffer of all devices.
func (t *Thread) MultimemStore(r Ref, v tensor.Value) { t.Store(t.Multicast(r), v) }

// MultimemLoadReduce combines the contents of the same buffer of all devices.
func (t *Thread) MultimemLoadReduce(r Ref, op string) tensor.Value {
	var out tensor.Value
	for d := range t.program().devices() {
		v := t.Load(t.OnDevice(r, d))
		if d == 0 {
			out = v
		} else {
			out = t.combine(op, out, v)
		}
	}
	return out
}
