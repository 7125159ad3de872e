package ptx

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/ptx/syntax"
)

// Host allocates module variables on a device.
type Host interface {
	AllocVar(name string, space kernel.Space, size int64, align int) (*memory.Buffer, error)
}

// Instantiate places the module variables on a device and initialises them. Variables
// without an initialiser start as zero (PTX ISA, "Initializers").
func (m *Module) Instantiate(h Host) error {
	if m.usesWorkspace() {
		b, err := h.AllocVar("grid workspace", kernel.Global, workspaceBytes, 16)
		if err != nil {
			return err
		}
		b.SetValid(0, b.Size(), true)
		m.workspace = b
	}
	l := (*linker)(m)
	for _, v := range m.all {
		if l.Var(v) != v || v.Linkage == syntax.LinkExtern {
			continue
		}
		space := kernel.Global
		if v.Space == syntax.SpaceConst {
			space = kernel.Const
		}
		b, err := h.AllocVar(m.demangle(v.Name), space, v.Size, v.Align)
		if err != nil {
			return err
		}
		b.SetValid(0, b.Size(), true)
		m.buffers[v] = b
	}
	var errs syntax.ErrorList
	for _, v := range m.all {
		b := m.buffers[v]
		if b == nil {
			continue
		}
		for _, e := range v.Init {
			x, err := m.initial(v, e)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			var raw [8]byte
			binary.LittleEndian.PutUint64(raw[:], x)
			copy(b.Data[e.Offset:], raw[:e.Size])
		}
		b.ReadOnly = b.Space == kernel.Const
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// initial is the value of one element of an initialiser.
func (m *Module) initial(v *syntax.Var, e syntax.InitElem) (uint64, *syntax.Error) {
	l := (*linker)(m)
	var a uint64
	switch {
	case e.Func != nil:
		a = l.FuncAddress(e.Func)
	case e.Var != nil:
		addr, ok := l.VarAddress(e.Var)
		if !ok {
			return 0, &syntax.Error{Pos: v.Pos, Message: fmt.Sprintf("initialiser of %s: the address of %s is not known (a variable of shared or local memory, or defined in none of the files)", v.Name, e.Sym)}
		}
		a = addr
	default:
		return e.Bits, nil
	}
	a += e.Bits
	if e.Mask != 0 {
		a = a & e.Mask >> uint(bits.TrailingZeros64(e.Mask))
	}
	return a, nil
}

// Buffer is a module variable's memory by its PTX or C++ name, nil if there is none.
func (m *Module) Buffer(name string) *memory.Buffer {
	for _, v := range m.all {
		if v.Name == name || m.demangle(v.Name) == name {
			if b := m.buffers[(*linker)(m).Var(v)]; b != nil {
				return b
			}
		}
	}
	return nil
}

// workspaceBytes is the size of the workspace of a grid. CUDA's cooperative groups keep the
// barrier of grid.sync() there and find its address in %envreg1 (upper half) and %envreg2.
const workspaceBytes = 64

// usesWorkspace reports whether the program asks for the workspace's address.
func (m *Module) usesWorkspace() bool {
	for _, u := range m.units {
		for _, f := range u.Funcs {
			for i := range f.Code {
				for k := range f.Code[i].Args {
					if s := f.Code[i].Args[k].Special; s == "%envreg1" || s == "%envreg2" {
						return true
					}
				}
			}
		}
	}
	return false
}

// EnvReg is the value of one of the registers that the driver sets.
func (l *linker) EnvReg(name string) uint32 {
	if l.workspace == nil {
		return 0
	}
	switch name {
	case "%envreg1":
		return uint32(l.workspace.Base >> 32)
	case "%envreg2":
		return uint32(l.workspace.Base)
	}
	return 0
}
