// Package alu holds the per-lane semantics of PTX arithmetic, logic,
// comparison and conversion instructions as pure functions on raw bits.
//
// Lookup turns an opcode and its modifiers into an Op once, when a program is
// loaded; executing a lane is then one call through a function pointer, without
// parsing, allocation or state. Section numbers in comments are those of the PTX
// ISA 9.0, chapter 9.7 "Instruction Set".
package alu

// Fn computes one lane. It takes up to four source operands as raw bits and
// returns the raw bits of the result. Operands narrower than 64 bits sit in the
// low bits with the rest zero, predicates are 0 or 1, and the result follows the
// same rule for the width of the destination. A Fn never panics, whatever bits it
// is given.
type Fn func(a, b, c, d uint64) uint64

// Kind is the class of a register operand: its width, as PTX .b types see it.
type Kind uint8

// The register classes. A packed pair of halves is a B32, an fp8 pair a B16, a
// tf32 value a B32.
const (
	None Kind = iota
	Pred
	B8
	B16
	B32
	B64
)

// Bytes is the width of a value of this class in bytes; a predicate counts as one.
func (k Kind) Bytes() int {
	switch k {
	case Pred, B8:
		return 1
	case B16:
		return 2
	case B32:
		return 4
	case B64:
		return 8
	}
	return 0
}

// Mask is the largest raw value of this class.
func (k Kind) Mask() uint64 {
	switch k {
	case Pred:
		return 1
	case None:
		return 0
	}
	return ^uint64(0) >> (64 - 8*k.Bytes())
}

func (k Kind) String() string {
	return [...]string{"none", "pred", "b8", "b16", "b32", "b64"}[k]
}

// Validity says how initialised-ness flows from the operands to the result. Every
// class but Whole lets uninitialised bytes travel through the instruction without
// making the whole result uninitialised. Op.Invalid applies it.
type Validity uint8

const (
	// Whole says that every bit of the result depends on every bit of every operand.
	Whole Validity = iota
	// Bitwise says that a bit of the result depends on at most one bit of each operand
	// (and, or, lop3, selp, shifts, prmt, bfe, cvt between integers ...), once the
	// operands that control the movement are known.
	Bitwise
	// Ascending says that byte i of the result depends on bytes 0 to i of the operands
	// (add, sub, mul.lo, neg).
	Ascending
	// Halves says that 16-bit half i depends on half i of the operands (f16x2, u16x2 ...).
	Halves
	// Pack says that the upper half of the result depends on operand 0, the lower half on
	// operand 1 (cvt.rn.f16x2.f32).
	Pack
)

// Op is one legal instruction form.
type Op struct {
	// Name is the canonical spelling with all modifiers, "add.rn.ftz.f32".
	Name string
	// Args are the classes of the source operands in PTX order. The immediate of
	// lop3 is not among them (it is consumed by Lookup); the predicate source of
	// setp, set and lop3 is.
	Args []Kind
	// Result is the class of the destination.
	Result Kind
	// Signed says that the result is of a signed integer type: a destination
	// register wider than Result (PTX allows it for cvt) gets it sign-extended,
	// otherwise zero-extended.
	Signed bool
	// Fn computes the result. With ReadsCC the carry-in (0 or 1) is the operand
	// after the last of Args.
	Fn Fn
	// Carry, when not nil, computes the carry-out or borrow-out (0 or 1) from the
	// same operands as Fn.
	Carry Fn
	// ReadsCC says that the instruction reads the carry flag.
	ReadsCC bool
	// Pred2 says that the result is up to two values for destinations d|p: for
	// setp bit 0 is p and bit 1 is q; for lop3 with a predicate operation (Result
	// B32) bits 31:0 are d and bit 32 is p. An instruction that names only one
	// destination ignores the other.
	Pred2 bool
	// Validity is how uninitialised bits flow through; Invalid applies it.
	Validity Validity

	// control is the set of operands (bit i: operand i) that say where bits go in
	// a Bitwise operation; one uninitialised byte in them spoils the whole result.
	control uint8
}
