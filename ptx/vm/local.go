package vm

import (
	"fmt"
	"math/bits"

	"gpusim/kernel"
	"gpusim/lanes"
	"gpusim/memory"
)

// MaxLocal is the local memory of one thread: CUDA's limit of 512 KiB (CUDA Programming
// Guide, "Technical Specifications per Compute Capability").
const MaxLocal = 512 << 10

// localMemory is the local memory of a warp. Words are interleaved by lane, as on the
// hardware: all lanes usually access the same local address, and then a 4-byte access is
// one copy of 128 bytes.
type localMemory struct {
	words []V
	valid []uint32 // by byte: lanes whose byte is initialised
	// partial are bytes some of whose bits are initialised: these bits.
	partial map[localByte]uint8
	origins origins
}

// localByte is one lane's byte of the local window.
type localByte struct {
	off  int64
	lane int
}

// push makes room for a frame and marks its bytes uninitialised for the lanes.
func (lm *localMemory) push(base, size int64, lanes uint32) {
	if size == 0 {
		return
	}
	end := (base + size + 7) &^ 7
	if grow := int(end/4) - len(lm.words); grow > 0 {
		lm.words = append(lm.words, make([]V, grow)...)
		lm.valid = append(lm.valid, make([]uint32, int(end)-len(lm.valid))...)
	}
	for i := base; i < end; i++ {
		lm.valid[i] &^= lanes
	}
	for at := range lm.origins {
		if at.off >= base && at.off < end && lanes>>at.lane&1 != 0 {
			delete(lm.origins, at)
		}
	}
	for at := range lm.partial {
		if at.off >= base && at.off < end && lanes>>at.lane&1 != 0 {
			delete(lm.partial, at)
		}
	}
}

// local executes ld.local and st.local.
func (t *Thread) local(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	a := t.addresses(f, mem.Base)
	first := a[firstLane(m)]
	for x := m & (m - 1); x != 0; x &= x - 1 {
		if a[bits.TrailingZeros32(x)] != first {
			for ; m != 0; m &= m - 1 {
				l := firstLane(m)
				t.localLane(f, in, l, a[l]+uint64(mem.Off))
			}
			return
		}
	}
	t.localUniform(f, in, first+uint64(mem.Off), m)
}

// localUniform executes an access of all lanes to one local address.
func (t *Thread) localUniform(f *frame, in *Inst, addr uint64, m uint32) {
	mem := in.Mem
	write := in.Op == Store || in.Op == StoreLocal
	off := int64(addr - memory.LocalBase)
	width := int64(mem.Size * len(mem.Regs))
	if mem.Size != 4 || len(mem.Regs) != 1 || off&3 != 0 || mem.Regs[0].Class != R32 || !f.inFrame(off, width, m) {
		for ; m != 0; m &= m - 1 {
			t.localLane(f, in, firstLane(m), addr)
		}
		return
	}
	lm := &t.ws.local
	w, r := &lm.words[off>>2], mem.Regs[0]
	v := lm.valid[off : off+4 : off+4]
	if write {
		if t.rec != nil {
			t.localChange(f, w, r, m)
		}
		if m == Full {
			lanes.Copy32(w, &f.r32[r.Index])
		} else {
			lanes.Select32(w, &f.r32[r.Index], w, m)
		}
		if f.marks32 != nil && f.marks32[r.Index] != nil {
			for x := m; x != 0; x &= x - 1 {
				l := firstLane(x)
				inv := f.mark(r, l)
				lm.setInvalid(off, 4, l, inv)
				lm.origins.set(off, 4, l, inv, f.origin(r, l))
			}
			return
		}
		v[0], v[1], v[2], v[3] = v[0]|m, v[1]|m, v[2]|m, v[3]|m
		return
	}
	if m == Full {
		lanes.Copy32(&f.r32[r.Index], w)
	} else {
		lanes.Select32(&f.r32[r.Index], w, &f.r32[r.Index], m)
	}
	if t.launch.Uninit {
		if v[0]&v[1]&v[2]&v[3]&m == m {
			f.clearLanes(r, m)
			return
		}
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			inv := lm.invalid(off, 4, l)
			f.setMark(r, l, inv, lm.origins.of(off, l, inv, markOrigin{in: in, off: off, partial: inv != sizeMask(4)}))
		}
	}
}

// localChange notes whether a local store changes a value: a loop that does makes progress.
func (t *Thread) localChange(f *frame, w *V, r Reg, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		if w[l] != uint32(f.lane(r, l)) {
			t.changes++
			return
		}
	}
}

