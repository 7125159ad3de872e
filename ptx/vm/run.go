package vm

import (
	"math/bits"

	"gpusim/lanes"
	"gpusim/memory"
)

// sparseLanes is the number of active lanes up to which an instruction is executed lane
// by lane instead of for all 32 lanes with a blend.
const sparseLanes = 6

// noLimit is beyond every program counter.
const noLimit = int32(1<<31 - 1)

// straight executes the current group from its pc until a control instruction, the
// limit (where another group waits to be merged) or the end of the budget, and leaves the
// pc there.
func (t *Thread) straight(limit int32) {
	code := t.prog.Insts
	f, mask, pc := t.cur.fr, t.cur.mask, t.cur.pc
	r32, r64, pr := f.r32, f.r64, f.pred
	start := pc
	for pc < limit {
		in := &code[pc]
		if in.Op >= opControl {
			break
		}
		pc++
		m := mask
		if in.Guard != NoGuard {
			g := pr[in.Guard]
			if in.GuardNeg {
				g = ^g
			}
			if f.marked != 0 {
				t.useGuard(f, in, mask)
			}
			if m &= g; m == 0 {
				continue
			}
		}
		if f.marked != 0 {
			t.trackMarks(f, in, m)
		}
		// A partial mask computes into scratch register 0 and blends.
		d := in.D
		if m != Full && in.Op < Load {
			if in.Op == Generic || bits.OnesCount32(m) <= sparseLanes {
				t.sparse(f, in, m)
				continue
			}
			d = 0
		}
		switch in.Op {
		case Mov32:
			lanes.Copy32(&r32[d], &r32[in.A])
		case Mov64:
			r64[d] = r64[in.A]
		case MovP:
			pr[d] = pr[in.A]
		case Add32:
			lanes.Add32(&r32[d], &r32[in.A], &r32[in.B])
		case Sub32:
			lanes.Sub32(&r32[d], &r32[in.A], &r32[in.B])
		case Mul32:
			lanes.Mul32(&r32[d], &r32[in.A], &r32[in.B])
		case Mad32:
			lanes.Mad32(&r32[d], &r32[in.A], &r32[in.B], &r32[in.C])
		case And32:
			lanes.And32(&r32[d], &r32[in.A], &r32[in.B])
		case Or32:
			lanes.Or32(&r32[d], &r32[in.A], &r32[in.B])
		case Xor32:
			lanes.Xor32(&r32[d], &r32[in.A], &r32[in.B])
		case Shl32:
			lanes.Shl32(&r32[d], &r32[in.A], &r32[in.B])
		case ShrU32:
			lanes.ShrU32(&r32[d], &r32[in.A], &r32[in.B])
		case ShrS32:
			lanes.ShrS32(&r32[d], &r32[in.A], &r32[in.B])
		case MinS32:
			lanes.MinS32(&r32[d], &r32[in.A], &r32[in.B])
		case MaxS32:
			lanes.MaxS32(&r32[d], &r32[in.A], &r32[in.B])
		case MinU32:
			lanes.MinU32(&r32[d], &r32[in.A], &r32[in.B])
		case MaxU32:
			lanes.MaxU32(&r32[d], &r32[in.A], &r32[in.B])
		case MulWideS:
			lanes.MulWideS(&r64[d], &r32[in.A], &r32[in.B])
		case MulWideU:
			lanes.MulWideU(&r64[d], &r32[in.A], &r32[in.B])
		case MadWideS:
			lanes.MadWideS(&r64[d], &r32[in.A], &r32[in.B], &r64[in.C])
		case MadWideU:
			lanes.MadWideU(&r64[d], &r32[in.A], &r32[in.B], &r64[in.C])
		case Add64:
			lanes.Add64(&r64[d], &r64[in.A], &r64[in.B])
		case Sub64:
			lanes.Sub64(&r64[d], &r64[in.A], &r64[in.B])
		case Mul64:
			lanes.Mul64(&r64[d], &r64[in.A], &r64[in.B])
		case And64:
			lanes.And64(&r64[d], &r64[in.A], &r64[in.B])
		case Or64:
			lanes.Or64(&r64[d], &r64[in.A], &r64[in.B])
		case Xor64:
			lanes.Xor64(&r64[d], &r64[in.A], &r64[in.B])
		case Shl64:
			lanes.Shl64(&r64[d], &r64[in.A], &r32[in.B])
		case ShrU64:
			lanes.ShrU64(&r64[d], &r64[in.A], &r32[in.B])
		case ShrS64:
			lanes.ShrS64(&r64[d], &r64[in.A], &r32[in.B])
		case WideS:
			lanes.WideS(&r64[d], &r32[in.A])
		case WideU:
			lanes.WideU(&r64[d], &r32[in.A])
		case Narrow:
			lanes.Narrow(&r32[d], &r64[in.A])
		case FAdd:
			lanes.AddF32(&r32[d], &r32[in.A], &r32[in.B])
		case FSub:
			lanes.SubF32(&r32[d], &r32[in.A], &r32[in.B])
		case FMul:
			lanes.MulF32(&r32[d], &r32[in.A], &r32[in.B])
		case FFma:
			lanes.FmaF32(&r32[d], &r32[in.A], &r32[in.B], &r32[in.C])
		case DAdd:
			lanes.AddF64(&r64[d], &r64[in.A], &r64[in.B])
		case DMul:
			lanes.MulF64(&r64[d], &r64[in.A], &r64[in.B])
		case DFma:
			lanes.FmaF64(&r64[d], &r64[in.A], &r64[in.B], &r64[in.C])
		case SetLtS32:
			pr[d] = lanes.LtS32(&r32[in.A], &r32[in.B])
		case SetLeS32:
			pr[d] = ^lanes.LtS32(&r32[in.B], &r32[in.A])
		case SetEq32:
			pr[d] = lanes.Eq32(&r32[in.A], &r32[in.B])
		case SetNe32:
			pr[d] = ^lanes.Eq32(&r32[in.A], &r32[in.B])
		case SetLtU32:
			pr[d] = lanes.LtU32(&r32[in.A], &r32[in.B])
		case SetLeU32:
			pr[d] = ^lanes.LtU32(&r32[in.B], &r32[in.A])
		case SetLtS64:
			pr[d] = lanes.LtS64(&r64[in.A], &r64[in.B])
		case SetLeS64:
			pr[d] = ^lanes.LtS64(&r64[in.B], &r64[in.A])
		case SetEq64:
			pr[d] = lanes.Eq64(&r64[in.A], &r64[in.B])
		case SetNe64:
			pr[d] = ^lanes.Eq64(&r64[in.A], &r64[in.B])
		case SetLtU64:
			pr[d] = lanes.LtU64(&r64[in.A], &r64[in.B])
		case SetLeU64:
			pr[d] = ^lanes.LtU64(&r64[in.B], &r64[in.A])
		case SetLtF32:
			pr[d] = lanes.LtF32(&r32[in.A], &r32[in.B])
		case SetLeF32:
			pr[d] = lanes.LeF32(&r32[in.A], &r32[in.B])
		case SetEqF32:
			pr[d] = lanes.EqF32(&r32[in.A], &r32[in.B])
		case SetNeuF32:
			pr[d] = ^lanes.EqF32(&r32[in.A], &r32[in.B])
		case Selp32:
			lanes.Select32(&r32[d], &r32[in.A], &r32[in.B], pr[in.C])
		case Selp64:
			lanes.Select64(&r64[d], &r64[in.A], &r64[in.B], pr[in.C])
		case AndP:
			pr[d] = pr[in.A] & pr[in.B]
		case OrP:
			pr[d] = pr[in.A] | pr[in.B]
		case XorP:
			pr[d] = pr[in.A] ^ pr[in.B]
		case NotP:
			pr[d] = ^pr[in.A]
		case Generic:
			t.sparse(f, in, m)
			continue
		default:
			t.other(f, in, m)
			continue
		}
		if d != in.D {
			switch in.DK {
			case R32:
				lanes.Select32(&r32[in.D], &r32[0], &r32[in.D], m)
			case R64:
				lanes.Select64(&r64[in.D], &r64[0], &r64[in.D], m)
			case RP:
				pr[in.D] = pr[in.D]&^m | pr[0]&m
			}
		}
	}
	n := int64(pc - start)
	t.count(n, mask)
	t.cur.pc = pc
}

