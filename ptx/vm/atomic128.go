package vm

import (
	"unsafe"

	"gpusim/race"
)

// atomic128 executes atom.cas.b128 and atom.exch.b128: values are pairs of 64-bit
// registers.
func (t *Thread) atomic128(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	a := t.addresses(f, mem.Base)
	t.collisions(a, m)
	for order, flip := t.laneOrder(m); order != 0; order &= order - 1 {
		l := firstLane(order) ^ flip
		t.observe(in, 1<<l)
		ad := a[l] + uint64(mem.Off)
		b := t.find(ad, mem.Space)
		if b == nil || ad-b.Base+16 > uint64(len(b.Data)) || ad&15 != 0 || b.ReadOnly {
			t.badAddress(f, in, l, ad, 16)
			continue
		}
		off := int64(ad - b.Base)
		p := unsafe.Pointer(&b.Data[off])
		old := [2]uint64{peek(p, 8), peek(unsafe.Add(p, 8), 8)}
		v := [2]uint64{f.lane(in.Src[0], l), f.lane(in.Src[1], l)}
		wrote := true
		if mem.Cas {
			wrote = old == v
			v = old
			if wrote {
				v = [2]uint64{f.lane(in.Src[2], l), f.lane(in.Src[3], l)}
			}
		}
		if t.race != nil && b.Shadow != nil {
			t.race.Strong(t.ws.warp.Clock, l, b.Shadow.(*race.Shadow), off, 16, t.sites[mem.Site], wrote)
		}
		if !b.AllValid(off, 16) {
			t.atomicOnInvalid(in, b, l, off)
			b.SetValid(off, 16, true)
		}
		if t.rec != nil {
			t.rec.read(b, off, 16, in.Number)
		}
		for k, r := range mem.Regs {
			t.pokeCompared(b, off+int64(8*k), 8, v[k])
			f.setLane(r, l, old[k])
			f.setMark(r, l, 0, markOrigin{})
		}
	}
	t.launch.Counters.AtomicRequests += uint64(popcount(m))
}
