// Package shape interns the address patterns of warp-wide memory accesses.
//
// A pattern is the lanes that take part, the width of each lane's access and the 32
// byte offsets relative to the first active lane. Patterns repeat from one execution of
// an instruction to the next, so bounds, alignment, data movement, bank conflicts,
// memory sectors and the race detector's line masks are all properties of the pattern,
// computed once and looked up by one comparison of 32 addresses.
package shape

import (
	"math/bits"

	"gpusim/lanes"
)

// Lanes holds one 64-bit value a lane.
type Lanes = lanes.D

// Full is the mask of all 32 lanes.
const Full = 0xFFFFFFFF

// Half classes of 16 lanes.
const (
	HalfOther       = iota
	HalfConsecutive // lane k is at k*width from the half's first lane
	HalfUniform     // all at one address
)

// Shape is an interned pattern. What it says never changes; it belongs to one goroutine,
// because it caches what it is asked for.
type Shape struct {
	Rel         Lanes  // byte offset of each active lane from the first active lane (wrapping)
	Mask        uint32 // active lanes
	Width       int32  // bytes that each lane accesses
	First       int32  // first active lane
	Min         int64  // lowest Rel
	End         int64  // highest Rel + Width
	AlignBits   uint64 // OR of all Rel: base|AlignBits tells the alignment of every lane
	Consecutive bool   // full mask, lane k at k*Width
	Uniform     bool   // all active lanes at one address
	Injective   bool   // no two lanes touch a common byte
	Affine      bool   // active lane k at (k-First)*Width
	Half        [2]uint8
	ID          uint32 // small, dense, 1-based in the order of first use; 0: not interned (table full)

	// Span holds the distinct bytes of the pattern as runs relative to Min, sorted.
	Span []Run

	sectors   [32]uint16 // by the first lane's address modulo 32
	conflicts uint16

	geo [2]*geometry // in units of bytes, of words
}

// Run is a maximal run of bytes [Off, Off+Len) relative to the shape's Min.
type Run struct{ Off, Len int64 }

// Matches reports whether the addresses of the active lanes follow the pattern.
func (s *Shape) Matches(a *Lanes) bool {
	if s.Mask == Full {
		return lanes.Matches(a, &s.Rel)
	}
	f := a[s.First&31]
	for m := s.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		if a[l]-f != s.Rel[l] {
			return false
		}
	}
	return true
}
