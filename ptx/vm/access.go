package vm

import (
	"math/bits"
	"unsafe"

	"gpusim/kernel"
	"gpusim/lanes"
	"gpusim/memory"
	"gpusim/race"
	"gpusim/shape"
)

type (
	shapeRef = *shape.Shape
	bufRef   = *memory.Buffer
)

// irregularAfter is the number of new address patterns of one instruction after which
// its accesses are executed lane by lane, and interned only now and then.
const irregularAfter = 8

// addresses computes the lanes' addresses of a memory instruction without its constant
// offset.
func (t *Thread) addresses(f *frame, base Reg) *D {
	switch base.Class {
	case R64:
		return &f.r64[base.Index]
	case R32:
		lanes.WideU(&t.addr, &f.r32[base.Index])
		return &t.addr
	}
	return &zeroLanes
}

var zeroLanes D

// access executes ld and st on global, shared, const and generic addresses.
func (t *Thread) access(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	if mem.Strong {
		t.strongAccess(f, in, m)
		return
	}
	t.observe(in, m)
	a := t.addresses(f, mem.Base)
	c := &t.cache[in.Number]
	width := mem.Size * len(mem.Regs)
	s := c.shape
	if s == nil || s.Mask != m || !s.Matches(a) {
		if m&(m-1) == 0 {
			s = t.launch.Shapes.Single(firstLane(m), width)
		} else {
			if c.miss > irregularAfter {
				if c.miss++; c.miss&255 != 0 {
					t.laneByLane(f, in, m, a, width)
					return
				}
			}
			n := t.launch.Shapes.Len()
			if s = t.launch.Shapes.Of(a, m, width); t.launch.Shapes.Len() != n {
				c.miss++
			}
		}
		c.shape = s
	}
	base := a[s.First&31] + uint64(mem.Off)
	b := t.cached(c)
	if b == nil || base-b.Base >= uint64(len(b.Data)) || b.Freed {
		if mem.Space == kernel.Generic && s.Uniform && memory.SpaceOf(base) == kernel.Local {
			t.localUniform(f, in, base, m)
			return
		}
		if b = t.find(base, mem.Space); b == nil {
			t.laneByLane(f, in, m, a, width)
			return
		}
		c.buf = b
	}
	off := int64(base - b.Base)
	if off+s.Min < 0 || off+s.End > int64(len(b.Data)) || (uint64(off)|s.AlignBits)&uint64(width-1) != 0 || mem.Write && b.ReadOnly {
		t.laneByLane(f, in, m, a, width)
		return
	}
	if b.Opaque != nil {
		t.touches(in, b, m, width, func(l int) int64 { return off + int64(s.Rel[l]) })
	}
	t.tally(b.Space, s, base)
	if mem.Write {
		t.storeShape(f, in, b, s, off, m)
	} else {
		t.loadShape(f, in, b, s, off, m)
	}
}

// cached is the buffer that the instruction accessed last; a shared variable is the one
// of this thread's block, because the blocks of a launch share the cache.
func (t *Thread) cached(c *memCache) *memory.Buffer {
	b := c.buf
	if b != nil && b.Space == kernel.Shared {
		return t.block.Shared[(b.Base-memory.SharedBase)>>memory.SharedShift]
	}
	return b
}

// find returns the live buffer that an address of a space belongs to, or nil.
func (t *Thread) find(addr uint64, space kernel.Space) *memory.Buffer {
	var b *memory.Buffer
	switch {
	case addr >= 1<<memory.GlobalShift:
		if space == kernel.Shared {
			return nil
		}
		b = t.launch.Memory.Find(addr)
	case addr-memory.SharedBase < memory.SharedEnd-memory.SharedBase:
		if space == kernel.Global || space == kernel.Const {
			return nil
		}
		if k := (addr - memory.SharedBase) >> memory.SharedShift; k < uint64(len(t.block.Shared)) {
			b = t.block.Shared[k]
		}
	case addr-memory.ParamBase < memory.ParamEnd-memory.ParamBase:
		if space == kernel.Generic || space == kernel.Param || space == kernel.Const {
			b = t.prog.paramBuffer
		}
	}
	if b == nil || b.Freed || addr-b.Base >= uint64(len(b.Data)) {
		return nil
	}
	return b
}

