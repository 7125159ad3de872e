package syntax

import (
	"fmt"
	"sort"
	"strings"
)

// dump writes a module for the golden tests: everything that later stages read.
func dump(m *Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version %s target %s arch %d opts %v address %d\n", m.Version, m.Target, m.Arch, m.TargetOpts, m.AddressSize)
	var files []int
	for i := range m.Files {
		files = append(files, i)
	}
	sort.Ints(files)
	for _, i := range files {
		fmt.Fprintf(&b, "file %d %s\n", i, m.Files[i])
	}
	for _, v := range m.Vars {
		fmt.Fprintln(&b, dumpVar(v))
	}
	for _, f := range m.Funcs {
		dumpFunc(&b, f)
	}
	return b.String()
}

func dumpVar(v *Var) string {
	s := fmt.Sprintf("%v .%s %s %s", v.Linkage, v.Space, v.Type, v.Name)
	if v.Vec > 0 {
		s += fmt.Sprintf(" v%d", v.Vec)
	}
	s += fmt.Sprintf("%v align %d size %d", v.Dims, v.Align, v.Size)
	if v.Ptr {
		s += fmt.Sprintf(" ptr %v %d", v.PtrSpace, v.PtrAlign)
	}
	if v.Managed {
		s += " managed"
	}
	for _, e := range v.Init {
		s += fmt.Sprintf(" %d:%#x", e.Offset, e.Bits)
		switch {
		case e.Var != nil:
			s += "+var " + e.Var.Name
		case e.Func != nil:
			s += "+func " + e.Func.Name
		}
		if e.Generic {
			s += " generic"
		}
		if e.Mask != 0 {
			s += fmt.Sprintf(" mask %#x", e.Mask)
		}
	}
	return strings.TrimSpace(s)
}

func dumpFunc(b *strings.Builder, f *Func) {
	kind := "func"
	if f.Entry {
		kind = "entry"
	}
	fmt.Fprintf(b, "%s %v %s decl=%v", kind, f.Linkage, f.Name, f.Decl)
	if f.AliasOf != nil {
		fmt.Fprintf(b, " alias of %s", f.AliasOf.Name)
	}
	fmt.Fprintf(b, " attrs %+v\n", f.Attrs)
	for _, v := range f.Rets {
		fmt.Fprintln(b, "  ret", dumpVar(v))
	}
	for _, v := range f.Params {
		fmt.Fprintln(b, "  param", dumpVar(v))
	}
	for _, v := range f.Vars {
		fmt.Fprintln(b, "  var", dumpVar(v))
	}
	for _, t := range f.Tables {
		fmt.Fprintf(b, "  table %s", t.Name)
		for _, l := range t.Labels {
			fmt.Fprintf(b, " %s=%d", l.Name, l.PC)
		}
		for _, g := range t.Funcs {
			fmt.Fprintf(b, " %s", g.Name)
		}
		fmt.Fprintln(b)
	}
	for _, pr := range f.Protos {
		fmt.Fprintf(b, "  proto %s params %d rets %d noreturn %v\n", pr.Name, len(pr.Params), len(pr.Rets), pr.NoReturn)
	}
	for i, in := range f.Code {
		for _, l := range f.Labels {
			if l.PC == i {
				fmt.Fprintf(b, "  %s:\n", l.Name)
			}
		}
		fmt.Fprintf(b, "  %d:%d %s | %s %s", in.Pos.Line, in.Pos.Col, in.Text, in.Op, strings.Join(in.Mods, " "))
		if in.Guard != nil {
			fmt.Fprintf(b, " guard %s#%d neg=%v", in.Guard.Name, in.Guard.Index, in.GuardNeg)
		}
		fmt.Fprintf(b, " |%s%s\n", dumpOperands(in.Args), dumpSource(in.Loc))
	}
	for _, l := range f.Labels {
		if l.PC == len(f.Code) {
			fmt.Fprintf(b, "  %s:\n", l.Name)
		}
	}
}

func dumpSource(s Source) string {
	if s.Line == 0 {
		return ""
	}
	t := fmt.Sprintf(" @%s:%d:%d", s.File, s.Line, s.Col)
	if s.Function != "" {
		t += " in " + s.Function
	}
	for _, o := range s.InlinedAt {
		t += " <-" + strings.TrimPrefix(dumpSource(o), " @")
	}
	return t
}

func dumpOperands(list []Operand) string {
	var b strings.Builder
	for i := range list {
		b.WriteString(" " + dumpOperand(&list[i]))
	}
	return b.String()
}

func dumpOperand(o *Operand) string {
	s := ""
	switch o.Kind {
	case OperandReg:
		s = fmt.Sprintf("%s#%d:%s", o.Reg.Name, o.Reg.Index, o.Reg.Type)
	case OperandInt:
		s = fmt.Sprintf("int(%d)", int64(o.Int))
	case OperandFloat:
		s = fmt.Sprintf("float%d(%#x)", o.FloatWidth, o.FloatBits)
	case OperandVar:
		s = fmt.Sprintf("var(%s+%d)", o.Var.Name, o.Off)
	case OperandFunc:
		s = fmt.Sprintf("func(%s)", o.Func.Name)
	case OperandLabel:
		s = fmt.Sprintf("label(%s=%d)", o.Label.Name, o.Label.PC)
	case OperandTable:
		s = fmt.Sprintf("table(%s)", o.Table.Name)
	case OperandProto:
		s = fmt.Sprintf("proto(%s)", o.Proto.Name)
	case OperandSpecial:
		s = fmt.Sprintf("special(%s)", o.Special)
	case OperandAddr:
		base := ""
		if o.Reg != nil {
			base = fmt.Sprintf("%s#%d", o.Reg.Name, o.Reg.Index)
		} else if o.Var != nil {
			base = "var " + o.Var.Name
		}
		s = fmt.Sprintf("[%s+%d%s]", base, o.Off, dumpOperands(o.Elems))
	case OperandVector:
		s = "{" + dumpOperands(o.Elems) + " }"
	case OperandList:
		s = "(" + dumpOperands(o.Elems) + " )"
	case OperandPair:
		s = "pair(" + dumpOperands(o.Elems) + " )"
	case OperandSink:
		s = "_"
	}
	if o.Neg {
		s = "!" + s
	}
	if o.Comp > 0 {
		s += "." + "xyzw"[o.Comp-1:o.Comp]
	}
	if o.Select != "" {
		s += "." + o.Select
	}
	return s
}
