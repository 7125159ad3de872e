package launch

import (
	"errors"
	"strings"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/ptx"
	"gpusim/ptx/lower"
	"gpusim/ptx/syntax"
)

// PTX is the front end for PTX texts.
var PTX Frontend = ptxFrontend{}

type ptxFrontend struct{}

func (ptxFrontend) Load(sources []Source) (Module, error) {
	texts := ptxTexts{}
	list := make([]ptx.Source, len(sources))
	for i, s := range sources {
		list[i] = ptx.Source(s)
		texts[s.Name] = s.Text
	}
	m, err := ptx.Load(list)
	if err != nil {
		return nil, texts.convert(err)
	}
	return &ptxModule{m, texts}, nil
}

type ptxModule struct {
	module *ptx.Module
	texts  ptxTexts
}

func (m *ptxModule) Find(name string) (Kernel, error) {
	k, err := m.module.Find(name)
	if err != nil {
		return nil, err
	}
	return &ptxKernel{k, m.texts}, nil
}

func (m *ptxModule) Variables() []Variable {
	var out []Variable
	for _, v := range m.module.Variables() {
		if !v.Extern {
			out = append(out, Variable{Name: v.Name, Demangled: v.Demangled, Size: v.Size})
		}
	}
	return out
}

func (m *ptxModule) Instantiate(h Host) error { return m.texts.convert(m.module.Instantiate(h)) }

func (m *ptxModule) Buffer(name string) *memory.Buffer { return m.module.Buffer(name) }

type ptxKernel struct {
	kernel *ptx.Kernel
	texts  ptxTexts
}

func (k *ptxKernel) Signature() Signature {
	s := Signature{Name: k.kernel.Demangled, ParamBytes: k.kernel.ParamBytes(),
		MaxThreads: extentOf(k.kernel.MaxThreads), Required: extentOf(k.kernel.ReqThreads)}
	for _, p := range k.kernel.Params {
		s.Params = append(s.Params, Param{p.Name, p.Offset, p.Size})
	}
	return s
}

// extentOf is an extent of a directive; a dimension that was not given is 1 if another was.
func extentOf(d [3]int) kernel.Dim3 {
	if d == ([3]int{}) {
		return kernel.Dim3{}
	}
	return kernel.Dim3{X: uint32(max(d[0], 1)), Y: uint32(max(d[1], 1)), Z: uint32(max(d[2], 1))}
}

func (k *ptxKernel) Program(args []byte) (exec.Program, error) {
	p, err := k.kernel.Program(args)
	if err != nil {
		return nil, k.texts.convert(err)
	}
	return p, nil
}

// ptxTexts are the texts by name, for quoting their lines.
type ptxTexts map[string][]byte

// convert turns the front end's errors, one or joined, into input errors. Others stay.
func (t ptxTexts) convert(err error) error {
	if err == nil {
		return nil
	}
	var out InputErrors
	for _, e := range flatten(err) {
		var one *syntax.Error
		var refused *lower.Unsupported
		switch {
		case errors.As(e, &one):
			out = append(out, t.at(one.Pos).error("", "%s", one.Message))
		case errors.As(e, &refused):
			out = append(out, t.at(refused.Pos).error(refused.Text, "%s", refused.Reason))
		default:
			return err
		}
	}
	return out
}

// flatten lists the errors that an error joins.
func flatten(err error) []error {
	var list syntax.ErrorList
	if errors.As(err, &list) {
		out := make([]error, len(list))
		for i, e := range list {
			out[i] = e
		}
		return out
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func (t ptxTexts) at(p syntax.Pos) place {
	lines := strings.Split(string(t[p.File]), "\n")
	out := place{file: p.File, line: p.Line, column: p.Col}
	if p.Line >= 1 && p.Line <= len(lines) {
		out.quote = strings.TrimRight(lines[p.Line-1], "\r")
	}
	return out
}
