package launch

import (
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
)

// Frontend reads the text of programs. PTX is the first one.
type Frontend interface {
	// Load reads texts that are linked in order. Its error is InputErrors when the texts
	// are at fault.
	Load([]Source) (Module, error)
}

// Source is one text of a program with the name that the user gave it.
type Source struct {
	Name string
	Text []byte
}

// Module is a linked program.
type Module interface {
	// Find looks an entry up by its name in the program or in the user's language; "" is
	// the only entry. The error lists the candidates.
	Find(name string) (Kernel, error)
	Variables() []Variable
	// Instantiate allocates and initialises the module's variables on a device. It may be
	// called again for another device.
	Instantiate(Host) error
	// Buffer is the memory of a variable after Instantiate; nil if there is none.
	Buffer(name string) *memory.Buffer
}

// Host allocates module variables.
type Host interface {
	AllocVar(name string, space kernel.Space, size int64, align int) (*memory.Buffer, error)
}

// Variable is a module variable in device memory.
type Variable struct {
	Name, Demangled string
	Size            int64
}

// Kernel is an entry of a module.
type Kernel interface {
	Signature() Signature
	// Program prepares the kernel for packed arguments. Its error is InputErrors when the
	// kernel can reach something that is not supported.
	Program(args []byte) (exec.Program, error)
}

// Signature is what a launch of a kernel has to fit.
type Signature struct {
	Name       string // as the user writes it
	Params     []Param
	ParamBytes int         // length of the packed arguments
	MaxThreads kernel.Dim3 // .maxntid; zero: any
	Required   kernel.Dim3 // .reqntid; zero: any
}

// Param is one kernel parameter.
type Param struct {
	Name         string
	Offset, Size int
}
