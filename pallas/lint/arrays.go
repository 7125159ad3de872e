package lint

import (
	"slices"
	"strings"

	"gpusim/pallas"
	"gpusim/tensor"
)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

// pointwise are primitives that the compiler does element by element in registers of 16 or
// 32 bits.
var pointwise = set("add sub mul div rem max min neg sign shift_left shift_right_logical shift_right_arithmetic clamp lt le gt ge integer_pow square")

// arithmetic checks a primitive on arrays.
func (l *linter) arithmetic(e *pallas.Eqn, in []value) {
	for _, r := range e.Out {
		if len(r.Shape) > 0 && elements(r.Shape) == 0 {
			l.report("leave it out", "an array of shape %v has no elements", r.Shape)
		}
	}
	wide := slices.IndexFunc(in, value.wide)
	if l.warp && wide >= 0 {
		l.report("do it in the code of the whole thread", "%s on an array of shape %v inside of a warp: only scalars are possible there", called(e.Prim), in[wide].shape)
		return
	}
	switch e.Prim {
	case "select_n":
		l.selection(in)
	case "integer_pow":
		if y := params[struct{ Y int }](e).Y; y != -1 && y < 2 {
			l.report("write it as a product or a quotient", "the compiler has no rule for the power %d", y)
		}
	case "convert_element_type":
		l.conversion(e, in)
	case "bitcast_convert_type":
		if len(in) == 1 && len(e.Out) == 1 {
			l.bitcast(e, in[0])
		}
	case "slice":
		p := params[tensor.Params](e)
		if len(p.Strides) > 0 {
			l.report("index the reference", "the compiler has no rule for a slice with strides")
		} else if len(in) == 1 && len(e.Out) == 1 && !slices.Equal(in[0].shape, e.Out[0].Shape) {
			l.layout("a slice", in[0])
		}
	case "concatenate":
		for _, v := range in {
			l.layout("concatenate", v)
		}
	case "reduce_sum", "reduce_max", "reduce_min", "reduce_prod":
		if len(in) == 1 && len(e.Out) == 1 && len(e.Out[0].Shape) > 0 {
			l.layout("a reduction of some dimensions", in[0])
		}
	case "iota":
		if l.lane && !l.prims["layout_cast"] {
			l.report("apply plgpu.layout_cast to it", "with the semantics of lanes, the layout of an iota is not known")
		}
	}
	if wide >= 0 {
		l.types(e, in)
	} else if (e.Prim == "max" || e.Prim == "min") && !l.lane && len(in) > 0 && in[0].dtype == tensor.Bool {
		l.report("use logical operations", "the compiler has no rule for %s of booleans", e.Prim)
	}
}

// layout reports what needs a tiled layout of an array in registers, in kernels where
// arrays that were loaded have none.
func (l *linter) layout(what string, v value) {
	if v.loaded && v.wide() && !l.tiled {
		l.report("give the array a layout with plgpu.layout_cast, as plgpu.Layout.WGMMA", "%s needs an array in a tiled layout, and nothing in the kernel gives the array of shape %v one", what, v.shape)
	}
}

func (l *linter) selection(in []value) {
	if len(in) > 3 {
		l.report("use nested jnp.where", "the compiler has no rule for a selection from %d cases: 2 are possible", len(in)-1)
	}
	if l.lane || len(in) < 2 {
		return
	}
	for _, v := range in[1:] {
		if v.class == array && in[0].class == array && !slices.Equal(v.shape, in[0].shape) {
			l.report("broadcast the condition, or use lax.cond", "a selection of arrays of shape %v by a condition of shape %v: the compiler does not broadcast it", v.shape, in[0].shape)
			return
		}
	}
}

// blackwell are types that only Blackwell converts.
var blackwell = map[tensor.DType]bool{tensor.F8E8M0FNU: true, tensor.F4E2M1FN: true}

