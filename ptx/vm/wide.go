package vm

import (
	"fmt"

	"gpusim/kernel"
)

// Wide makes a warp collective exchange several registers of each lane: matrix
// instructions, movmatrix, and the exchanges inside of ldmatrix and stmatrix. All 32 lanes
// of the warp must take part.
type Wide struct {
	In, Out []Reg // at most maxWideIn and maxWideOut
	// One of three: Fn computes the results of all lanes from the operands of all lanes;
	// From names the pieces that a result is put together from, and uninitialised bytes
	// travel with them; Tile moves a matrix from or to memory.
	Fn   func(in, out []D)
	From func(out, lane int) []Part
	Tile *Tile // wmma.load, wmma.store
}

// Part is a piece of a result that is a piece of an operand: Bits bits from At on, which
// get to To.
type Part struct{ In, Lane, At, To, Bits int }

func (p Part) of(v uint64) uint64 { return v >> p.At & (1<<p.Bits - 1) << p.To }

const (
	maxWideIn  = 24
	maxWideOut = 8
)

// wideLanes holds what lanes bring to a wide collective and take home. A lane is in at most
// one collective at a time, so every lane has a column of its own.
type wideLanes struct {
	in, inMark   [maxWideIn]D
	out, outMark [maxWideOut]D
	from         [32]markOrigin // the load behind the marks of a result
}

// bringWide copies the operands of arriving lanes.
func (t *Thread) bringWide(f *frame, in *Inst, m uint32) {
	ws := t.ws
	if ws.wide == nil {
		ws.wide = new(wideLanes)
	}
	c := in.Coll.Wide
	for k, r := range c.In {
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			ws.wide.in[k][l] = f.lane(r, l)
			mark := f.mark(r, l)
			ws.wide.inMark[k][l] = mark
			if mark == 0 {
				continue
			}
			ws.wide.from[l] = f.origin(r, l)
			if c.Fn != nil || c.Tile != nil && k < tileOperands {
				t.useOf(f, in, r, l)
			}
		}
	}
}

// finishWide computes the results of all lanes.
func (t *Thread) finishWide(in *Inst, lanes uint32) {
	c, w := in.Coll.Wide, t.ws.wide
	if lanes != Full {
		t.report(kernel.BarrierMisuse, in, firstLane(lanes), func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("%s is executed by the lanes %#x of a warp; all 32 must execute it together: undefined behaviour", in.Coll.Key, lanes)
			fd.Fix = "launch whole warps (a multiple of 32 threads), and let none of their threads exit or branch around the matrix instruction"
		})
		for l := range 32 {
			if lanes>>l&1 != 0 {
				continue
			}
			for k := range c.In {
				w.in[k][l], w.inMark[k][l] = 0, 0
			}
		}
	}
	for k := range c.Out {
		w.outMark[k] = D{}
	}
	if c.Tile != nil {
		t.tile(in, lanes)
		return
	}
	if c.From == nil {
		c.Fn(w.in[:len(c.In)], w.out[:len(c.Out)])
		return
	}
	from := w.from
	for k := range c.Out {
		w.out[k] = D{}
		for l := range 32 {
			for _, p := range c.From(k, l) {
				w.out[k][l] |= p.of(w.in[p.In][p.Lane])
				if mark := p.of(w.inMark[p.In][p.Lane]); mark != 0 {
					w.outMark[k][l] |= mark
					w.from[l] = from[p.Lane]
				}
			}
		}
	}
}

// takeWide stores the results of lanes that go on.
func (t *Thread) takeWide(f *frame, in *Inst, m uint32) {
	w := t.ws.wide
	for k, r := range in.Coll.Wide.Out {
		if r.Class == NoReg {
			continue
		}
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			f.setLane(r, l, w.out[k][l])
			f.setMark(r, l, w.outMark[k][l], w.from[l])
		}
	}
}
