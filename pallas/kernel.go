package pallas

import (
	"fmt"

	"gpusim/array"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/tensor"
)

// operand is a parameter of the kernel, compiled.
type operand struct {
	*Operand
	to      *variable
	scratch array.Scratch
	shape   []int // of the copy
	window  *window
}

// window is a part of a buffer, whose place code computes.
type window struct {
	dims  []WindowDim
	code  []step
	grid  []*variable // the coordinates that it is given
	start []*variable // what it computes
}

// operand compiles a parameter of the kernel; before it are the variables of those before.
func (c *compiler) operand(i int, before []*variable) *variable {
	o := operand{Operand: &c.module.Operands[i]}
	switch o.Kind {
	case "scratch":
		o.scratch, o.to = c.allocation(o.Scratch)
		c.code.operands = append(c.code.operands, o)
		return o.to
	case "gmem", "smem":
	default:
		c.fail("operand %d has the kind %q, which is not known", i, o.Kind)
	}
	b := &c.module.Buffers[o.Buffer]
	o.shape = b.Shape
	if w := o.Window; w != nil {
		o.window = &window{dims: w.Dims}
		if len(w.Dims) != len(b.Shape) {
			c.fail("the window of operand %d has %d dimensions, buffer %s has %d", i, len(w.Dims), b.Name, len(b.Shape))
		}
		o.shape = nil
		for _, d := range w.Dims {
			switch {
			case d.Size < 1 || d.Size > maxElements || len(d.Padding) != 0 && len(d.Padding) != 2:
				c.fail("the window of operand %d has the extent %d and the padding %v", i, d.Size, d.Padding)
			case d.Mode == "blocked" || d.Mode == "element":
				o.shape = append(o.shape, d.Size)
			case d.Mode != "squeezed" || d.Size != 1:
				c.fail("the window of operand %d has the mode %q", i, d.Mode)
			}
		}
		var params []*variable
		for range c.module.Grid {
			v := c.fresh(kind{class: scalar, dtype: tensor.I32})
			o.window.grid, params = append(o.window.grid, v), append(params, v)
		}
		if n := len(w.mapParams()) - len(params); n > 0 && n <= len(before) { // references for the map: the first operands
			params = append(params, before[:n]...)
		}
		o.window.code, o.window.start = c.function(w.Map, params)
		if len(o.window.start) != len(w.Dims) {
			c.fail("the map of operand %d gives %d indices for %d dimensions", i, len(o.window.start), len(w.Dims))
		}
		for _, v := range o.window.start {
			if v.class != scalar {
				c.fail("the map of operand %d gives %v as an index", i, v)
			}
		}
	}
	k := kind{class: reference, dtype: b.dtype, shape: o.shape, space: kernel.Global}
	if o.Kind == "smem" {
		k.space = kernel.Shared
	}
	o.to = c.fresh(k)
	c.code.operands = append(c.code.operands, o)
	return o.to
}

func (w *Window) mapParams() []int {
	if w.Map == nil {
		return nil
	}
	return w.Map.In
}

// Extent is the grid of clusters that a launch of the program has.
func (m *Module) Extent() kernel.Dim3 {
	p := m.program(Settings{})
	grid, _ := p.Extent()
	return grid
}

// program is the program for array, without its kernel.
func (m *Module) program(s Settings) *array.Program {
	p := &array.Program{Place: m.Place, Devices: m.Devices, Cluster: m.Cluster, BlockThreads: m.Threads, ThreadAxis: m.ThreadAxis,
		Races: m.Options.DetectRaces, Zero: m.Options.Uninitialized == "zero", ReadOutside: m.Options.OutOfBounds == "uninitialized",
		Arch: m.Arch}
	for d, n := range m.Grid {
		if !m.sequential(d) {
			p.Grid = append(p.Grid, max(n, 1)) // an empty grid is launched, and does nothing
		}
	}
	p.Warps = m.code.prims["warps"]
	p.Communicates = m.code.prims["semaphore_wait"] || m.code.prims["semaphore_read"]
	switch s.Completion {
	case "lazy":
		p.Completion = array.Lazy
	case "random":
		p.Completion = array.Random
	}
	if s.Arch != "" {
		p.Arch = s.Arch
	}
	if s.ReadOverwriteFence != "warning" {
		p.ReadFence = s.ReadOverwriteFence
	}
	return p
}

func (m *Module) sequential(d int) bool {
	for _, x := range m.Sequential {
		if x == d {
			return true
		}
	}
	return false
}

// Program is the kernel with the addresses of its buffers in global memory: those of the
// first device, then those of the next.
func (m *Module) Program(addresses []uint64, s Settings) (exec.Program, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(addresses) != m.Devices*len(m.Buffers) {
		return nil, fmt.Errorf("%d addresses for %d buffers on each of %d devices", len(addresses), len(m.Buffers), m.Devices)
	}
	p := m.program(s)
	var refs [][]array.Ref // by device
	var free []frame
	p.Kernel = func(t *array.Thread) {
		if refs == nil {
			refs = m.globals(p, t, addresses)
		}
		if tensor.Count(m.Grid) == 0 {
			return
		}
		var f frame
		if n := len(free); n > 0 {
			f, free = free[n-1], free[:n-1]
		} else {
			f = m.code.newFrame()
		}
		x := &machine{frame: f, t: t, module: m, buffers: refs[t.Device()], block: t.InCluster(), point: m.wholePoint(t.Point())}
		for _, a := range m.Axes {
			x.device = append(x.device, a.Size)
		}
		x.device = coordinates(t.Device(), x.device)
		x.kernel()
		free = append(free, x.frame)
	}
	return p, nil
}

