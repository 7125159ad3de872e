package vm

import (
	"fmt"
	"slices"

	"gpusim/kernel"
	"gpusim/lanes"
	"gpusim/memory"
	"gpusim/ptx/alu"
	"gpusim/shape"
)

// Uninitialised bits travel through registers as marks, a bit for each bit of each lane:
// compilers copy padding with whole words, and build bit-fields by masks in words that
// were never set. A register without marks has a nil entry, and a frame without marks
// costs one compare an instruction. The finding arises where a marked bit is used.

// markOrigin is the load that brought an uninitialised bit into a register.
type markOrigin struct {
	in      *Inst
	b       *memory.Buffer // nil: local memory
	off     int64          // of the element in the buffer, or in the local window
	partial bool           // some bits of the element were initialised
}

func (f *frame) slot(r Reg) **D {
	switch r.Class {
	case R32:
		if f.marks32 == nil {
			f.marks32 = make([]*D, len(f.r32))
		}
		return &f.marks32[r.Index]
	case R64:
		if f.marks64 == nil {
			f.marks64 = make([]*D, len(f.r64))
		}
		return &f.marks64[r.Index]
	case RP:
		if f.marksP == nil {
			f.marksP = make([]*D, len(f.pred))
		}
		return &f.marksP[r.Index]
	}
	return nil
}

// mark are the uninitialised bits of one lane of a register.
func (f *frame) mark(r Reg, l int) uint64 {
	if f.marked == 0 || r.Class == NoReg {
		return 0
	}
	if p := *f.slot(r); p != nil {
		return p[l&31]
	}
	return 0
}

// setMark sets it. origin names the load, when there is one.
func (f *frame) setMark(r Reg, l int, inv uint64, origin markOrigin) {
	if inv == 0 && f.marked == 0 || r.Class == NoReg {
		return
	}
	p := f.slot(r)
	if *p == nil {
		if inv == 0 {
			return
		}
		*p = new(D)
		f.marked++
	}
	(*p)[l&31] = inv
	if inv != 0 && origin.in != nil {
		if f.origins == nil {
			f.origins = map[Reg]*[32]markOrigin{}
		}
		if f.origins[r] == nil {
			f.origins[r] = new([32]markOrigin)
		}
		f.origins[r][l&31] = origin
	}
	if inv == 0 && **p == (D{}) {
		*p = nil
		f.marked--
	}
}

// clearLanes removes the marks of lanes of a register.
func (f *frame) clearLanes(r Reg, m uint32) {
	if f.marked == 0 || r.Class == NoReg || *f.slot(r) == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		f.setMark(r, firstLane(m), 0, markOrigin{})
	}
}

// clearMarks forgets all marks, for a frame's next activation.
func (f *frame) clearMarks() {
	if f.marked != 0 {
		clear(f.marks32)
		clear(f.marks64)
		clear(f.marksP)
		clear(f.origins)
		f.marked = 0
	}
	f.pmarks, f.pfrom = nil, nil
}

// clearLanesOfAll removes the marks of lanes that leave the frame.
func (f *frame) clearLanesOfAll(m uint32) {
	if f.marked == 0 {
		return
	}
	f.eachMarked(func(r Reg) { f.clearLanes(r, m) })
}

// eachMarked visits the registers that have marks.
func (f *frame) eachMarked(visit func(Reg)) {
	for _, c := range []struct {
		class Class
		marks []*D
	}{{R32, f.marks32}, {R64, f.marks64}, {RP, f.marksP}} {
		for i, p := range c.marks {
			if p != nil {
				visit(Reg{uint16(i), c.class})
			}
		}
	}
}

// keepLive removes the marks of registers that are not live at the target of a back edge:
// a dead mark would keep the whole loop in the slow lane.
func (f *frame) keepLive(live []Reg, m uint32) {
	f.eachMarked(func(r Reg) {
		if !slices.Contains(live, r) {
			f.clearLanes(r, m)
		}
	})
}

