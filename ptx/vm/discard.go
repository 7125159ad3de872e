package vm

import (
	"gpusim/race"
)

// DiscardBytes is how much discard.L2 discards.
const DiscardBytes = 128

// discard executes discard.L2: bytes become uninitialised, as by a weak write. The last
// values stay, in case that initialisation is not tracked.
func (t *Thread) discard(f *frame, in *Inst, m uint32) {
	t.observe(in, m)
	mem := in.Mem
	a := t.addresses(f, mem.Base)
	const piece = 16
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		ad := a[l] + uint64(mem.Off)
		b := t.find(ad, mem.Space)
		if b == nil || ad-b.Base+DiscardBytes > uint64(len(b.Data)) || ad&(DiscardBytes-1) != 0 || b.ReadOnly {
			t.badAddress(f, in, l, ad, DiscardBytes)
			continue
		}
		off := int64(ad - b.Base)
		t.tallyLane(b.Space)
		if t.race != nil && b.Shadow != nil {
			t.values.set(f, mem, b)
			for o := int64(0); o < DiscardBytes; o += piece {
				t.race.Access(t.ws.warp.Clock, b.Shadow.(*race.Shadow), t.launch.Shapes.Single(l, piece), off+o, t.sites[mem.Site])
			}
		}
		b.SetValid(off, DiscardBytes, false)
		t.changes++
	}
}