// tally counts memory traffic: sectors of 32 bytes, or passes over the 32 banks.
func (t *Thread) tally(space kernel.Space, s *shape.Shape, base uint64) {
	c := t.launch.Counters
	if space == kernel.Shared {
		c.SharedRequests++
		c.SharedBankConflicts += uint64(s.BankConflicts())
		return
	}
	c.GlobalRequests++
	c.GlobalSectors += uint64(s.Sectors(base))
}

func (t *Thread) loadShape(f *frame, in *Inst, b *memory.Buffer, s *shape.Shape, off int64, m uint32) {
	mem := in.Mem
	if t.race != nil && mem.Site >= 0 && b.Shadow != nil {
		t.race.Access(t.ws.warp.Clock, b.Shadow.(*race.Shadow), s, off, t.sites[mem.Site])
	}
	if t.rec != nil {
		t.rec.read(b, off+s.Min, s.End-s.Min, in.Number)
	}
	p := unsafe.Pointer(&b.Data[off])
	switch {
	case mem.Extend:
		for k, r := range mem.Regs {
			if r.Class == NoReg {
				continue
			}
			q := unsafe.Add(p, k*mem.Size)
			for x := m; x != 0; x &= x - 1 {
				l := bits.TrailingZeros32(x) & 31
				f.setLane(r, l, t.extend(mem, peek(unsafe.Add(q, int64(s.Rel[l])), mem.Size)))
			}
		}
	case mem.Size == 4 && len(mem.Regs) == 1:
		gather32(&f.r32[mem.Regs[0].Index], p, s)
	case mem.Size == 8 && len(mem.Regs) == 1:
		gather64(&f.r64[mem.Regs[0].Index], p, s)
	case mem.Size == 4:
		for k, r := range mem.Regs {
			stride32(&f.r32[r.Index], unsafe.Add(p, 4*k), s)
		}
	default:
		for k, r := range mem.Regs {
			stride64(&f.r64[r.Index], unsafe.Add(p, 8*k), s)
		}
	}
	if b.Valid != nil || f.marked != 0 {
		t.loadMarks(f, mem, b, s, off, m)
	}
}

func (t *Thread) storeShape(f *frame, in *Inst, b *memory.Buffer, s *shape.Shape, off int64, m uint32) {
	mem := in.Mem
	if t.race != nil && mem.Site >= 0 && b.Shadow != nil {
		t.values.set(f, mem, b)
		t.race.Access(t.ws.warp.Clock, b.Shadow.(*race.Shadow), s, off, t.sites[mem.Site])
	}
	if t.rec != nil || b.Watched() {
		t.storeCompared(f, mem, b, s, off, m)
	} else {
		t.changes++
		p := unsafe.Pointer(&b.Data[off])
		for k, r := range mem.Regs {
			q := unsafe.Add(p, k*mem.Size)
			switch {
			case mem.Size == 4 && r.Class == R32:
				scatter32(q, &f.r32[r.Index], s)
			case mem.Size == 8:
				scatter64(q, &f.r64[r.Index], s)
			default:
				for x := m; x != 0; x &= x - 1 {
					l := bits.TrailingZeros32(x) & 31
					poke(unsafe.Add(q, int64(s.Rel[l])), mem.Size, f.lane(r, l))
				}
			}
		}
	}
	if b.Valid != nil || f.marked != 0 {
		t.storeMarks(f, in, b, s, off, m)
	}
}

// storeCompared stores lane by lane and notices which bytes change: for parked threads
// that watch them, and for the decision whether a loop makes progress.
func (t *Thread) storeCompared(f *frame, mem *Mem, b *memory.Buffer, s *shape.Shape, off int64, m uint32) {
	for k, r := range mem.Regs {
		for x := m; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x) & 31
			t.pokeCompared(b, off+int64(s.Rel[l])+int64(k*mem.Size), mem.Size, f.lane(r, l))
		}
	}
}