// trackMarks carries marks through an instruction about to be executed, or reports a use.
func (t *Thread) trackMarks(f *frame, in *Inst, m uint32) {
	dst := Reg{in.D, in.DK}
	switch in.Op {
	case Mov32, Mov64, MovP, NotP:
		src := in.Src[0]
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			f.setMark(dst, l, f.mark(src, l), f.origin(src, l))
		}
		return
	case Load, Store, LoadLocal, StoreLocal, Discard, Atomic, CpAsync:
		t.useAddress(f, in, m)
		return
	case LoadRows, StoreRows:
		t.useAddress(f, in, m&in.Mem.Lanes)
		return
	case Collective:
		t.useControl(f, in, m)
		return
	case LoadParam, StoreParam, Pack, Unpack, Ret, Exit, Nop, CpCommit, CpWait, Fence:
		return // carried by the instruction itself, or no operands
	case ReadSpecial, ActiveMask, LocalAddr:
		f.clearLanes(dst, m)
		return
	}
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		var inv, vals [4]uint64
		any := uint64(0)
		for i := range int(in.NArgs) {
			inv[i] = f.mark(in.Src[i], l)
			vals[i] = f.lane(in.Src[i], l)
			any |= inv[i]
		}
		if any == 0 {
			f.setMark(dst, l, 0, markOrigin{})
			continue
		}
		if dst.Class != RP && t.usePredicate(f, in, &inv, l) {
			f.setMark(dst, l, 0, markOrigin{})
			continue
		}
		if in.Alu != nil && in.Alu.Validity != alu.Whole && in.Alu.Validity != alu.Ascending {
			f.setMark(dst, l, in.invalid(&vals, &inv), f.firstOrigin(in, l))
			f.setMark(in.D2, l, 0, markOrigin{})
			continue
		}
		// A comparison is not yet a use: its result may be masked by another one (CUB's merge
		// sort does that). It is used where a branch, a
		// guard, a selection or a vote looks at it.
		if dst.Class == RP {
			o := f.firstOrigin(in, l)
			f.setMark(dst, l, 1, o)
			f.setMark(in.D2, l, 1, o)
			continue
		}
		// What a shuffle brought from a lane that does not take part is often computed with
		// and then dropped: it is used where it decides something or is stored.
		if o := f.firstOrigin(in, l); o.in != nil && o.in.Coll != nil {
			f.setMark(dst, l, dst.Class.mask(), o)
			continue
		}
		for i := range int(in.NArgs) {
			if inv[i] != 0 {
				t.useOf(f, in, in.Src[i], l)
				break
			}
		}
		f.setMark(dst, l, 0, markOrigin{})
	}
}

// usePredicate reports a value that an undefined predicate selects.
func (t *Thread) usePredicate(f *frame, in *Inst, inv *[4]uint64, l int) bool {
	for i, r := range in.Src[:in.NArgs] {
		if r.Class == RP && inv[i] != 0 {
			t.useOf(f, in, r, l)
			return true
		}
	}
	return false
}

// useGuard reports lanes whose guard is undefined: whether they execute the instruction
// is a matter of chance.
func (t *Thread) useGuard(f *frame, in *Inst, m uint32) {
	g := Reg{uint16(in.Guard), RP}
	if f.marksP == nil || f.marksP[g.Index] == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		if f.mark(g, l) != 0 {
			t.useOf(f, in, g, l)
			f.setMark(g, l, 0, markOrigin{})
		}
	}
}

// invalid are the uninitialised bits of the result, in the whole destination register.
func (in *Inst) invalid(vals, inv *[4]uint64) uint64 {
	x := in.Alu.Invalid(vals, inv)
	if n := 8 * in.Alu.Result.Bytes(); in.Alu.Signed && x>>(n-1)&1 != 0 {
		x |= ^uint64(0) << n // sign-extended
	}
	if in.DK == R32 {
		x &= 0xFFFFFFFF
	}
	return x
}

// origin is the load behind the mark of one lane of a register.
func (f *frame) origin(r Reg, l int) markOrigin {
	if o := f.origins[r]; o != nil {
		return o[l&31]
	}
	return markOrigin{}
}

// firstOrigin is the load behind the first marked source.
func (f *frame) firstOrigin(in *Inst, l int) markOrigin {
	for _, r := range in.Src[:in.NArgs] {
		if f.mark(r, l) != 0 {
			return f.origin(r, l)
		}
	}
	return markOrigin{}
}

