package launch

import (
	"encoding/binary"

	"gpusim/memory"
)

// sharedAlign is the alignment of each part of dynamic shared memory.
const sharedAlign = 16

// packer writes a launch's arguments into its parameter block.
type packer struct {
	buffers map[string]*memory.Buffer
	dynamic uint64 // address of dynamic shared memory
	shared  int64  // bytes of it that are given away so far
}

// pack returns the parameter block and the size of dynamic shared memory.
func (p *packer) pack(sig Signature, s *step) ([]byte, int64) {
	block := make([]byte, sig.ParamBytes)
	p.shared = s.shared
	for i, a := range s.args {
		p.put(block[sig.Params[i].Offset:], a)
	}
	return block, p.shared
}

// put writes one argument and returns its length.
func (p *packer) put(to []byte, a *argument) int {
	switch {
	case a.buffer != "":
		binary.LittleEndian.PutUint64(to, p.address(a))
	case a.isShare:
		p.shared = (p.shared + sharedAlign - 1) / sharedAlign * sharedAlign
		binary.LittleEndian.PutUint64(to, p.dynamic+uint64(p.shared))
		p.shared += a.shared
	case a.parts != nil:
		n := 0
		for _, part := range a.parts {
			n += p.put(to[n:], part)
		}
	default:
		copy(to, a.bytes)
	}
	return a.size()
}

func (p *packer) address(a *argument) uint64 {
	return p.buffers[a.buffer].Base + uint64(a.offset)
}
