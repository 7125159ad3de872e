package array

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/tensor"
)

// capacity is what a block may use on an architecture.
type capacity struct {
	shared    int64 // bytes of shared memory
	columns   int   // of tensor memory
	registers int   // of a thread
}

// capacities of the architectures that run Pallas kernels (CUDA C++ Programming Guide,
// "Compute Capabilities"; PTX ISA, "Tensor Memory").
var capacities = map[string]capacity{
	"sm_90":  {shared: 227 << 10, registers: 255},
	"sm_100": {shared: 227 << 10, columns: 512, registers: 255},
}

// threadsOf is the number of hardware threads of a Pallas thread.
const threadsOf = 128

// claim counts an allocation, and reports if the architecture does not have so much.
func (t *Thread) claim(b *Buffer, s Scratch) {
	c, ok := capacities[t.program().Arch]
	if !ok {
		return
	}
	u := &t.block().used
	switch b.Space {
	case kernel.Shared:
		u.shared += sharedBytes(b)
		if u.shared > c.shared {
			t.exceeded(b, fmt.Sprintf("the block needs %d bytes of shared memory with %s, %s has %d", u.shared, b.Name, t.program().Arch, c.shared), "use smaller tiles or fewer pipeline stages")
		}
	case kernel.Tensor:
		b.columns = columns(b, s)
		u.columns += b.columns
		switch {
		case c.columns == 0:
			t.exceeded(b, fmt.Sprintf("%s lies in tensor memory, which %s does not have", b.Name, t.program().Arch), "choose an architecture with tensor memory, or accumulate in registers with wgmma")
		case u.columns > c.columns:
			t.exceeded(b, fmt.Sprintf("the block needs %d columns of tensor memory with %s, %s has %d", u.columns, b.Name, t.program().Arch, c.columns), "use smaller accumulators")
		}
	case kernel.Local:
		t.registers += int(b.Size()) / 4 / threadsOf
		if t.registers > c.registers {
			t.exceeded(b, fmt.Sprintf("the accumulators of %s need %d registers of each hardware thread with %s, %s has %d", t.who(), t.registers, b.Name, t.program().Arch, c.registers), "split the tile between more threads")
		}
	}
}

// unclaim is the end of an allocation.
func (t *Thread) unclaim(b *Buffer) {
	u := &t.block().used
	switch b.Space {
	case kernel.Shared:
		u.shared -= sharedBytes(b)
	case kernel.Tensor:
		u.columns -= b.columns
	case kernel.Local:
		t.registers -= int(b.Size()) / 4 / threadsOf
	}
}

func (t *Thread) exceeded(b *Buffer, message, fix string) {
	t.report(kernel.Finding{Message: message, Fix: fix, Space: b.Space, Object: b.Name}, kernel.AllocationMisuse, kernel.Error, b.Name+b.Space.String())
}

// sharedBytes is what a buffer takes of shared memory.
func sharedBytes(b *Buffer) int64 {
	return int64((tensor.Count(b.Dims)*b.Type.Bits() + 7) / 8)
}

// columns is what an allocation takes of tensor memory: 128 rows of columns of 32 bits.
func columns(b *Buffer, s Scratch) int {
	if s.Bytes > 0 { // a union
		return (s.Bytes + 511) / 512
	}
	if len(b.Dims) == 0 {
		return 1
	}
	n := b.Dims[len(b.Dims)-1]
	for _, d := range b.Dims[:max(len(b.Dims)-2, 0)] {
		n *= d
	}
	if s.Packed || b.Type.Bits() > 32 {
		n = (n*b.Type.Bits() + 31) / 32
	}
	return n
}
