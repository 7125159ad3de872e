package launch

import (
	"fmt"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
)

// fakeFrontend offers the kernels k(p, q, n), big (at most 32 threads), exact (exactly 32)
// and the variable table, whatever the text.
type fakeFrontend struct{ arguments [][]byte }

func (f *fakeFrontend) Load([]Source) (Module, error) { return &fakeModule{f: f}, nil }

type fakeModule struct {
	f     *fakeFrontend
	table *memory.Buffer
}

func (m *fakeModule) Find(name string) (Kernel, error) {
	sig := Signature{Name: name}
	switch name {
	case "k":
		sig.Params, sig.ParamBytes = []Param{{"p", 0, 8}, {"q", 8, 8}, {"n", 16, 4}}, 20
	case "big":
		sig.MaxThreads = kernel.Dim3{X: 32, Y: 1, Z: 1}
	case "exact":
		sig.Required = kernel.Dim3{X: 32, Y: 1, Z: 1}
	default:
		return nil, fmt.Errorf("there is no kernel %s", name)
	}
	return &fakeKernel{m.f, sig}, nil
}

func (m *fakeModule) Variables() []Variable { return []Variable{{"table", "table", 16}} }

func (m *fakeModule) Instantiate(h Host) (err error) {
	m.table, err = h.AllocVar("table", kernel.Global, 16, 4)
	return err
}

func (m *fakeModule) Buffer(name string) *memory.Buffer { return m.table }

type fakeKernel struct {
	f   *fakeFrontend
	sig Signature
}

func (k *fakeKernel) Signature() Signature { return k.sig }

func (k *fakeKernel) Program(args []byte) (exec.Program, error) {
	k.f.arguments = append(k.f.arguments, args)
	return fakeProgram{}, nil
}

// fakeProgram has one shared variable, which is not dynamic.
type fakeProgram struct{ exec.Program }

func (fakeProgram) SharedVars() []exec.SharedVar { return []exec.SharedVar{{Name: "tile", Size: 4}} }

// fakeDevice has memory, and a launch function in place of an engine.
type fakeDevice struct {
	seed     uint64
	memory   memory.Map
	launch   func(*fakeDevice, device.Spec) device.LaunchResult
	findings []kernel.Finding
	closed   bool
	log      []string
}

func (d *fakeDevice) Alloc(name string, size int64, initialised bool) (*memory.Buffer, error) {
	return d.memory.Add(len(d.memory.Buffers()), name, size, !initialised), nil
}

func (d *fakeDevice) AllocVar(name string, space kernel.Space, size int64, align int) (*memory.Buffer, error) {
	return d.memory.Add(len(d.memory.Buffers()), name, size, false), nil
}

func (d *fakeDevice) Free(b *memory.Buffer) { d.log = append(d.log, "free "+b.Name) }

func (d *fakeDevice) Launch(p exec.Program, s device.Spec) device.LaunchResult {
	d.log = append(d.log, fmt.Sprintf("launch %s %v %v shared %d", s.Kernel, s.Grid, s.Block, s.DynShared))
	if d.launch == nil {
		return device.LaunchResult{Spec: s, Complete: true}
	}
	return d.launch(d, s)
}

func (d *fakeDevice) Report(f kernel.Finding)    { d.findings = append(d.findings, f) }
func (d *fakeDevice) Findings() []kernel.Finding { return d.findings }
func (d *fakeDevice) Output() string             { return fmt.Sprintf("seed %d\n", d.seed) }
func (d *fakeDevice) Close() error               { d.closed = true; return nil }
