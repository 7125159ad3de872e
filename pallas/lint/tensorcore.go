package lint

import (
	"fmt"
	"slices"

	"gpusim/pallas"
	"gpusim/tensor"
)

// bytesText is a number of bits in words.
func bytesText(bits int) string {
	if bits%8 != 0 {
		return fmt.Sprintf("%d bits", bits)
	}
	return fmt.Sprintf("%d bytes", bits/8)
}

// tile is the least that an operand of a product must consist of: 8 rows of the smallest
// swizzle, in bytes.
const (
	tileRows        = 8
	smallestSwizzle = 32
)

// swizzles are those that the compiler chooses from, the largest that fits first.
var swizzles = []int{128, 64, 32}

// matrix checks how an operand of a product lies in shared memory. It returns its swizzle,
// which is 0 if it is not known.
func (l *linter) matrix(what string, v *view) int {
	if v.class != reference || v.space != "smem" || len(v.dims) < 2 || v.bits() == 0 {
		return 0
	}
	rows, columns := v.shape[len(v.shape)-2], v.shape[len(v.shape)-1] // as they lie
	if v.swapped {
		rows, columns = columns, rows
	}
	if v.explicit() {
		n := len(v.Tiling)
		switch {
		case n < 2 || v.Swizzle < smallestSwizzle || n > 2:
			l.report("give it TilingTransform((8, n)) and SwizzleTransform(s), n elements having s bytes", "the %s has tiles %v and a swizzle of %d bytes: a product needs both", what, v.Tiling, v.Swizzle)
			return 0
		case v.Tiling[0] != tileRows || v.Tiling[1]*v.bits() != 8*v.Swizzle:
			l.report(fmt.Sprintf("use tiles of shape (8, %d)", 8*v.Swizzle/v.bits()), "the %s has tiles of shape %v: a product needs (8, %d), with a swizzle of %d bytes", what, v.Tiling, 8*v.Swizzle/v.bits(), v.Swizzle)
			return 0
		}
		return v.Swizzle
	}
	if l.lane {
		l.report("give it TilingTransform and SwizzleTransform", "the %s has no tiles: with the semantics of lanes a product needs them", what)
		return 0
	}
	if v.shaped || v.cast {
		return 0
	}
	if rows%tileRows != 0 || columns*v.bits()%(8*smallestSwizzle) != 0 {
		l.report("use a larger tile", "the %s lies as %d rows of %s: a product needs a multiple of %d rows and of %d bytes", what, rows, bytesText(columns*v.bits()), tileRows, smallestSwizzle)
		return 0
	}
	for _, s := range swizzles {
		if columns*v.bits()%(8*s) == 0 {
			return s
		}
	}
	return 0
}

// products are the types of sums for types of factors.
var products = map[tensor.DType][]tensor.DType{
	tensor.F32: {tensor.F32}, tensor.BF16: {tensor.F32}, tensor.F16: {tensor.F32, tensor.F16},
	tensor.F8E4M3FN: {tensor.F32, tensor.F16}, tensor.F8E5M2: {tensor.F32, tensor.F16},
	tensor.I8: {tensor.I32}, tensor.U8: {tensor.I32},
}

// factors checks the types of a product.
func (l *linter) factors(acc, a, b *view) bool {
	small := func(d tensor.DType) bool { return d == tensor.F8E4M3FN || d == tensor.F8E5M2 }
	sums, ok := products[b.dtype]
	switch {
	case !ok:
		l.report("convert them", "the tensor core does not multiply elements of %s", b.dtype)
	case a.dtype != b.dtype && !(small(a.dtype) && small(b.dtype)):
		l.report("convert one of them", "a product of elements of %s and %s", a.dtype, b.dtype)
	case !slices.Contains(sums, acc.dtype):
		l.report(fmt.Sprintf("use %v", sums[0]), "products of %s are added to an accumulator of %s: %v is possible", b.dtype, acc.dtype, sums)
	default:
		return true
	}
	return false
}

func (l *linter) wgmma(s *scope, e *pallas.Eqn, in []value) {
	acc, a, b := s.view(e.In[0]), s.view(e.In[1]), s.view(e.In[2])
	if acc.class != accumulator || b.class != reference || len(b.shape) != 2 || len(a.shape) != 2 {
		return
	}
	if !l.factors(&acc, &a, &b) {
		return
	}
	m, k, n := a.shape[0], a.shape[1], b.shape[1]
	if m%64 != 0 {
		l.report("use a multiple of 64", "wgmma with %d rows: a multiple of 64 is possible", m)
	}
	if n%8 != 0 || n > 256 {
		l.report("use a multiple of 8 up to 256", "wgmma with %d columns: a multiple of 8 up to 256 is possible", n)
	}
	if wide := b.bits() != 16; wide && (!b.swapped || a.swapped) {
		l.report("let both lie along the contracted dimension: only the right one is a transposed reference",
			"wgmma of %s with an operand that does not lie along the contracted dimension: only elements of 16 bits can", b.dtype)
		return
	}
	left, right := 0, l.matrix("right operand", &b)
	if a.class == array {
		if a.dtype == tensor.F32 || a.dtype == tensor.U8 {
			l.report("pass it in shared memory", "wgmma with a left operand of %s in registers", a.dtype)
		}
	} else {
		left = l.matrix("left operand", &a)
	}
	if left > 0 && right > 0 && a.explicit() && b.explicit() && left != right {
		l.report("use the same swizzle", "the operands of wgmma have swizzles of %d and %d bytes: they must be equal", left, right)
	}
	least := smallestSwizzle
	if a.explicit() {
		least = max(left, least)
	}
	if b.explicit() {
		least = max(right, least)
	}
	if k*b.bits()%(8*least) != 0 {
		l.report(fmt.Sprintf("use a multiple of %d", 8*least/b.bits()), "wgmma contracts %d elements: a multiple of %d is possible", k, 8*least/b.bits())
	}
}

