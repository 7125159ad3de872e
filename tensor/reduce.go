package tensor

import (
	"fmt"
	"math"
	"slices"
)

// reduce folds the elements along some axes. Sums and products of float32 are kept in
// float64, those of narrower types in float32, and rounded at the end.
func reduce(name string, op opcode) Primitive {
	return one(name, 1, func(p *Params, out Type, in []Value) (Value, error) {
		a := in[0]
		if !op.defined(a.Type) {
			return Value{}, unsupported(a.Type)
		}
		if !distinct(p.Axes, len(a.Shape)) {
			return Value{}, fmt.Errorf("%v are no dimensions of %s", p.Axes, describe(a.Type, a.Shape))
		}
		var store [16]int
		shape := store[:0]
		for i, n := range a.Shape {
			if !slices.Contains(p.Axes, i) {
				shape = append(shape, n)
			}
		}
		if out.DType != a.Type || !sameShape(out.Shape, shape) {
			return Value{}, mismatch(out, a.Type, slices.Clone(shape))
		}
		n := Count(out.Shape)
		if a.Len() == n && n > 0 {
			return a.WithShape(out.Shape), nil
		}
		v := Make(a.Type, out.Shape)
		if n == 0 {
			return v, nil
		}
		axes := slices.Sorted(slices.Values(p.Axes))
		if outer, k, inner := block(a.Shape, axes); inner > 1 && k > 0 && dtypes[a.Type].kind == native {
			reduceColumns(op, v, a, outer, k, inner)
			return v, nil
		}
		perm := make([]int, 0, len(a.Shape))
		for i := range a.Shape {
			if !slices.Contains(axes, i) {
				perm = append(perm, i)
			}
		}
		reduceRows(op, v, permute(a, append(perm, axes...)))
		return v, nil
	})
}

// block is how many elements lie before adjacent axes, along them and behind them; 0 behind
// them if they are not adjacent.
func block(shape, axes []int) (outer, k, inner int) {
	first, n := axes[0], len(axes)
	if axes[n-1] != first+n-1 {
		return 0, 0, 0
	}
	return Count(shape[:first]), Count(shape[first : first+n]), Count(shape[first+n:])
}

// reduceColumns folds rows into one, element by element.
func reduceColumns(op opcode, dst, src Value, outer, k, inner int) {
	if src.Type.Float() && (op == opAdd || op == opMul) {
		if src.Type == F32 {
			columnSums(op, As[float32](dst), As[float32](src), outer, k, inner)
		} else {
			columnSums(op, As[float64](dst), As[float64](src), outer, k, inner)
		}
		return
	}
	n := inner * src.Type.Size()
	for o := range outer {
		acc := dst.Data[o*n : (o+1)*n]
		rows := src.Data[o*k*n : (o+1)*k*n]
		copy(acc, rows)
		for i := n; i < len(rows); i += n {
			applyBinary(op, src.Type, acc, acc, rows[i:i+n])
		}
	}
}

// columnSums adds or multiplies rows in float64.
func columnSums[T float](op opcode, dst, src []T, outer, k, inner int) {
	acc := make([]float64, inner)
	for o := range outer {
		rows := src[o*k*inner : (o+1)*k*inner]
		cast(acc, rows[:inner])
		for i := inner; i < len(rows); i += inner {
			row := rows[i : i+inner][:len(acc)]
			if op == opAdd {
				for j, x := range row {
					acc[j] += float64(x)
				}
			} else {
				for j, x := range row {
					acc[j] *= float64(x)
				}
			}
		}
		cast(dst[o*inner:(o+1)*inner], acc)
	}
}

