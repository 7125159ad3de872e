// Package ptx is the PTX front end: it loads PTX texts, links them, places their module
// variables on a device and turns a kernel into an exec.Program.
package ptx

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/ptx/libdevice"
	"gpusim/ptx/lower"
	"gpusim/ptx/syntax"
)

// Source is one PTX text.
type Source struct {
	Name string
	Text []byte
}

// Module is one or more PTX texts, linked.
type Module struct {
	units   []*syntax.Module
	kernels []*Kernel
	funcs   map[string]*syntax.Func
	vars    map[string]*syntax.Var
	varUnit map[*syntax.Var]*syntax.Module
	all     []*syntax.Var // variables of global and const memory, in order
	address map[*syntax.Func]uint64
	taken   []*syntax.Func
	buffers map[*syntax.Var]*memory.Buffer
	names   map[string]string // demangled
	// workspace is the memory for grid-wide barriers that the driver provides.
	workspace *memory.Buffer
}

// Kernel is an entry function.
type Kernel struct {
	Name      string // in the PTX text
	Demangled string // as the user wrote it, without parameters
	Full      string // with parameters
	Params    []Param
	Source    kernel.Source

	MaxThreads, ReqThreads [3]int // .maxntid and .reqntid, 0: not given

	module *Module
	fn     *syntax.Func
}

// Param is a kernel parameter.
type Param struct {
	Name        string
	Size, Align int
	Offset      int // in the packed parameters
	Pointer     bool
}

// Variable is a module variable.
type Variable struct {
	Name, Demangled string
	Space           kernel.Space
	Size            int64
	Align           int
	Extern          bool // declared only
}

// Load parses and links PTX texts. The error is a syntax.ErrorList.
func Load(srcs []Source) (*Module, error) {
	m := &Module{funcs: map[string]*syntax.Func{}, vars: map[string]*syntax.Var{}, varUnit: map[*syntax.Var]*syntax.Module{},
		address: map[*syntax.Func]uint64{}, buffers: map[*syntax.Var]*memory.Buffer{}, names: map[string]string{}}
	var all syntax.ErrorList
	for _, s := range srcs {
		u, err := syntax.Parse(s.Name, s.Text)
		if err != nil {
			var list syntax.ErrorList
			if !errors.As(err, &list) {
				return nil, err
			}
			all = append(all, list...)
			continue
		}
		if u.AddressSize != 64 {
			all = append(all, &syntax.Error{Pos: syntax.Pos{File: s.Name, Line: 1, Col: 1}, Message: fmt.Sprintf(".address_size: %d-bit programs are not supported, only .address_size 64", u.AddressSize)})
			continue
		}
		m.units = append(m.units, u)
	}
	if len(all) == 0 && m.needs(libdevice.Norms) {
		u, err := syntax.Parse("libdevice", libdevice.NormText)
		if err != nil {
			return nil, err
		}
		m.units = append(m.units, u)
	}
	if len(all) == 0 {
		all = m.link()
	}
	if len(all) > 0 {
		return nil, all
	}
	return m, nil
}

// needs reports whether the texts declare a function of these names and do not define it.
func (m *Module) needs(names []string) bool {
	declared := map[string]bool{}
	for _, u := range m.units {
		for _, f := range u.Funcs {
			if slices.Contains(names, f.Name) {
				if !f.Decl {
					return false
				}
				declared[f.Name] = true
			}
		}
	}
	return len(declared) > 0
}

// Kernels lists the entry functions in the order of the texts.
func (m *Module) Kernels() []*Kernel { return m.kernels }

// Find returns a kernel by its PTX or C++ name, with or without parameters. The empty name
// means the only kernel.
func (m *Module) Find(name string) (*Kernel, error) {
	if name == "" {
		switch len(m.kernels) {
		case 0:
			return nil, errors.New("the program has no kernel (.entry)")
		case 1:
			return m.kernels[0], nil
		}
		return nil, fmt.Errorf("the program has several kernels: name one of %s", list(m.kernels))
	}
	var found []*Kernel
	for _, k := range m.kernels {
		if k.Name == name {
			return k, nil
		}
		if k.Demangled == name || k.Full == name {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(m.kernels) == 0 {
			return nil, errors.New("the program has no kernel (.entry)")
		}
		return nil, fmt.Errorf("no kernel is called %q: the program has %s", name, list(m.kernels))
	}
	return nil, fmt.Errorf("kernel %q is overloaded: name one of %s", name, list(found))
}

func list(ks []*Kernel) string {
	var names []string
	for _, k := range ks {
		names = append(names, k.Full)
	}
	sort.Strings(names)
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}

// ParamOffset is the place of a parameter in the packed parameters.
func (k *Kernel) ParamOffset(i int) int { return k.Params[i].Offset }

// ParamBytes is the size of the packed parameters.
func (k *Kernel) ParamBytes() int {
	if n := len(k.Params); n > 0 {
		return k.Params[n-1].Offset + k.Params[n-1].Size
	}
	return 0
}

// Program lowers the kernel with its packed arguments. The error joins everything that
// the kernel can reach and the simulator does not support.
func (k *Kernel) Program(args []byte) (exec.Program, error) {
	if len(args) < k.ParamBytes() {
		return nil, fmt.Errorf("kernel %s has %d bytes of parameters, %d are given", k.Full, k.ParamBytes(), len(args))
	}
	p, err := lower.Kernel(k.fn, (*linker)(k.module), append([]byte(nil), args...))
	if err != nil {
		return nil, err
	}
	p.Kernel = k.Demangled
	return p, nil
}

// Variables lists the module variables in global and const memory.
func (m *Module) Variables() []Variable {
	var out []Variable
	for _, v := range m.all {
		s := kernel.Global
		if v.Space == syntax.SpaceConst {
			s = kernel.Const
		}
		out = append(out, Variable{Name: v.Name, Demangled: m.demangle(v.Name), Space: s, Size: v.Size, Align: v.Align, Extern: v.Linkage == syntax.LinkExtern})
	}
	return out
}
