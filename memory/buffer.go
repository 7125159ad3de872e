// Package memory holds the simulated memory of a device: buffers with validity per
// byte, the address map that finds them, and the rules of collective allocation.
package memory

import (
	"math/bits"

	"gpusim/internal/hugepages"
	"gpusim/kernel"
)

// Buffer is one allocation: a device buffer, a module variable, or a shared variable of
// a resident block.
type Buffer struct {
	ID       int // allocation id; unique per device
	Name     string
	Space    kernel.Space
	Base     uint64
	Data     []byte
	Valid    []uint64 // a bit per byte (and two words of slack); nil: everything counts as initialised
	ReadOnly bool     // writes by kernels are findings
	Host     bool     // the host may read it back: invalid elements stored here are findings
	Freed    bool
	FreedAt  string  // for memory of the device heap: by whom, and where
	Opaque   []int64 // offsets of live mbarrier objects of 8 bytes, which ordinary accesses must not touch
	Shadow   any     // the race detector's state of this buffer, owned by the engine

	watches []*Watch
	partial map[int64]uint8 // bytes some of whose bits are initialised: these bits. Valid does not have them
}

// NewBuffer makes a zeroed buffer. With track, its bytes start uninitialised.
func NewBuffer(id int, name string, space kernel.Space, base uint64, size int64, track bool) *Buffer {
	b := &Buffer{ID: id, Name: name, Space: space, Base: base, Data: hugepages.Make[byte](int(size))}
	if track {
		b.Valid = make([]uint64, (size+63)/64+2)
	}
	return b
}

// Size is the buffer's length in bytes.
func (b *Buffer) Size() int64 { return int64(len(b.Data)) }

// SetValid marks n bytes from off as initialised or not.
func (b *Buffer) SetValid(off, n int64, valid bool) {
	if b.Valid == nil {
		return
	}
	for n > 0 {
		i, s := off>>6, uint(off&63)
		k := min(n, int64(64-s))
		m := (^uint64(0) >> uint(64-k)) << s
		if valid {
			b.Valid[i] |= m
		} else {
			b.Valid[i] &^= m
		}
		off, n = off+k, n-k
	}
}

// InvalidBits are the uninitialised bits among the n (at most 8) bytes from off.
func (b *Buffer) InvalidBits(off int64, n int) uint64 {
	if b.Valid == nil {
		return 0
	}
	i, s := off>>6, uint(off&63)
	v := b.Valid[i]>>s | b.Valid[i+1]<<(64-s)
	var inv uint64
	for m := ^v & (1<<uint(n) - 1); m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		inv |= uint64(0xFF&^b.partial[off+int64(k)]) << (8 * k)
	}
	return inv
}

// SetInvalidBits says which bits of the n (at most 8) bytes from off are uninitialised; the
// others are initialised.
func (b *Buffer) SetInvalidBits(off int64, n int, inv uint64) {
	if b.Valid == nil {
		return
	}
	if inv == 0 && b.partial == nil {
		b.SetValid(off, int64(n), true)
		return
	}
	for k := range n {
		x := uint8(inv >> (8 * k))
		b.SetValid(off+int64(k), 1, x == 0)
		switch {
		case x != 0 && x != 0xFF:
			if b.partial == nil {
				b.partial = map[int64]uint8{}
			}
			b.partial[off+int64(k)] = ^x
		case x != 0 && b.partial != nil:
			delete(b.partial, off+int64(k))
		}
	}
}

// Invalidate makes all bytes uninitialised.
func (b *Buffer) Invalidate() {
	clear(b.Valid)
	b.partial = nil
}

// MarkValid is SetValid for one aligned element of up to 32 bytes: it lies in one word.
// Only call it on a buffer with Valid.
func (b *Buffer) MarkValid(off int64, n int) {
	b.Valid[off>>6] |= (1<<uint(n) - 1) << uint(off&63)
}

// ElementValid is AllValid for one aligned element of up to 32 bytes, on a buffer with Valid.
func (b *Buffer) ElementValid(off int64, n int) bool {
	m := uint64(1)<<uint(n) - 1
	return b.Valid[off>>6]>>uint(off&63)&m == m
}

// AllValid reports whether all n bytes from off are initialised.
func (b *Buffer) AllValid(off, n int64) bool {
	if b.Valid == nil {
		return true
	}
	i, j := off>>6, (off+n-1)>>6
	first := ^uint64(0) << uint(off&63)
	last := ^uint64(0) >> uint(63-(off+n-1)&63)
	if i == j {
		return b.Valid[i]|^(first&last) == ^uint64(0)
	}
	acc := (b.Valid[i] | ^first) & (b.Valid[j] | ^last)
	for k := i + 1; k < j; k++ {
		acc &= b.Valid[k]
	}
	return acc == ^uint64(0)
}

// CountInvalid is the number of uninitialised bytes in the whole buffer.
func (b *Buffer) CountInvalid() int64 {
	if b.Valid == nil {
		return 0
	}
	n := b.Size()
	for i := range (n + 63) / 64 {
		v := b.Valid[i]
		if r := b.Size() - i*64; r < 64 {
			v &= 1<<uint(r) - 1
		}
		n -= int64(bits.OnesCount64(v))
	}
	return n
}
