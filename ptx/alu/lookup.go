package alu

import "slices"

// Lookup returns the semantics of an instruction form: its opcode ("add") and
// its modifiers without dots in the order written ("rn", "ftz", "f32"). imm holds
// what PTX fixes as an immediate operand: the immLut of lop3. The error is an
// *UnknownFormError or an *UnsupportedError.
func Lookup(op string, mods []string, imm ...uint64) (*Op, error) {
	f := &form{op: op, mods: mods, imm: imm}
	name := f.name()
	build, ok := builders[op]
	if !ok {
		return nil, &UnsupportedError{Form: name, Reason: "it is not an arithmetic instruction this simulator knows"}
	}
	if slices.Contains(mods, "f32x2") {
		f.unsupported(".f32x2 needs sm_100 or newer")
	}
	o := build(f)
	if f.err == nil && len(f.mods) > 0 {
		f.fail("%s", f.found())
	}
	switch err := f.err.(type) {
	case nil:
		o.Name = name
		return o, nil
	case *UnknownFormError:
		err.Form = name
	case *UnsupportedError:
		err.Form = name
	}
	return nil, f.err
}

// builders maps an opcode to the function that recognises its forms. A builder
// always returns an Op; it counts only if the form's err stayed nil.
var builders map[string]func(*form) *Op

func init() {
	builders = map[string]func(*form) *Op{
		"add": arithmetic(buildAdd, buildFloatAdd), "sub": arithmetic(buildSub, buildFloatAdd),
		"mul": arithmetic(buildMul, buildFloatMul), "mad": arithmetic(buildMad, buildFMA),
		"fma": buildFMA, "div": arithmetic(buildDivRem, buildFloatDiv), "rem": buildDivRem,
		"abs": arithmetic(buildAbsNeg, buildFloatSign), "neg": arithmetic(buildAbsNeg, buildFloatSign),
		"min": arithmetic(buildMinMax, buildFloatMinMax), "max": arithmetic(buildMinMax, buildFloatMinMax),
		"mul24": buildMul24, "mad24": buildMul24, "sad": buildSad,
		"addc": buildCarry, "subc": buildCarry, "madc": buildMadCarry,
		"dp4a": buildDot, "dp2a": buildDot,
		"popc": buildCount, "clz": buildCount, "bfind": buildBfind, "fns": buildFns, "brev": buildBrev,
		"bfe": buildBfe, "bfi": buildBfi, "bmsk": buildBmsk, "szext": buildSzext,
		"and": buildLogic, "or": buildLogic, "xor": buildLogic, "not": buildLogic, "cnot": buildCnot,
		"lop3": buildLop3, "shl": buildShift, "shr": buildShift, "shf": buildFunnel, "prmt": buildPrmt,
		"selp": buildSelp, "slct": buildSlct, "set": buildSet, "setp": buildSetp,
		"testp": buildTestp, "copysign": buildCopysign,
		"rcp": buildRcp, "sqrt": buildSqrt, "rsqrt": buildRsqrt,
		"sin": buildTranscendental, "cos": buildTranscendental, "lg2": buildTranscendental,
		"ex2": buildTranscendental, "tanh": buildTranscendental,
		"cvt": buildCvt,
	}
}

// arithmetic chooses between the integer and the floating-point rules of an
// opcode by the type that ends the form.
func arithmetic(integer, float func(*form) *Op) func(*form) *Op {
	return func(f *form) *Op {
		if f.last().float() {
			return float(f)
		}
		return integer(f)
	}
}
