// Package ptxtest runs PTX texts in tests: text, shape and arguments in, memory, findings
// and output back.
package ptxtest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/ptx"
)

// Header goes before texts that have no .version. It is part of their first line.
const Header = ".version 8.8 .target sm_90 .address_size 64 "

// Uninit is an argument: a buffer of that many bytes that nobody has initialised.
type Uninit int

// Run is one launch. Its arguments are, in the kernel's order, numbers of the parameters'
// sizes, bytes for structures, and slices that become buffers of global memory, named like
// the parameter; after the launch the slices hold what the kernel made of them.
type Run struct {
	PTX     string
	More    []string // further texts, linked
	Kernel  string
	Grid    uint32 // blocks, 0: 1
	Block   uint32 // threads, 0: 32
	Shape   kernel.Dim3
	Shared  int64 // dynamic
	Args    []any
	Options device.Options // without a limit: 2 million thread instructions
}

// Struct is an argument: a parameter passed by value.
type Struct []byte

// Result is what came of a launch.
type Result struct {
	device.LaunchResult
	Findings []kernel.Finding
	Output   string
	Buffers  map[string]*memory.Buffer // by parameter
	Module   *ptx.Module
	Load     error // of loading, finding, placing or lowering; the launch did not happen
}

// Sources are the run's texts as files k.ptx, k1.ptx and so on.
func (r *Run) Sources() []ptx.Source {
	var out []ptx.Source
	for i, text := range append([]string{r.PTX}, r.More...) {
		if !strings.Contains(text, ".version") {
			text = Header + text
		}
		name := "k.ptx"
		if i > 0 {
			name = fmt.Sprintf("k%d.ptx", i)
		}
		out = append(out, ptx.Source{Name: name, Text: []byte(text)})
	}
	return out
}

// Do launches the kernel. What is wrong with the test itself ends the test; what is wrong
// with the program is in the result.
func (r Run) Do(t testing.TB) *Result {
	t.Helper()
	if r.Options.MaxInstructions == 0 {
		r.Options.MaxInstructions = 2_000_000
	}
	if r.Options.MaxMemory == 0 {
		r.Options.MaxMemory = 1 << 30
	}
	d, err := device.New(r.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	res := &Result{Buffers: map[string]*memory.Buffer{}}
	m, err := ptx.Load(r.Sources())
	if err != nil {
		res.Load = err
		return res
	}
	res.Module = m
	k, err := m.Find(r.Kernel)
	if err == nil {
		err = m.Instantiate(d)
	}
	if err != nil {
		res.Load = err
		return res
	}
	if len(r.Args) != len(k.Params) {
		t.Fatalf("%d arguments, the kernel has %d parameters", len(r.Args), len(k.Params))
	}
	args := make([]byte, k.ParamBytes())
	for i, a := range r.Args {
		p := k.Params[i]
		raw, b := r.argument(t, d, p.Name, a)
		if b != nil {
			res.Buffers[p.Name] = b
		}
		if len(raw) > p.Size {
			t.Fatalf("argument %d has %d bytes, its parameter %d", i, len(raw), p.Size)
		}
		copy(args[p.Offset:], raw)
	}
	prog, err := k.Program(args)
	if err != nil {
		res.Load = err
		return res
	}
	res.LaunchResult = d.Launch(prog, device.Spec{Kernel: k.Demangled, Grid: dim(r.Grid, 1), Block: r.block(), DynShared: r.Shared})
	res.Findings, res.Output = d.Findings(), d.Output()
	for i, a := range r.Args {
		if b := res.Buffers[k.Params[i].Name]; b != nil {
			copyBack(a, b.Data)
		}
	}
	return res
}

func (r *Run) block() kernel.Dim3 {
	if r.Shape != (kernel.Dim3{}) {
		return r.Shape
	}
	return dim(r.Block, 32)
}

func dim(n, other uint32) kernel.Dim3 {
	if n == 0 {
		n = other
	}
	return kernel.Dim3{X: n, Y: 1, Z: 1}
}

// argument is the bytes of an argument, and its buffer.
func (r *Run) argument(t testing.TB, d *device.Device, name string, a any) ([]byte, *memory.Buffer) {
	t.Helper()
	var data []byte
	init := true
	switch x := a.(type) {
	case Struct:
		return x, nil
	case []byte:
		data = x
	case []uint16, []uint32, []uint64, []int32, []float32, []float64:
		data, _ = binary.Append(nil, binary.LittleEndian, x)
	case Uninit:
		data, init = make([]byte, x), false
	default:
		raw, err := binary.Append(nil, binary.LittleEndian, x)
		if err != nil {
			t.Fatal(err)
		}
		return raw, nil
	}
	b, err := d.Alloc(name, int64(len(data)), init)
	if err != nil {
		t.Fatal(err)
	}
	copy(b.Data, data)
	return binary.LittleEndian.AppendUint64(nil, b.Base), b
}

func copyBack(a any, data []byte) {
	switch a.(type) {
	case []byte, []uint16, []uint32, []uint64, []int32, []float32, []float64:
		_, _ = binary.Decode(data, binary.LittleEndian, a) // the sizes agree
	}
}

// Clean runs a kernel that nothing is wrong with.
func (r Run) Clean(t testing.TB) *Result {
	t.Helper()
	res := r.Do(t)
	if res.Load != nil {
		t.Fatal(res.Load)
	}
	if res.Err != nil || !res.Complete || len(res.Findings) > 0 {
		t.Fatalf("complete %v, stopped %q, error %v, findings:%s", res.Complete, res.Stopped, res.Err, res.Text())
	}
	return res
}

// Text lists the findings, one a line: kind, severity, message, and where.
func (r *Result) Text() string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s %s: %s", f.Severity, f.Kind, f.Message)
		for _, a := range f.Accesses {
			fmt.Fprintf(&b, " [%s %s:%d]", a.Op, a.Source.File, a.Source.Line)
		}
	}
	return b.String()
}

// One checks that a launch has exactly one finding, of a kind and with words in its text.
func (r *Result) One(t testing.TB, kind kernel.Kind, words ...string) kernel.Finding {
	t.Helper()
	if r.Load != nil || r.Err != nil {
		t.Fatal(r.Load, r.Err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Kind != kind {
		t.Fatalf("want one %s, got:%s", kind, r.Text())
	}
	for _, w := range words {
		if !strings.Contains(r.Text(), w) {
			t.Errorf("no %q in%s", w, r.Text())
		}
	}
	return r.Findings[0]
}
