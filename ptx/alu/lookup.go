package alu

import "strings"

// Lookup returns the semantics of an instruction form: its opcode ("add") and
// its modifiers without dots in the order written ("rn", "ftz", "f32"). imm holds
// what PTX fixes as an immediate operand: the immLut of lop3. The error is an
// *UnknownFormError or an *UnsupportedError.
func Lookup(op string, mods []string, imm ...uint64) (*Op, error) {
	f := &form{op: op, mods: mods, imm: imm}
	build, ok := builders[op]
	if !ok {
		return nil, &UnsupportedError{Form: f.name(), Reason: "no such arithmetic instruction"}
	}
	o, err := build(f)
	if err != nil {
		return nil, err
	}
	o.Name = f.name()
	return o, nil
}

// form is an instruction form while it is being recognised. Builders consume
// modifiers from the front in the order the ISA's syntax line gives them.
type form struct {
	op   string
	mods []string
	next int
	imm  []uint64
}

func (f *form) name() string { return strings.Join(append([]string{f.op}, f.mods...), ".") }

// builders maps an opcode to the function that recognises its forms.
var builders map[string]func(*form) (*Op, error)