// count charges executed instructions to the thread; flush charges them to the launch.
func (t *Thread) count(n int64, mask uint32) {
	t.warpSteps += n
	t.laneSteps += n * int64(bits.OnesCount32(mask))
}

// flush brings the launch's counters, clock and budget up to date.
func (t *Thread) flush() {
	l := t.launch
	l.Counters.WarpInstructions += uint64(t.warpSteps)
	l.Counters.ThreadInstructions += uint64(t.laneSteps)
	l.Counters.LaneSlots += uint64(t.warpSteps) * uint64(bits.OnesCount32(t.lanes))
	l.Budget -= t.laneSteps
	l.Now += uint64(t.warpSteps)
	t.budget -= int(t.warpSteps)
	t.warpSteps, t.laneSteps = 0, 0
}

// other executes what is neither arithmetic nor control.
func (t *Thread) other(f *frame, in *Inst, m uint32) {
	switch in.Op {
	case Load, Store:
		t.access(f, in, m)
	case LoadRows, StoreRows:
		if m &= in.Mem.Lanes; m != 0 {
			t.access(f, in, m)
		}
	case Discard:
		t.discard(f, in, m)
	case LoadParam:
		t.loadParam(f, in, m)
	case StoreParam:
		t.storeParam(f, in, m)
	case LoadLocal, StoreLocal:
		t.local(f, in, m)
	case Atomic:
		t.atomic(f, in, m)
	case CpAsync:
		t.cpAsync(f, in, m)
	case CpCommit, CpWait:
		t.asyncGroup(in, m)
	case MBarrier:
		t.mbarrier(f, in, m)
	case Fence:
		t.observe(in, m)
		if t.race != nil {
			t.race.Fence(t.ws.warp.Clock, m, in.Mem.SC, in.Mem.Sem, in.Mem.Scope)
		}
	case ReadSpecial:
		t.readSpecial(f, in, m)
	case ActiveMask:
		t.setLanes(f, Reg{in.D, in.DK}, m, func(int) uint64 { return uint64(m) })
	case IsSpace:
		t.isSpace(f, in, m)
	case LocalAddr:
		t.splat(f, Reg{in.D, in.DK}, m, uint64(memory.LocalBase+f.localBase+in.Mem.Off))
	case Pack:
		t.pack(f, in, m)
	case Unpack:
		t.unpack(f, in, m)
	case Alloca, StackSave, StackRestore:
		t.stack(f, in, m)
	case Nanosleep:
		t.launch.Now += nanosleepTicks
	}
}