// globals are the buffers of all devices.
func (m *Module) globals(p *array.Program, t *array.Thread, addresses []uint64) [][]array.Ref {
	refs := make([][]array.Ref, m.Devices)
	for i := range m.Buffers {
		b := &m.Buffers[i]
		var peers []*array.Buffer
		for d := range m.Devices {
			g := p.Global(t.Memory().Find(addresses[d*len(m.Buffers)+i]), b.dtype, b.Shape, b.fresh())
			peers = append(peers, g)
			refs[d] = append(refs[d], g.All())
		}
		p.Peers(peers)
	}
	return refs
}

// wholePoint is a point of the program's grid, given that of the launch: it begins at 0
// along sequential dimensions.
func (m *Module) wholePoint(point []int) []int {
	out, k := make([]int, len(m.Grid)), 0
	for d := range out {
		if !m.sequential(d) {
			out[d] = point[k]
			k++
		}
	}
	return out
}

// place is where the kernel stands: what copies its operands in and out has no other place.
func (m *Module) place() int {
	if m.Src == nil {
		return -1
	}
	return *m.Src
}

// kernel runs the kernel for a thread.
func (m *machine) kernel() {
	m.t.At(m.module.place())
	c := m.module.code
	var list []array.Scratch
	var vars []*variable
	for i := range c.operands {
		o := &c.operands[i]
		switch o.Kind {
		case "scratch":
			list, vars = append(list, o.scratch), append(vars, o.to)
		case "smem":
			name := m.module.Buffers[o.Buffer].Name
			m.refs[o.to.slot] = m.t.Private(name, kernel.Shared, o.to.dtype, o.shape).All()
		default:
			m.refs[o.to.slot] = m.buffers[o.Buffer]
		}
	}
	if len(list) == 0 {
		m.points(0)
		return
	}
	m.t.Scoped(list, nil, func(items []array.Item) {
		m.hold(vars, items)
		m.points(0)
	})
}

// points goes through the sequential dimensions of the grid, from the i-th of them on.
func (m *machine) points(i int) {
	if i == len(m.module.Sequential) {
		m.atPoint()
		return
	}
	d := m.module.Sequential[i]
	for x := range m.module.Grid[d] {
		m.point[d] = x
		m.points(i + 1)
	}
}

// atPoint runs the kernel's function for a point of the grid.
func (m *machine) atPoint() {
	c := m.module.code
	for i := range c.operands {
		o := &c.operands[i]
		if o.Kind == "scratch" {
			continue
		}
		global := m.buffers[o.Buffer]
		if o.Kind == "gmem" {
			if o.window != nil {
				m.refs[o.to.slot] = m.t.IndexCopy(global, m.place(o.window)...)
			}
			continue
		}
		if o.Input {
			from, to := m.parts(o, global)
			if own := m.refs[o.to.slot]; !equal(to.Shape(), own.Shape()) { // the rest lies outside, where a copy reads zeros
				m.t.Store(own, tensor.Make(o.to.dtype, o.shape))
			}
			m.t.Store(to, m.t.Load(from))
		}
	}
	m.exec(c.steps)
	m.t.At(m.module.place())
	for i := range c.operands {
		if o := &c.operands[i]; o.Kind == "smem" && o.Output {
			to, from := m.parts(o, m.buffers[o.Buffer])
			m.t.Store(to, m.t.Load(from))
		}
	}
}

// place computes where a window lies.
func (m *machine) place(w *window) []array.Index {
	for d, v := range w.grid {
		m.ints[v.slot] = int64(m.point[d])
	}
	m.exec(w.code)
	for d, x := range w.dims {
		at := int(m.ints[w.start[d].slot])
		switch {
		case x.Mode == "squeezed":
			m.indices[d] = array.Index{Start: at, Element: true}
			continue
		case x.Mode == "blocked":
			at *= x.Size
		case len(x.Padding) == 2:
			at -= x.Padding[0]
		}
		m.indices[d] = array.Index{Start: at, Size: x.Size, Stride: 1}
	}
	return m.indices[:len(w.dims)]
}

// parts are the part of a buffer that an operand's window covers, and the part of the copy
// that it belongs to: a window may lie partly outside.
func (m *machine) parts(o *operand, global array.Ref) (outer, inner array.Ref) {
	own := m.refs[o.to.slot]
	if o.window == nil {
		return global, own
	}
	list := m.place(o.window)
	shape := global.Shape()
	var within []array.Index
	for d := range list {
		x := &list[d]
		if x.Element {
			continue
		}
		first := max(0, -x.Start)
		last := min(x.Size, shape[d]-x.Start)
		n := max(last-first, 0)
		within = append(within, array.Index{Start: min(first, x.Size), Size: n, Stride: 1})
		x.Start, x.Size = max(x.Start, 0), n
		if n == 0 {
			x.Start = 0
		}
	}
	return m.t.Index(global, "copy", "copying", list...), m.t.Index(own, "copy", "copying", within...)
}