// useAddress reports an access whose address depends on uninitialised bytes.
func (t *Thread) useAddress(f *frame, in *Inst, m uint32) {
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		if f.mark(in.Mem.Base, l) != 0 {
			t.useOf(f, in, in.Mem.Base, l)
			f.setMark(in.Mem.Base, l, 0, markOrigin{})
		}
		if in.Op != Atomic {
			continue
		}
		for _, r := range in.Src[:in.NArgs] {
			if f.mark(r, l) != 0 {
				t.useOf(f, in, r, l)
				f.setMark(r, l, 0, markOrigin{})
			}
		}
	}
}

// useControl reports a barrier or collective that depends on uninitialised bytes by more
// than the value that it exchanges.
func (t *Thread) useControl(f *frame, in *Inst, m uint32) {
	c := in.Coll
	for _, r := range [...]Reg{c.Mask, c.ID, c.Count, c.Args[1], c.Args[2]} {
		for x := m; x != 0; x &= x - 1 {
			if l := firstLane(x); f.mark(r, l) != 0 {
				t.useOf(f, in, r, l)
				f.setMark(r, l, 0, markOrigin{})
			}
		}
	}
}

// useOf reports that an instruction's result depends on uninitialised memory: an error if
// the whole element was uninitialised, a warning if a part of it was.
func (t *Thread) useOf(f *frame, in *Inst, r Reg, l int) {
	if !t.launch.Uninit {
		return
	}
	o := f.origin(r, l)
	site, sev := int(in.Number), kernel.Error
	if o.in != nil {
		site = int(o.in.Number)
		if o.partial {
			sev = kernel.Warning
		}
	}
	// A finding for each load: its later uses are consequences.
	key := keyOf(t, kernel.UninitializedRead, sev, site)
	if o.b != nil {
		key.Object = o.b.ID
	}
	t.launch.Findings.Report(key, func() kernel.Finding {
		fd := kernel.Finding{Kernel: t.launch.Kernel}
		switch {
		case o.in == nil:
			fd.Accesses = []kernel.Access{t.accessOf(in, l)}
			fd.Accesses[0].Op = "read"
			fd.Message = "a value that was never initialised is used"
		case o.in.Coll != nil:
			fd.Accesses = []kernel.Access{t.accessOf(o.in, l), t.accessOf(in, l)}
			fd.Accesses[0].Op, fd.Accesses[1].Op = "read", "read"
			fd.Message = "a shuffle reads a lane that does not take part (it has exited, does not exist or is not in the mask): the value is undefined, and it is used"
			fd.Fix = "let whole warps run the shuffle (round the block size up to a multiple of 32 and give idle lanes a neutral value), or shuffle within the lanes of the mask only"
			return fd
		default:
			fd.Accesses = []kernel.Access{t.accessOf(o.in, l), t.accessOf(in, l)}
			fd.Accesses[1].Op = "read"
			fd.Size, fd.Space, fd.Offset = o.in.Mem.Size, kernel.Local, o.off
			what := ""
			if o.b != nil {
				fd.Space, fd.Object = o.b.Space, o.b.Name
				what = fmt.Sprintf("%s at offset %d", o.b.Name, o.off)
			} else {
				fd.Object, fd.Offset, _ = f.nearestLocal(o.off)
				what = "a local variable"
			}
			fd.Message = fmt.Sprintf("%s is read before anything was written there, and the value is used", what)
			if o.partial {
				fd.Message = fmt.Sprintf("%s is read before all of its bytes were written, and the value is used", what)
			}
		}
		fd.Fix = "write the element before it is read (initialise the buffer, fill the halo, or guard the read)"
		return fd
	})
}