// pokeCompared stores one element and reports a change.
func (t *Thread) pokeCompared(b *memory.Buffer, off int64, size int, v uint64) {
	p := unsafe.Pointer(&b.Data[off])
	v &= sizeMask(size)
	if peek(p, size) == v {
		return
	}
	poke(p, size, v)
	t.changes++
	if b.Watched() {
		b.Changed(off, int64(size))
	}
}

func sizeMask(size int) uint64 { return ^uint64(0) >> uint(64-8*size) }

// laneByLane executes an access whose pattern is irregular, or some of whose lanes are in
// error: each lane finds its own buffer.
func (t *Thread) laneByLane(f *frame, in *Inst, m uint32, a *D, width int) {
	mem := in.Mem
	c := &t.cache[in.Number]
	var offs [32]int64
	var b *memory.Buffer
	good := uint32(0)
	for x := m; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		ad := a[l] + uint64(mem.Off)
		lb := t.cached(c)
		if lb == nil || ad-lb.Base > uint64(len(lb.Data)-width) || len(lb.Data) < width || lb.Freed {
			lb = t.find(ad, mem.Space)
		}
		if lb == nil || ad-lb.Base > uint64(len(lb.Data)-width) || len(lb.Data) < width || ad&uint64(width-1) != 0 || mem.Write && lb.ReadOnly {
			if memory.SpaceOf(ad) == kernel.Local && (mem.Space == kernel.Generic) {
				t.localLane(f, in, l, ad)
				continue
			}
			t.badAddress(f, in, l, ad, width)
			continue
		}
		if b != nil && lb != b {
			t.lanesOfBuffer(f, in, b, good, &offs, width)
			good = 0
		}
		b, c.buf = lb, lb
		offs[l] = int64(ad - lb.Base)
		good |= 1 << uint(l)
	}
	if good != 0 {
		t.lanesOfBuffer(f, in, b, good, &offs, width)
	}
}

// lanesOfBuffer executes lanes that access one buffer at unrelated offsets.
func (t *Thread) lanesOfBuffer(f *frame, in *Inst, b *memory.Buffer, m uint32, offs *[32]int64, width int) {
	mem := in.Mem
	if t.race != nil && mem.Site >= 0 && b.Shadow != nil {
		if mem.Write {
			t.values.set(f, mem, b)
		}
		t.race.AccessLanes(t.ws.warp.Clock, b.Shadow.(*race.Shadow), offs, m, width, t.sites[mem.Site])
	}
	if b.Opaque != nil {
		t.touches(in, b, m, width, func(l int) int64 { return offs[l] })
	}
	c := t.launch.Counters
	if b.Space == kernel.Shared {
		c.SharedRequests++
		c.SharedBankConflicts += uint64(shape.BankConflicts(offs, m, width))
	} else {
		c.GlobalRequests++
		c.GlobalSectors += uint64(shape.SectorsOf(offs, m))
	}
	simple := len(mem.Regs) == 1 && mem.Size == 4 && !mem.Extend && mem.Regs[0].Class == R32
	if mem.Write {
		compared := t.rec != nil || b.Watched()
		if !compared {
			t.changes++
		}
		for x := m; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x) & 31
			switch {
			case compared:
				for k, r := range mem.Regs {
					t.pokeCompared(b, offs[l]+int64(k*mem.Size), mem.Size, f.lane(r, l))
				}
			case simple:
				*(*uint32)(unsafe.Pointer(&b.Data[offs[l]])) = f.r32[mem.Regs[0].Index][l]
			default:
				for k, r := range mem.Regs {
					poke(unsafe.Pointer(&b.Data[offs[l]+int64(k*mem.Size)]), mem.Size, f.lane(r, l))
				}
			}
			switch {
			case f.marked != 0:
				t.storeLaneMarks(f, in, b, offs[l], l)
			case b.Valid != nil:
				b.MarkValid(offs[l], width)
			}
		}
		return
	}
	for x := m; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		if t.rec != nil {
			t.rec.read(b, offs[l], int64(width), in.Number)
		}
		if simple {
			f.r32[mem.Regs[0].Index][l] = *(*uint32)(unsafe.Pointer(&b.Data[offs[l]]))
		} else {
			for k, r := range mem.Regs {
				f.setLane(r, l, t.extend(mem, peek(unsafe.Pointer(&b.Data[offs[l]+int64(k*mem.Size)]), mem.Size)))
			}
		}
		if f.marked != 0 || b.Valid != nil && !b.ElementValid(offs[l], width) {
			t.loadLaneMarks(f, mem, b, offs[l], l)
		}
	}
}

