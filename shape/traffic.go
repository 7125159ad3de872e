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
	var words [32]int64
	var head, next, count [32]uint8 // by bank: the list of its words, and how many
	n, worst := uint8(0), uint8(0)
lanes:
	for m := mask; m != 0; m &= m - 1 {
		word := offs[bits.TrailingZeros32(m)&31] >> 2
		bank := word & 31
		for k := head[bank]; k != 0; k = next[(k-1)&31] {
			if words[(k-1)&31] == word {
				continue lanes
			}
		}
		words[n&31], next[n&31] = word, head[bank]
		n++
		head[bank] = n
		count[bank]++
		worst = max(worst, count[bank])
	}
	// A wide access takes a pass for every 4 bytes of a full warp by design.
	if words := uint8(max(width/4, 1)); worst > words {
		return int(worst - words)
	}
	return 0
}