// loadMarks marks what a load brought in.
func (t *Thread) loadMarks(f *frame, mem *Mem, b *memory.Buffer, s *shape.Shape, off int64, m uint32) {
	if b.AllValid(off+s.Min, s.End-s.Min) {
		if f.marked != 0 {
			for _, r := range mem.Regs {
				f.clearLanes(r, m)
			}
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		at := off + int64(s.Rel[l])
		if f.marked != 0 || b.Valid != nil && !b.ElementValid(at, int(s.Width)) {
			t.loadLaneMarks(f, mem, b, at, l)
		}
	}
}

func (t *Thread) loadLaneMarks(f *frame, mem *Mem, b *memory.Buffer, off int64, l int) {
	for k, r := range mem.Regs {
		at := off + int64(k*mem.Size)
		inv := b.InvalidBits(at, mem.Size)
		if inv == 0 {
			f.setMark(r, l, 0, markOrigin{})
			continue
		}
		f.setMark(r, l, t.loadMark(mem, inv), markOrigin{mem.inst, b, at, inv != sizeMask(mem.Size)})
	}
}

// loadMark extends the mark of a sign-extended element to its register.
func (t *Thread) loadMark(mem *Mem, inv uint64) uint64 {
	if mem.Signed && inv>>(8*mem.Size-1)&1 != 0 {
		inv |= ^uint64(0) << (8 * mem.Size)
	}
	return inv & mem.Mask
}

// storeMarks moves marks from registers to memory.
func (t *Thread) storeMarks(f *frame, in *Inst, b *memory.Buffer, s *shape.Shape, off int64, m uint32) {
	if f.marked == 0 {
		if len(s.Span) == 1 {
			b.SetValid(off+s.Min, s.End-s.Min, true)
			return
		}
		for ; m != 0; m &= m - 1 {
			b.MarkValid(off+int64(s.Rel[firstLane(m)]), int(s.Width))
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		t.storeLaneMarks(f, in, b, off+int64(s.Rel[l]), l)
	}
}

func (t *Thread) storeLaneMarks(f *frame, in *Inst, b *memory.Buffer, off int64, l int) {
	mem := in.Mem
	for k, r := range mem.Regs {
		o := off + int64(k*mem.Size)
		inv := f.mark(r, l) & sizeMask(mem.Size)
		b.SetInvalidBits(o, mem.Size, inv)
		// A wholly uninitialised element in a buffer that the host reads back is a use;
		// parts of one may be padding.
		if b.Host && mem.Size >= 4 && inv == sizeMask(mem.Size) {
			t.useOf(f, in, r, l)
		}
	}
}

// markFromParam marks a register from the parameter area.
func (t *Thread) markFromParam(f *frame, r Reg, off int, mem *Mem, m uint32) {
	if f.pmarks == nil || mem.IsKernel {
		f.clearLanes(r, m)
		return
	}
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		inv := paramMark(f, off, mem.Size, l)
		f.setMark(r, l, t.loadMark(mem, inv), f.pfrom.of(int64(off), l, inv, markOrigin{}))
	}
}

func paramMark(f *frame, off, size, l int) (inv uint64) {
	for i := range size {
		if p := f.pmarks[(off+i)>>2]; p != nil {
			inv |= uint64(p[l]>>(8*uint((off+i)&3))&0xFF) << (8 * i)
		}
	}
	return inv
}

// markParam carries marks into the parameter area.
func (t *Thread) markParam(f *frame, r Reg, off int, mem *Mem, m uint32) {
	if f.pmarks == nil {
		if f.marked == 0 {
			return
		}
		f.pmarks = make([]*V, len(f.params))
	}
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		inv := f.mark(r, l)
		f.pfrom.set(int64(off), mem.Size, l, inv, f.origin(r, l))
		for i := range mem.Size {
			p := &f.pmarks[(off+i)>>2]
			x := uint32(inv >> (8 * i) & 0xFF)
			if *p == nil {
				if x == 0 {
					continue
				}
				*p = new(V)
			}
			s := 8 * uint((off+i)&3)
			(*p)[l] = (*p)[l]&^(0xFF<<s) | x<<s
		}
	}
}

// copyParamMarks carries marks across a call.
func copyParamMarks(dst, src *frame, d, s int, mask uint32) {
	if src.pmarks == nil && dst.pmarks == nil {
		return
	}
	var from V
	if src.pmarks != nil && src.pmarks[s] != nil {
		from = *src.pmarks[s]
	}
	if dst.pmarks == nil {
		dst.pmarks = make([]*V, len(dst.params))
	}
	if dst.pmarks[d] == nil {
		dst.pmarks[d] = new(V)
	}
	lanes.Select32(dst.pmarks[d], &from, dst.pmarks[d], mask)
	if src.pfrom == nil {
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		l := firstLane(mask)
		o := src.pfrom[localByte{int64(4 * s), l}]
		dst.pfrom.set(int64(4*d), 4, l, uint64(from[l]), o)
	}
}
