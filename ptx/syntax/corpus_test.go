package syntax

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompilerOutput reads every PTX file of the repository: all of them came out of a compiler, or
// are meant to be right. Each instruction must have its source line if the file has any.
func TestCompilerOutput(t *testing.T) {
	const root = "../.."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "errors") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".ptx" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		m, err := Parse(path, text)
		if err != nil {
			t.Error(err)
			return nil
		}
		checkTree(t, m)
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// checkTree checks what the documentation of the tree promises.
func checkTree(t *testing.T, m *Module) {
	for _, f := range m.Funcs {
		for i, r := range f.Regs {
			if r.Index != i {
				t.Fatalf("%s %s: register %s has index %d, not %d", m.File, f.Name, r.Name, r.Index, i)
			}
		}
		for _, l := range f.Labels {
			if l.PC < 0 || l.PC > len(f.Code) {
				t.Fatalf("%s %s: label %s at %d", m.File, f.Name, l.Name, l.PC)
			}
		}
		for i := range f.Code {
			in := &f.Code[i]
			if !IsOpcode(in.Op) || in.Text == "" || !in.Pos.IsValid() {
				t.Fatalf("%s %s: instruction %+v", m.File, f.Name, in)
			}
			if in.Op == "call" && (len(in.Args) < 3 || in.Args[0].Kind != OperandList || in.Args[2].Kind != OperandList) {
				t.Fatalf("%s: %v: form of call %q", m.File, in.Pos, in.Text)
			}
			checkOperands(t, m, in, in.Args)
		}
	}
}

func checkOperands(t *testing.T, m *Module, in *Inst, list []Operand) {
	for i := range list {
		o := &list[i]
		bound := true
		switch o.Kind {
		case OperandNone:
			bound = false
		case OperandReg:
			bound = o.Reg != nil
		case OperandVar:
			bound = o.Var != nil
		case OperandFunc:
			bound = o.Func != nil
		case OperandLabel:
			bound = o.Label != nil
		case OperandTable:
			bound = o.Table != nil
		case OperandProto:
			bound = o.Proto != nil
		}
		if !bound {
			t.Fatalf("%s:%d: operand %d of %q is not bound: %+v", m.File, in.Pos.Line, i, in.Text, o)
		}
		checkOperands(t, m, in, o.Elems)
	}
}