func (l *linter) tcgen05(s *scope, e *pallas.Eqn, in []value) {
	if len(e.In) < 8 {
		return
	}
	acc, a, b := s.view(e.In[0]), s.view(e.In[1]), s.view(e.In[2])
	scaled, sparse := e.In[5] != nil, e.In[7] != nil
	p := params[copyParams](e)
	collective := len(p.Cluster) > 0
	if collective {
		l.pair(p.Cluster)
	}
	l.rows(s, &pallas.Eqn{In: e.In[:1]}, nil)
	if acc.class != reference || a.class != reference || b.class != reference || len(acc.shape) != 2 || len(a.shape) != 2 || len(b.shape) != 2 {
		return
	}
	if !scaled && !l.factors(&acc, &a, &b) {
		return
	}
	m, k, n := acc.shape[0], b.shape[0], b.shape[1]
	switch {
	case b.dtype == tensor.F32:
		l.report("use bfloat16 or float16", "tcgen05_mma of float32")
		return
	case m != tensorRows && m != tensorRows/2:
		l.report("use 64 or 128", "tcgen05_mma with %d rows: 64 and 128 are possible", m)
	case a.space == "tmem" && m != tensorRows:
		l.report("use 128 rows, or pass it in shared memory", "tcgen05_mma with a left operand of %d rows in tensor memory: 128 are possible", m)
	case a.space == "tmem" && a.bits() < 32 && !a.packed:
		l.report("allocate it with packed=True", "tcgen05_mma with a left operand of %s in tensor memory that is not packed", a.dtype)
	case m == tensorRows/2 && (sparse || scaled && !collective):
		l.report("use 128 rows", "tcgen05_mma with 64 rows, and with scales or sparse")
	}
	l.columns(n, m, acc.dtype, collective, sparse)
	left := 0
	if a.space == "smem" {
		left = l.matrix("left operand", &a)
	}
	right := l.matrix("right operand", &b)
	if right == 0 || a.space == "smem" && left == 0 {
		return
	}
	if sparse {
		left *= 2
	}
	least := 8 * max(left, right) / b.bits()
	smallest := smallestSwizzle
	if b.explicit() {
		smallest = right
	}
	if m == tensorRows/2 && !collective && 8*smallest/b.bits() > n/2 {
		l.report("use more columns or a smaller swizzle", "tcgen05_mma with 64 rows and %d columns: a swizzle of %d bytes needs %d", n, smallest, 16*smallest/b.bits())
	}
	if sparse {
		least = max(least, 64)
	}
	if k%least != 0 {
		l.report(fmt.Sprintf("use a multiple of %d, or a smaller swizzle", least), "tcgen05_mma contracts %d elements: with this swizzle a multiple of %d is possible", k, least)
	}
}

// columns checks the number of columns of the right operand of one block.
func (l *linter) columns(n, m int, sum tensor.DType, collective, sparse bool) {
	unit, most, groups := 8, 512, 1
	if collective {
		unit, most = 16, 128
	}
	if sum == tensor.I32 {
		unit *= 2
	}
	if m == tensorRows/2 && !collective {
		groups = 2
	}
	switch {
	case n/groups%unit != 0 || n%groups != 0:
		l.report(fmt.Sprintf("use a multiple of %d", unit*groups), "tcgen05_mma with %d columns in a block: a multiple of %d is possible", n, unit*groups)
	case sparse && n%16 != 0:
		l.report("use a multiple of 16", "sparse tcgen05_mma with %d columns in a block: a multiple of 16 is possible", n)
	case n > most || n > 256 && n != 512:
		l.report("use at most 256 or, in a collective product, 128", "tcgen05_mma with %d columns in a block: at most %d are possible, and none between 256 and 512", n, most)
	}
}

// pair checks the blocks of a collective product.
func (l *linter) pair(dims []int) {
	last := len(l.m.Cluster) - 1
	if len(dims) != 1 || dims[0] != last || l.m.Cluster[last] != 2 {
		l.report("use the last dimension of the cluster, of size 2", "a collective tcgen05_mma along dimensions %v of a cluster of shape %v: it must be the last one, of size 2", dims, l.m.Cluster)
	}
}

// rows checks that a view of tensor memory has all rows.
func (l *linter) rows(s *scope, e *pallas.Eqn, _ []value) {
	v := s.view(e.In[0])
	n := len(v.base)
	if v.space != "tmem" || n < 2 || !v.plain() {
		return
	}
	for _, d := range v.dims {
		if d.of == n-2 && d.size != v.base[n-2] {
			l.report("select columns, and select rows after the load", "%d of the %d rows of tensor memory are selected: only columns can be", d.size, v.base[n-2])
			return
		}
	}
	if v.picked[n-2] {
		l.report("select columns, and select rows after the load", "one row of tensor memory is selected: only columns can be")
	}
}
