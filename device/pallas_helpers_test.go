package device

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gpusim/array"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/tensor"
)

// program is a small kernel in variants, each of which does one thing or leaves it out,
// with what is to be found in each. A variant with nothing to find is the fixed twin of the
// others: it is run with every completion and several seeds, and its results are checked.
type program struct {
	name string
	mesh Mesh
	set  func(p *array.Program)
	args []param // nil: "in" and "out", 64 elements of I32
	n    int     // variants; 0: 2 if there is bad, else 1
	run  func(k *kit)
	// bad is what is to be found in variant 1, and nothing in variant 0; want says it for
	// every variant, "" for nothing. Several findings are separated by " & ".
	bad  string
	want func(i int) string
	// out is what the first elements of out are to be in a variant with nothing to find; for
	// several devices, each has its share. values says it for every variant.
	out    []float64
	values func(i int) []float64
	allow  string // finding that may be there as well, where something is wanted
	once   bool   // one completion and one seed only: it is large
}

// param is an array that the host gives to the kernel.
type param struct {
	name  string
	typ   tensor.DType
	shape []int
	fill  func(i int) float64 // nil: the host writes nothing there
}

func iota(i int) float64 { return float64(i) }
func zero(int) float64   { return 0 }

var defaults = []param{{"in", tensor.I32, []int{64}, iota}, {"out", tensor.I32, []int{64}, nil}}

// kit is a thread with shorthand for what kernels do. Each method's line is its site.
type kit struct {
	*Thread
	i    int // the variant
	find func(name string) array.Ref
}

// bug reports whether the variant is the one with something to find.
func (k *kit) bug() bool { return k.i == 1 }

// arg is an array of the host's.
func (k *kit) arg(name string) array.Ref { return k.find(name) }
func (k *kit) in() array.Ref             { return k.find("in") }
func (k *kit) out() array.Ref            { return k.find("out") }

// here is At with the line of the kernel that runs.
func (k *kit) here() {
	for depth := 1; ; depth++ {
		_, file, line, ok := runtime.Caller(depth)
		if !ok || !strings.HasSuffix(file, "helpers_test.go") {
			k.At(line)
			return
		}
	}
}

// scope allocates for all threads of the block.
func (k *kit) scope(body func(s []array.Item), list ...array.Scratch) {
	k.here()
	k.Scoped(list, together, body)
}

// own allocates for the thread alone.
func (k *kit) own(body func(s []array.Item), list ...array.Scratch) {
	k.here()
	k.Scoped(list, nil, body)
}

func smem(name string, d tensor.DType, shape ...int) array.Scratch {
	return array.Scratch{Name: name, Space: kernel.Shared, Type: d, Shape: shape}
}

func gmem(name string, d tensor.DType, shape ...int) array.Scratch {
	return array.Scratch{Name: name, Space: kernel.Global, Type: d, Shape: shape}
}

func tmem(name string, d tensor.DType, shape ...int) array.Scratch {
	return array.Scratch{Name: name, Space: kernel.Tensor, Type: d, Shape: shape}
}

func accumulator(name string, shape ...int) array.Scratch {
	return array.Scratch{Name: name, Kind: array.AccumulatorKind, Type: tensor.F32, Shape: shape}
}

// bar is an array of barriers; without a shape one.
func bar(name string, arrivals int, shape ...int) array.Scratch {
	if len(shape) == 0 {
		shape = []int{1}
	}
	return array.Scratch{Name: name, Kind: array.BarrierKind, Shape: shape, Arrivals: arrivals}
}

// tcbar is a barrier that orders the tensor core.
func tcbar(name string, arrivals int, shape ...int) array.Scratch {
	s := bar(name, arrivals, shape...)
	s.OrdersTensorCore = true
	return s
}

func clusterBar(name string, arrivals int, axes ...[]int) array.Scratch {
	return array.Scratch{Name: name, Kind: array.ClusterBarrierKind, Shape: []int{1}, Arrivals: arrivals, Axes: axes}
}

