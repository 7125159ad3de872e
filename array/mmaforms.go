package array

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/tensor"
)

// Operands of block-scaled and sparse products (PTX ISA, "tcgen05.mma", block scaling and
// sparse matrices).

// scaled multiplies a matrix by its scales: one for each block of consecutive elements
// along the contracted dimension, which is the last one of A and the first one of B. Scales
// have a row for each row of A, or column of B.
func (t *Thread) scaled(v, scales tensor.Value, left bool, to tensor.DType) tensor.Value {
	k, n := v.Shape[0], v.Shape[1]
	if left {
		k, n = n, k
	}
	if len(scales.Shape) != 2 || scales.Shape[0] < n || scales.Shape[1] == 0 || k%scales.Shape[1] != 0 {
		t.Fail(kernel.AsyncMisuse, "mma", fmt.Sprintf("scales of shape %s do not fit an operand of shape %s", shapeText(scales.Shape), shapeText(v.Shape)), "give one scale for each block of the contracted dimension")
	}
	blocks := scales.Shape[1]
	per := k / blocks
	out := tensor.Make(to, v.Shape)
	z := tensor.As[float32](out)
	for i := range n {
		for j := range k {
			at := j*n + i
			if left {
				at = i*k + j
			}
			z[at] = float32(v.Float(at) * scales.Float(i*blocks+j/per))
		}
	}
	return out
}

// dense spreads a 2:4 sparse matrix: each group of four elements of a row holds two, at the
// places that the metadata tells.
func (t *Thread) dense(v, meta tensor.Value) tensor.Value {
	rows, half := v.Shape[0], v.Shape[1]
	if v.Type.Bits() == 4 || v.Type.Bits() == 32 || half%2 != 0 || len(meta.Data) != rows*half {
		t.Fail(kernel.AsyncMisuse, "mma", fmt.Sprintf("a sparse operand of %v of shape %s with metadata of shape %s is not supported", v.Type, shapeText(v.Shape), shapeText(meta.Shape)),
			"use elements of 8 or 16 bits and two entries of metadata for each four")
	}
	size := v.Type.Size()
	out := tensor.Make(v.Type, []int{rows, 2 * half})
	for i := range rows {
		for j := range half {
			at := i*2*half + j/2*4 + int(meta.Int(i*half+j)&3)
			copy(out.Data[at*size:(at+1)*size], v.Data[(i*half+j)*size:])
		}
	}
	return out
}

// rearranged brings operands from the order in which they are copied to their logical one:
// at gives the place of an element in the source.
func (t *Thread) rearranged(v tensor.Value, shape []int, at func(src []int, row, column int) int) tensor.Value {
	if len(v.Shape) != 4 || len(shape) != 2 || len(v.Data) != tensor.Count(shape)*v.Type.Size() || v.Shape[2]*v.Shape[3]*v.Shape[0]*v.Shape[1] != tensor.Count(shape) || shape[0]%128 != 0 {
		t.Fail(kernel.AsyncMisuse, "copy", fmt.Sprintf("a copy of shape %s to tensor memory of shape %s is not supported: it is in no layout of scales or sparse metadata that gpusim knows", shapeText(v.Shape), shapeText(shape)),
			"use the standard layout, whose rows are a multiple of 128")
	}
	size := v.Type.Size()
	out := tensor.Make(v.Type, shape)
	for i := range shape[0] {
		for j := range shape[1] {
			to := i*shape[1] + j
			from := at(v.Shape, i, j)
			copy(out.Data[to*size:(to+1)*size], v.Data[from*size:])
		}
	}
	return out
}

// scalesAt: scales come as (rows/128, columns/4, 32, 16), four rows of a group of 128 and
// four columns beside each other.
func scalesAt(src []int, row, column int) int {
	return ((row/128*src[1]+column/4)*32+row%32)*16 + row%128/32*4 + column%4
}

// sparseAt: metadata come as (rows/128, columns/64, 128, 64).
func sparseAt(src []int, row, column int) int {
	return ((row/128*src[1]+column/64)*128+row%128)*64 + column%64
}
