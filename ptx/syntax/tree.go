package syntax

// Pos is a position in the PTX text. Line and Col count from 1; Col counts bytes.
type Pos struct {
	File      string
	Line, Col int
}

// IsValid tells whether p points into a text.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Source is a place in the program that PTX was compiled from, as a .loc directive gives it
// (PTX ISA, Debugging Directives: .loc). The zero value means that nothing is known.
type Source struct {
	File      string
	Line, Col int
	// Function is the (mangled) name of the inlined function the line belongs to; empty for a
	// line of the enclosing PTX function itself.
	Function string
	// InlinedAt lists the call sites the line was inlined through, the innermost first.
	// Their own InlinedAt is nil.
	InlinedAt []Source
}

// Module is one PTX text: resolved and checked.
type Module struct {
	File        string // the name given to Parse
	Version     string // "7.8"
	Target      string // "sm_80"
	Arch        int    // 80
	TargetOpts  []string
	AddressSize int            // 32 or 64
	Files       map[int]string // .file index to path
	Vars        []*Var         // module scope variables
	Funcs       []*Func        // in order of first mention; a declaration and its definition are one Func
	Pragmas     []string
}

// Func finds a function by its name, nil if there is none.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Var finds a module scope variable by its name, nil if there is none.
func (m *Module) Var(name string) *Var {
	for _, v := range m.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Linkage is the linking directive of a function or variable.
type Linkage uint8

// Linking directives. LinkNone is a symbol private to its module.
const (
	LinkNone Linkage = iota
	LinkExtern
	LinkVisible
	LinkWeak
	LinkCommon
)

// Func is a kernel (.entry) or device function (.func).
type Func struct {
	Pos
	Name    string
	Entry   bool
	Decl    bool // declared only: the module has no body for it
	Linkage Linkage
	Params  []*Var // Space is SpaceParam or SpaceReg (then Var.Reg is set)
	Rets    []*Var
	Attrs   Attrs
	AliasOf *Func // the function that .alias makes this one a name of, else nil

	Code   []Inst   // nested { } blocks, labels and declarations are resolved away
	Regs   []*Reg   // all registers in use, inner scopes included; Regs[i].Index == i
	Vars   []*Var   // variables declared inside, inner scopes included (not the parameters)
	Labels []*Label // inner scopes included: names may repeat
	Tables []*Table
	Protos []*Proto

	End Pos // of the closing brace
}

// Attrs are the performance tuning and other directives of a function. A zero means "not given".
type Attrs struct {
	MaxNTID, ReqNTID   [3]int
	MinNCTAPerSM       int
	MaxNReg            int
	NoReturn           bool
	ReqNCTAPerCluster  [3]int
	MaxClusterRank     int
	ExplicitCluster    bool
	BlocksAreClusters  bool
	AbiPreserve        int
	AbiPreserveControl int
	Unified            bool // .attribute(.unified(...))
	Pragmas            []string
}

// Reg is one register; scopes are resolved, so two registers of one name are two objects.
type Reg struct {
	Pos
	Name  string // with its %
	Type  Type
	Vec   int // 2 or 4 for a vector register, else 0
	Index int // in Func.Regs
}

// Space is a state space.
type Space uint8

// State spaces.
const (
	SpaceNone Space = iota
	SpaceReg
	SpaceGlobal
	SpaceShared
	SpaceConst
	SpaceLocal
	SpaceParam
	SpaceTex
)

// Var is a variable or parameter.
type Var struct {
	Pos
	Name    string
	Space   Space
	Type    Type  // of the element
	Vec     int   // 2 or 4 for .v2 and .v4, else 0
	Dims    []int // one may be -1 ("[]" without an initialiser)
	Align   int   // in bytes, never 0
	Size    int64 // in bytes, 0 when a dimension is open
	Linkage Linkage
	Init    []InitElem // what an initialiser sets; the rest of the variable is zero
	Reg     *Reg       // the register of a parameter in .reg space
	Func    *Func      // the function it is declared in, nil at module scope
	Managed bool       // .attribute(.managed)

	// The .ptr attributes of a kernel parameter.
	Ptr      bool
	PtrSpace Space // SpaceNone: generic
	PtrAlign int
}

// InitElem is one value of an initialiser.
type InitElem struct {
	Offset int64  // from the start of the variable, in bytes
	Size   int    // in bytes
	Bits   uint64 // the value's bits, floats included; the low Size bytes count

	// An address: Var or Func is set, and the value is its address (a generic one if Generic) plus
	// Bits. With a Mask m other than 0 the value is (address & m) >> trailing zeros of m.
	Sym     string
	Var     *Var
	Func    *Func
	Generic bool
	Mask    uint64
}

// Label is a place in a function's code.
type Label struct {
	Pos
	Name string
	PC   int // index into Func.Code, len(Code) for a label at the end
}

// Table is a .branchtargets or .calltargets list.
type Table struct {
	Pos
	Name   string
	Labels []*Label // .branchtargets
	Funcs  []*Func  // .calltargets
}

// Proto is a .callprototype.
type Proto struct {
	Pos
	Name         string
	Params, Rets []*Var
	NoReturn     bool
}

// Inst is one instruction.
type Inst struct {
	Pos      Pos
	Loc      Source
	Guard    *Reg // @%p
	GuardNeg bool // @!%p
	Op       string
	// Mods are the words after the opcode in order and without their dots; those with "::" are
	// kept whole ("shared::cta", "L2::128B"). Instructions share the slice: it is read only.
	Mods []string
	// Args are the operands. A call has three or four of them whatever was left out in the text:
	// the list of returns, the target (OperandFunc or OperandReg), the list of arguments and, where
	// given, the prototype or table.
	Args []Operand
	Text string // for reports: guard, opcode and operands with single spaces, no semicolon
}

// OperandKind tells what an operand is.
type OperandKind uint8

// Kinds of operands and the fields they use.
const (
	OperandNone    OperandKind = iota
	OperandReg                 // Reg; Neg for !%p; Comp for a component; Select for a video selector
	OperandInt                 // Int
	OperandFloat               // FloatBits, FloatWidth
	OperandVar                 // the address of Var plus Off; a .param variable as a call argument
	OperandFunc                // the address of Func, or the target of a call
	OperandLabel               // Label
	OperandTable               // Table
	OperandProto               // Proto
	OperandSpecial             // Special, with Comp
	OperandAddr                // [base + Off]: Reg, or Var, or neither for [Off]; Elems: coordinates after a comma
	OperandVector              // {a, b}: Elems
	OperandList                // (a, b) of a call: Elems
	OperandPair                // a|b: two Elems
	OperandSink                // _
)

// Operand is one operand.
type Operand struct {
	Pos        Pos
	Kind       OperandKind
	Neg        bool
	FloatWidth uint8 // 32 for 0f, 64 for 0d and decimal literals
	Comp       uint8 // 1 to 4 for .x .y .z .w (or .r .g .b .a), 0 without
	Reg        *Reg
	Int        uint64 // raw bits, sign-extended to 64
	FloatBits  uint64
	Sym        string // the name as written, of what Var, Func, Label, Table or Proto points to
	Var        *Var
	Func       *Func
	Label      *Label
	Table      *Table
	Proto      *Proto
	Off        int64
	Elems      []Operand
	Special    string // "%tid", "%laneid", ...; the component is in Comp
	Select     string // "b0", "h1", ... of a video instruction
}
