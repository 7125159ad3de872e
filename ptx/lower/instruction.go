package lower

import (
	"errors"
	"slices"
	"strings"

	"gpusim/ptx/alu"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// instruction lowers the current instruction.
func (b *builder) instruction() {
	b.failed = false
	in := b.cur
	if h := handlers[in.Op]; h != nil {
		if n := least[in.Op]; len(in.Args) < n.operands || len(in.Mods) < n.modifiers {
			b.unsupported("no such form: at least %d operands and %d modifiers are expected", n.operands, n.modifiers)
			return
		}
		h(b, in)
		return
	}
	if alu.IsVideo(in.Op) {
		b.video(in)
		return
	}
	b.arithmetic(in)
}

// handlers lower everything but plain arithmetic.
var handlers map[string]func(*builder, *syntax.Inst)

func init() {
	handlers = map[string]func(*builder, *syntax.Inst){
		"mov": (*builder).mov, "cvta": (*builder).cvta, "createpolicy": (*builder).createpolicy, "isspacep": (*builder).isspacep,
		"ld": (*builder).ld, "ldu": (*builder).ld, "st": (*builder).st, "prefetch": (*builder).nop, "prefetchu": (*builder).nop,
		"atom": (*builder).atom, "red": (*builder).atom,
		"fence": (*builder).fence, "membar": (*builder).fence,
		"cp": (*builder).cp, "mbarrier": (*builder).mbarrier,
		"bra": (*builder).bra, "brx": (*builder).brx, "call": (*builder).call, "ret": (*builder).ret, "exit": (*builder).exit,
		"trap": (*builder).trap, "brkpt": (*builder).nop, "pmevent": (*builder).nop, "nanosleep": (*builder).nanosleep,
		"bar": (*builder).bar, "barrier": (*builder).bar,
		"shfl": (*builder).shfl, "vote": (*builder).vote, "match": (*builder).match, "redux": (*builder).redux, "elect": (*builder).elect,
		"activemask": (*builder).activemask,
		"mma":        (*builder).mma, "wmma": (*builder).wmma, "ldmatrix": (*builder).ldmatrix, "stmatrix": (*builder).stmatrix, "movmatrix": (*builder).movmatrix,
		"discard": (*builder).discard, "applypriority": (*builder).nop, "griddepcontrol": (*builder).nop, "setmaxnreg": (*builder).nop,
		"mapa": (*builder).mapa, "getctarank": (*builder).getctarank,
		"alloca": (*builder).alloca, "stacksave": (*builder).stacksave, "stackrestore": (*builder).stackrestore,
	}
}

// least is what the handlers take for granted.
var least = map[string]struct{ operands, modifiers int }{
	"mbarrier": {1, 2},
	"mov":      {2, 1}, "cvta": {2, 1}, "createpolicy": {1, 1}, "isspacep": {2, 1}, "ld": {2, 1}, "ldu": {2, 1}, "st": {2, 1}, "atom": {3, 2}, "red": {2, 2},
	"activemask": {1, 1}, "alloca": {2, 1}, "stacksave": {1, 1}, "stackrestore": {1, 1}, "bar": {0, 1}, "barrier": {0, 1}, "cp": {0, 2},
	"wmma": {2, 3}, "mapa": {3, 1}, "getctarank": {2, 1},
}

func (b *builder) nop(*syntax.Inst) { b.emit(vm.Inst{Op: vm.Nop}) }

// arithmetic lowers what package alu has semantics for.
func (b *builder) arithmetic(in *syntax.Inst) {
	args := in.Args
	var imm []uint64
	if in.Op == "lop3" && len(args) >= 5 {
		imm = []uint64{args[4].Int}
		args = slices.Delete(slices.Clone(args), 4, 5)
	}
	op, err := alu.Lookup(in.Op, in.Mods, imm...)
	b.compute(in, args, op, err)
}

// video lowers the video instructions, whose operands carry selectors.
func (b *builder) video(in *syntax.Inst) {
	args := slices.Clone(in.Args)
	var sel [3]string
	for i := range args {
		if i < len(sel) {
			sel[i] = args[i].Select
			args[i].Select = ""
		}
	}
	op, err := alu.LookupVideo(in.Op, in.Mods, sel, len(args)-1)
	b.compute(in, args, op, err)
}

// compute lowers an instruction that package alu has found, or not.
func (b *builder) compute(in *syntax.Inst, args []syntax.Operand, op *alu.Op, err error) {
	if err != nil {
		var u *alu.UnsupportedError
		var f *alu.UnknownFormError
		switch {
		case errors.As(err, &u):
			b.unsupported("not supported: %s", u.Reason)
		case errors.As(err, &f):
			b.unsupported("no such form: %s", f.Reason)
		default:
			b.unsupported("%v", err)
		}
		return
	}
	if len(args) != len(op.Args)+1 {
		b.unsupported("%d operands where the instruction has %d", len(args), len(op.Args)+1)
		return
	}
	out := vm.Inst{Op: vm.Generic, Fn: op.Fn, Alu: op, NArgs: uint8(len(op.Args))}
	dst := &args[0]
	if dst.Kind == syntax.OperandPair {
		if d := b.reg(&dst.Elems[0]); d.Class != vm.NoReg {
			out.D, out.DK = d.Index, d.Class
		}
		out.D2 = b.reg(&dst.Elems[1])
	} else {
		d := b.reg(dst)
		out.D, out.DK = d.Index, d.Class
		if d.Class != vm.NoReg {
			rb, bits := dst.Reg.Type.Bits(), kindBits(op.Result)
			if (rb == 1) != (bits == 1) || rb < bits {
				b.unsupported("the destination is a .%s register where the instruction writes %d bits", dst.Reg.Type, bits)
			}
			out.Fn = widen(out.Fn, op, dst.Reg.Type.Bits())
		}
	}
	float := floatArgs(in)
	exact := out.D2.Class == vm.NoReg && dst.Kind == syntax.OperandReg && dst.Reg.Type.Bits() == kindBits(op.Result)
	narrow := [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	wide := false
	for i := range op.Args {
		bits := kindBits(op.Args[i])
		out.Src[i] = b.value(&args[i+1], bits, float)
		if args[i+1].Kind != syntax.OperandReg {
			continue
		}
		rb := args[i+1].Reg.Type.Bits()
		switch {
		case (rb == 1) != (bits == 1):
			b.unsupported("operand %d has the wrong kind of register (.%s)", i+2, args[i+1].Reg.Type)
		case rb > bits:
			narrow[i], wide, exact = op.Args[i].Mask(), true, false
		case rb < bits && !(rb == 16 && bits == 16):
			exact = exact && rb == bits
			b.unsupported("operand %d is a register of %d bits where the instruction reads %d", i+2, rb, bits)
		}
	}
	if b.failed {
		return
	}
	if wide {
		fn := out.Fn
		out.Fn = func(x, y, z, w uint64) uint64 {
			return fn(x&narrow[0], y&narrow[1], z&narrow[2], w&narrow[3])
		}
	}
	if op.Carry != nil || op.ReadsCC {
		if b.cc == 0 {
			b.cc = int(b.newReg(vm.RP).Index)
		}
		out.CC = uint16(b.cc)
	}
	if exact && op.Carry == nil && !op.ReadsCC {
		b.fast(in, &out)
	}
	out.A, out.B, out.C = out.Src[0].Index, out.Src[1].Index, out.Src[2].Index
	if b.fastSwap {
		out.A, out.B = out.B, out.A
		b.fastSwap = false
	}
	b.emit(out)
}

// fast chooses the vector form of an instruction, if it has one.
func (b *builder) fast(in *syntax.Inst, out *vm.Inst) {
	name := in.Op + "." + strings.Join(in.Mods, ".")
	if op, ok := vm.Fast[name]; ok {
		out.Op = op
	} else if op, ok := vm.FastSwapped[name]; ok {
		out.Op = op
		b.fastSwap = true
	}
}

// floatArgs tells whether literals of the instruction are floating-point.
func floatArgs(in *syntax.Inst) bool {
	return len(in.Mods) > 0 && strings.HasPrefix(in.Mods[len(in.Mods)-1], "f")
}

func kindBits(k alu.Kind) int {
	if k == alu.Pred {
		return 1
	}
	return 8 * k.Bytes()
}

// widen extends a result to a destination register that is wider than the
// instruction's type (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
func widen(fn alu.Fn, op *alu.Op, regBits int) alu.Fn {
	have := kindBits(op.Result)
	if regBits <= have || have == 1 || !op.Signed {
		return fn
	}
	s, mask := uint(64-have), ^uint64(0)>>uint(64-regBits)
	return func(x, y, z, w uint64) uint64 {
		return uint64(int64(fn(x, y, z, w)<<s)>>s) & mask
	}
}

// mov lowers register moves, addresses, special registers, packing and unpacking.
func (b *builder) mov(in *syntax.Inst) {
	if len(in.Args) != 2 {
		b.unsupported("mov has two operands")
		return
	}
	dst, src := &in.Args[0], &in.Args[1]
	bits := typeBits(in)
	switch {
	case bits == 128:
		b.mov128(dst, src)
		return
	case dst.Kind == syntax.OperandVector:
		mem := &vm.Mem{Size: bits / 8 / len(dst.Elems)}
		for i := range dst.Elems {
			mem.Regs = append(mem.Regs, b.reg(&dst.Elems[i]))
		}
		s := b.value(src, bits, false)
		if !b.failed {
			b.emit(vm.Inst{Op: vm.Unpack, Src: [4]vm.Reg{s}, NArgs: 1, Mem: mem})
		}
		return
	case src.Kind == syntax.OperandVector:
		mem := &vm.Mem{Size: bits / 8 / len(src.Elems)}
		for i := range src.Elems {
			mem.Regs = append(mem.Regs, b.value(&src.Elems[i], mem.Size*8, false))
		}
		d := b.reg(dst)
		if !b.failed {
			b.emit(vm.Inst{Op: vm.Pack, DK: d.Class, D: d.Index, Mem: mem})
		}
		return
	}
	d := b.reg(dst)
	if b.failed || d.Class == vm.NoReg {
		return
	}
	if src.Kind == syntax.OperandSpecial {
		b.special(d, src)
		return
	}
	if v := src.Var; src.Kind == syntax.OperandVar && b.isLocal(v) {
		b.emit(vm.Inst{Op: vm.LocalAddr, DK: d.Class, D: d.Index, Mem: &vm.Mem{Off: b.locals[v] + src.Off}})
		return
	}
	s := b.value(src, bits, strings.HasPrefix(in.Mods[len(in.Mods)-1], "f"))
	if b.failed {
		return
	}
	if s.Class != d.Class {
		b.unsupported("the registers have different sizes")
		return
	}
	b.move(d, s)
}

// typeBits is the width of the instruction's last type modifier.
func typeBits(in *syntax.Inst) int {
	if len(in.Mods) == 0 {
		return 32
	}
	if in.Mods[len(in.Mods)-1] == "pred" {
		return 1
	}
	return sizeOf(in.Mods[len(in.Mods)-1]) * 8
}

// sizeOf is the size in bytes of a type by its name.
func sizeOf(t string) int {
	switch strings.TrimLeft(t, "busfe") {
	case "8":
		return 1
	case "16":
		return 2
	case "32", "16x2":
		return 4
	case "64":
		return 8
	case "128":
		return 16
	}
	return 4
}

// cvta is a move: a generic address of any space is the address itself.
func (b *builder) cvta(in *syntax.Inst) {
	d := b.reg(&in.Args[0])
	if v := in.Args[1].Var; in.Args[1].Kind == syntax.OperandVar && b.isLocal(v) {
		b.emit(vm.Inst{Op: vm.LocalAddr, DK: d.Class, D: d.Index, Mem: &vm.Mem{Off: b.locals[v] + in.Args[1].Off}})
		return
	}
	s := b.value(&in.Args[1], typeBits(in), false)
	if b.failed {
		return
	}
	if s.Class != d.Class {
		b.unsupported("the registers have different sizes")
		return
	}
	b.move(d, s)
}

// createpolicy makes a cache policy: an opaque value that has no effect on results.
func (b *builder) createpolicy(in *syntax.Inst) {
	if d := b.reg(&in.Args[0]); !b.failed && d.Class == vm.R64 {
		b.move(d, b.constant(vm.R64, 0))
	}
}

func (b *builder) isspacep(in *syntax.Inst) {
	space, ok := spaceNamed(in.Mods)
	if !ok {
		b.unsupported("this state space is not supported")
		return
	}
	d, s := b.reg(&in.Args[0]), b.value(&in.Args[1], 64, false)
	if !b.failed {
		b.emit(vm.Inst{Op: vm.IsSpace, DK: vm.RP, D: d.Index, Src: [4]vm.Reg{s}, NArgs: 1, Mem: &vm.Mem{Space: space}})
	}
}
