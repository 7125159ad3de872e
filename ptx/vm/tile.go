package vm

import (
	"fmt"
	"math/bits"
	"unsafe"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
)

// Tile is a matrix in memory that wmma.load reads or wmma.store writes (PTX ISA, "Matrix
// Storage for WMMA"). The first operands of the collective are its address and the stride
// between its runs; the elements are results of a load, or the further operands of a store.
//
// The ISA does not say which lane accesses which element. For the race detector an access
// belongs to a lane that depends on the address only: accesses of one warp's wmma
// instructions stay in program order, while a lane that touches a part of the tile by
// itself meets accesses of other lanes, and needs a barrier of the warp.
type Tile struct {
	Mem        *Mem
	Runs       int // contiguous pieces: rows or columns
	Length     int // elements of a run
	Bits       int // of an element
	HasStride  bool
	StrideUnit int // 32: the stride counts single bits, an element is a word
	// Place is where a lane keeps copy i of the elements that it holds: register and bit.
	Lane func(run, at int) []Place
}

// Place is a piece of a register of one lane.
type Place struct{ Lane, Reg, Bit int }

// tileOperands are the address and the stride.
const tileOperands = 2

// tileRow is the least alignment of a run.
const tileRow = 16

// tile moves a matrix between memory and registers.
func (t *Thread) tile(in *Inst, lanes uint32) {
	c, w, f := in.Coll.Wide, t.ws.wide, t.ws.top
	tl := c.Tile
	first := firstLane(lanes)
	for k := range c.Out {
		w.out[k] = D{}
	}
	for x := lanes; x != 0; x &= x - 1 {
		if l := firstLane(x); w.in[0][l] != w.in[0][first] || tl.HasStride && w.in[1][l] != w.in[1][first] {
			t.report(kernel.BarrierMisuse, in, l, func(fd *kernel.Finding) {
				fd.Message = fmt.Sprintf("lanes %d and %d pass different addresses or strides to %s: undefined behaviour", first, l, in.Coll.Key)
				fd.Fix = "compute the address of the tile from the warp's index, not from the thread's"
			})
			return
		}
	}
	t.observe(in, lanes)
	if t.rec != nil {
		t.rec.overflow = true
	}
	addr := w.in[0][first] + uint64(tl.Mem.Off)
	stride := uint64(tl.Length)
	if tl.HasStride {
		stride = uint64(uint32(w.in[1][first]))
	}
	step := stride * uint64(tl.Bits) / 8
	if tl.HasStride && tl.StrideUnit != 0 {
		step = stride / 8
	}
	n := tl.Length * tl.Bits / 8
	access := *in
	access.Mem = tl.Mem
	if align := uint64(min(n, 32)); addr&(align-1) != 0 || step&(min(align, tileRow)-1) != 0 {
		t.misaligned(f, &access, first, addr|step, int(align))
		return
	}
	var batch tileBatch
	for r := range tl.Runs {
		at := addr + uint64(r)*step
		b := t.find(at, tl.Mem.Space)
		if b == nil || at-b.Base+uint64(n) > uint64(len(b.Data)) || tl.Mem.Write && b.ReadOnly {
			if !t.tileFault(f, &access, first, at, n) {
				return
			}
			continue
		}
		t.tallyLane(b.Space)
		off := int64(at - b.Base)
		if t.race != nil && b.Shadow != nil {
			batch.add(t, tl.Mem, b, off, n)
		}
		if tl.Mem.Write {
			t.storeRun(tl, b, off, r)
		} else {
			t.loadRun(tl, b, off, r)
		}
	}
	batch.flush(t, tl.Mem)
}

// tileFault reports the first bad address of a run; false ends the access.
func (t *Thread) tileFault(f *frame, in *Inst, l int, at uint64, n int) bool {
	if memory.SpaceOf(at) == kernel.Local {
		t.report(kernel.OutOfBounds, in, l, func(fd *kernel.Finding) {
			fd.Space, fd.Size = kernel.Local, n
			fd.Message = "a matrix is loaded from or stored to local memory, which every thread has its own of: undefined behaviour"
			fd.Fix = "put the tile into shared or global memory"
		})
		return false
	}
	for i := 0; i < n; i += 4 {
		if b := t.find(at+uint64(i), in.Mem.Space); b == nil || at+uint64(i)-b.Base+4 > uint64(len(b.Data)) || in.Mem.Write && b.ReadOnly {
			t.badAddress(f, in, l, at+uint64(i), 4)
			return true
		}
	}
	return true
}

func (t *Thread) loadRun(tl *Tile, b *memory.Buffer, off int64, run int) {
	w := t.ws.wide
	for i := range tl.Length {
		o, sh, size := tl.element(off, i)
		mask := ^uint64(0) >> (64 - tl.Bits)
		v := peek(unsafe.Pointer(&b.Data[o]), size) >> sh & mask
		inv := b.InvalidBits(o, size) >> sh & mask
		for _, p := range tl.Lane(run, i) {
			w.out[p.Reg][p.Lane] |= v << p.Bit
			if inv != 0 {
				w.outMark[p.Reg][p.Lane] |= inv << p.Bit
				w.from[p.Lane] = markOrigin{in: tl.Mem.inst, b: b, off: o}
			}
		}
	}
}

// storeRun stores a run. Elements are whole bytes: the ISA has no store of smaller ones.
func (t *Thread) storeRun(tl *Tile, b *memory.Buffer, off int64, run int) {
	w := t.ws.wide
	for i := range tl.Length {
		o, _, size := tl.element(off, i)
		p := tl.Lane(run, i)[0]
		t.pokeCompared(b, o, size, w.in[tileOperands+p.Reg][p.Lane]>>p.Bit)
		if b.Valid != nil {
			b.SetInvalidBits(o, size, w.inMark[tileOperands+p.Reg][p.Lane]>>p.Bit&sizeMask(size))
		}
	}
}

// element is the place of element i of a run: byte offset, shift and size of the access.
func (tl *Tile) element(off int64, i int) (o int64, shift, size int) {
	if tl.Bits >= 8 {
		return off + int64(i*tl.Bits/8), 0, tl.Bits / 8
	}
	return off + int64(i*tl.Bits/8), i * tl.Bits % 8, 1
}

// tileBatch gathers accesses, one a lane, for the race detector.
type tileBatch struct {
	b    *memory.Buffer
	offs [32]int64
	mask uint32
}

// add records a run in pieces of 8 bytes.
func (a *tileBatch) add(t *Thread, mem *Mem, b *memory.Buffer, off int64, n int) {
	for i := int64(0); i < int64(n); i += 8 {
		l := tileLane(uint64(off+i) >> 3)
		if a.b != b || a.mask>>l&1 != 0 {
			a.flush(t, mem)
		}
		a.b, a.offs[l] = b, off+i
		a.mask |= 1 << l
	}
}

// tileLane is the lane to which an access of a tile belongs. Neighbours have different
// lanes, in an order that no fragment layout has.
func tileLane(piece uint64) int {
	return int(bits.Reverse8(uint8(piece<<3))^uint8((piece>>5)*11)) & 31
}

func (a *tileBatch) flush(t *Thread, mem *Mem) {
	if a.mask == 0 {
		return
	}
	if mem.Write {
		t.values.set(t.ws.top, mem, a.b)
	}
	t.race.AccessLanes(t.ws.warp.Clock, a.b.Shadow.(*race.Shadow), &a.offs, a.mask, 8, t.sites[mem.Site])
	a.mask = 0
}
