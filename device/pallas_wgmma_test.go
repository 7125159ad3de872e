package device

import (
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

var f32out = []param{{"out", tensor.F32, []int{4, 4}, nil}}

// sixteen is a 4 by 4 matrix of one value, in row major order.
func sixteen(x float64) []float64 { return count(16, func(int) float64 { return x }) }

// hopper is a kernel of one thread with two operands in shared memory that hold ones and
// twos, and an accumulator.
func hopper(k *kit, body func(acc, a, b array.Ref, s []array.Item)) {
	k.scope(func(s []array.Item) {
		k.put(s[0].Ref, 1)
		k.put(s[1].Ref, 2)
		k.fence()
		k.own(func(acc []array.Item) { body(acc[0].Ref, s[0].Ref, s[1].Ref, s[2:]) }, accumulator("acc", 4, 4))
	}, smem("a", tensor.F16, 4, 4), smem("b", tensor.F16, 4, 4), bar("loaded", 1))
}

func (k *kit) wgmma(acc array.Ref, a any, b array.Ref) { k.here(); k.WGMMA(acc, a, b) }
func (k *kit) waitWGMMA(n int)                         { k.here(); k.WaitWGMMA(n) }

// result is the accumulator as the kernel's result, after waiting for all but n.
func (k *kit) result(acc array.Ref, n int) {
	k.here()
	k.Store(k.out(), k.LoadAccumulator(acc, n))
}

// M1: wgmma is asynchronous, and uses its operands until it is waited for.
func TestPallasWGMMA(t *testing.T) {
	list := []program{
		{name: "a product", out: sixteen(8), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				k.result(acc, 0)
			})
		}},
		{name: "M1: an operand that no commit_smem covers", bad: "data-race b proxy-fence...missing commit_smem", out: sixteen(12), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.put(b, 3)
				if !k.bug() {
					k.fence()
				}
				k.wgmma(acc, a, b)
				k.result(acc, 0)
			})
		}},
		{name: "M1: an operand is overwritten too early", n: 3, want: races("data-race a wait", func(i int) bool { return i > 0 }), out: sixteen(16), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				if k.i == 2 {
					k.wgmma(acc, a, b)
					k.waitWGMMA(1)
				} else if k.i == 0 {
					k.wgmma(acc, a, b)
					k.waitWGMMA(0)
				}
				k.put(a, 7)
				k.result(acc, 0)
			})
		}},
		{name: "M1: a copy into an operand in use", bad: "data-race b wait", allow: "warning data-race b", args: []param{{"in", tensor.F16, []int{4, 4}, iota}, f32out[0]}, out: sixteen(8), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				if !k.bug() {
					k.waitWGMMA(0)
				}
				k.copyIn(b, k.in(), s[0])
				k.wait(s[0])
				k.result(acc, 0)
			})
		}},
		{name: "M1: the accumulator is read too early", n: 3, want: races("data-race acc wait", func(i int) bool { return i > 0 }), out: sixteen(8), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				k.result(acc, []int{0, 1, -1}[k.i])
				k.waitWGMMA(0)
			})
		}},
		{name: "the accumulator is set while a product is under way", bad: "data-race acc wait", out: sixteen(3), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, a, b)
				if !k.bug() {
					k.waitWGMMA(0)
				}
				k.here()
				k.StoreAccumulator(acc, full(tensor.F32, 3, 4, 4))
				k.waitWGMMA(0)
				k.result(acc, 0)
			})
		}},
		{name: "products on one accumulator follow each other", out: sixteen(24), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				for range 3 {
					k.wgmma(acc, a, b)
				}
				k.result(acc, 0)
			})
		}},
		{name: "waiting for all but one leaves the last one's operands in use", n: 2, want: races("data-race b2 wait", func(i int) bool { return i == 1 }), out: sixteen(16), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.scope(func(other []array.Item) {
					k.put(other[0].Ref, 2)
					k.fence()
					k.wgmma(acc, a, b)
					k.wgmma(acc, other[0].Ref, other[0].Ref)
					k.waitWGMMA(1)
					k.put(a, 9)
					if k.bug() {
						k.put(other[0].Ref, 9)
					}
					k.waitWGMMA(0)
				}, smem("b2", tensor.F16, 4, 4))
				k.put(a, 1)
				k.fence()
				k.here()
				k.StoreAccumulator(acc, full(tensor.F32, 8, 4, 4))
				k.wgmma(acc, a, b)
				k.result(acc, 0)
			})
		}},
		{name: "an operand in registers", out: sixteen(24), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, full(tensor.F16, 3, 4, 4), b)
				k.result(acc, 0)
			})
		}},
		{name: "a transposed operand", args: []param{{"out", tensor.F32, []int{4, 4}, nil}}, out: matrix(4, 4, 4, func(int) float64 { return 1 }, func(i int) float64 { return float64(i%4*4 + i/4) }), run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.set(b, filled(tensor.F16, iota, 4, 4))
				k.fence()
				k.wgmma(acc, a, b.Transpose([]int{1, 0}))
				k.result(acc, 0)
			})
		}},
		{name: "accumulators that do not fit", want: func(int) string { return "async-misuse...acc" }, run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.wgmma(acc, sub(a, sl(0, 4), sl(0, 2)), b)
				k.result(acc, 0)
			})
		}},
		{name: "the scope of an operand ends while it is in use, and nobody waits for that", n: 3, want: inFlight("b2"), allow: "async-misuse", run: func(k *kit) {
			hopper(k, func(acc, a, b array.Ref, s []array.Item) {
				k.scope(func(other []array.Item) {
					k.put(other[0].Ref, 3)
					k.fence()
					k.wgmma(acc, a, other[0].Ref)
					if k.i == 0 {
						k.waitWGMMA(0)
					}
				}, smem("b2", tensor.F16, 4, 4))
				if !k.bug() {
					k.result(acc, 0)
				}
			})
		}, values: func(int) []float64 { return sixteen(12) }},
	}
	for i := range list {
		if list[i].args == nil {
			list[i].args = f32out
		}
	}
	checkAll(t, list)
}
