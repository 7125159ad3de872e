package vm

import "testing"

// Every order is a permutation of the mask's lanes.
func TestFlipLanes(t *testing.T) {
	for f := range uint32(32) {
		for _, m := range []uint32{Full, 1, 0x80000000, 0x12345678, 0xF0, 0} {
			var lanes uint32
			for order := flipLanes(m, f); order != 0; order &= order - 1 {
				lanes |= 1 << (firstLane(order) ^ int(f))
			}
			if lanes != m {
				t.Fatalf("flip %d of %#x yields lanes %#x", f, m, lanes)
			}
		}
	}
}
