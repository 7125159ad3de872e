package pallasfuzz

import (
	"errors"
	"fmt"
	"slices"

	"gpusim/array"
	"gpusim/device"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/tensor"
)

// How says how a program is run.
type How struct {
	Seed       uint64
	Schedule   string
	Completion array.Completion
	Blind      bool // no race detection
}

// What happened.
type What uint8

// The kinds of events. Statements that do not wait are Did before they are executed; those
// that wait are Began before, and Passed after.
const (
	Did What = iota
	Began
	Passed
	Landed
	WarpStarts
	WarpEnds
)

// Event is an entry of the log.
type Event struct {
	What   What
	Group  int // cluster, by its number in the launch: device + devices * point
	Thread int // of the cluster: its threads, then their warps
	Stmt   *Stmt
	Target *array.Barrier // that an operation arrives at
	Values []float32      // that were loaded
}

// barrierOf is which barrier an object is: of a group, block and place in the program.
type barrierOf struct{ group, block, bar int }

// Outcome is what a run has led to.
type Outcome struct {
	Events   []*Event
	Barriers map[*array.Barrier]barrierOf
	Result   device.LaunchResult
	Findings []kernel.Finding
	Text     string      // of the findings
	Host     [][]float32 // by device, then array
}

func endStmt(thread int) *Stmt { return &Stmt{Op: End, Site: -1 - thread, Only: -1, Bar: -1} }

// initial is what the host's arrays hold.
func initial(i int) float32 { return float32(i % 5) }

// runner executes a program.
type runner struct {
	p    *Program
	a    *array.Program
	out  *Outcome
	bufs [][]*memory.Buffer // of the host, by device
}

// worker is a thread that executes statements.
type worker struct {
	*runner
	t     *array.Thread
	group int
	index int
	items map[string]array.Item
	value int // follows from what has been loaded
}

// Run executes a program once.
func Run(p *Program, how How) (out *Outcome, err error) {
	d, err := device.New(device.Options{Seed: how.Seed, Schedule: how.Schedule, MaxInstructions: 20000})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	r := &runner{p: p, out: &Outcome{Barriers: map[*array.Barrier]barrierOf{}}}
	rows := side * p.Grid
	for dev := range p.Devices {
		r.bufs = append(r.bufs, nil)
		for _, b := range p.Bufs {
			if !b.Host {
				break
			}
			m, err := d.Alloc(b.Name, int64(4*rows*side), true)
			if err != nil {
				return nil, err
			}
			r.bufs[dev] = append(r.bufs[dev], m)
			for i, x := 0, view(m.Data); i < len(x); i++ {
				x[i] = initial(i)
			}
		}
	}
	m := device.Mesh{Devices: p.Devices, Grid: []int{p.Grid}, Cluster: p.Cluster, Threads: p.Threads, Warps: p.Warps, Communicates: p.Talks}
	r.a = device.Kernel(m, func(site int) kernel.Source { return kernel.Source{File: "k.py", Line: site} }, func(t *array.Thread) {
		w := &worker{runner: r, t: t, group: t.Point()[0]*p.Devices + t.Device(), items: map[string]array.Item{}}
		block := 0
		for i, x := range t.InCluster() {
			block = block*p.Cluster[i] + x
		}
		w.index = block*p.Threads + t.ID
		w.host()
		w.run(p.Code[w.index], 0)
		end := endStmt(w.index)
		w.log(Did, end)
	})
	r.a.Completion, r.a.Races, r.a.Zero = how.Completion, !how.Blind, p.Zero
	r.a.Landed = func(t *array.Thread, site int, b *array.Barrier) {
		r.out.Events = append(r.out.Events, &Event{What: Landed, Group: t.Point()[0]*p.Devices + t.Device(), Thread: -1, Stmt: &Stmt{Site: site}, Target: b})
	}
	grid, block := r.a.Extent()
	r.out.Result = d.Launch(r.a, device.Spec{Kernel: "k", Grid: grid, Block: block})
	r.out.Findings = d.Findings()
	for _, f := range r.out.Findings {
		r.out.Text += fmt.Sprintf("%+v\n", f)
	}
	for _, list := range r.bufs {
		for _, b := range list {
			r.out.Host = append(r.out.Host, slices.Clone(view(b.Data)))
		}
	}
	return r.out, nil
}

