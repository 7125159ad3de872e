package vm

import (
	"math/bits"
	"unsafe"

	"gpusim/lanes"
	"gpusim/shape"
)

// The data movers trust their caller: the whole pattern lies inside the buffer, because
// its bounds were checked once for all lanes. Simulated memory is little-endian, as is
// every machine that Go runs this on with unaligned word access (amd64, arm64).

func peek(p unsafe.Pointer, size int) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func poke(p unsafe.Pointer, size int, v uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// gather32 loads a 4-byte element a lane; p is the first active lane's.
func gather32(r *V, p unsafe.Pointer, s *shape.Shape) {
	switch {
	case s.Consecutive:
		lanes.Copy32(r, (*V)(p))
	case s.Mask != Full:
		for m := s.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			r[l] = *(*uint32)(unsafe.Add(p, int64(s.Rel[l])))
		}
	case s.Uniform:
		lanes.Splat32(r, *(*uint32)(p))
	case s.Half[0] != shape.HalfOther && s.Half[1] != shape.HalfOther:
		// Half-warps move by words: a 64-byte load of what 4-byte stores have just
		// written would stall.
		for h := range 2 {
			q := unsafe.Add(p, int64(s.Rel[h*16]))
			if s.Half[h] == shape.HalfConsecutive {
				lanes.CopyHalf((*[16]uint32)(r[h*16:]), (*[16]uint32)(q))
			} else {
				lanes.SplatHalf((*[16]uint32)(r[h*16:]), *(*uint32)(q))
			}
		}
	default:
		for l := range r {
			r[l] = *(*uint32)(unsafe.Add(p, int64(s.Rel[l])))
		}
	}
}

func gather64(r *D, p unsafe.Pointer, s *shape.Shape) {
	switch {
	case s.Consecutive:
		*r = *(*D)(p)
	case s.Mask != Full:
		for m := s.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			r[l] = *(*uint64)(unsafe.Add(p, int64(s.Rel[l])))
		}
	case s.Uniform:
		lanes.Splat64(r, *(*uint64)(p))
	default:
		for l := range r {
			r[l] = *(*uint64)(unsafe.Add(p, int64(s.Rel[l])))
		}
	}
}

func scatter32(p unsafe.Pointer, r *V, s *shape.Shape) {
	switch {
	case s.Consecutive && s.Width == 4:
		lanes.Copy32((*V)(p), r)
	case s.Mask == Full:
		for l := range r {
			*(*uint32)(unsafe.Add(p, int64(s.Rel[l]))) = r[l]
		}
	default:
		for m := s.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			*(*uint32)(unsafe.Add(p, int64(s.Rel[l]))) = r[l]
		}
	}
}

func scatter64(p unsafe.Pointer, r *D, s *shape.Shape) {
	if s.Consecutive && s.Width == 8 {
		*(*D)(p) = *r
		return
	}
	for m := s.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		*(*uint64)(unsafe.Add(p, int64(s.Rel[l]))) = r[l]
	}
}

// stride32 and stride64 load one element of a vector access.
func stride32(r *V, p unsafe.Pointer, s *shape.Shape) {
	if s.Mask == Full {
		for l := range r {
			r[l] = *(*uint32)(unsafe.Add(p, int64(s.Rel[l])))
		}
		return
	}
	for m := s.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		r[l] = *(*uint32)(unsafe.Add(p, int64(s.Rel[l])))
	}
}

func stride64(r *D, p unsafe.Pointer, s *shape.Shape) {
	for m := s.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		r[l] = *(*uint64)(unsafe.Add(p, int64(s.Rel[l])))
	}
}

func bit(c bool) uint64 {
	if c {
		return 1
	}
	return 0
}
