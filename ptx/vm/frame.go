package vm

import (
	"math/bits"

	"gpusim/lanes"
	"gpusim/ptx/alu"
)

const aluPred = alu.Pred

// frame is one activation of a function, shared by the lanes that called it together.
type frame struct {
	fn     *Func
	r32    []V
	r64    []D
	pred   []uint32
	params []V // the parameter area, one word of all lanes an element

	parent  *frame
	callees []*frame
	ret     int32  // where the lanes go on in the parent
	call    *Call  // how to bring the results back
	lanes   uint32 // lanes that have not returned
	depth   int

	localBase int64      // offset of the frame's variables in the local window
	saved     int64      // bytes that its and its callers' registers take
	tops      *[32]int64 // by lane, the first free byte behind what alloca gave out; nil: behind the variables

	marked  int  // registers with uninitialised bits
	marks32 []*D // those bits, by register and lane; nil: none
	marks64 []*D
	marksP  []*D // predicates: 1 for an undefined one
	pmarks  []*V // of the parameter area's words
	pfrom   origins
	origins map[Reg]*[32]markOrigin
}

func newFrame(fn *Func) *frame {
	f := &frame{fn: fn, r32: make([]V, fn.N32), r64: make([]D, fn.N64), pred: make([]uint32, fn.NP), params: make([]V, (fn.ParamBytes+3)/4)}
	for _, c := range fn.Const32 {
		lanes.Splat32(&f.r32[c.Reg], uint32(c.Value))
	}
	for _, c := range fn.Const64 {
		lanes.Splat64(&f.r64[c.Reg], c.Value)
	}
	for _, c := range fn.ConstP {
		if c.Value != 0 {
			f.pred[c.Reg] = Full
		}
	}
	return f
}

// top is the first byte of local memory that a lane does not use yet.
func (f *frame) top(l int) int64 {
	if f.tops == nil {
		return f.localBase + f.fn.LocalSize
	}
	return f.tops[l&31]
}

// setTop moves it.
func (f *frame) setTop(l int, top int64) {
	if f.tops == nil {
		f.tops = new([32]int64)
		for i := range f.tops {
			f.tops[i] = f.localBase + f.fn.LocalSize
		}
	}
	f.tops[l&31] = top
}

// highest is the greatest top of the lanes of a mask.
func (f *frame) highest(m uint32) int64 {
	top := f.localBase + f.fn.LocalSize
	if f.tops == nil {
		return top
	}
	for ; m != 0; m &= m - 1 {
		top = max(top, f.tops[bits.TrailingZeros32(m)&31])
	}
	return top
}

// lane reads one lane of a register.
func (f *frame) lane(r Reg, l int) uint64 {
	switch r.Class {
	case R32:
		return uint64(f.r32[r.Index][l&31])
	case R64:
		return f.r64[r.Index][l&31]
	case RP:
		return uint64(f.pred[r.Index] >> uint(l&31) & 1)
	}
	return 0
}

// setLane writes one lane of a register.
func (f *frame) setLane(r Reg, l int, v uint64) {
	switch r.Class {
	case R32:
		f.r32[r.Index][l&31] = uint32(v)
	case R64:
		f.r64[r.Index][l&31] = v
	case RP:
		b := uint32(1) << uint(l&31)
		if v&1 != 0 {
			f.pred[r.Index] |= b
		} else {
			f.pred[r.Index] &^= b
		}
	}
}

// setLanes writes the lanes of a mask.
func (t *Thread) setLanes(f *frame, r Reg, m uint32, value func(l int) uint64) {
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		f.setLane(r, l, value(l))
	}
}

// pool keeps frames for the next call of the same function.
type pool map[*Func][]*frame

func (p pool) get(fn *Func) *frame {
	if n := len(p[fn]); n > 0 {
		f := p[fn][n-1]
		p[fn] = p[fn][:n-1]
		return f
	}
	return newFrame(fn)
}

func (p pool) put(f *frame) {
	f.clearMarks()
	p[f.fn] = append(p[f.fn], f)
}
