package lower

import (
	"fmt"
	"slices"
	"strings"

	"gpusim/ptx/alu"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// fragment is how the lanes of a warp hold a matrix: element i of a lane sits in register
// i/per at bit i%per*bits (PTX ISA 9.7.14.5, "Matrix Fragments for mma").
type fragment struct {
	rows, cols int
	regs, per  int // registers a lane, elements a register
	bits       int
	at         func(lane, i int) (row, col int)
}

// cell is where an element of a matrix sits.
type cell struct {
	reg, lane, shift uint8
	index            uint16 // in the matrix
}

// cells lists all elements that lanes hold, byColumn for a matrix stored column after
// column.
func (f *fragment) cells(byColumn bool) []cell {
	var out []cell
	for i := range f.regs * f.per {
		for l := range 32 {
			row, col := f.at(l, i)
			n := row*f.cols + col
			if byColumn {
				n = col*f.rows + row
			}
			out = append(out, cell{uint8(i / f.per), uint8(l), uint8(i % f.per * f.bits), uint16(n)})
		}
	}
	return out
}

func (f *fragment) matrix() []uint64 { return make([]uint64, f.rows*f.cols) }

// gather fills a matrix from the lanes' registers.
func gather(m []uint64, regs []vm.D, cells []cell, bits int) {
	mask := ^uint64(0) >> (64 - bits)
	for _, c := range cells {
		m[c.index] = regs[c.reg][c.lane&31] >> (c.shift & 63) & mask
	}
}

// scatter is the inverse.
func scatter(m []uint64, regs []vm.D, cells []cell) {
	for k := range regs {
		regs[k] = vm.D{}
	}
	for _, c := range cells {
		regs[c.reg][c.lane&31] |= m[c.index] << (c.shift & 63)
	}
}

// mmaShape is the m, n and k of a shape's name.
func mmaShape(name string) (m, n, k int, ok bool) {
	got, err := fmt.Sscanf(name, "m%dn%dk%d", &m, &n, &k)
	return m, n, k, err == nil && got == 3 && name == fmt.Sprintf("m%dn%dk%d", m, n, k)
}

// tensorBits is the width of a matrix element.
func tensorBits(t string) int {
	switch t {
	case "b1":
		return 1
	case "s4", "u4":
		return 4
	case "s8", "u8", "e4m3", "e5m2":
		return 8
	case "f16", "bf16":
		return 16
	case "f64":
		return 64
	}
	return 32
}

// mmaShapes are the shapes of mma.sync by the type of a.
var mmaShapes = map[string][]string{
	"f16": {"m8n8k4", "m16n8k8", "m16n8k16"}, "bf16": {"m16n8k8", "m16n8k16"}, "tf32": {"m16n8k4", "m16n8k8"},
	"f64": {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"},
	"s8":  {"m8n8k16", "m16n8k16", "m16n8k32"}, "u8": {"m8n8k16", "m16n8k16", "m16n8k32"},
	"s4": {"m8n8k32", "m16n8k32", "m16n8k64"}, "u4": {"m8n8k32", "m16n8k32", "m16n8k64"},
	"b1":   {"m8n8k128", "m16n8k128", "m16n8k256"},
	"e4m3": {"m16n8k16", "m16n8k32"}, "e5m2": {"m16n8k16", "m16n8k32"},
}

// matrixMods is what the modifiers of mma and wmma.mma say.
type matrixMods struct {
	shape      string
	layouts    []string // of a and b
	types      []string
	flags      []string // for alu.LookupMMA
	rest       []string
	m, n, k    int
	d, a, b, c string
}

func parseMatrix(mods []string) matrixMods {
	var x matrixMods
	for _, w := range mods {
		switch {
		case w == "sync", w == "aligned", w == "popc", w == "mma":
		case w == "row", w == "col":
			x.layouts = append(x.layouts, w)
		case slices.Contains([]string{"satfinite", "rn", "rz", "rm", "rp", "xor", "and"}, w):
			x.flags = append(x.flags, w)
		case mmaShapes[w] != nil, w == "f32", w == "s32":
			x.types = append(x.types, w)
		default:
			if m, n, k, ok := mmaShape(w); ok && x.shape == "" {
				x.shape, x.m, x.n, x.k = w, m, n, k
				continue
			}
			x.rest = append(x.rest, w)
		}
	}
	if len(x.types) == 4 {
		x.d, x.a, x.b, x.c = x.types[0], x.types[1], x.types[2], x.types[3]
	}
	return x
}

// mma lowers mma.sync (PTX ISA, "mma").
func (b *builder) mma(in *syntax.Inst) {
	x := parseMatrix(in.Mods)
	if len(x.rest) > 0 {
		switch w := x.rest[0]; {
		case strings.HasPrefix(w, "sp"):
			b.unsupported("sparse matrices (mma.%s) are not supported", w)
		default:
			b.unsupported("mma.%s is not supported: it needs sm_100 or newer", w)
		}
		return
	}
	if len(x.types) != 4 || len(x.layouts) != 2 || len(in.Args) != 4 {
		b.unsupported("no such form: a shape, two layouts, four types and four operands are expected")
		return
	}
	if !slices.Contains(mmaShapes[x.a], x.shape) {
		b.unsupported("no such form: .%s has no shape .%s", x.a, x.shape)
		return
	}
	volta := x.shape == "m8n8k4" && x.a == "f16"
	if !volta && (x.layouts[0] != "row" || x.layouts[1] != "col") {
		b.unsupported("no such form: .%s needs .row.col", x.shape)
		return
	}
	op, err := alu.LookupMMA(x.d, x.a, x.b, x.c, x.flags...)
	if err != nil {
		b.unsupported("%v", err)
		return
	}
	if volta {
		b.voltaMMA(in, &x, op)
		return
	}
	k := x.k
	if x.a == "b1" {
		k /= 32
	}
	fa, fb := operandA(x.m, k, op.Bits), operandB(k, x.n, op.Bits)
	fc, fd := accumulator(x.m, x.n, tensorBits(x.c)), accumulator(x.m, x.n, tensorBits(x.d))
	b.multiply(in, fa, fb, fc, fd, op, k)
}

// operandA, operandB and accumulator are the layouts that all shapes but m8n8k4 of .f16
// share. A register holds elements of one row of a, one column of b: four lanes make a
// row of 128 bits (256 of .f64), the eight groups of four lanes make eight rows. Further
// registers go on with the lower eight rows, then with the next columns.
func operandA(m, k, bits int) *fragment {
	per := max(32/bits, 1)
	halves := m / 8
	return &fragment{m, k, m * k / 32 / per, per, bits, func(lane, i int) (int, int) {
		r, e := i/per, i%per
		return lane>>2 + 8*(r%halves), lane&3*per + e + 4*per*(r/halves)
	}}
}

func operandB(k, n, bits int) *fragment {
	per := max(32/bits, 1)
	return &fragment{k, n, n * k / 32 / per, per, bits, func(lane, i int) (int, int) {
		r, e := i/per, i%per
		return lane&3*per + e + 4*per*r, lane >> 2
	}}
}

func accumulator(m, n, bits int) *fragment {
	per := max(32/bits, 1)
	return &fragment{m, n, m * n / 32 / per, per, bits, func(lane, i int) (int, int) {
		return lane>>2 + 8*(i>>1), lane&3*2 + i&1
	}}
}

// multiply emits the collective of mma and wmma.mma.
func (b *builder) multiply(in *syntax.Inst, fa, fb, fc, fd *fragment, op *alu.MMA, k int) {
	w := &vm.Wide{}
	w.Out = b.fragmentRegs(&in.Args[0], fd, true)
	w.In = append(w.In, b.fragmentRegs(&in.Args[1], fa, false)...)
	w.In = append(w.In, b.fragmentRegs(&in.Args[2], fb, false)...)
	w.In = append(w.In, b.fragmentRegs(&in.Args[3], fc, false)...)
	if b.failed {
		return
	}
	ca, cb, cc, cd := fa.cells(false), fb.cells(true), fc.cells(false), fd.cells(false)
	ma, mb, mc, md := fa.matrix(), fb.matrix(), fc.matrix(), fd.matrix()
	w.Fn = func(in, out []vm.D) {
		gather(ma, in, ca, fa.bits)
		gather(mb, in[fa.regs:], cb, fb.bits)
		gather(mc, in[fa.regs+fb.regs:], cc, fc.bits)
		op.Run(ma, mb, mc, md, fd.rows, fd.cols, k)
		scatter(md, out, cd)
	}
	b.wide(in, w)
}

// wide emits a collective of the whole warp.
func (b *builder) wide(in *syntax.Inst, w *vm.Wide) {
	if !b.failed {
		b.emit(vm.Inst{Op: vm.Collective, Coll: &vm.Coll{Key: in.Op + "." + strings.Join(in.Mods, "."), Wide: w}})
	}
}

// fragmentRegs are the registers of a vector operand.
func (b *builder) fragmentRegs(o *syntax.Operand, f *fragment, dst bool) []vm.Reg {
	if b.failed {
		return nil
	}
	elems := []syntax.Operand{*o}
	if o.Kind == syntax.OperandVector {
		elems = o.Elems
	}
	if len(elems) != f.regs {
		b.unsupported("%d registers where the fragment has %d", len(elems), f.regs)
		return nil
	}
	var out []vm.Reg
	for i := range elems {
		var r vm.Reg
		if dst {
			r = b.reg(&elems[i])
		} else {
			r = b.value(&elems[i], max(f.bits*f.per, 32), false)
		}
		if want := classOfBits(f.bits * f.per); !b.failed && r.Class != want {
			b.unsupported("a register of the fragment has the wrong size")
		}
		out = append(out, r)
	}
	return out
}

func classOfBits(bits int) vm.Class {
	if bits > 32 {
		return vm.R64
	}
	return vm.R32
}

// voltaMMA lowers mma.m8n8k4 of .f16: four products at a time, each by four lanes of the
// lower half of the warp and four of the upper (PTX ISA, "Matrix Fragments for mma.m8n8k4
// with .f16 floating point type").
func (b *builder) voltaMMA(in *syntax.Inst, x *matrixMods, op *alu.MMA) {
	spread := func(along bool) func(lane, i int) (int, int) {
		return func(lane, i int) (int, int) {
			half := lane >> 4 * 4
			if along { // a lane holds a row of a, or a column of b
				return lane&3 + half, i
			}
			return i + half, lane & 3
		}
	}
	// Both operands as matrices of 8 rows: b by its columns.
	fa := &fragment{8, 4, 2, 2, 16, spread(x.layouts[0] == "row")}
	fb := &fragment{8, 4, 2, 2, 16, spread(x.layouts[1] == "col")}
	acc := func(t string) *fragment {
		if t == "f16" {
			return &fragment{8, 8, 4, 2, 16, func(lane, i int) (int, int) { return lane&3 + lane>>4*4, i }}
		}
		return &fragment{8, 8, 8, 1, 32, func(lane, i int) (int, int) {
			return lane&1 + i&2 + lane>>4*4, i&4 + lane&2 + i&1
		}}
	}
	fc, fd := acc(x.c), acc(x.d)
	w := &vm.Wide{}
	w.Out = b.fragmentRegs(&in.Args[0], fd, true)
	w.In = append(w.In, b.fragmentRegs(&in.Args[1], fa, false)...)
	w.In = append(w.In, b.fragmentRegs(&in.Args[2], fb, false)...)
	w.In = append(w.In, b.fragmentRegs(&in.Args[3], fc, false)...)
	w.Fn = func(in, out []vm.D) {
		for k := range out {
			out[k] = vm.D{}
		}
		for quad := range 4 {
			d := make([]uint64, 64)
			op.Run(fa.quad(in, quad), fb.quad(in[2:], quad), fc.quad(in[4:], quad), d, 8, 8, 4)
			fd.putQuad(d, out, quad)
		}
	}
	b.wide(in, w)
}

// quadLanes are the lanes of one of the four products.
func quadLanes(quad int) [8]int {
	var l [8]int
	for i := range l {
		l[i] = i&3 + 4*quad + i>>2*16
	}
	return l
}

func (f *fragment) quad(regs []vm.D, quad int) []uint64 {
	m := make([]uint64, f.rows*f.cols)
	for _, l := range quadLanes(quad) {
		for i := range f.regs * f.per {
			row, col := f.at(l, i)
			m[row*f.cols+col] = regs[i/f.per][l] >> (i % f.per * f.bits) & (1<<f.bits - 1)
		}
	}
	return m
}

func (f *fragment) putQuad(m []uint64, regs []vm.D, quad int) {
	for _, l := range quadLanes(quad) {
		for i := range f.regs * f.per {
			row, col := f.at(l, i)
			regs[i/f.per][l] |= m[row*f.cols+col] << (i % f.per * f.bits)
		}
	}
}
