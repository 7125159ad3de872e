package vm

import "gpusim/lanes"

import "math/bits"

// copyParams moves call arguments (into the callee) or results (out of it) between the
// parameter areas of two frames, for the lanes of the call.
func copyParams(dst, src *frame, ranges []CopyRange, mask uint32, in bool) {
	for _, r := range ranges {
		d, s := r.Callee/4, r.Caller/4
		if !in {
			d, s = s, d
		}
		for i := range (r.Size + 3) / 4 {
			if mask == Full {
				lanes.Copy32(&dst.params[d+i], &src.params[s+i])
			} else {
				lanes.Select32(&dst.params[d+i], &src.params[s+i], &dst.params[d+i], mask)
			}
			copyParamMarks(dst, src, d+i, s+i, mask)
		}
	}
}

// loadParam reads the parameter area, or the kernel's constant parameters.
func (t *Thread) loadParam(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	for k, r := range mem.Regs {
		if r.Class == NoReg {
			continue
		}
		off := mem.Param + k*mem.Size
		if mem.IsKernel {
			v := t.extend(mem, t.prog.kernelParam(off, mem.Size))
			t.splat(f, r, m, v)
		} else {
			for x := m; x != 0; x &= x - 1 {
				l := bits.TrailingZeros32(x)
				f.setLane(r, l, t.extend(mem, wordsGet(f.params, off, mem.Size, l)))
			}
		}
		t.markFromParam(f, r, off, mem, m)
	}
}

// splat writes one value to the lanes of a mask.
func (t *Thread) splat(f *frame, r Reg, m uint32, v uint64) {
	if m == Full && r.Class == R32 {
		lanes.Splat32(&f.r32[r.Index], uint32(v))
		return
	}
	if m == Full && r.Class == R64 {
		lanes.Splat64(&f.r64[r.Index], v)
		return
	}
	for ; m != 0; m &= m - 1 {
		f.setLane(r, bits.TrailingZeros32(m), v)
	}
}

// extend widens a loaded element to its register.
func (t *Thread) extend(mem *Mem, v uint64) uint64 {
	if !mem.Signed {
		return v
	}
	s := uint(64 - 8*mem.Size)
	return uint64(int64(v<<s)>>s) & mem.Mask
}

// storeParam writes call arguments and function results.
func (t *Thread) storeParam(f *frame, in *Inst, m uint32) {
	mem := in.Mem
	for k, r := range mem.Regs {
		off := mem.Param + k*mem.Size
		for x := m; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x)
			wordsSet(f.params, off, mem.Size, l, f.lane(r, l))
		}
		t.markParam(f, r, off, mem, m)
	}
}

// wordsGet reads size bytes of one lane from word-interleaved storage.
func wordsGet(words []V, off, size, lane int) uint64 {
	lane &= 31
	switch {
	case size == 4 && off&3 == 0:
		return uint64(words[off>>2][lane])
	case size == 8 && off&3 == 0:
		return uint64(words[off>>2][lane]) | uint64(words[off>>2+1][lane])<<32
	}
	var v uint64
	for i := range size {
		o := off + i
		v |= uint64(words[o>>2][lane]>>(8*uint(o&3))&0xFF) << (8 * uint(i))
	}
	return v
}

// wordsSet writes size bytes of one lane.
func wordsSet(words []V, off, size, lane int, v uint64) {
	lane &= 31
	switch {
	case size == 4 && off&3 == 0:
		words[off>>2][lane] = uint32(v)
		return
	case size == 8 && off&3 == 0:
		words[off>>2][lane], words[off>>2+1][lane] = uint32(v), uint32(v>>32)
		return
	}
	for i := range size {
		o := off + i
		s := 8 * uint(o&3)
		w := &words[o>>2][lane]
		*w = *w&^(0xFF<<s) | uint32(v>>(8*uint(i))&0xFF)<<s
	}
}
