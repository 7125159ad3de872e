package tensor

// strides of a shape in row-major order, in elements.
func strides(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// pick makes an array whose element at an index lies at the sum of index times step from
// base in v.
func pick(v Value, shape []int, base int, step []int) Value {
	n := Count(shape)
	size := v.Type.Size()
	out := Make(v.Type, shape)
	if n == 1 {
		copy(out.Data, v.Data[base*size:(base+1)*size])
	} else if n > 0 {
		copyStrided(size, shape, out.Data, 0, strides(shape), v.Data, base, step)
	}
	return out
}

// place writes the elements of u into v, which is being made.
func place(v, u Value, base int, step []int) {
	if len(u.Data) > 0 {
		copyStrided(v.Type.Size(), u.Shape, v.Data, base, step, u.Data, 0, strides(u.Shape))
	}
}

// copyStrided copies an array of a shape, not empty, whose elements lie by steps in either
// place. Bases and steps are in elements.
func copyStrided(size int, shape []int, dst []byte, to int, toStep []int, src []byte, from int, fromStep []int) {
	// Dimensions of extent 1 go, those that continue each other on both sides become one.
	type dim struct{ n, to, from int }
	var store [8]dim
	dims := store[:0]
	for i, n := range shape {
		if n == 1 {
			continue
		}
		d := dim{n, toStep[i], fromStep[i]}
		if k := len(dims) - 1; k >= 0 && dims[k].to == d.to*n && dims[k].from == d.from*n {
			dims[k] = dim{dims[k].n * n, d.to, d.from}
			continue
		}
		dims = append(dims, d)
	}
	if len(dims) == 0 {
		dims = append(dims, dim{1, 1, 1})
	}
	k := len(dims) - 1
	last := dims[k]
	var counts [8]int
	index := counts[:]
	if k > len(index) {
		index = make([]int, k)
	}
	for {
		switch size {
		case 1:
			copyLine(last.n, dst, to, last.to, src, from, last.from)
		case 2:
			copyLine(last.n, view[uint16](dst), to, last.to, view[uint16](src), from, last.from)
		case 4:
			copyLine(last.n, view[uint32](dst), to, last.to, view[uint32](src), from, last.from)
		case 8:
			copyLine(last.n, view[uint64](dst), to, last.to, view[uint64](src), from, last.from)
		}
		j := k - 1
		for ; j >= 0; j-- {
			index[j]++
			to += dims[j].to
			from += dims[j].from
			if index[j] < dims[j].n {
				break
			}
			to -= dims[j].n * dims[j].to
			from -= dims[j].n * dims[j].from
			index[j] = 0
		}
		if j < 0 {
			return
		}
	}
}

// copyLine copies n elements by steps.
func copyLine[T Element](n int, dst []T, to, toStep int, src []T, from, fromStep int) {
	switch {
	case toStep == 1 && fromStep == 1:
		copy(dst[to:to+n], src[from:from+n])
	case toStep == 1 && fromStep == 0:
		fill(dst[to:to+n], src[from])
	case toStep == 1:
		d := dst[to : to+n]
		for i := range d {
			d[i] = src[from]
			from += fromStep
		}
	default:
		for range n {
			dst[to] = src[from]
			to, from = to+toStep, from+fromStep
		}
	}
}

// fill repeats an element, beyond the first few by copying what there is already.
func fill[T any](dst []T, x T) {
	n := min(len(dst), 16)
	for i := range dst[:n] {
		dst[i] = x
	}
	for n < len(dst) {
		n += copy(dst[n:], dst[:n])
	}
}
