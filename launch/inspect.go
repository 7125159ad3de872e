package launch

import (
	"os"
	"path/filepath"

	"gpusim/compile"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/ptx"
)

// Inspection is a program that is looked at and not run.
type Inspection struct {
	File   string
	module *ptx.Module
	texts  ptxTexts
}

// Inspect reads a program, whose module variables get addresses that nothing runs with.
// The error is InputErrors.
func Inspect(file string, o compile.Options) (*Inspection, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, InputErrors{{File: file, Reading: "FILE", Cause: plainError(err).Error()}}
	case info.IsDir():
		return nil, InputErrors{{File: file, Reading: "FILE", Cause: "it is a directory; a program is expected"}}
	}
	switch filepath.Ext(file) {
	case ".yaml", ".yml", ".json":
		return nil, InputErrors{{File: file, Reading: "FILE", Cause: "a program is expected, not a launch file"}}
	}
	c := &checker{}
	p := &Plan{programs: []scalar{{text: file}}, compiler: o}
	c.checkPrograms(p.programs)
	if len(c.errs) > 0 {
		return nil, c.errs.err()
	}
	sources := p.sources(c)
	if sources == nil {
		return nil, c.errs.err()
	}
	m, err := PTX.Load(sources)
	if err == nil {
		err = m.Instantiate(&addresses{})
	}
	if err != nil {
		c.take(place{file: file}, "program", err)
		return nil, c.errs.err()
	}
	loaded := m.(*ptxModule)
	return &Inspection{File: file, module: loaded.module, texts: loaded.texts}, nil
}

// Kernels lists the program's kernels in the order of the text.
func (i *Inspection) Kernels() []*ptx.Kernel { return i.module.Kernels() }

// Find returns a kernel by name as a launch file may write it.
func (i *Inspection) Find(name string) (*ptx.Kernel, error) {
	k, err := i.module.Find(name)
	if err != nil {
		return nil, InputErrors{{File: i.File, Reading: "kernel", Cause: err.Error()}}
	}
	return k, nil
}

// Refused lists what a kernel can reach and the simulator does not support.
func (i *Inspection) Refused(k *ptx.Kernel) InputErrors {
	_, err := k.Program(make([]byte, k.ParamBytes()))
	if err == nil {
		return nil
	}
	c := &checker{}
	c.take(place{file: i.File}, "kernel "+k.Demangled, i.texts.convert(err))
	return c.errs.sorted()
}

// addresses is a host for module variables that nobody uses.
type addresses struct{ next int }

// AllocVar implements Host.
func (a *addresses) AllocVar(name string, space kernel.Space, size int64, align int) (*memory.Buffer, error) {
	a.next++
	return memory.NewBuffer(a.next, name, space, uint64(a.next)<<memory.GlobalShift, size, false), nil
}
