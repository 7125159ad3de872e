package launch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/pallas"
	"gpusim/tensor"
)

// readPallas makes the plan of an exported Pallas program: its buffers and one launch.
func readPallas(file, dir string, text []byte, maxMemory int64) (*Plan, InputErrors) {
	plan, errs := LoadPallas(file, text, maxMemory)
	if plan.pallas == nil {
		return plan, errs
	}
	plan.dir = dir
	c := &checker{dir: dir, errs: errs}
	for _, b := range plan.buffers {
		switch b.init.kind {
		case initRaw:
			c.file(b, b.init, "buffer "+b.name)
		case initGiven:
			c.add(b.at, "buffer "+b.name, "it is an input of the kernel and has neither data nor file")
		}
	}
	return plan, c.errs
}

// LoadPallas makes the plan of an exported Pallas program that has no file. Inputs without
// data are left to Options.Input; files are relative to the working directory.
func LoadPallas(name string, text []byte, maxMemory int64) (*Plan, InputErrors) {
	here := place{file: name}
	plan := &Plan{programs: []scalar{{text: name, at: here}}, dir: "."}
	m, err := pallas.Load(text)
	if err != nil {
		return plan, InputErrors{pallasError(here, err)}
	}
	plan.pallas = m
	c := &checker{}
	var total int64
	one := kernel.Dim3{X: 1, Y: 1, Z: 1} // the program knows its extents itself
	s := step{at: here, kernel: scalar{text: m.Name, at: here}, grid: one, block: one, blockAt: here, argsAt: here}
	for d := range m.Devices {
		for i := range m.Buffers {
			b := pallasBuffer(here, m, i, d)
			total += b.size()
			plan.buffers = append(plan.buffers, b)
			s.args = append(s.args, &argument{at: here, text: b.name, buffer: b.name})
		}
	}
	if total > maxMemory {
		c.add(here, "buffers", "they have %d bytes in all, more than the limit of %d (--max-memory)", total, maxMemory)
	}
	plan.steps = []step{s}
	return plan, c.errs
}

// BufferName is the name of a program's buffer on one of its devices.
func BufferName(name string, device, devices int) string {
	if devices == 1 {
		return name
	}
	return fmt.Sprintf("%s@%d", name, device)
}

// pallasError is an error of the program, at the Python line that it is about.
func pallasError(at place, err error) InputError {
	var u *pallas.UnsupportedError
	if errors.As(err, &u) && u.Place.File != "" {
		at = place{file: u.Place.File, line: u.Place.Line}
		return at.error("", "%s is not supported", u.What)
	}
	return at.error("Pallas program", "%v", err)
}

// storage is the type of launch files that holds the elements of a type of arrays.
func storage(t tensor.DType) string {
	switch bits := 8 * t.Size(); {
	case t == tensor.F16 || t == tensor.F32 || t == tensor.F64:
		return fmt.Sprintf("f%d", bits)
	case t.Signed() && !t.Float():
		return fmt.Sprintf("i%d", bits)
	default:
		return fmt.Sprintf("u%d", bits)
	}
}

// pallasBuffer is a buffer of the program on one device.
func pallasBuffer(at place, m *pallas.Module, i, device int) *buffer {
	spec := &m.Buffers[i]
	d, _ := findDType(storage(spec.Type()))
	b := &buffer{name: BufferName(spec.Name, device, m.Devices), at: at, dtype: d, count: 1, init: &initialiser{kind: initNone, at: at}}
	for _, n := range spec.Shape {
		b.shape = append(b.shape, int64(n))
		b.count *= int64(n)
	}
	content := pallas.Shard{Data: spec.Data, File: spec.File}
	if spec.Shards != nil {
		content = spec.Shards[device]
	}
	switch {
	case content.File != "":
		b.init.kind, b.init.path = initRaw, scalar{text: content.File, at: at}
	case content.Data != nil:
		b.init.kind, b.init.values = initValues, make([]uint64, b.count)
		for i := range b.init.values {
			b.init.values[i] = d.get(content.Data[i*d.Size:])
		}
	case spec.Input:
		b.init.kind = initGiven
	}
	return b
}

// pallasModule is an exported program as a module with one kernel.
type pallasModule struct {
	module   *pallas.Module
	settings pallas.Settings
}

func (m pallasModule) Find(string) (Kernel, error)  { return m, nil }
func (m pallasModule) Variables() []Variable        { return nil }
func (m pallasModule) Instantiate(Host) error       { return nil }
func (m pallasModule) Buffer(string) *memory.Buffer { return nil }

// Signature has a parameter for every buffer of every device.
func (m pallasModule) Signature() Signature {
	s := Signature{Name: m.module.Name}
	for d := range m.module.Devices {
		for _, b := range m.module.Buffers {
			s.Params = append(s.Params, Param{BufferName(b.Name, d, m.module.Devices), s.ParamBytes, pointerSize})
			s.ParamBytes += pointerSize
		}
	}
	return s
}

func (m pallasModule) Program(args []byte) (exec.Program, error) {
	addresses := make([]uint64, len(args)/pointerSize)
	for i := range addresses {
		addresses[i] = binary.LittleEndian.Uint64(args[i*pointerSize:])
	}
	p, err := m.module.Program(addresses, m.settings)
	if err != nil {
		return nil, InputErrors{pallasError(place{}, err)}
	}
	return p, nil
}