func (l *linter) conversion(e *pallas.Eqn, in []value) {
	if len(in) != 1 || len(e.Out) != 1 || in[0].class != array {
		return
	}
	from := in[0].dtype
	to, _ := tensor.FindDType(e.Out[0].DType)
	switch {
	case from == to:
	case (blackwell[from] || blackwell[to]) && in[0].wide() && len(l.arch) < len("sm_100"):
		l.report("compile for Blackwell", "a conversion between %s and %s, which %s does not have", from, to, l.arch)
	case from.Float() && to.Float() && from.Bits() == to.Bits() && from.Bits() != 16 && !l.lane:
		l.report("convert to float32 between them", "the compiler does not convert %s to %s: both have %d bits", from, to, to.Bits())
	case to == tensor.Bool && in[0].wide() && from != tensor.Bool:
		l.report("compare with 0", "the compiler does not convert an array of %s to booleans", from)
	}
}

func (l *linter) bitcast(e *pallas.Eqn, v value) {
	to, _ := tensor.FindDType(e.Out[0].DType)
	switch {
	case v.class != array:
	case to.Bits() != v.bits():
		l.report("", "a bitcast from %s to %s: their elements have different sizes", v.dtype, to)
	case !v.wide() && !l.lane && to != v.dtype:
		l.report("do it to an array", "the compiler cannot bitcast a scalar")
	}
}

// types checks the types of elements of arrays.
func (l *linter) types(e *pallas.Eqn, in []value) {
	v := in[slices.IndexFunc(in, value.wide)]
	if e.Prim == "select_n" && len(in) > 1 {
		v = in[1]
	}
	small := v.bits() < 16 && v.dtype != tensor.Bool && !same(e)
	switch {
	case v.dtype == tensor.Bool && !l.lane && (e.Prim == "max" || e.Prim == "min"):
		l.report("use logical operations", "the compiler has no rule for %s of booleans", e.Prim)
	case v.dtype == tensor.Bool && !l.lane && e.Prim == "not":
		l.report("compare with False, or negate the comparison", "the compiler cannot negate an array of booleans")
	case small && (pointwise[e.Prim] || e.Prim == "select_n" && v.wide() || e.Prim == "abs" && !v.dtype.Float() || fromSmallFloat(e, v)):
		l.report("convert to 16 or 32 bits first", "%s on an array of %s: the compiler computes with 16 bits or more", called(e.Prim), v.dtype)
	case e.Prim == "rem" && v.dtype.Float():
		l.report("use x - y * trunc(x / y)", "the compiler has no rule for the remainder of arrays of %s", v.dtype)
	case !l.lane && (e.Prim == "erf" || e.Prim == "atan2"):
		l.report("use another formula, or the semantics of lanes", "the compiler has no rule for %s of arrays", e.Prim)
	}
}

// same reports a choice between equal operands, which the compiler leaves out.
func same(e *pallas.Eqn) bool {
	list := e.In
	switch e.Prim {
	case "select_n":
		list = list[1:]
	case "max", "min":
	default:
		return false
	}
	for _, o := range list {
		if o == nil || o.Atom.Literal != nil || o.Atom.Var != list[0].Atom.Var {
			return false
		}
	}
	return len(list) > 0
}

// fromSmallFloat reports a conversion of small floating-point numbers to integers.
func fromSmallFloat(e *pallas.Eqn, v value) bool {
	if len(e.Out) != 1 {
		return false
	}
	to, _ := tensor.FindDType(e.Out[0].DType)
	return e.Prim == "convert_element_type" && v.dtype.Float() && !to.Float() && to != tensor.Bool
}

// debugPrint checks what is printed.
func (l *linter) debugPrint(_ *scope, e *pallas.Eqn, in []value) {
	p := params[struct {
		Named bool
		Parts []any
	}](e)
	if p.Named {
		l.report("pass the values by position", "debug_print takes values by position only")
	}
	for _, part := range p.Parts {
		if m, ok := part.(map[string]any); ok && m["spec"] != nil && m["spec"] != "" {
			l.report("use {}", "the format of debug_print has a specification: only {} is possible")
			break
		}
	}
	if i := slices.IndexFunc(in, value.wide); i >= 0 {
		switch {
		case l.warp:
			l.report("print scalars", "debug_print of an array inside of a warp: only scalars are possible there")
		case len(in) > 1:
			l.report("print arrays one by one", "debug_print of an array together with something else")
		}
	}
}

func (l *linter) check(_ *scope, e *pallas.Eqn, _ []value) {
	if !params[struct{ Debug bool }](e).Debug {
		l.report("use pl.debug_check", "checkify.check inside of a kernel: the compiler has a rule for debugging checks only")
	}
}