// strongAccess executes ld and st with .volatile, .relaxed, .acquire or .release: one lane
// after the other in a seeded order, an operation an element.
func (t *Thread) strongAccess(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	a := t.addresses(f, mem.Base)
	width := mem.Size * len(mem.Regs)
	for order, flip := t.laneOrder(m); order != 0; order &= order - 1 {
		l := firstLane(order) ^ flip
		t.observe(in, 1<<l)
		ad := a[l] + uint64(mem.Off)
		b := t.find(ad, mem.Space)
		if b == nil || ad-b.Base+uint64(width) > uint64(len(b.Data)) || ad&uint64(width-1) != 0 || mem.Write && b.ReadOnly {
			if memory.SpaceOf(ad) == kernel.Local && mem.Space == kernel.Generic {
				t.localLane(f, in, l, ad)
			} else {
				t.badAddress(f, in, l, ad, width)
			}
			continue
		}
		t.tallyLane(b.Space)
		off := int64(ad - b.Base)
		if b.Opaque != nil {
			t.touches(in, b, 1<<l, width, func(int) int64 { return off })
		}
		for k, r := range mem.Regs {
			o := off + int64(k*mem.Size)
			if t.race != nil && mem.Site >= 0 && b.Shadow != nil {
				if mem.Write {
					t.values.set(f, mem, b)
				}
				if !mem.Whole {
					t.race.Strong(t.ws.warp.Clock, l, b.Shadow.(*race.Shadow), o, mem.Size, t.sites[mem.Site], mem.Write)
				} else if k&1 == 0 {
					t.race.Strong(t.ws.warp.Clock, l, b.Shadow.(*race.Shadow), o, 2*mem.Size, t.sites[mem.Site], mem.Write)
				}
			}
			if mem.Write {
				t.pokeCompared(b, o, mem.Size, f.lane(r, l))
				continue
			}
			if t.rec != nil {
				t.rec.read(b, o, int64(mem.Size), in.Number)
			}
			f.setLane(r, l, t.extend(mem, peek(unsafe.Pointer(&b.Data[o]), mem.Size)))
		}
		if b.Valid != nil || f.marked != 0 {
			if mem.Write {
				t.storeLaneMarks(f, in, b, off, l)
			} else {
				t.loadLaneMarks(f, mem, b, off, l)
			}
		}
	}
}

func (t *Thread) tallyLane(space kernel.Space) {
	if space == kernel.Shared {
		t.launch.Counters.SharedRequests++
	} else {
		t.launch.Counters.GlobalRequests++
		t.launch.Counters.GlobalSectors++
	}
}

// laneOrder is the order in which the lanes of a mask take effect: seeded, because hardware
// promises none. The set bits i of the result, from the lowest, stand for lanes i^flip.
func (t *Thread) laneOrder(m uint32) (order uint32, flip int) {
	if m&(m-1) == 0 {
		return m, 0
	}
	f := t.launch.Rand.Uint32() & 31
	return flipLanes(m, f), int(f)
}

// flipLanes moves bit i of a mask to bit i^f.
func flipLanes(m, f uint32) uint32 {
	for k, low := range [5]uint32{0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF} {
		if f>>k&1 != 0 {
			m = m&low<<(1<<k) | m>>(1<<k)&low
		}
	}
	return m
}
