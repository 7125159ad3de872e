package pallas

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gpusim/tensor"
)

// Load reads an exported program and checks all that can be known before it runs, so that
// a damaged one gives an error that says where.
func Load(text []byte) (*Module, error) {
	m := &Module{}
	var version struct {
		Version int `json:"gpusim-pallas"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("not an exported Pallas program: %w", err)
	}
	if version.Version != Version {
		return nil, fmt.Errorf("the program has format %d, and this gpusim reads format %d: use the gpusim_jax of the same release", version.Version, Version)
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("not an exported Pallas program: %w", err)
	}
	m.cleanNames()
	if err := m.header(); err != nil {
		return nil, err
	}
	if err := m.buffers(); err != nil {
		return nil, err
	}
	return m, m.compile()
}

// printable is a name without what would change a report on a terminal: control characters,
// ends of lines, and marks of the direction of writing.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

func (m *Module) cleanNames() {
	m.Name = printable(m.Name)
	for i := range m.Buffers {
		m.Buffers[i].Name = printable(m.Buffers[i].Name)
	}
	for i := range m.Axes {
		m.Axes[i].Name = printable(m.Axes[i].Name)
	}
	for i := range m.Sources {
		m.Sources[i].File, m.Sources[i].Function = printable(m.Sources[i].File), printable(m.Sources[i].Function)
	}
}

// header checks the extents, and fills what is left out.
func (m *Module) header() error {
	for _, n := range []*int{&m.Devices, &m.Threads} {
		if *n == 0 { // it is left out
			*n = 1
		}
	}
	devices := 1
	for _, a := range m.Axes {
		if a.Size < 1 || a.Size > MaxDevices {
			return fmt.Errorf("axis %s of the mesh has %d devices", a.Name, a.Size)
		}
		devices *= a.Size
	}
	switch {
	case m.Devices < 1 || m.Devices > MaxDevices:
		return fmt.Errorf("%d devices: 1 to %d are possible", m.Devices, MaxDevices)
	case len(m.Axes) > 0 && devices != m.Devices:
		return fmt.Errorf("%d devices in a mesh of %d", m.Devices, devices)
	case m.Threads < 1 || m.Threads > maxThreads:
		return fmt.Errorf("%d threads in a block: 1 to %d are possible", m.Threads, maxThreads)
	case m.Kernel == nil:
		return errors.New("the program has no kernel")
	case !slices.Contains(Archs, m.Arch):
		return fmt.Errorf("the architecture %q is not known: %s", m.Arch, strings.Join(Archs[1:], ", "))
	case len(m.Kernel.In) != len(m.Operands):
		return fmt.Errorf("the kernel has %d parameters and %d operands", len(m.Kernel.In), len(m.Operands))
	}
	if err := extent("a grid", m.Grid, maxGrid); err != nil {
		return err
	}
	if err := extent("a cluster", m.Cluster, maxCluster); err != nil {
		return err
	}
	if tensor.Count(m.Cluster) == 0 {
		return fmt.Errorf("a cluster of shape %v has no blocks", m.Cluster)
	}
	for i, d := range m.Sequential {
		if d < 0 || d >= len(m.Grid) || slices.Contains(m.Sequential[:i], d) {
			return fmt.Errorf("dimension %d of a grid of shape %v cannot be sequential", d, m.Grid)
		}
	}
	for _, o := range []struct{ name, value, a, b string }{
		{"uninitialized_memory", m.Options.Uninitialized, "nan", "zero"}, {"out_of_bounds_reads", m.Options.OutOfBounds, "raise", "uninitialized"},
	} {
		if o.value != "" && o.value != o.a && o.value != o.b {
			return fmt.Errorf("the option %s is %q: %s or %s is expected", o.name, o.value, o.a, o.b)
		}
	}
	return nil
}

// extent checks the shape of something whose elements are counted.
func extent(what string, shape []int, most int) error {
	if len(shape) > maxDims {
		return fmt.Errorf("%s of %d dimensions: at most %d are possible", what, len(shape), maxDims)
	}
	n := 1
	for _, d := range shape {
		if d < 0 || d > most {
			return fmt.Errorf("%s of shape %v: an extent is out of range", what, shape)
		}
		if n *= d; n > most {
			return fmt.Errorf("%s of shape %v is too large", what, shape)
		}
	}
	return nil
}

// maxElements of an array.
const maxElements = 1 << 34

// typeOf is the type of an array that the file names.
func typeOf(dtype string, shape []int) (tensor.DType, error) {
	d, ok := tensor.FindDType(dtype)
	if !ok {
		return 0, fmt.Errorf("the element type %q is not known", dtype)
	}
	return d, extent("an array", shape, maxElements)
}

func (m *Module) buffers() error {
	for i := range m.Buffers {
		b := &m.Buffers[i]
		if b.Name == "" || slices.ContainsFunc(m.Buffers[:i], func(o BufferSpec) bool { return o.Name == b.Name }) {
			return fmt.Errorf("buffer %d has the name %q: each needs one of its own", i, b.Name)
		}
		d, err := typeOf(b.DType, b.Shape)
		if err != nil {
			return fmt.Errorf("buffer %s: %w", b.Name, err)
		}
		b.dtype = d
		if b.Shards != nil && (len(b.Shards) != m.Devices || b.Data != nil || b.File != "") {
			return fmt.Errorf("buffer %s has %d shards for %d devices, or data beside them", b.Name, len(b.Shards), m.Devices)
		}
		for _, s := range append([]Shard{{b.Data, b.File}}, b.Shards...) {
			if n := b.Bytes(); s.Data != nil && int64(len(s.Data)) != n {
				return fmt.Errorf("buffer %s has %d bytes of data, its shape needs %d", b.Name, len(s.Data), n)
			}
		}
	}
	for i, o := range m.Operands {
		if o.Kind != "scratch" && (o.Buffer < 0 || o.Buffer >= len(m.Buffers)) {
			return fmt.Errorf("operand %d refers to buffer %d of %d", i, o.Buffer, len(m.Buffers))
		}
	}
	for _, r := range m.Results {
		if r < 0 || r >= len(m.Buffers) {
			return fmt.Errorf("a result is buffer %d of %d", r, len(m.Buffers))
		}
	}
	return nil
}

// literal is a scalar of the file: a number, a boolean, or the name of what JSON cannot write.
func literal(text json.RawMessage, dtype string) (tensor.Value, error) {
	d, ok := tensor.FindDType(dtype)
	if !ok {
		return tensor.Value{}, fmt.Errorf("the literal %s has the type %q, which is not known", text, dtype)
	}
	bad := fmt.Errorf("%s is no literal of %s", text, dtype)
	s := string(text)
	switch s {
	case "true", "false":
		if s == "true" {
			return tensor.Int(d, 1), nil
		}
		return tensor.Int(d, 0), nil
	case `"nan"`, `"inf"`, `"-inf"`:
		x, err := strconv.ParseFloat(s[1:len(s)-1], 64)
		if err != nil || !d.Float() {
			return tensor.Value{}, bad
		}
		return tensor.Float(d, x), nil
	}
	if !d.Float() {
		if x, err := strconv.ParseInt(s, 10, 64); err == nil {
			return tensor.Int(d, x), nil
		}
		if x, err := strconv.ParseUint(s, 10, 64); err == nil {
			return tensor.Int(d, int64(x)), nil
		}
		return tensor.Value{}, bad
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return tensor.Value{}, bad
	}
	return tensor.Float(d, x), nil
}
