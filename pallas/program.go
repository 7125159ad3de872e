package pallas

import (
	"encoding/json"
	"fmt"

	"gpusim/kernel"
	"gpusim/tensor"
)

// Version is the version of the program format that this package reads.
const Version = 2

// Limits of a program's extents.
const (
	MaxDevices = 64
	maxThreads = 16 // of a block
	maxCluster = 16 // blocks of a cluster
	maxDims    = 16 // of an array, a grid
	maxGrid    = 1 << 31
)

// Module is an exported program.
type Module struct {
	Version    int          `json:"gpusim-pallas"`
	Name       string       `json:"name"`
	JAX        string       `json:"jax"`
	Devices    int          `json:"devices"` // of the ambient mesh; each has buffers of its own
	Axes       []Axis       `json:"axes"`    // of that mesh, the last varies fastest
	Grid       []int        `json:"grid"`
	Cluster    []int        `json:"cluster"`
	Threads    int          `json:"threads"` // of a block
	ThreadAxis bool         `json:"thread_axis"`
	Sequential []int        `json:"sequential"` // dimensions of the grid that a block goes through by itself
	Arch       string       `json:"arch"`
	Options    Options      `json:"options"`
	Buffers    []BufferSpec `json:"buffers"`
	Operands   []Operand    `json:"operands"` // what the kernel's parameters refer to
	Results    []int        `json:"results"`  // buffers
	Kernel     *Function    `json:"kernel"`
	Sources    []Place      `json:"sources"`
	Src        *int         `json:"src"` // the kernel's own place, an index of Sources
	// Lowering is what would compile the kernel: Mosaic GPU with the semantics "warpgroup"
	// (also "") or "lane", "triton", or "none". It does not change how the kernel runs.
	Lowering string   `json:"lowering"`
	Erased   []Erased `json:"erased"`

	code *code
}

// Erased is a primitive of JAX that the program does not hold under its name, because it
// does nothing here or is written as others.
type Erased struct {
	Prim string `json:"prim"`
	Src  int    `json:"src"`
	Warp bool   `json:"warp"` // it is inside of a warp
}

// Axis is an axis of the ambient mesh of devices.
type Axis struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Options are the parts of JAX's interpret parameters that change what is run.
type Options struct {
	DetectRaces   bool   `json:"detect_races"`
	Uninitialized string `json:"uninitialized_memory"` // nan or zero
	OutOfBounds   string `json:"out_of_bounds_reads"`  // raise or uninitialized
	SkipFloats    bool   `json:"skip_floating_point_ops"`
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
	dtype  tensor.DType
}

// Shard is the content of a buffer on one device.
type Shard struct {
	Data []byte `json:"data"`
	File string `json:"file"`
}

// Type is the type of the buffer's elements.
func (b *BufferSpec) Type() tensor.DType { return b.dtype }

// Bytes is the size of the buffer.
func (b *BufferSpec) Bytes() int64 { return int64(tensor.Count(b.Shape)) * int64(b.dtype.Size()) }

// fresh reports whether the host writes nothing to the buffer.
func (b *BufferSpec) fresh() bool {
	return !b.Input && b.Data == nil && b.File == "" && b.Shards == nil
}

// Operand is a parameter of the kernel: a buffer in global memory ("gmem"), a copy of it in
// shared memory ("smem"), or an allocation of the block ("scratch").
type Operand struct {
	Kind    string   `json:"kind"`
	Buffer  int      `json:"buffer"`
	Input   bool     `json:"input"`  // the copy begins with the buffer's content
	Output  bool     `json:"output"` // the copy is written back
	Window  *Window  `json:"window"`
	Scratch *Scratch `json:"scratch"`
}

// Window is the part of a buffer that a point of the grid has.
type Window struct {
	Dims []WindowDim `json:"dims"`
	// Map gives the window's place for coordinates in the grid and the references before it.
	Map *Function `json:"map"`
}

// WindowDim is a dimension of a window. Mode is "blocked" (the place counts windows),
// "element" (it counts elements, and begins before the array by the first of Padding) or
// "squeezed" (it counts elements, and the window has no such dimension).
type WindowDim struct {
	Size    int    `json:"size"`
	Mode    string `json:"mode"`
	Padding []int  `json:"padding"`
}

// Scratch is an allocation. Kind is array, union, accumulator, barrier, cluster_barrier or
// semaphore.
type Scratch struct {
	Name             string  `json:"name"`
	Kind             string  `json:"kind"`
	Space            string  `json:"space"`
	DType            string  `json:"dtype"`
	Shape            []int   `json:"shape"`
	Bytes            int     `json:"bytes"`
	Packed           bool    `json:"packed"` // elements of tensor memory share a column
	Collective       bool    `json:"collective"`
	Arrivals         int     `json:"arrivals"`
	OrdersTensorCore bool    `json:"orders_tensor_core"`
	LeaderTracked    bool    `json:"leader_tracked"`
	Axes             [][]int `json:"axes"` // dimensions of the cluster
	Physical
}

