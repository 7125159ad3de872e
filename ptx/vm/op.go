package vm

// Op selects the code that executes an instruction.
type Op uint8

// The operations. Those before opControl run in the inner loop.
const (
	// Generic calls Inst.Fn for every lane.
	Generic Op = iota
	Mov32
	Mov64
	MovP
	Add32
	Sub32
	Mul32
	Mad32
	And32
	Or32
	Xor32
	Shl32
	ShrU32
	ShrS32
	MinS32
	MaxS32
	MinU32
	MaxU32
	MulWideS
	MulWideU
	MadWideS
	MadWideU
	Add64
	Sub64
	Mul64
	And64
	Or64
	Xor64
	Shl64
	ShrU64
	ShrS64
	WideS
	WideU
	Narrow
	FAdd
	FSub
	FMul
	FFma
	DAdd
	DMul
	DFma
	SetLtS32
	SetLeS32
	SetEq32
	SetNe32
	SetLtU32
	SetLeU32
	SetLtS64
	SetLeS64
	SetEq64
	SetNe64
	SetLtU64
	SetLeU64
	SetLtF32
	SetLeF32
	SetEqF32
	SetNeuF32
	Selp32
	Selp64
	AndP
	OrP
	XorP
	NotP

	Load // global, shared, const, generic
	Store
	LoadParam
	StoreParam
	LoadLocal
	StoreLocal
	LoadRows  // ldmatrix: the lanes of Mem.Lanes load a row each
	StoreRows // stmatrix
	Discard
	Atomic
	CpAsync
	CpCommit
	CpWait
	MBarrier
	Fence
	ReadSpecial
	ActiveMask
	IsSpace
	LocalAddr // address of a local variable: the frame's base plus Mem.Off
	Pack      // mov.b64 d, {a, b}: Mem.Regs are the parts
	Unpack    // mov.b64 {a, b}, s
	Alloca
	StackSave
	StackRestore
	Nanosleep
	Nop

	opControl // marker: these end a run of straight-line code
	Bra
	BrxIdx
	CallOp
	Ret
	Exit
	Trap
	Brkpt
	Collective
)

// Fast maps an instruction's canonical name to its vector form.
var Fast = map[string]Op{
	"add.s32": Add32, "add.u32": Add32, "sub.s32": Sub32, "sub.u32": Sub32,
	"mul.lo.s32": Mul32, "mul.lo.u32": Mul32, "mad.lo.s32": Mad32, "mad.lo.u32": Mad32,
	"and.b32": And32, "or.b32": Or32, "xor.b32": Xor32,
	"shl.b32": Shl32, "shr.u32": ShrU32, "shr.b32": ShrU32, "shr.s32": ShrS32,
	"min.s32": MinS32, "max.s32": MaxS32, "min.u32": MinU32, "max.u32": MaxU32,
	"mul.wide.s32": MulWideS, "mul.wide.u32": MulWideU, "mad.wide.s32": MadWideS, "mad.wide.u32": MadWideU,
	"add.s64": Add64, "add.u64": Add64, "sub.s64": Sub64, "sub.u64": Sub64, "mul.lo.s64": Mul64, "mul.lo.u64": Mul64,
	"and.b64": And64, "or.b64": Or64, "xor.b64": Xor64,
	"shl.b64": Shl64, "shr.u64": ShrU64, "shr.b64": ShrU64, "shr.s64": ShrS64,
	"cvt.s64.s32": WideS, "cvt.u64.u32": WideU, "cvt.u32.u64": Narrow, "cvt.s32.s64": Narrow, "cvt.u32.s64": Narrow, "cvt.s32.u64": Narrow,
	"add.f32": FAdd, "add.rn.f32": FAdd, "sub.f32": FSub, "sub.rn.f32": FSub, "mul.f32": FMul, "mul.rn.f32": FMul, "fma.rn.f32": FFma,
	"add.f64": DAdd, "add.rn.f64": DAdd, "mul.f64": DMul, "mul.rn.f64": DMul, "fma.rn.f64": DFma,
	"setp.lt.s32": SetLtS32, "setp.le.s32": SetLeS32, "setp.eq.s32": SetEq32, "setp.eq.u32": SetEq32, "setp.eq.b32": SetEq32,
	"setp.ne.s32": SetNe32, "setp.ne.u32": SetNe32, "setp.ne.b32": SetNe32, "setp.lt.u32": SetLtU32, "setp.le.u32": SetLeU32,
	"setp.lo.u32": SetLtU32, "setp.ls.u32": SetLeU32,
	"setp.lt.s64": SetLtS64, "setp.le.s64": SetLeS64, "setp.eq.s64": SetEq64, "setp.eq.u64": SetEq64, "setp.eq.b64": SetEq64,
	"setp.ne.s64": SetNe64, "setp.ne.u64": SetNe64, "setp.ne.b64": SetNe64, "setp.lt.u64": SetLtU64, "setp.le.u64": SetLeU64,
	"setp.lt.f32": SetLtF32, "setp.le.f32": SetLeF32, "setp.eq.f32": SetEqF32, "setp.neu.f32": SetNeuF32,
	"selp.b32": Selp32, "selp.s32": Selp32, "selp.u32": Selp32, "selp.f32": Selp32,
	"selp.b64": Selp64, "selp.s64": Selp64, "selp.u64": Selp64, "selp.f64": Selp64,
	"and.pred": AndP, "or.pred": OrP, "xor.pred": XorP, "not.pred": NotP,
}

// FastSwapped maps comparisons that are a vector form with the operands exchanged.
var FastSwapped = map[string]Op{
	"setp.gt.s32": SetLtS32, "setp.ge.s32": SetLeS32, "setp.gt.u32": SetLtU32, "setp.ge.u32": SetLeU32, "setp.hi.u32": SetLtU32, "setp.hs.u32": SetLeU32,
	"setp.gt.s64": SetLtS64, "setp.ge.s64": SetLeS64, "setp.gt.u64": SetLtU64, "setp.ge.u64": SetLeU64,
	"setp.gt.f32": SetLtF32, "setp.ge.f32": SetLeF32,
}