func view(b []byte) []float32 { return tensor.As[float32](tensor.Value{Data: b}) }

// host makes the host's arrays known.
func (w *worker) host() {
	for i, b := range w.p.Bufs {
		if !b.Host {
			break
		}
		var peers []*array.Buffer
		for _, list := range w.bufs {
			peers = append(peers, w.a.Global(list[i], tensor.F32, []int{side * w.p.Grid, side}, false))
		}
		w.a.Peers(peers)
		w.items[b.Name] = array.Item{Ref: peers[w.t.Device()].All()}
	}
}

func (w *worker) log(what What, s *Stmt) *Event {
	e := &Event{What: what, Group: w.group, Thread: w.index, Stmt: s}
	w.out.Events = append(w.out.Events, e)
	return e
}

// run executes statements from the i-th on, up to the end of the scope, whose place it returns.
func (w *worker) run(list []Stmt, i int) int {
	for ; i < len(list); i++ {
		s := &list[i]
		if s.Only >= 0 && s.Only != w.group {
			continue
		}
		w.t.At(s.Site)
		switch s.Op {
		case Exit:
			w.log(Did, s)
			return i
		case Enter:
			w.log(Began, s)
			var axes []memory.Axis
			if !w.p.Scopes[s.Bar].Own {
				axes = []memory.Axis{memory.ThreadAxis}
			}
			w.t.Scoped(w.scratch(s.Bar), axes, func(items []array.Item) {
				w.log(Passed, s)
				w.named(s.Bar, items)
				i = w.run(list, i+1)
			})
		case Fork:
			w.log(Began, s)
			n := w.p.Threads * w.p.Blocks()
			w.t.Warps(func(t *array.Thread) {
				one := &worker{runner: w.runner, t: t, group: w.group, index: n + 4*w.index + t.Warp(), items: w.items, value: w.value}
				one.log(WarpStarts, s)
				one.run(s.Warps[t.Warp()], 0)
				one.log(WarpEnds, s)
			})
			w.log(Passed, s)
		case Wait, Poll, Await:
			w.log(Began, s)
			w.wait(s)
			w.log(Passed, s)
		default:
			w.do(s, w.log(Did, s))
		}
	}
	return i
}

// scratch is what a scope allocates.
func (w *worker) scratch(scope int) []array.Scratch {
	var out []array.Scratch
	s := &w.p.Scopes[scope]
	for _, i := range s.Bufs {
		b := &w.p.Bufs[i]
		x := array.Scratch{Name: b.Name, Space: b.Space, Type: tensor.F32, Shape: []int{side, side}}
		if b.Space == kernel.Local {
			x.Kind = array.AccumulatorKind
		}
		out = append(out, x)
	}
	for _, i := range s.Bars {
		b := &w.p.Bars[i]
		x := array.Scratch{Name: b.Name, Kind: array.BarrierKind, Shape: []int{1}, Arrivals: b.Arrivals, OrdersTensorCore: b.Tensor}
		if b.Cluster {
			x.Kind, x.Axes, x.LeaderTracked = array.ClusterBarrierKind, b.Axes, b.Leader
		}
		out = append(out, x)
	}
	for _, i := range s.Sems {
		out = append(out, array.Scratch{Name: w.p.Sems[i].Name, Kind: array.SemaphoreKind, Space: kernel.Global, Shape: []int{1}})
	}
	return out
}

// named makes what a scope has allocated known by its names.
func (w *worker) named(scope int, items []array.Item) {
	s, k := &w.p.Scopes[scope], 0
	for _, i := range s.Bufs {
		w.items[w.p.Bufs[i].Name] = items[k]
		k++
	}
	for _, i := range s.Bars {
		w.items[w.p.Bars[i].Name] = items[k]
		w.out.Barriers[items[k].Barriers[0]] = barrierOf{w.group, w.index / w.p.Threads, i}
		k++
	}
	for _, i := range s.Sems {
		w.items[w.p.Sems[i].Name] = items[k]
		k++
	}
}
