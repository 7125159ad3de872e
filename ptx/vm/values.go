package vm

import (
	"unsafe"

	"gpusim/memory"
)

// storeValues answers the detector's question whether racing stores write one value
// (race.Values) for the store that is about to be executed.
type storeValues struct {
	f   *frame
	mem *Mem
	b   *memory.Buffer
	t   *Thread
}

func (v *storeValues) set(f *frame, mem *Mem, b *memory.Buffer) {
	v.f, v.mem, v.b = f, mem, b
}

// byteAt is the byte that a lane stores at an offset of the buffer.
func (v *storeValues) byteAt(lane int, off int64) (uint8, bool) {
	if v.mem.Opaque || v.mem.Async != nil || v.mem.Atom != nil || v.mem.Cas {
		return 0, false
	}
	a := v.f.lane(v.mem.Base, lane) + uint64(v.mem.Off)
	i := off - int64(a-v.b.Base)
	if i < 0 || i >= int64(v.mem.Size*len(v.mem.Regs)) {
		return 0, false
	}
	r := v.mem.Regs[i/int64(v.mem.Size)]
	return uint8(v.f.lane(r, lane) >> (8 * uint(i%int64(v.mem.Size)))), true
}

// OldEqual reports whether the buffer already holds the byte that the lane stores at off.
func (v *storeValues) OldEqual(lane int, off int64) bool {
	x, ok := v.byteAt(lane, off)
	return ok && peek(unsafe.Pointer(&v.b.Data[off]), 1) == uint64(x)
}

// LanesEqual reports whether two lanes store the same byte at off.
func (v *storeValues) LanesEqual(a, b int, off int64) bool {
	x, ok := v.byteAt(a, off)
	y, ok2 := v.byteAt(b, off)
	return ok && ok2 && x == y
}
