package shape

import "math/bits"

// Sectors is the number of 32-byte sectors that the pattern touches with its first
// active lane at the address: a fully coalesced warp access of 4 bytes touches 4.
func (s *Shape) Sectors(base uint64) int { return int(s.sectors[base&31]) }

// BankConflicts is the number of extra passes that shared memory needs for the pattern:
// 32 banks of 4 bytes; lanes that read one word share a pass.
func (s *Shape) BankConflicts() int { return int(s.conflicts) }

// traffic fills the tables of Sectors and BankConflicts. Rel is relative, so sectors
// depend on the alignment of the first lane's address; bank conflicts do not, because
// moving all lanes by a multiple of a word only rotates the banks.
func (s *Shape) traffic() {
	for al := range int64(32) {
		n, last := 0, int64(-1)
		for _, r := range s.Span {
			// Min may be negative: only its remainder matters.
			start := al + (s.Min%32+32)%32 + r.Off
			first, end := start>>5, (start+r.Len-1)>>5
			if first == last {
				first++
			}
			if end >= first {
				n += int(end - first + 1)
				last = end
			}
		}
		s.sectors[al] = uint16(n)
	}
	var offs [32]int64
	for i, r := range s.Rel {
		offs[i] = int64(r)
	}
	s.conflicts = uint16(BankConflicts(&offs, s.Mask, int(s.Width)))
}

// BankConflicts is the number of extra passes for lanes at the given byte offsets.
func BankConflicts(offs *[32]int64, mask uint32, width int) int {
	_, worst := distinct(offs, mask, 2)
	// A wide access takes a pass for every 4 bytes of a full warp by design.
	return max(0, worst-max(width/4, 1))
}

// SectorsOf is the number of 32-byte sectors in which the accesses of lanes at the given
// offsets of a buffer start: buffers are aligned, and so are accesses, so that only those
// of more than 32 bytes in one lane could touch more.
func SectorsOf(offs *[32]int64, mask uint32) int {
	n, _ := distinct(offs, mask, 5)
	return n
}

// Distinct is the number of different values among the lanes of a mask.
func Distinct(a *Lanes, mask uint32) int {
	n, _ := distinct(a, mask, 0)
	return n
}

// distinct counts the different values of offset>>shift among the lanes of a mask, and the
// most that agree in their low five bits.
func distinct[T int64 | uint64](offs *[32]T, mask uint32, shift uint) (n, worst int) {
	var values [32]T
	var head, next, count [32]uint8 // by the low bits: the list of values, and how many
	k, most := uint8(0), uint8(0)
lanes:
	for m := mask; m != 0; m &= m - 1 {
		v := offs[bits.TrailingZeros32(m)&31] >> (shift & 31)
		low := v & 31
		for i := head[low]; i != 0; i = next[(i-1)&31] {
			if values[(i-1)&31] == v {
				continue lanes
			}
		}
		values[k&31], next[k&31] = v, head[low]
		k++
		head[low] = k
		count[low]++
		most = max(most, count[low])
	}
	return int(k), int(most)
}
