package alu

import (
	"fmt"
	"slices"
	"strings"
)

// family groups the instruction types that share rules.
type family uint8

const (
	untyped  family = iota // .b16 ...
	unsigned               // .u16 ...
	signed                 // .s16 ...
	pairs                  // .u16x2 .s16x2
	predicate
	single  // .f32
	double  // .f64
	half    // .f16 .bf16
	halves2 // .f16x2 .bf16x2
	other   // .tf32 .e4m3x2 ...: sources and destinations of cvt only
)

// typ is a type modifier.
type typ struct {
	name   string
	kind   Kind
	family family
}

var types = map[string]typ{}

func init() {
	for _, t := range []typ{
		{"pred", Pred, predicate},
		{"b8", B8, untyped}, {"b16", B16, untyped}, {"b32", B32, untyped}, {"b64", B64, untyped},
		{"u8", B8, unsigned}, {"u16", B16, unsigned}, {"u32", B32, unsigned}, {"u64", B64, unsigned},
		{"s8", B8, signed}, {"s16", B16, signed}, {"s32", B32, signed}, {"s64", B64, signed},
		{"u16x2", B32, pairs}, {"s16x2", B32, pairs},
		{"f32", B32, single}, {"f64", B64, double},
		{"f16", B16, half}, {"bf16", B16, half}, {"f16x2", B32, halves2}, {"bf16x2", B32, halves2},
		{"tf32", B32, other}, {"e4m3x2", B16, other}, {"e5m2x2", B16, other},
	} {
		types[t.name] = t
	}
}

func (t typ) integer() bool { return t.family == unsigned || t.family == signed }
func (t typ) float() bool   { return t.family >= single && t.family <= halves2 }

// bits is the width of the type.
func (t typ) bits() int { return 8 * t.kind.Bytes() }

// form is an instruction form while it is being recognised. Builders consume
// modifiers from the front, in the order the ISA's syntax line gives them. The
// first thing wrong is kept in err; builders need not stop at it.
type form struct {
	op   string
	mods []string
	imm  []uint64
	err  error
}

func (f *form) name() string { return strings.Join(append([]string{f.op}, f.mods...), ".") }

// fail records what is wrong unless something else is already.
func (f *form) fail(reason string, args ...any) {
	if f.err == nil {
		f.err = &UnknownFormError{Reason: fmt.Sprintf(reason, args...)}
	}
}

// unsupported records that the form is legal on targets beyond those modelled.
func (f *form) unsupported(reason string) {
	if f.err == nil {
		f.err = &UnsupportedError{Reason: reason}
	}
}

// take consumes the next modifier if it is one of want, else returns "".
func (f *form) take(want ...string) string {
	if len(f.mods) > 0 && slices.Contains(want, f.mods[0]) {
		m := f.mods[0]
		f.mods = f.mods[1:]
		return m
	}
	return ""
}

// flag consumes the next modifier if it is name.
func (f *form) flag(name string) bool { return f.take(name) != "" }

// need consumes the next modifier, which has to be one of want.
func (f *form) need(want ...string) string {
	m := f.take(want...)
	if m == "" {
		f.fail("%s, expected .%s", f.found(), strings.Join(want, " ."))
		return want[0]
	}
	return m
}

// typ consumes the next modifier, which has to be one of the types want.
func (f *form) typ(want ...string) typ { return types[f.need(want...)] }

// found describes the next modifier for an error.
func (f *form) found() string {
	if len(f.mods) == 0 {
		return "a modifier is missing"
	}
	return "unexpected ." + f.mods[0]
}

// last is the type that ends the form; most opcodes choose their rules by it.
func (f *form) last() typ {
	if len(f.mods) == 0 {
		return typ{}
	}
	return types[f.mods[len(f.mods)-1]]
}

// repeat is n operands of one class.
func repeat(k Kind, n int) []Kind {
	args := make([]Kind, n)
	for i := range args {
		args[i] = k
	}
	return args
}

// same is an operation whose n operands and result are of type t.
func same(t typ, n int, fn Fn) *Op {
	o := &Op{Args: repeat(t.kind, n), Result: t.kind, Signed: t.family == signed, Fn: fn}
	if t.family == pairs || t.family == halves2 {
		o.Validity = Halves
	}
	return o
}

// with sets the validity class and the control operands.
func (o *Op) with(v Validity, control ...int) *Op {
	o.Validity = v
	for _, i := range control {
		o.control |= 1 << i
	}
	return o
}
