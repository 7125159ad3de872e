// Package vm executes lowered PTX a warp at a time: one decoded instruction works on 32
// lane values. It implements exec.Thread; package lower produces its code.
package vm

import (
	"unsafe"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/lanes"
	"gpusim/memory"
	"gpusim/ptx/alu"
	"gpusim/race"
	"gpusim/shape"
)

type (
	// V holds a 32-bit register of all lanes (narrower ones too, zero-extended).
	V = lanes.V
	// D holds a 64-bit register of all lanes.
	D = lanes.D
)

// Full is the mask of all lanes.
const Full = shape.Full

// NoGuard is the Guard of an unconditional instruction.
const NoGuard = -1

// Class tells which register file an operand lives in.
type Class uint8

// The register files.
const (
	NoReg Class = iota
	RP          // predicates: one mask a register
	R32
	R64
)

// mask has all bits of a register of the class.
func (c Class) mask() uint64 {
	if c == R32 {
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

// Reg is a register operand. Immediates are registers too: they are filled once.
type Reg struct {
	Index uint16
	Class Class
}

// Inst is one decoded instruction.
type Inst struct {
	Op       Op
	Guard    int16 // predicate register or NoGuard
	GuardNeg bool
	DK       Class   // class of the destination D
	NArgs    uint8   // sources of a Generic instruction
	D        uint16  // destination
	A, B, C  uint16  // sources, in the file that Op implies
	Target   int32   // branch target; back edges lead to a smaller pc
	Src      [4]Reg  // sources with their class: Generic and sparse execution
	D2       Reg     // second destination (setp p|q, shfl d|p)
	Fn       alu.Fn  // one lane of the instruction
	Alu      *alu.Op // nil for what is not arithmetic
	CC       uint16  // predicate register that holds the carry flag
	Mem      *Mem    // memory instructions
	Call     *Call   // calls
	Coll     *Coll   // barriers and warp collectives
	Special  Special // OpSpecial
	Back     int32   // index of the back edge, for branches to a smaller pc; else -1
	Table    []int32 // brx.idx targets
	Number   int32   // index in Program.Sources
}

// Mem describes a memory access.
type Mem struct {
	Space  kernel.Space
	Base   Reg    // address register; Class NoReg: Off is the address
	Off    int64  // added to the base
	Size   int    // bytes of an element
	Regs   []Reg  // destinations (loads) or sources (stores), one an element; NoReg: discarded
	Signed bool   // a loaded element is sign-extended to its register
	Extend bool   // an element is narrower than its register
	Mask   uint64 // of the register's width, for sign extension
	Sem    kernel.Sem
	Scope  kernel.Scope
	Strong bool
	Site   int // index in Program.Sites, -1: not subject to race detection
	Write  bool

	SC bool // Fence: fence.sc

	Whole  bool   // two elements of 64 bits are one of 128 bits
	Align  int    // atomics: of a whole vector, 0: that of the element
	Lanes  uint32 // LoadRows, StoreRows: lanes whose addresses count
	Opaque bool   // no register of the lane holds what it stores: wmma.store

	inst *Inst // the instruction itself; set by Program.Finish

	// param space
	Param    int // byte offset in the frame's parameter area
	IsKernel bool

	// atom, red
	Atom   func(old, b, c uint64) uint64
	Cas    bool
	HasDst bool // atom with a destination: Regs[0]

	// cp.async
	Async *AsyncCopy

	MBar *MBar // mbarrier
}

// AsyncCopy describes a cp.async: Mem.Base/Off address the shared destination.
type AsyncCopy struct {
	Src     Reg
	SrcOff  int64
	Bytes   int
	SrcSize Reg // NoReg: Bytes. Fewer bytes are filled up with zeros
	Ignore  Reg // predicate: the source is ignored
}

// Call describes a call.
type Call struct {
	Fn      *Func // nil: indirect
	Target  Reg   // indirect: register that holds the function's address
	Builtin Builtin
	Site    int         // Free: the write that ends the memory, in Program.Sites
	Args    []CopyRange // from the caller's area to the callee's
	Rets    []CopyRange // back
	Proto   [2][]int    // indirect: sizes of arguments and results
}

// CopyRange moves bytes of the parameter area; offsets are multiples of 4.
type CopyRange struct{ Caller, Callee, Size int }

// Builtin is a function that the simulator supplies.
type Builtin uint8

// The functions of the CUDA device runtime that compilers call by name.
const (
	NoBuiltin Builtin = iota
	VPrintf
	AssertFail
	Malloc
	Free
)

// Coll describes a barrier or a warp collective.
type Coll struct {
	Key   string // operation with qualifiers: what lanes pair by
	Kind  CollKind
	Mask  Reg // membermask; NoReg: all live lanes of the warp
	Args  [3]Reg
	Bar   exec.BarOp // CollBar: constant parts
	ID    Reg        // barrier id and thread count as registers
	Count Reg
	Moves bool  // the result is one lane's value: uninitialised bytes travel with it
	Wide  *Wide // several registers of each lane take part; Fn is not used
	// Fn computes a lane's results; from is the lane whose value it got, -1 if it is
	// nobody's, or Undefined.
	Fn func(in *CollIn, lane int) (value uint64, pred bool, from int)
}

// Undefined is where a shuffled value comes from that the ISA leaves undefined: a lane that
// does not take part. To use it is as wrong as to use memory that was never written.
const Undefined = -2

// CollKind tells barriers from warp collectives.
type CollKind uint8

// The kinds of collectives.
const (
	CollWarp CollKind = iota // shfl, vote, match, redux
	CollSync                 // bar.warp.sync
	CollBar                  // bar, barrier
)

// CollIn is what the lanes brought to a collective.
type CollIn struct {
	Lanes   uint32 // that take part
	A, B, C *[32]uint64
}

// Func is one function's place in the code.
type Func struct {
	Name       string // demangled
	Entry      int32
	N32        int // registers, temporaries and constants included; index 0 is scratch
	N64        int
	NP         int
	Const32    []Const
	Const64    []Const
	ConstP     []Const
	Specials   []SpecialReg // registers of a kernel's frame that hold special registers
	Local      []LocalVar
	LocalSize  int64
	ParamBytes int // the parameter area: own parameters, results, call arguments
	Params     []CopyRange
	Rets       []CopyRange
	Address    uint64
}

// Const is a register that is filled once.
type Const struct {
	Reg   uint16
	Value uint64
}

// SpecialReg is a register that holds a special register for a whole block.
type SpecialReg struct {
	Reg     uint16
	Special Special
}

// LocalVar is a variable in local memory, at an offset in its frame.
type LocalVar struct {
	Name string
	Off  int64
	Size int64
}

// Back is a back edge: what is live at its target tells whether a loop has made progress.
type Back struct {
	Live []Reg
}

// Program is one kernel with every function that it can reach.
type Program struct {
	Kernel  string
	Insts   []Inst
	Entry   *Func
	Funcs   map[uint64]*Func // by address, for indirect calls
	Sources []kernel.Source  // by Inst.Number
	Sites   []race.SiteInfo
	Shared  []exec.SharedVar
	Orders  bool
	Backs   []Back // by Inst.Back
	Params  []byte // the kernel's parameter block

	paramBuffer *memory.Buffer
	env         *environment
	envOf       *exec.Launch
}

// Finish completes a program whose exported fields are set.
func (p *Program) Finish() {
	for i := range p.Insts {
		p.Insts[i].Number = int32(i)
		if m := p.Insts[i].Mem; m != nil {
			m.inst = &p.Insts[i]
		}
		if c := p.Insts[i].Coll; c != nil {
			c.Bar.Instruction = i
			if c.Wide != nil && c.Wide.Tile != nil {
				c.Wide.Tile.Mem.inst = &p.Insts[i]
			}
		}
	}
	p.paramBuffer = memory.NewBuffer(0, "kernel parameters", kernel.Param, memory.ParamBase, 0, false)
	p.paramBuffer.Data = p.Params
	p.paramBuffer.ReadOnly = true
}

// Follows reports whether a thread may execute the second instruction after the first
// without waiting at a block barrier in between. A call may be entered and returns.
func (p *Program) Follows(first, second int) bool {
	seen := make([]bool, len(p.Insts))
	todo := p.successors(first, nil)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == second {
			return true
		}
		if n < len(seen) && !seen[n] {
			seen[n] = true
			todo = p.successors(n, todo)
		}
	}
	return false
}

func (p *Program) successors(pc int, to []int) []int {
	in := &p.Insts[pc]
	switch in.Op {
	case Bra:
		to = append(to, int(in.Target))
	case BrxIdx:
		for _, t := range in.Table {
			to = append(to, int(t))
		}
	case CallOp:
		if in.Call.Fn != nil {
			to = append(to, int(in.Call.Fn.Entry))
		}
	}
	if in.Op == Collective && in.Coll.Kind == CollBar && in.Coll.Bar.Role != barrier.Arrive && in.Guard == NoGuard {
		return to
	}
	if in.Guard != NoGuard || in.Op != Bra && in.Op != BrxIdx && in.Op != Ret && in.Op != Exit && in.Op != Trap {
		to = append(to, pc+1)
	}
	return to
}

// text is an instruction as the PTX file has it.
func (in *Inst) text(p *Program) string { return p.Sources[in.Number].PTX }

// kernelParam reads the parameter block.
func (p *Program) kernelParam(off, size int) uint64 {
	return peek(unsafe.Pointer(&p.Params[off]), size)
}

// SharedVars are the program's collective allocations.
func (p *Program) SharedVars() []exec.SharedVar { return p.Shared }

// OrdersBlocks reports whether an instruction may order different blocks.
func (p *Program) OrdersBlocks() bool { return p.Orders }

// Source resolves an instruction number.
func (p *Program) Source(i int) kernel.Source {
	if i < 0 || i >= len(p.Sources) {
		return kernel.Source{}
	}
	return p.Sources[i]
}
