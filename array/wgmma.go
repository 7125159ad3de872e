package array

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/race/region"
	"gpusim/tensor"
)

// wgmma (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"): the operations of a
// thread execute one after another. Their operands are in use until they are waited for,
// and so is the accumulator.

// WGMMA adds a product of matrices to an accumulator. a is a Ref or a tensor.Value.
func (t *Thread) WGMMA(acc Ref, a any, b Ref) {
	o := t.issue("wgmma")
	if o != nil && len(t.wgmmas) > 0 {
		o.After(t.wgmmas[len(t.wgmmas)-1].Op)
	}
	left, registers := a.(tensor.Value)
	if !registers {
		t.record(o, a.(Ref), false, region.Async)
	}
	t.record(o, b, false, region.Async)
	t.record(o, acc, true, region.Generic)
	var va, vb tensor.Value
	x := t.start(&transfer{order: t,
		read: func() {
			if va = left; !registers {
				va = t.taken(a.(Ref))
			}
			vb = t.taken(b)
		},
		write: func() { t.accumulate(acc, true, va, vb) }})
	t.wgmmas = append(t.wgmmas, &operation{o, x, t.site})
}

// accumulate writes acc + a @ b, or a @ b, to an accumulator.
func (t *Thread) accumulate(acc Ref, add bool, a, b tensor.Value) {
	var old *tensor.Value
	if add {
		v := acc.read(false)
		old = &v
	}
	v, err := tensor.MatMul(old, a, b, acc.typ)
	if err != nil {
		t.Fail(kernel.AsyncMisuse, "mma", fmt.Sprintf("%s: %v", acc.Buffer.Name, err), "use operands that the tensor core multiplies")
	}
	acc.write(v)
}

// WaitWGMMA waits until at most n of the thread's wgmma operations are under way.
func (t *Thread) WaitWGMMA(n int) {
	for ; len(t.wgmmas) > n; t.wgmmas = t.wgmmas[1:] {
		t.settle(t.wgmmas[0], false)
	}
}

// LoadAccumulator is the content of an accumulator, after WaitWGMMA(wait); -1 does not wait.
func (t *Thread) LoadAccumulator(acc Ref, wait int) tensor.Value {
	if wait >= 0 {
		t.WaitWGMMA(wait)
	}
	return t.Load(acc)
}

// StoreAccumulator sets an accumulator.
func (t *Thread) StoreAccumulator(acc Ref, v tensor.Value) { t.Store(acc, v) }
