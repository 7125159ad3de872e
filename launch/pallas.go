package launch

import (
	"encoding/binary"
	"errors"

	"gpusim/array"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/pallas"
)

// readPallas makes the plan of an exported Pallas program: its buffers and one launch.
func readPallas(file, dir string, text []byte, maxMemory int64) (*Plan, InputErrors) {
	here := place{file: file}
	plan := &Plan{programs: []scalar{{text: file, at: here}}, dir: dir}
	m, err := pallas.Load(text)
	if err != nil {
		return plan, InputErrors{pallasError(here, err)}
	}
	plan.pallas = m
	c := &checker{dir: dir}
	var total int64
	s := step{at: here, kernel: scalar{text: m.Name, at: here}, grid: m.Extent(), block: kernel.Dim3{X: uint32(m.Threads), Y: 1, Z: 1}, blockAt: here, argsAt: here}
	for i := range m.Buffers {
		b := pallasBuffer(here, &m.Buffers[i])
		total += b.size()
		if b.init.kind == initRaw {
			c.file(b, b.init, "buffer "+b.name)
		}
		plan.buffers = append(plan.buffers, b)
		s.args = append(s.args, &argument{at: here, text: b.name, buffer: b.name})
	}
	if total > maxMemory {
		c.add(here, "buffers", "they have %d bytes in all, more than the limit of %d (--max-memory)", total, maxMemory)
	}
	plan.steps = []step{s}
	return plan, c.errs
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

// storage are the types of launch files that hold the elements of a Pallas program.
var storage = map[array.DType]string{array.Bool: "u8", array.I8: "i8", array.I16: "i16", array.I32: "i32", array.I64: "i64", array.U8: "u8",
	array.U16: "u16", array.U32: "u32", array.U64: "u64", array.F16: "f16", array.BF16: "u16", array.F32: "f32", array.F64: "f64"}

func pallasBuffer(at place, spec *pallas.BufferSpec) *buffer {
	d, _ := findDType(storage[spec.Type()])
	b := &buffer{name: spec.Name, at: at, dtype: d, count: 1, init: &initialiser{kind: initNone, at: at}}
	for _, n := range spec.Shape {
		b.shape = append(b.shape, int64(n))
		b.count *= int64(n)
	}
	switch {
	case spec.File != "":
		b.init.kind, b.init.path = initRaw, scalar{text: spec.File, at: at}
	case spec.Data != nil:
		b.init.kind, b.init.values = initValues, make([]uint64, b.count)
		for i := range b.init.values {
			b.init.values[i] = d.get(spec.Data[i*d.Size:])
		}
	}
	return b
}

// pallasModule is an exported program as a module with one kernel.
type pallasModule struct{ module *pallas.Module }

func (m pallasModule) Find(string) (Kernel, error)  { return m, nil }
func (m pallasModule) Variables() []Variable        { return nil }
func (m pallasModule) Instantiate(Host) error       { return nil }
func (m pallasModule) Buffer(string) *memory.Buffer { return nil }
func (m pallasModule) Signature() Signature {
	s := Signature{Name: m.module.Name, ParamBytes: pointerSize * len(m.module.Buffers)}
	for i, b := range m.module.Buffers {
		s.Params = append(s.Params, Param{b.Name, i * pointerSize, pointerSize})
	}
	return s
}

func (m pallasModule) Program(args []byte) (exec.Program, error) {
	addresses := make([]uint64, len(m.module.Buffers))
	for i := range addresses {
		addresses[i] = binary.LittleEndian.Uint64(args[i*pointerSize:])
	}
	return m.module.Program(addresses)
}
