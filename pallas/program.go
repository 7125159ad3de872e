package pallas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"gpusim/array"
	"gpusim/exec"
	"gpusim/kernel"
)

// Version is the program format that this package reads.
const Version = 1

// Module is an exported kernel with its operands.
type Module struct {
	Version   int            `json:"gpusim-pallas"`
	Name      string         `json:"name"`
	JAX       string         `json:"jax"`
	Grid      []int          `json:"grid"`
	GridNames []string       `json:"grid_names"`
	Threads   int            `json:"threads"`
	Thread    string         `json:"thread_name"` // "": no axis of threads
	Axes      map[string]int `json:"axes"`        // indices along the axes of the ambient device mesh
	Devices   int            `json:"devices"`     // of the ambient mesh; each has buffers of its own
	Options   Options        `json:"options"`
	Buffers   []BufferSpec   `json:"buffers"`
	Operands  []Operand      `json:"operands"` // what the kernel's parameters refer to
	Sources   []Place        `json:"sources"`
	Body      *Jaxpr         `json:"jaxpr"`
}

// Options are those fields of JAX's InterpretGPUParams that matter.
type Options struct {
	DetectRaces   bool   `json:"detect_races"`
	Uninitialized string `json:"uninitialized_memory"` // "nan" or "zero"
}

// BufferSpec is an array in global memory.
type BufferSpec struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Data  []byte `json:"data"`  // base64 in the file
	File  string `json:"file"`  // raw little-endian elements, beside the program
	Input bool   `json:"input"` // the host gives the contents when the kernel runs
	// Shards are the contents on each device, in place of Data and File.
	Shards []Shard `json:"shards"`
	dtype  array.DType
}

// Shard is the content of a buffer on one device.
type Shard struct {
	Data []byte `json:"data"`
	File string `json:"file"`
}

// Operand is a kernel parameter: a buffer in global memory, or a copy of it.
type Operand struct {
	Buffer int    `json:"buffer"`
	Space  string `json:"space"`
	Output bool   `json:"output"` // a copy is written back at the end
}

// Place is a source position: file, line, function.
type Place struct {
	File     string
	Line     int
	Function string
}

// UnmarshalJSON reads [file, line, function].
func (p *Place) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.File, &p.Line, &p.Function})
}

// Jaxpr is a function.
type Jaxpr struct {
	Count int     `json:"vars"` // variables are numbered from 0
	In    []int   `json:"in"`
	Const []Const `json:"consts"`
	Eqns  []*Eqn  `json:"eqns"`
	Out   []Atom  `json:"out"`
}

// Const is a constant of a function.
type Const struct {
	Var   int    `json:"var"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Data  []byte `json:"data"`
	value array.Value
}

// Eqn is an equation: a primitive, its operands and results.
type Eqn struct {
	Prim   string  `json:"prim"`
	In     []Atom  `json:"in"`
	Out    []Var   `json:"out"`
	Src    int     `json:"src"`
	Params *Params `json:"params"`
	run    handler
}

// Var is a result: its number (-1: dropped) and, of an array, its type.
type Var struct {
	ID    int    `json:"var"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	dtype array.DType
}

// Atom is a variable's number or a literal.
type Atom struct {
	ID    int // -1: a literal
	Value array.Value
}

