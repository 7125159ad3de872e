package ptx

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"gpusim/ptx/syntax"
)

// Use is what a kernel does with a part of its parameters: all of a scalar or pointer, or
// a member of a struct.
type Use struct {
	Param        int
	Offset, Size int    // in the parameter
	Type         string // of the load, or of the declaration: "u64"
	Pointer      bool
	Shared       bool   // a pointer to shared memory
	Element      string // type of the accesses through the pointer: "f32"; "" if there are none or several
	Read         bool   // through the pointer
	Written      bool
}

// Uses lists the parts of the parameters in order. That something is a pointer is known
// from .ptr, or from an address that is computed from it in the kernel itself.
func (k *Kernel) Uses() []Use {
	t := &tracer{of: map[*syntax.Var]int{}, from: map[*syntax.Reg]int{}, slots: map[slot]int{}}
	for i, p := range k.fn.Params {
		t.of[p] = i
		if len(p.Dims) == 0 {
			t.part(Use{Param: i, Size: int(p.Size), Type: p.Type.String(), Pointer: p.Ptr, Shared: p.PtrSpace == syntax.SpaceShared})
		}
	}
	for again := true; again; { // registers are assigned in any order of the text
		again = false
		for i := range k.fn.Code {
			again = t.instruction(&k.fn.Code[i]) || again
		}
	}
	for i := range k.fn.Code {
		t.access(&k.fn.Code[i])
	}
	slices.SortFunc(t.uses, func(a, b Use) int { return cmp.Or(cmp.Compare(a.Param, b.Param), cmp.Compare(a.Offset, b.Offset)) })
	return t.uses
}

// tracer follows parameters through the registers of a kernel.
type tracer struct {
	of   map[*syntax.Var]int
	uses []Use
	from map[*syntax.Reg]int // the use that a register points into

	slots map[slot]int // likewise for values on the stack, where code without optimisation keeps them
}

// slot is a place on the stack.
type slot struct {
	base   *syntax.Reg
	offset int64
}

// part returns the number of a part of the parameters, after adding it if it is new. A
// part that overlaps another in a different way has no number: -1.
func (t *tracer) part(u Use) int {
	for i := range t.uses {
		o := &t.uses[i]
		if o.Param != u.Param || u.Offset >= o.Offset+o.Size || o.Offset >= u.Offset+u.Size {
			continue
		}
		if o.Offset == u.Offset && o.Size == u.Size {
			return i
		}
		return -1
	}
	t.uses = append(t.uses, u)
	return len(t.uses) - 1
}

// instruction notes which registers get a pointer; it reports whether that is news.
func (t *tracer) instruction(in *syntax.Inst) (news bool) {
	if len(in.Args) < 2 {
		return false
	}
	set := func(o *syntax.Operand, use int) {
		if o.Kind != syntax.OperandReg || o.Reg == nil || use < 0 {
			return
		}
		if _, ok := t.from[o.Reg]; !ok {
			t.from[o.Reg] = use
			news = true
		}
	}
	switch in.Op {
	case "ld", "ldu":
		a := &in.Args[1]
		if use, ok := t.slots[slot{a.Reg, a.Off}]; ok && a.Kind == syntax.OperandAddr && a.Reg != nil {
			set(&in.Args[0], use)
			return news
		}
		p, ok := t.of[a.Var]
		if a.Kind != syntax.OperandAddr || a.Var == nil || !ok {
			return false
		}
		ty, size := accessType(in)
		targets := in.Args[0].Elems
		if in.Args[0].Kind != syntax.OperandVector {
			targets = in.Args[:1]
		}
		for i := range targets {
			set(&targets[i], t.part(Use{Param: p, Offset: int(a.Off) + i*size, Size: size, Type: ty}))
		}
	case "st":
		a, v := &in.Args[0], &in.Args[1]
		use, ok := t.from[v.Reg]
		if _, pointer := t.from[a.Reg]; ok && !pointer && v.Kind == syntax.OperandReg && a.Kind == syntax.OperandAddr && a.Reg != nil {
			if _, known := t.slots[slot{a.Reg, a.Off}]; !known {
				t.slots[slot{a.Reg, a.Off}] = use
				news = true
			}
		}
	case "mov", "cvta", "add", "sub", "selp", "mad":
		source := -1
		for i := range in.Args[1:] {
			o := &in.Args[1+i]
			factor := in.Op == "mad" && i < 2 // a pointer is added, never multiplied
			use, ok := t.from[o.Reg]
			if o.Kind != syntax.OperandReg || !ok || factor {
				continue
			}
			if source < 0 || t.uses[use].Pointer && !t.uses[source].Pointer { // a sum of a pointer and a number
				source = use
			}
		}
		if in.Op == "cvta" && source >= 0 {
			t.uses[source].Pointer = true
		}
		set(&in.Args[0], source)
	}
	return news
}

// access notes what an instruction does through a pointer.
func (t *tracer) access(in *syntax.Inst) {
	read, written := false, false
	switch in.Op {
	case "ld", "ldu":
		read = true
	case "st":
		written = true
	case "atom", "red":
		read, written = true, true
	case "cp": // cp.async: to shared memory, from global memory
		read = true
	default:
		return
	}
	for i := range in.Args {
		a := &in.Args[i]
		use, ok := t.from[a.Reg]
		if a.Kind != syntax.OperandAddr || a.Reg == nil || !ok {
			continue
		}
		u := &t.uses[use]
		ty := ""
		if in.Op != "cp" {
			ty, _ = accessType(in)
		}
		switch {
		case !u.Read && !u.Written:
			u.Element = ty
		case u.Element != ty:
			u.Element = ""
		}
		u.Pointer = true
		u.Read, u.Written = u.Read || read, u.Written || written
	}
}

// accessType is the type of an access: the last modifier that names one.
func accessType(in *syntax.Inst) (name string, size int) {
	for _, m := range slices.Backward(in.Mods) {
		if t, ok := syntax.TypeByName(m); ok {
			return m, t.Size()
		}
	}
	return "", 1
}

// Types are the C++ types of a kernel's parameters, nil if its name does not tell them.
func (k *Kernel) Types() []string {
	ast, err := demangle.ToAST(k.Name)
	if err != nil {
		return nil
	}
	typed, ok := ast.(*demangle.Typed)
	if !ok {
		return nil
	}
	f, ok := typed.Type.(*demangle.FunctionType)
	if !ok || len(f.Args) == 1 && k.isVoid(f.Args[0]) {
		return nil
	}
	var out []string
	for _, a := range f.Args {
		out = append(out, strings.TrimSpace(demangle.ASTToString(a)))
	}
	if len(out) != len(k.Params) {
		return nil // parameter packs and the like
	}
	return out
}

func (k *Kernel) isVoid(a demangle.AST) bool {
	b, ok := a.(*demangle.BuiltinType)
	return ok && b.Name == "void"
}
