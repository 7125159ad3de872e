package tensor

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// MatMul is the product of two matrices as the matrix instructions compute it: operands are
// converted to the type of the result, the product is computed in it (that of types narrower
// than float32 in float32) and added to acc, if there is one.
func MatMul(acc *Value, a, b Value, out DType) (Value, error) {
	for _, v := range []Value{a, b} {
		if err := checkType(v.Type, v.Shape); err != nil {
			return Value{}, fmt.Errorf("matmul: %w", err)
		}
		if len(v.Shape) != 2 || len(v.Data) != Count(v.Shape)*v.Type.Size() {
			return Value{}, fmt.Errorf("matmul: %s with %d bytes is no matrix", describe(v.Type, v.Shape), len(v.Data))
		}
	}
	m, k := a.Shape[0], a.Shape[1]
	n := b.Shape[1]
	if b.Shape[0] != k || !out.valid() || out == Bool {
		return Value{}, fmt.Errorf("matmul: %s times %s in %s", describe(a.Type, a.Shape), describe(b.Type, b.Shape), out)
	}
	shape := []int{m, n}
	if err := checkType(out, shape); err != nil {
		return Value{}, fmt.Errorf("matmul: %w", err)
	}
	v := Make(out, shape)
	if out != F32 || a.Type == F64 || b.Type == F64 { // multiply converts others to float32
		a, b = convertTo(a, out), convertTo(b, out)
	}
	multiply(v, a, b, 1, m, n, k)
	if acc == nil {
		return v, nil
	}
	if acc.Type != out || !sameShape(acc.Shape, shape) || len(acc.Data) != len(v.Data) {
		return Value{}, fmt.Errorf("matmul: the accumulator is %s, the product %s", describe(acc.Type, acc.Shape), describe(out, shape))
	}
	applyBinary(opAdd, out, v.Data, acc.Data, v.Data)
	return v, nil
}

// multiply computes a batch of products of m by k and k by n matrices into v, which is zero.
// Floating-point products are computed in float64 if v or an operand is that, else in
// float32; integers in v's type.
func multiply(v, a, b Value, batch, m, n, k int) {
	if m*n*k*batch == 0 {
		return
	}
	switch {
	case v.Type == F64 || a.Type == F64 || b.Type == F64:
		w := v
		if v.Type != F64 {
			w = Make(F64, v.Shape)
		}
		x, y, z := As[float64](convertTo(a, F64)), As[float64](convertTo(b, F64)), As[float64](w)
		for i := range batch {
			gemm64(m, n, k, x[i*m*k:(i+1)*m*k], y[i*k*n:(i+1)*k*n], z[i*m*n:(i+1)*m*n])
		}
		if v.Type != F64 {
			convertBytes(v.Type, F64, v.Data, w.Data)
		}
	case v.Type.Float() || a.Type.Float() || b.Type.Float():
		w := v
		if v.Type != F32 {
			w = Make(F32, v.Shape)
		}
		left, right := borrow(a), borrow(b)
		x, y, z := left.data, right.data, As[float32](w)
		for i := range batch {
			gemm32(m, n, k, x[i*m*k:(i+1)*m*k], y[i*k*n:(i+1)*k*n], z[i*m*n:(i+1)*m*n])
		}
		left.release()
		right.release()
		if v.Type != F32 {
			convertBytes(v.Type, F32, v.Data, w.Data)
		}
	case v.Type.Size() <= 4:
		w := v
		if v.Type.Size() != 4 {
			w = Make(U32, v.Shape)
		}
		integerProduct(As[uint32](w), As[uint32](convertTo(a, U32)), As[uint32](convertTo(b, U32)), batch, m, n, k)
		if v.Type.Size() != 4 {
			convertBytes(v.Type, U32, v.Data, w.Data)
		}
	default:
		integerProduct(As[uint64](v), As[uint64](convertTo(a, U64)), As[uint64](convertTo(b, U64)), batch, m, n, k)
	}
}

// borrowed are the elements of an array as float32, in memory that is used again.
type borrowed struct {
	data []float32
	pool *[]float32
}

var buffers = sync.Pool{New: func() any { return new([]float32) }}

func borrow(v Value) borrowed {
	if v.Type == F32 {
		return borrowed{data: As[float32](v)}
	}
	p := buffers.Get().(*[]float32)
	n := v.Len()
	*p = slices.Grow((*p)[:0], n)[:n]
	convertBytes(F32, v.Type, raw(*p), v.Data)
	return borrowed{*p, p}
}

func (b borrowed) release() {
	if b.pool != nil {
		buffers.Put(b.pool)
	}
}

// gemm32 multiplies by tiles in assembly, else by gonum's routine, unless an operand has a
// number that is not finite: that leaves out the products with zero, which may be NaN.
func gemm32(m, n, k int, a, b, c []float32) {
	switch {
	case k == 1:
		outer(c, a, b)
	case gemmTiles(m, n, k, a, b, c):
	case finite32(b):
		gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a, k, b, n, 0, c, n)
		return
	default:
		product(c, a, b, m, n, k)
	}
}

func gemm64(m, n, k int, a, b, c []float64) {
	if k == 1 {
		outer(c, a, b)
		return
	}
	for _, x := range b {
		if x-x != 0 {
			product(c, a, b, m, n, k)
			return
		}
	}
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a, k, b, n, 0, c, n)
}

// outer is the product of a column and a row, which keeps the sign of zeros.
func outer[T float](c, a, b []T) {
	for i, x := range a {
		row := c[i*len(b) : (i+1)*len(b)]
		for j, y := range b {
			row[j] = x * y
		}
	}
}

func finite32(s []float32) bool {
	for _, x := range s {
		if math.Float32bits(x)&0x7F800000 == 0x7F800000 {
			return false
		}
	}
	return true
}

func integerProduct[T uint32 | uint64](c, a, b []T, batch, m, n, k int) {
	for i := range batch {
		product(c[i*m*n:(i+1)*m*n], a[i*m*k:(i+1)*m*k], b[i*k*n:(i+1)*k*n], m, n, k)
	}
}

// product adds the product of a and b to c, four rows of b at a time.
func product[T uint32 | uint64 | float32 | float64](c, a, b []T, m, n, k int) {
	for i := range m {
		row := c[i*n : (i+1)*n]
		l := 0
		for ; l+4 <= k; l += 4 {
			x := a[i*k+l : i*k+l+4 : i*k+l+4]
			x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
			b0, b1, b2, b3 := b[l*n:(l+1)*n], b[(l+1)*n:(l+2)*n], b[(l+2)*n:(l+3)*n], b[(l+3)*n:(l+4)*n]
			b0, b1, b2, b3 = b0[:len(row)], b1[:len(row)], b2[:len(row)], b3[:len(row)]
			for j := range row {
				row[j] = row[j] + x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
			}
		}
		for ; l < k; l++ {
			x := a[i*k+l]
			for j, y := range b[l*n : (l+1)*n] {
				row[j] += x * y
			}
		}
	}
}
