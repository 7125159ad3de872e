package vm

import (
	"unsafe"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
	"gpusim/shape"
)

// atomic executes atom and red: the lanes take effect one after the other, in a seeded
// order. Packed types are one operation a scalar element for the race detector, and one
// read-modify-write here, because nothing runs in between.
func (t *Thread) atomic(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	a := t.addresses(f, mem.Base)
	width := mem.Size
	if width == 16 {
		t.atomic128(f, in, m)
		return
	}
	align := uint64(max(mem.Align, width))
	wclk := t.ws.warp.Clock
	t.collisions(a, m)
	for order, flip := t.laneOrder(m); order != 0; order &= order - 1 {
		l := firstLane(order) ^ flip
		t.observe(in, 1<<l)
		ad := a[l] + uint64(mem.Off)
		b := t.cached(&t.cache[in.Number])
		if b == nil || ad-b.Base > uint64(len(b.Data)-width) || len(b.Data) < width || b.Freed {
			if b = t.find(ad, mem.Space); b != nil {
				t.cache[in.Number].buf = b
			}
		}
		if b == nil || ad-b.Base > uint64(len(b.Data)-width) || len(b.Data) < width || ad&(align-1) != 0 || b.ReadOnly {
			if b != nil && ad&uint64(width-1) == 0 && ad&(align-1) != 0 {
				t.misaligned(f, in, l, ad, int(align))
				continue
			}
			t.badAddress(f, in, l, ad, width)
			continue
		}
		off := int64(ad - b.Base)
		if b.Opaque != nil {
			t.touches(in, b, 1<<l, width, func(int) int64 { return off })
		}
		p := unsafe.Pointer(&b.Data[off])
		old := peek(p, width)
		x, y := f.lane(in.Src[0], l), f.lane(in.Src[1], l)
		wrote := true
		v := old
		if mem.Cas {
			if wrote = old == x&sizeMask(width); wrote {
				v = y
			}
		} else {
			v = mem.Atom(old, x, y)
		}
		v &= sizeMask(width)
		if t.race != nil && b.Shadow != nil {
			t.atomicRace(wclk, in, b, l, off, wrote)
		}
		if b.Valid != nil && !b.ElementValid(off, width) {
			t.atomicOnInvalid(in, b, l, off)
			b.SetValid(off, int64(width), true)
		}
		if t.rec != nil {
			t.rec.read(b, off, int64(width), in.Number)
		}
		if v != old {
			poke(p, width, v)
			t.changes++
			if b.Watched() {
				b.Changed(off, int64(width))
			}
		}
		if mem.HasDst {
			f.setLane(mem.Regs[0], l, old)
			f.setMark(mem.Regs[0], l, 0, markOrigin{})
		}
	}
	t.launch.Counters.AtomicRequests += uint64(popcount(m))
}

// atomicRace tells the detector about one lane, an operation for each packed element.
func (t *Thread) atomicRace(w *race.Warp, in *Inst, b *memory.Buffer, l int, off int64, wrote bool) {
	mem := in.Mem
	site := t.sites[mem.Site]
	elem := t.prog.Sites[mem.Site].Elem
	for o := 0; o < mem.Size; o += elem {
		t.race.Strong(w, l, b.Shadow.(*race.Shadow), off+int64(o), elem, site, wrote)
	}
}

// atomicOnInvalid reports an atomic on memory that nobody has initialised: the usual
// counter that is not zeroed.
func (t *Thread) atomicOnInvalid(in *Inst, b *memory.Buffer, l int, off int64) {
	if !t.launch.Uninit {
		return
	}
	t.reportAs(kernel.UninitializedRead, kernel.Error, in, l, b.ID, func(fd *kernel.Finding) {
		fd.Space, fd.Object, fd.Offset, fd.Size = b.Space, b.Name, off, in.Mem.Size
		fd.Message = "an atomic operation on " + b.Name + ", which was never initialised"
		fd.Fix = "set the counter to its initial value before the launch (cudaMemset), or at the start of the kernel before a barrier"
	})
}

// collisions counts lanes that hit an address of another lane.
func (t *Thread) collisions(a *D, m uint32) {
	if m&(m-1) != 0 {
		t.launch.Counters.AtomicCollisions += uint64(popcount(m) - shape.Distinct(a, m))
	}
}
