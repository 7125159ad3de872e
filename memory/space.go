package memory

import "gpusim/kernel"

// The generic address space of a simulated device. Global buffers lie 64 GiB apart, so
// that a wrapped 32-bit index falls into a gap instead of another buffer. The windows of
// shared, local and parameter memory lie below 4 GiB, because compiled code keeps such
// addresses in 32-bit registers. A generic address of any space is the address itself.
const (
	GlobalShift = 36          // global buffer k starts at (k+1)<<GlobalShift
	SharedBase  = 0x1000_0000 // shared variable k of a block starts at SharedBase + k<<SharedShift
	SharedShift = 19          // more than any device's shared memory per block
	SharedSlots = 256         // variables of one block
	SharedEnd   = SharedBase + SharedSlots<<SharedShift
	LocalBase   = 0xA000_0000
	LocalEnd    = 0xC000_0000
	ParamBase   = 0xC000_0000
	ParamEnd    = 0xC001_0000
)

// SpaceOf classifies a generic address.
func SpaceOf(addr uint64) kernel.Space {
	switch {
	case addr >= 1<<GlobalShift:
		return kernel.Global
	case addr >= SharedBase && addr < SharedEnd:
		return kernel.Shared
	case addr >= LocalBase && addr < LocalEnd:
		return kernel.Local
	case addr >= ParamBase && addr < ParamEnd:
		return kernel.Param
	}
	return kernel.Generic
}

// Map finds the global buffer of an address. Buffers keep their slot after they are
// freed, so that a use after free names the buffer.
type Map struct{ slots []*Buffer }

// Add makes a buffer in the next free slot of global memory.
func (m *Map) Add(id int, name string, size int64, track bool) *Buffer {
	b := NewBuffer(id, name, kernel.Global, uint64(len(m.slots)+1)<<GlobalShift, size, track)
	m.slots = append(m.slots, b)
	return b
}

// Find returns the buffer whose slot holds the address, or nil. The address may lie
// beyond the buffer's end.
func (m *Map) Find(addr uint64) *Buffer {
	k := addr>>GlobalShift - 1
	if k >= uint64(len(m.slots)) {
		return nil
	}
	return m.slots[k]
}

// Near returns the buffer that an address outside of every buffer most likely meant: the
// one whose slot holds it, or the one after it when the address lies just below that one.
func (m *Map) Near(addr uint64) *Buffer {
	const below = 1 << 30
	if b := m.Find(addr + below); b != nil && addr < b.Base && b.Base-addr <= below {
		return b
	}
	return m.Find(addr)
}

// Buffers lists all buffers in the order of their addresses.
func (m *Map) Buffers() []*Buffer { return m.slots }