// Physical is how an array lies in shared memory, where the program says it: the extents of
// its tiles, for its last dimensions, and the bytes of its swizzle. The shape is the logical
// one, and nothing here depends on it but what a compiler accepts.
type Physical struct {
	Tiling  []int `json:"tiling"`
	Swizzle int   `json:"swizzle"`
}

// Function is a function of the program. Its variables are its own.
type Function struct {
	Vars   int        `json:"vars"`
	In     []int      `json:"in"`
	Consts []Constant `json:"consts"`
	Eqns   []*Eqn     `json:"eqns"`
	Out    []Atom     `json:"out"`
}

// Constant is an array that a function holds.
type Constant struct {
	Var   int    `json:"var"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Data  []byte `json:"data"`
}

// Eqn is an equation.
type Eqn struct {
	Prim   string          `json:"prim"`
	Src    int             `json:"src"` // an index of Sources
	In     []*Operation    `json:"in"`
	Out    []Result        `json:"out"`
	When   *Atom           `json:"when"` // it happens only if this holds
	Params json.RawMessage `json:"params"`
}

// Result is a result of an equation; Var is -1 if nobody uses it.
type Result struct {
	Var   int    `json:"var"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// Operation is an operand of an equation: an atom, or a reference and the transforms of its
// use. An operand that is left out is null.
type Operation struct {
	Atom  Atom
	IsRef bool
	View  []Transform
}

// UnmarshalJSON reads any of the forms.
func (o *Operation) UnmarshalJSON(text []byte) error {
	var form struct {
		Ref  *int        `json:"ref"`
		View []Transform `json:"view"`
	}
	if len(text) > 0 && text[0] == '{' {
		if err := json.Unmarshal(text, &form); err != nil {
			return err
		}
	}
	if form.Ref != nil {
		o.Atom, o.IsRef, o.View = Atom{Var: *form.Ref}, true, form.View
		return nil
	}
	return json.Unmarshal(text, &o.Atom)
}

// Atom is a variable or a literal.
type Atom struct {
	Var     int
	Literal *tensor.Value // in place of the variable
}

// UnmarshalJSON reads the number of a variable or an object with the literal.
func (a *Atom) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '{' {
		return json.Unmarshal(text, &a.Var)
	}
	var form struct {
		Lit   json.RawMessage `json:"lit"`
		DType string          `json:"dtype"`
	}
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	v, err := literal(form.Lit, form.DType)
	a.Literal = &v
	return err
}

// Transform is one step from a reference to the view that is used. Exactly one of its
// members is given.
type Transform struct {
	Index     []IndexSpec   `json:"index"`
	Transpose []int         `json:"transpose"`
	Reshape   []int         `json:"reshape"`
	Bitcast   string        `json:"bitcast"` // to Shape
	Alias     string        `json:"alias"`   // the member of a union: its type; then Shape, Offset and Group
	Expand    []int         `json:"expand"`  // (m, b*n) becomes (b, m, n)
	Device    *DeviceSpec   `json:"device"`
	Multicast bool          `json:"multicast"`
	Cluster   []ClusterSpec `json:"cluster"`
	Shape     []int         `json:"shape"`
	Offset    int           `json:"offset"` // in bytes
	Group     int           `json:"group"`
	Physical                // of the member of a union
}

// IndexSpec selects along one dimension: an element, a slice, or the elements of a list.
type IndexSpec struct {
	At     *Atom `json:"at"`
	List   *Atom `json:"list"`
	Start  *Atom `json:"start"`
	Size   int   `json:"size"`
	Stride int   `json:"stride"`
}

// ClusterSpec is a coordinate in the cluster.
type ClusterSpec struct {
	Dim int  `json:"dim"`
	At  Atom `json:"at"`
}

// DeviceSpec names a device: by its number, by coordinates of the mesh (nil for those of
// the own device), or all of them.
type DeviceSpec struct {
	Logical *Atom        `json:"logical"`
	Mesh    []*DeviceDim `json:"mesh"`
	All     bool         `json:"all"`
}

// DeviceDim is a coordinate: At divided by Div, modulo Mod unless that is 0.
type DeviceDim struct {
	At  Atom `json:"at"`
	Div int  `json:"div"`
	Mod int  `json:"mod"`
}

// Place is a place in the user's program.
type Place struct {
	File     string
	Line     int
	Function string
}

// UnmarshalJSON reads [file, line, function].
func (p *Place) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) != 3 {
		return fmt.Errorf("a place has %d members in place of file, line and function", len(list))
	}
	for i, to := range []any{&p.File, &p.Line, &p.Function} {
		if err := json.Unmarshal(list[i], to); err != nil {
			return err
		}
	}
	return nil
}

func (p Place) String() string {
	if p.File == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Place is a place as findings show it.
func (m *Module) Place(site int) kernel.Source {
	if site < 0 || site >= len(m.Sources) {
		return kernel.Source{}
	}
	p := m.Sources[site]
	return kernel.Source{File: p.File, Line: p.Line, Function: p.Function}
}

// UnsupportedError is a program that uses something that is not supported.
type UnsupportedError struct {
	What  string
	Place Place
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s is not supported (%s)", e.What, e.Place)
}
