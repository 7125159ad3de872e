package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// naive is the product by its definition, in float64.
func naive(acc *Value, a, b Value) []float64 {
	m, k, n := a.Shape[0], a.Shape[1], b.Shape[1]
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				c[i*n+j] += a.Float(i*k+l) * b.Float(l*n+j)
			}
			if acc != nil {
				c[i*n+j] += acc.Float(i*n + j)
			}
		}
	}
	return c
}

// wholes are random whole numbers, whose products every type sums without an error.
func wholes(r *rand.Rand, d DType, m, n int) Value {
	v := Make(I32, []int{m, n})
	for i, s := 0, As[int32](v); i < len(s); i++ {
		s[i] = int32(r.IntN(7)) - 3
		if !d.Signed() {
			s[i] = max(s[i], 0)
		}
	}
	return convertTo(v, d)
}

func TestMatMulAddsTheProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		a, b, out DType
	}{
		{BF16, BF16, F32}, {F16, F16, F32}, {F16, F16, F16}, {F32, F32, F32}, {F64, F64, F64}, {F8E4M3FN, F8E5M2, F32}, {I8, I8, I32}, {U8, I8, I32}, {F4E2M1FN, F4E2M1FN, F32},
		{I64, I64, I64}, {BF16, F32, F32}, {F8E5M2, F8E5M2, F16}, {I4, I4, I32}, {I16, I16, I16},
	} {
		for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {16, 8, 16}, {65, 66, 129}, {4, 1, 4}, {1, 70, 1}} {
			a, b := wholes(r, c.a, s[0], s[1]), wholes(r, c.b, s[1], s[2])
			acc := wholes(r, c.out, s[0], s[2])
			for _, plus := range []*Value{nil, &acc} {
				v, err := MatMul(plus, a, b, c.out)
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range naive(plus, a, b) {
					if v.Float(i) != want {
						t.Fatalf("%s times %s in %s, %v: element %d is %v, want %v", c.a, c.b, c.out, s, i, v.Float(i), want)
					}
				}
			}
		}
	}
}

// gonum leaves out the products with zero.
func TestNaNGoesThroughMatMul(t *testing.T) {
	for _, d := range []DType{BF16, F32, F64} {
		out := F32
		if d == F64 {
			out = F64
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			a := floats(d, 0, 1, 1, 0).WithShape([]int{2, 2})
			b := floats(d, bad, 1, 2, 3).WithShape([]int{2, 2})
			v, err := MatMul(nil, a, b, out)
			if err != nil {
				t.Fatal(err)
			}
			if x := v.Float(0); x == x {
				t.Errorf("%s: zero times %v plus two is %v", d, bad, x)
			}
			v, err = MatMul(nil, b, a, out)
			if x := v.Float(0); err != nil || x == x {
				t.Errorf("%s: %v times zero plus one is %v, %v", d, bad, x, err)
			}
		}
	}
}