// UnmarshalJSON reads 7 or {"lit": 1.5, "dtype": "float32"}; literals that are no JSON
// numbers are the strings nan, inf, -inf.
func (a *Atom) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return json.Unmarshal(b, &a.ID)
	}
	var l struct {
		Lit   json.RawMessage `json:"lit"`
		DType string          `json:"dtype"`
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	d, ok := array.FindDType(l.DType)
	if !ok {
		return fmt.Errorf("literal of unknown type %q", l.DType)
	}
	a.ID = -1
	text := string(bytes.Trim(l.Lit, `"`))
	if d.Float() {
		f, err := strconv.ParseFloat(text, 64)
		a.Value = array.Float(d, f)
		return err
	}
	switch text {
	case "true":
		a.Value = array.Int(d, 1)
		return nil
	case "false":
		a.Value = array.Int(d, 0)
		return nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil && u > math.MaxInt64 {
		a.Value = array.Int(d, int64(u))
		return nil
	}
	i, err := strconv.ParseInt(text, 10, 64)
	a.Value = array.Int(d, i)
	return err
}

// Params are the parameters of an equation; which ones, depends on the primitive.
type Params struct {
	Jaxpr    *Jaxpr   `json:"jaxpr"`
	Cond     *Jaxpr   `json:"cond"`
	Branches []*Jaxpr `json:"branches"`
	Consts   int      `json:"consts"` // scan: leading operands; while: of the body
	Carry    int      `json:"carry"`
	CondN    int      `json:"cond_consts"`
	Length   int      `json:"length"`
	Reverse  bool     `json:"reverse"`

	Axis    string   `json:"axis"`
	Axes    []int    `json:"axes"`
	Dim     int      `json:"dim"`
	Sizes   []int    `json:"sizes"`
	Start   []int    `json:"start"`
	Strides []int    `json:"strides"`
	Y       int      `json:"y"`
	Dot     [4][]int `json:"dot"` // contracted and batch dimensions of both sides

	Views      [][]Transform `json:"views"`     // of each operand that is a reference
	Predicate  bool          `json:"predicate"` // the last operand says whether it happens
	Commit     bool          `json:"commit"`
	N          int           `json:"n"`
	ReadOnly   bool          `json:"read_only"`
	Collective []string      `json:"collective"` // "thread", "cluster"
	Scratch    []ScratchSpec `json:"scratch"`
	Format     string        `json:"format"`
}

// ScratchSpec is an allocation of run_scoped.
type ScratchSpec struct {
	Name     string `json:"name"`
	Space    string `json:"space"`
	DType    string `json:"dtype"`
	Shape    []int  `json:"shape"`
	Arrivals int    `json:"arrivals"`
	scratch  array.Scratch
}

// Transform narrows or rearranges a reference.
type Transform struct {
	Index     []IndexSpec `json:"index"`
	Transpose []int       `json:"transpose"`
}

// IndexSpec selects an element, or a slice, along one dimension.
type IndexSpec struct {
	At     *Atom `json:"at"`
	Start  *Atom `json:"start"`
	Size   int   `json:"size"`
	Stride int   `json:"stride"`
}

// MaxDevices is the greatest number of devices of a program.
const MaxDevices = 64

// Load reads an exported program.
func Load(text []byte) (*Module, error) {
	m := &Module{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("not an exported Pallas program: %w", err)
	}
	switch {
	case m.Version != Version:
		return nil, fmt.Errorf("the program has format %d, and this gpusim reads format %d: use the gpusim_jax of the same release", m.Version, Version)
	case m.Devices < 0 || m.Devices > MaxDevices:
		return nil, fmt.Errorf("%d devices: 1 to %d are possible", m.Devices, MaxDevices)
	case m.Body == nil:
		return nil, fmt.Errorf("the program has no jaxpr")
	case m.Threads < 1 || m.Threads > 32:
		return nil, fmt.Errorf("%d threads: a block has 1 to 32", m.Threads)
	case len(m.Body.In) != len(m.Operands):
		return nil, fmt.Errorf("the kernel has %d parameters and %d operands", len(m.Body.In), len(m.Operands))
	}
	m.Devices = max(1, m.Devices)
	for i := range m.Buffers {
		b := &m.Buffers[i]
		d, ok := array.FindDType(b.DType)
		if !ok {
			return nil, fmt.Errorf("buffer %s has the unsupported type %s", b.Name, b.DType)
		}
		b.dtype = d
		if b.Shards != nil && (len(b.Shards) != m.Devices || b.Data != nil || b.File != "") {
			return nil, fmt.Errorf("buffer %s has %d shards for %d devices, or data beside them", b.Name, len(b.Shards), m.Devices)
		}
		for _, s := range append([]Shard{{b.Data, b.File}}, b.Shards...) {
			if n := b.Bytes(); s.Data != nil && int64(len(s.Data)) != n {
				return nil, fmt.Errorf("buffer %s has %d bytes of data, its shape needs %d", b.Name, len(s.Data), n)
			}
		}
	}
	for _, o := range m.Operands {
		if o.Buffer < 0 || o.Buffer >= len(m.Buffers) || o.Space != "gmem" && o.Space != "smem" {
			return nil, fmt.Errorf("an operand in %s of buffer %d is not possible", o.Space, o.Buffer)
		}
	}
	return m, (&loader{m}).jaxpr(m.Body)
}

// Bytes is the length of the buffer.
func (b *BufferSpec) Bytes() int64 { return int64(array.Count(b.Shape) * b.dtype.Size()) }

// Extent is the grid for a launch, x the last dimension.
func (m *Module) Extent() kernel.Dim3 {
	if len(m.Grid) > 3 {
		return kernel.Dim3{X: uint32(array.Count(m.Grid)), Y: 1, Z: 1}
	}
	e := [3]uint32{1, 1, 1}
	for i, n := range m.Grid {
		e[len(m.Grid)-1-i] = uint32(n)
	}
	return kernel.Dim3{X: e[0], Y: e[1], Z: e[2]}
}

// Place resolves the source of an equation.
func (m *Module) Place(site int) kernel.Source {
	if site < 0 || site >= len(m.Sources) {
		return kernel.Source{}
	}
	p := m.Sources[site]
	return kernel.Source{File: p.File, Line: p.Line, Function: p.Function}
}

// Program is the kernel with the addresses of its buffers in global memory.
func (m *Module) Program(addresses []uint64, s Settings) (exec.Program, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(addresses) != m.Devices*len(m.Buffers) {
		return nil, fmt.Errorf("%d addresses for %d buffers on each of %d devices", len(addresses), len(m.Buffers), m.Devices)
	}
	if m.Devices > 1 {
		return nil, &UnsupportedError{What: "a program of several devices"}
	}
	p := &array.Program{Place: m.Place, ThreadAxis: m.Thread != "", Races: m.Options.DetectRaces, Zero: m.Options.Uninitialized == "zero"}
	p.Kernel = func(t *array.Thread) {
		x := &interpreter{module: m, t: t, coords: m.coordinates(t.Block())}
		refs := make([]array.Ref, len(m.Buffers))
		for i, b := range m.Buffers {
			refs[i] = p.Global(t.Memory().Find(addresses[i]), b.dtype, b.Shape, b.fresh()).All()
		}
		x.kernel(refs)
	}
	return p, nil
}

// coordinates of a block in the grid, whose last dimension varies fastest.
func (m *Module) coordinates(linear uint64) []int {
	c := make([]int, len(m.Grid))
	for i := len(c) - 1; i >= 0; i-- {
		c[i] = int(linear % uint64(m.Grid[i]))
		linear /= uint64(m.Grid[i])
	}
	return c
}

// Type is the type of the buffer's elements.
func (b *BufferSpec) Type() array.DType { return b.dtype }

// fresh reports whether the host writes nothing to the buffer.
func (b *BufferSpec) fresh() bool {
	return !b.Input && b.Data == nil && b.File == "" && b.Shards == nil
}