// reduceRows folds each row of src, of the same length, into an element of dst.
func reduceRows(op opcode, dst, src Value) {
	d := src.Type
	k := src.Len() / dst.Len()
	switch dtypes[d].kind {
	case narrowFloat:
		x := make([]float32, src.Len())
		decodeFloats(d, x, src.Data)
		y := make([]float32, dst.Len())
		foldFloats(op, y, x, k)
		encodeFloats(d, dst.Data, y)
		return
	case narrowInt:
		wide, narrow := I8, dst
		if !d.Signed() {
			wide = U8
		}
		y := Make(wide, dst.Shape)
		if k == 0 { // what an empty row gives is a matter of the type
			for i := range dst.Len() {
				narrow.setBits(i, emptyFold(op, d))
			}
			return
		}
		reduceRows(op, y, convertTo(src, wide))
		convertBytes(d, wide, dst.Data, y.Data)
		return
	}
	switch d {
	case Bool:
		foldBools(op, dst.Data, src.Data, k)
	case I8:
		foldInts(op, d, As[int8](dst), As[int8](src), k)
	case I16:
		foldInts(op, d, As[int16](dst), As[int16](src), k)
	case I32:
		foldInts(op, d, As[int32](dst), As[int32](src), k)
	case I64:
		foldInts(op, d, As[int64](dst), As[int64](src), k)
	case U8:
		foldInts(op, d, dst.Data, src.Data, k)
	case U16:
		foldInts(op, d, As[uint16](dst), As[uint16](src), k)
	case U32:
		foldInts(op, d, As[uint32](dst), As[uint32](src), k)
	case U64:
		foldInts(op, d, As[uint64](dst), As[uint64](src), k)
	case F32:
		foldFloats(op, As[float32](dst), As[float32](src), k)
	case F64:
		foldFloats(op, As[float64](dst), As[float64](src), k)
	}
}

// emptyFold is the stored neutral element of an operation on an integer type.
func emptyFold(op opcode, d DType) uint64 {
	switch op {
	case opMul:
		return 1
	case opAnd:
		return d.wrap(-1)
	case opMax:
		if d.Signed() {
			return 1 << (d.Bits() - 1)
		}
	case opMin:
		return d.undefined()
	}
	return 0
}

func foldBools(op opcode, dst, src []uint8, k int) {
	for i := range dst {
		row := src[i*k : (i+1)*k]
		var acc uint8
		switch op {
		case opOr, opMax, opAdd:
			acc = truth(slices.Contains(row, 1))
		case opAnd, opMin, opMul:
			acc = truth(!slices.Contains(row, 0))
		case opXor:
			for _, x := range row {
				acc ^= x
			}
		}
		dst[i] = acc
	}
}

func foldInts[T integer](op opcode, d DType, dst, src []T, k int) {
	empty := T(d.extend(emptyFold(op, d)))
	for i := range dst {
		row := src[i*k : (i+1)*k]
		acc := empty
		switch op {
		case opAdd:
			for _, x := range row {
				acc += x
			}
		case opMul:
			for _, x := range row {
				acc *= x
			}
		case opMax:
			for _, x := range row {
				acc = max(acc, x)
			}
		case opMin:
			for _, x := range row {
				acc = min(acc, x)
			}
		case opAnd:
			for _, x := range row {
				acc &= x
			}
		case opOr:
			for _, x := range row {
				acc |= x
			}
		case opXor:
			for _, x := range row {
				acc ^= x
			}
		}
		dst[i] = acc
	}
}

func foldFloats[T float](op opcode, dst, src []T, k int) {
	for i := range dst {
		row := src[i*k : (i+1)*k]
		switch op {
		case opAdd:
			dst[i] = T(sum(row))
		case opMul:
			acc := 1.0
			for _, x := range row {
				acc *= float64(x)
			}
			dst[i] = T(acc)
		case opMax:
			acc := T(math.Inf(-1))
			for _, x := range row {
				acc = max(acc, x)
			}
			dst[i] = acc
		case opMin:
			acc := T(math.Inf(1))
			for _, x := range row {
				acc = min(acc, x)
			}
			dst[i] = acc
		}
	}
}

// sum adds in four strands, which a processor does at once.
func sum[T float](row []T) float64 {
	var s [4]float64
	i := 0
	for ; i+4 <= len(row); i += 4 {
		r := row[i : i+4 : i+4]
		s[0] += float64(r[0])
		s[1] += float64(r[1])
		s[2] += float64(r[2])
		s[3] += float64(r[3])
	}
	for _, x := range row[i:] {
		s[0] += float64(x)
	}
	return s[0] + s[1] + (s[2] + s[3])
}
