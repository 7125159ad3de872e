// Package memory holds the simulated memory of a device: buffers with validity per
// byte, the address map that finds them, and the rules of collective allocation.
package memory

import (
	"math/bits"

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
	Shadow   any // the race detector's state of this buffer, owned by the engine

	watches []*Watch
}

// NewBuffer makes a zeroed buffer. With track, its bytes start uninitialised.
func NewBuffer(id int, name string, space kernel.Space, base uint64, size int64, track bool) *Buffer {
	b := &Buffer{ID: id, Name: name, Space: space, Base: base, Data: make([]byte, size)}
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

// InvalidBytes is the mask of uninitialised bytes among the n (at most 32) bytes from off.
func (b *Buffer) InvalidBytes(off int64, n int) uint32 {
	if b.Valid == nil {
		return 0
	}
	i, s := off>>6, uint(off&63)
	v := b.Valid[i]>>s | b.Valid[i+1]<<(64-s)
	return uint32(^v & (1<<uint(n) - 1))
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