// sparse executes an arithmetic instruction lane by lane.
func (t *Thread) sparse(f *frame, in *Inst, m uint32) {
	fn := in.Fn
	var x [4]uint64
	n := int(in.NArgs)
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		for i := range n {
			x[i] = f.lane(in.Src[i], l)
		}
		if in.Alu != nil && (in.Alu.ReadsCC || in.Alu.Carry != nil) {
			t.withCarry(f, in, &x, l)
			continue
		}
		v := fn(x[0], x[1], x[2], x[3])
		if in.D2.Class == NoReg {
			f.setLane(Reg{in.D, in.DK}, l, v)
			continue
		}
		t.twoResults(f, in, l, v)
	}
}

// withCarry executes one lane of an extended-precision instruction: the carry flag is an
// ordinary predicate register here (PTX ISA, "Extended-Precision Integer Arithmetic").
func (t *Thread) withCarry(f *frame, in *Inst, x *[4]uint64, l int) {
	if in.Alu.ReadsCC {
		x[in.NArgs] = uint64(f.pred[in.CC] >> uint(l) & 1)
	}
	v := in.Fn(x[0], x[1], x[2], x[3])
	if in.Alu.Carry != nil {
		c := in.Alu.Carry(x[0], x[1], x[2], x[3])
		f.setLane(Reg{in.CC, RP}, l, c)
	}
	f.setLane(Reg{in.D, in.DK}, l, v)
}

// twoResults stores the two destinations of setp p|q and lop3 d|p.
func (t *Thread) twoResults(f *frame, in *Inst, l int, v uint64) {
	first, second := v, v>>32
	if in.Alu.Result == aluPred {
		first, second = v&1, v>>1
	}
	if in.DK != NoReg {
		f.setLane(Reg{in.D, in.DK}, l, first)
	}
	f.setLane(in.D2, l, second&1)
}