func sema(name string, shape ...int) array.Scratch {
	return array.Scratch{Name: name, Kind: array.SemaphoreKind, Space: kernel.Global, Shape: shape}
}

// el selects an element along one dimension, sl a slice.
func el(i int) array.Index           { return array.Index{Start: i, Element: true} }
func sl(start, size int) array.Index { return array.Index{Start: start, Size: size, Stride: 1} }

// sub narrows a view.
func sub(r array.Ref, x ...array.Index) array.Ref {
	out, err := r.At(x...)
	if err != nil {
		panic(err)
	}
	return out
}

func must(r array.Ref, err error) array.Ref {
	if err != nil {
		panic(err)
	}
	return r
}

// num is a scalar of a view's type.
func num(r array.Ref, x float64) tensor.Value {
	if r.DType().Float() {
		return tensor.Float(r.DType(), x)
	}
	return tensor.Int(r.DType(), int64(x))
}

// full is an array of one value, fill of the values of a function.
func full(d tensor.DType, x float64, shape ...int) tensor.Value {
	return filled(d, func(int) float64 { return x }, shape...)
}

func filled(d tensor.DType, f func(i int) float64, shape ...int) tensor.Value {
	v := tensor.Make(d, shape)
	for i := range v.Len() {
		one := tensor.Int(d, int64(f(i)))
		if d.Float() {
			one = tensor.Float(d, f(i))
		}
		copy(v.Data[i*d.Size():], one.Data)
	}
	return v
}

// put stores a number in all of a view, get reads the first element, move copies a view.
func (k *kit) put(r array.Ref, x float64) { k.here(); k.Store(r, num(r, x)) }
func (k *kit) get(r array.Ref) float64    { k.here(); return k.Load(r).Float(0) }
func (k *kit) move(to, from array.Ref)    { k.here(); k.Store(to, k.Load(from)) }
func (k *kit) set(r array.Ref, v tensor.Value) {
	k.here()
	k.Store(r, v)
}

// until asks again and again.
func (k *kit) until(done func() bool) {
	k.here()
	for !done() {
		k.here()
	}
}

func (k *kit) arrive(b array.Item)       { k.here(); k.Arrive(b.Barriers[0]) }
func (k *kit) wait(b array.Item)         { k.here(); k.Wait(b.Barriers[0]) }
func (k *kit) arriveAt(b *array.Barrier) { k.here(); k.Arrive(b) }
func (k *kit) waitAt(b *array.Barrier)   { k.here(); k.Wait(b) }
func (k *kit) fence()                    { k.here(); k.FenceAsync() }

func (k *kit) copyIn(dst, src array.Ref, b array.Item) {
	k.here()
	k.CopyIn(src, dst, b.Barriers[0], array.CopyIn{Partition: -1})
}

func (k *kit) copyOut(dst, src array.Ref) {
	k.here()
	k.CopyOut(src, dst, array.CopyOut{Commit: true})
}

// waitOut waits until at most n copies to global memory are under way, waitRead until at
// most n have yet to read.
func (k *kit) waitOut(n int)  { k.here(); k.WaitCopies(n, false) }
func (k *kit) waitRead(n int) { k.here(); k.WaitCopies(n, true) }

func (k *kit) mma(acc, a, b array.Ref, add bool, done ...array.Item) {
	k.here()
	m := array.MMA5{Acc: acc, A: a, B: b, Accumulate: add}
	if len(done) > 0 {
		m.Barrier = done[0].Barriers[0]
	}
	k.MMA5(m)
}

func (k *kit) commit(b array.Item)       { k.here(); k.CommitArrive(b.Barriers[0], false) }
func (k *kit) toTMEM(dst, src array.Ref) { k.here(); k.CopyToTMEM(src, dst, "", false) }
func (k *kit) storeT(r array.Ref, x float64) {
	k.here()
	k.StoreTMEM(r, full(r.DType(), x, r.Shape()...))
}
func (k *kit) loadT(r array.Ref) tensor.Value { k.here(); return k.LoadTMEM(r) }
func (k *kit) commitT()                       { k.here(); k.CommitTMEM() }
func (k *kit) waitLoadT()                     { k.here(); k.WaitLoadTMEM() }

