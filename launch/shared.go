package launch

import (
	"gpusim/exec"
	"gpusim/memory"
)

// dynamicShared returns the address of a program's dynamic shared memory. A program that
// mentions none, because it gets pointers to it as arguments (OpenCL's __local), is given
// the variable.
func dynamicShared(p exec.Program) (exec.Program, uint64) {
	vars := p.SharedVars()
	for i, v := range vars {
		if v.Dynamic {
			return p, sharedAddress(i)
		}
	}
	added := append(append([]exec.SharedVar(nil), vars...), exec.SharedVar{Name: "dynamic shared memory", Dynamic: true})
	return &withShared{p, added}, sharedAddress(len(vars))
}

// sharedAddress is the address of the i-th shared variable of a block.
func sharedAddress(i int) uint64 { return memory.SharedBase + uint64(i)<<memory.SharedShift }

// withShared is a program with further shared variables.
type withShared struct {
	exec.Program
	vars []exec.SharedVar
}

func (p *withShared) SharedVars() []exec.SharedVar { return p.vars }
