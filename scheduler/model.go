package scheduler

import (
	"fmt"
	"slices"
	"strings"
)

// Model is what residency depends on in a GPU: how many blocks it holds at once.
// Registers are not modelled, because PTX does not tell how many a kernel will use.
type Model struct {
	Name        string
	Title       string
	SMs         int
	Threads     int   // resident threads of an SM
	Blocks      int   // resident blocks of an SM
	Shared      int64 // bytes of shared memory of an SM
	BlockShared int64 // most bytes of shared memory of one block (opt-in)
	Reserved    int64 // bytes of shared memory that the system takes of each block
}

const kib = 1024

// Models are the devices that --device knows. Limits per SM: CUDA C++ Programming Guide,
// "Compute Capabilities", table of technical specifications, and the shared memory
// sections of each capability (1 KiB a block is reserved from 8.0 on). Numbers of SMs:
// NVIDIA's architecture whitepapers and data sheets of the products.
var Models = []Model{
	{"v100", "V100 (sm_70)", 80, 2048, 32, 96 * kib, 96 * kib, 0},
	{"t4", "T4 (sm_75)", 40, 1024, 16, 64 * kib, 64 * kib, 0},
	{"a100", "A100 (sm_80)", 108, 2048, 32, 164 * kib, 163 * kib, kib},
	{"a10", "A10 (sm_86)", 72, 1536, 16, 100 * kib, 99 * kib, kib},
	{"rtx3090", "GeForce RTX 3090 (sm_86)", 82, 1536, 16, 100 * kib, 99 * kib, kib},
	{"l4", "L4 (sm_89)", 58, 1536, 24, 100 * kib, 99 * kib, kib},
	{"l40s", "L40S (sm_89)", 142, 1536, 24, 100 * kib, 99 * kib, kib},
	{"rtx4090", "GeForce RTX 4090 (sm_89)", 128, 1536, 24, 100 * kib, 99 * kib, kib},
	{"h100", "H100 SXM (sm_90)", 132, 2048, 32, 228 * kib, 227 * kib, kib},
	{"b200", "B200 (sm_100)", 148, 2048, 32, 228 * kib, 227 * kib, kib},
}

// DefaultModel is the device of an empty name.
const DefaultModel = "a100"

// FindModel returns the model of a name.
func FindModel(name string) (*Model, error) {
	if name == "" {
		name = DefaultModel
	}
	i := slices.IndexFunc(Models, func(m Model) bool { return m.Name == strings.ToLower(name) })
	if i < 0 {
		var names []string
		for _, m := range Models {
			names = append(names, m.Name)
		}
		return nil, fmt.Errorf("unknown device %q: known are %s", name, strings.Join(names, ", "))
	}
	return &Models[i], nil
}

// Resident is the number of blocks of a launch that the device holds at once; 0 if a
// block asks for more shared memory than the device gives to one.
func (m *Model) Resident(threads int, shared int64) int {
	if shared > m.BlockShared {
		return 0
	}
	perSM := min(m.Blocks, m.Threads/(max(1, (threads+31)/32)*32))
	if shared+m.Reserved > 0 {
		perSM = min(perSM, int(m.Shared/(shared+m.Reserved)))
	}
	return perSM * m.SMs
}