// warps forks into warps.
func (k *kit) warps(body func(w *kit)) {
	k.here()
	k.Warps(func(w *Thread) { body(&kit{Thread: w, i: k.i, find: k.find}) })
}

// outcome is what a run has led to.
type outcome struct {
	result   LaunchResult
	findings []kernel.Finding
	text     string // of the findings, completely
	out      []float64
	printed  string
}

// how says how a program is run.
type how struct {
	completion  array.Completion
	seed        uint64
	schedule    string
	blind       bool // no race detection
	granularity exec.Granularity
	workers     int
}

func (h how) String() string {
	return fmt.Sprint([]string{"eager", "lazy", "random"}[h.completion], h.seed, h.schedule, h.blind)
}

// start runs a variant once.
func (c *program) start(t *testing.T, variant int, h how) outcome {
	t.Helper()
	d, err := New(Options{Seed: h.seed, Schedule: h.schedule, MaxInstructions: 2_000_000, NoRaces: h.blind && h.seed > 0, Granularity: h.granularity, Workers: h.workers})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	args := c.args
	if args == nil {
		args = defaults
	}
	devices := max(c.mesh.Devices, 1)
	buffers := map[string][]*memory.Buffer{}
	for _, a := range args {
		for i := range devices {
			b, err := d.Alloc(a.name, int64(tensor.Count(a.shape)*a.typ.Size()), a.fill != nil)
			if err != nil {
				t.Fatal(err)
			}
			if a.fill != nil {
				copy(b.Data, filled(a.typ, func(j int) float64 { return a.fill(i*tensor.Count(a.shape) + j) }, a.shape...).Data)
			}
			buffers[a.name] = append(buffers[a.name], b)
		}
	}
	m := c.mesh
	if m.Grid == nil {
		m.Grid = []int{1}
	}
	var p *array.Program
	p = Kernel(m, func(site int) kernel.Source { return kernel.Source{File: "k.py", Line: site} }, func(th *Thread) {
		find := func(name string) array.Ref {
			i := slices.IndexFunc(args, func(a param) bool { return a.name == name })
			var peers []*array.Buffer
			for _, b := range buffers[name] {
				peers = append(peers, p.Global(b, args[i].typ, args[i].shape, args[i].fill == nil))
			}
			p.Peers(peers)
			return peers[th.Device()].All()
		}
		for _, a := range args {
			find(a.name)
		}
		c.run(&kit{Thread: th, i: variant, find: find})
	})
	p.Completion, p.Races = h.completion, !h.blind
	if c.set != nil {
		c.set(p)
	}
	grid, block := p.Extent()
	var o outcome
	o.result = d.Launch(p, Spec{Kernel: "k", Grid: grid, Block: block})
	if o.result.Err != nil {
		t.Errorf("%v variant %d: %v", h, variant, o.result.Err)
		if e, ok := o.result.Err.(*InternalError); ok {
			t.Logf("%s", e.Stack)
		}
	}
	o.findings = d.Findings()
	for _, f := range o.findings {
		o.text += fmt.Sprintf("%+v\n", f)
	}
	o.printed = d.Output()
	for _, a := range args {
		if a.name != "out" {
			continue
		}
		for _, b := range buffers["out"] {
			v := tensor.Value{Type: a.typ, Shape: a.shape, Data: b.Data}
			for i := range v.Len() {
				o.out = append(o.out, v.Float(i))
			}
		}
	}
	return o
}

// line is a finding in short: its severity unless an error, kind, object, edge and texts.
func line(f kernel.Finding) string {
	s := fmt.Sprintf("%s %s %s: %s; missing %s", f.Kind, f.Object, f.Edge, f.Message, f.Missing)
	if f.Severity != kernel.Error {
		s = f.Severity.String() + " " + s
	}
	for _, w := range f.Waits {
		s += fmt.Sprintf("\n  %v line %d on %s needs %s", w.Thread, w.Source.Line, w.On, w.Needs)
	}
	return s
}