// localLane executes one lane of an access to local memory.
func (t *Thread) localLane(f *frame, in *Inst, l int, addr uint64) {
	mem := in.Mem
	off := int64(addr - memory.LocalBase)
	width := int64(mem.Size * len(mem.Regs))
	write := in.Op == Store || in.Op == StoreLocal
	if addr < memory.LocalBase || addr >= memory.LocalEnd || !f.inFrame(off, width, 1<<uint(l)) {
		t.badLocal(f, in, l, addr, int(width))
		return
	}
	if addr&uint64(width-1) != 0 {
		t.misaligned(f, in, l, addr, int(width))
		return
	}
	lm := &t.ws.local
	for k, r := range mem.Regs {
		o := int(off) + k*mem.Size
		if write {
			v := f.lane(r, l)
			if t.rec != nil && wordsGet(lm.words, o, mem.Size, l) != v&sizeMask(mem.Size) {
				t.changes++
			}
			wordsSet(lm.words, o, mem.Size, l, v)
			inv := f.mark(r, l)
			lm.setInvalid(int64(o), mem.Size, l, inv)
			lm.origins.set(int64(o), mem.Size, l, inv, f.origin(r, l))
			continue
		}
		if r.Class == NoReg {
			continue
		}
		f.setLane(r, l, t.extend(mem, wordsGet(lm.words, o, mem.Size, l)))
		if t.launch.Uninit {
			inv := lm.invalid(int64(o), mem.Size, l)
			f.setMark(r, l, t.loadMark(mem, inv), lm.origins.of(int64(o), l, inv, markOrigin{in: in, off: int64(o), partial: inv != sizeMask(mem.Size)}))
		}
	}
}

// invalid are the uninitialised bits of one lane.
func (lm *localMemory) invalid(off int64, size, l int) (inv uint64) {
	for i := range size {
		if lm.valid[off+int64(i)]>>uint(l)&1 == 0 {
			inv |= uint64(0xFF&^lm.partial[localByte{off + int64(i), l}]) << (8 * i)
		}
	}
	return inv
}

// setInvalid says which of the stored bits are uninitialised.
func (lm *localMemory) setInvalid(off int64, size, l int, inv uint64) {
	b := uint32(1) << uint(l)
	for i := range size {
		x := uint8(inv >> (8 * i))
		if x == 0 {
			lm.valid[off+int64(i)] |= b
			continue
		}
		lm.valid[off+int64(i)] &^= b
		at := localByte{off + int64(i), l}
		if x != 0xFF {
			if lm.partial == nil {
				lm.partial = map[localByte]uint8{}
			}
			lm.partial[at] = ^x
		} else if lm.partial != nil {
			delete(lm.partial, at)
		}
	}
}

// inFrame reports whether bytes of the local window belong, for all lanes of m, to a variable of this
// activation or of one of its callers (whose variables it may have been passed a pointer to).
func (f *frame) inFrame(off, width int64, m uint32) bool {
	for ; f != nil; f = f.parent {
		if off < f.localBase {
			continue
		}
		for i := range f.fn.Local {
			v := &f.fn.Local[i]
			if o := off - f.localBase - v.Off; o >= 0 && o+width <= v.Size {
				return true
			}
		}
		if off < f.localBase+f.fn.LocalSize {
			return false
		}
		for ; m != 0; m &= m - 1 { // alloca
			if off+width > f.top(firstLane(m)) {
				return false
			}
		}
		return true
	}
	return false
}

// nearestLocal names the variable that an address in the local window most likely meant.
func (f *frame) nearestLocal(off int64) (name string, at int64, size int64) {
	for ; f != nil; f = f.parent {
		if off < f.localBase {
			continue
		}
		best := -1
		for i := range f.fn.Local {
			if f.localBase+f.fn.Local[i].Off <= off {
				best = i
			}
		}
		if best >= 0 {
			v := &f.fn.Local[best]
			return v.Name, off - f.localBase - v.Off, v.Size
		}
	}
	return "", off, 0
}

func (t *Thread) badLocal(f *frame, in *Inst, l int, addr uint64, width int) {
	name, at, size := f.nearestLocal(int64(addr - memory.LocalBase))
	t.report(kernel.OutOfBounds, in, l, func(fd *kernel.Finding) {
		fd.Space, fd.Object, fd.Offset, fd.Size = kernel.Local, name, at, width
		if name == "" {
			fd.Message = fmt.Sprintf("a local access of %d bytes at %#x hits no variable of an active function", width, addr)
		} else {
			fd.Message = fmt.Sprintf("a local access of %d bytes at byte %d of the function's local variables, which are %d bytes", width, at, size)
		}
		fd.Fix = "check the index against the size of the local array"
	})
}