func lines(list []kernel.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, "  "+line(f))
	}
	return strings.Join(out, "\n")
}

// matches reports whether a finding is one of those wanted, which " | " separates: it begins
// with the first of the parts between "..." and contains the others.
func matches(f kernel.Finding, want string) bool {
	return slices.ContainsFunc(strings.Split(want, " | "), func(want string) bool {
		parts := strings.Split(want, "...")
		s := line(f)
		return strings.HasPrefix(s, parts[0]) && !slices.ContainsFunc(parts[1:], func(p string) bool { return !strings.Contains(s, p) })
	})
}

func (c *program) wanted(variant int) string {
	switch {
	case c.want != nil:
		return c.want(variant)
	case variant == 1:
		return c.bad
	}
	return ""
}

func (c *program) ways() []how {
	if c.once {
		return []how{{}}
	}
	return []how{{}, {seed: 1}, {seed: 2, schedule: "rr"}, {completion: array.Lazy, seed: 3}, {completion: array.Lazy, seed: 4}, {completion: array.Random, seed: 5},
		{completion: array.Random, seed: 6}, {completion: array.Random, seed: 7, schedule: "rr"}, {blind: true}, {blind: true, completion: array.Random, seed: 8}}
}

// check runs all variants.
func (c *program) check(t *testing.T) {
	n := c.n
	if n == 0 {
		n = 1
		if c.bad != "" {
			n = 2
		}
	}
	for variant := range n {
		for _, h := range c.ways() {
			o := c.start(t, variant, h)
			c.judge(t, variant, h, o)
			if again := c.start(t, variant, h); again.text != o.text || fmt.Sprint(again.out) != fmt.Sprint(o.out) {
				t.Errorf("%v variant %d: two runs differ:\n%s\n%s", h, variant, o.text, again.text)
			}
			if t.Failed() {
				return
			}
		}
	}
}

func (c *program) judge(t *testing.T, variant int, h how, o outcome) {
	t.Helper()
	var wants []string
	w := c.wanted(variant)
	if h.blind && w != "" {
		return // it may find less; that it ends without an internal error was seen
	}
	if w != "" {
		wants = strings.Split(w, " & ")
	}
	for _, w := range wants {
		if !slices.ContainsFunc(o.findings, func(f kernel.Finding) bool { return matches(f, w) }) {
			t.Errorf("%v variant %d: no %q among\n%s", h, variant, w, lines(o.findings))
		}
	}
	for _, f := range o.findings {
		known := slices.ContainsFunc(wants, func(w string) bool { return matches(f, w) }) || len(wants) > 0 && c.allow != "" && matches(f, c.allow)
		// Who races reads what nobody has written yet, as the case may be.
		// Nor may a block end before others have arrived at its barriers.
		consequence := len(wants) > 0 && (f.Kind == kernel.UninitializedRead || f.Severity == kernel.Info || matches(f, "warning barrier-misuse...before the end of that block"))
		if !known && !consequence {
			t.Errorf("%v variant %d: not wanted (%s)\n  %s", h, variant, strings.Join(wants, ", "), line(f))
		}
	}
	if len(wants) > 0 {
		return
	}
	if !o.result.Complete {
		t.Errorf("%v variant %d: stopped: %s", h, variant, o.result.Stopped)
		return
	}
	out := c.out
	if c.values != nil {
		out = c.values(variant)
	}
	devices := max(c.mesh.Devices, 1)
	for i, want := range out {
		per := len(out) / devices
		at := i/per*(len(o.out)/devices) + i%per
		if got := o.out[at]; got != want {
			t.Errorf("%v variant %d: out[%d] = %v, want %v", h, variant, i, got, want)
			return
		}
	}
}

// checkAll runs a table.
func checkAll(t *testing.T, list []program) {
	seen := map[string]bool{}
	for _, c := range list {
		if seen[c.name] {
			t.Errorf("two programs are called %s", c.name)
		}
		seen[c.name] = true
		t.Run(path.Base(c.name), c.check)
	}
}
