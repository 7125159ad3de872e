package lint

import (
	"encoding/json"
	"fmt"

	"gpusim/kernel"
	"gpusim/pallas"
	"gpusim/tensor"
)

// Check finds what the compiler would reject in a program that Load has accepted. The
// architecture "" stands for the program's own.
func Check(m *pallas.Module, arch string) []kernel.Finding {
	if arch == "" {
		arch = m.Arch
	}
	l := &linter{m: m, arch: arch, lane: m.Lowering == "lane", seen: map[string]bool{}, site: -1}
	l.survey(m.Kernel)
	switch m.Lowering {
	case "triton", "none":
		l.call()
		return l.findings
	}
	l.erased()
	l.launch()
	params := make([]value, len(m.Operands))
	for i := range m.Operands {
		params[i] = l.operand(&m.Operands[i])
	}
	l.function(m.Kernel, params)
	l.capacity()
	return l.findings
}

// linter goes through a program.
type linter struct {
	m        *pallas.Module
	arch     string
	lane     bool // the semantics of lanes
	findings []kernel.Finding
	seen     map[string]bool

	prims map[string]bool // of the whole program
	tiled bool            // arrays in registers may have tiled layouts: something asks for them

	site int
	prim string
	warp bool
	room room
}

// report adds a finding at the present place, once. Shapes are shown as Python does.
func (l *linter) report(fix, format string, args ...any) {
	for i, a := range args {
		if shape, ok := a.([]int); ok {
			args[i] = shapeText(shape)
		}
	}
	f := kernel.Finding{Kind: kernel.WouldNotLower, Severity: kernel.Warning, Message: fmt.Sprintf(format, args...), Fix: fix, Kernel: l.m.Name, Count: 1}
	if s := l.m.Place(l.site); s.File != "" {
		f.Accesses = []kernel.Access{{Source: s}}
	}
	key := fmt.Sprintf("%d %s", l.site, f.Message)
	if !l.seen[key] {
		l.seen[key] = true
		l.findings = append(l.findings, f)
	}
}

// nested are the functions that an equation holds, and what else decides how they run.
type nested struct {
	Body, Cond *pallas.Function
	Branches   []*pallas.Function
	Scratch    []*pallas.Scratch
	Threads    bool
	Length     int
	Reverse    bool
	Unroll     int
	Consts     int
	Carry      int
	CondConsts int `json:"cond_consts"`
}

// params reads parameters; what Load has accepted has the right form.
func params[T any](e *pallas.Eqn) (p T) {
	if len(e.Params) > 0 && json.Unmarshal(e.Params, &p) != nil {
		var none T
		return none
	}
	return p
}

// survey finds out which primitives there are, and whether anything asks for tiled layouts.
func (l *linter) survey(f *pallas.Function) {
	l.prims = map[string]bool{}
	for _, x := range l.m.Erased {
		l.prims[x.Prim] = true
	}
	var function func(*pallas.Function)
	layout := func(s *pallas.Scratch) {
		if s != nil && (len(s.Tiling) > 0 || s.Swizzle > 0 || s.Kind == "accumulator" || s.Kind == "union" || s.Space == "tmem") {
			l.tiled = true
		}
	}
	function = func(f *pallas.Function) {
		if f == nil {
			return
		}
		for _, e := range f.Eqns {
			l.prims[e.Prim] = true
			if holds[e.Prim] {
				p := params[nested](e)
				for _, s := range p.Scratch {
					layout(s)
				}
				for _, g := range append(p.Branches, p.Body, p.Cond) {
					function(g)
				}
			}
		}
	}
	for i := range l.m.Operands {
		layout(l.m.Operands[i].Scratch)
	}
	function(f)
	for _, p := range []string{"layout_cast", "mma", "wgmma", "tcgen05_mma", "load_tmem"} {
		l.tiled = l.tiled || l.prims[p]
	}
}

// holds are the primitives with functions.
var holds = map[string]bool{"run_scoped": true, "run_state": true, "warps": true, "cond": true, "scan": true, "while": true}

// mosaic are primitives and allocations that only Mosaic GPU has.
func (l *linter) mosaic() bool {
	for _, p := range []string{"copy_gmem_to_smem", "copy_smem_to_gmem", "barrier_arrive", "barrier_wait", "commit_smem", "wgmma",
		"tcgen05_mma", "warps", "run_scoped", "set_max_registers", "semaphore_signal", "semaphore_wait", "layout_cast"} {
		if l.prims[p] {
			return true
		}
	}
	for _, o := range l.m.Operands {
		if o.Kind == "scratch" {
			return true
		}
	}
	return false
}

// call is about kernels of pl.pallas_call.
func (l *linter) call() {
	if l.m.Lowering == "none" || l.mosaic() {
		l.report("make the kernel with plgpu.kernel", "the kernel is called by pl.pallas_call, which Mosaic GPU does not compile (Triton does)")
	}
}

// erased looks at the primitives that the program does not hold.
func (l *linter) erased() {
	for _, x := range l.m.Erased {
		l.site, l.prim, l.warp = x.Src, x.Prim, x.Warp
		l.known(x.Prim)
	}
	l.warp, l.site = false, -1
}

// known reports a primitive that has no rule where it stands.
func (l *linter) known(prim string) bool {
	in := rules[prim]
	switch {
	case in == 0:
		l.report(instead[prim], "the compiler has no rule for %s", called(prim))
		return false
	case l.warp && !l.lane && in&inWarp == 0, l.warp && l.lane && in&inLane == 0:
		l.report(instead[prim], "the compiler has no rule for %s inside of a warp", called(prim))
		return false
	}
	return true
}

// scope is the variables of a function.
type scope struct {
	vars []value
	uses map[int]bool
}

// uses are the variables of a function that it uses.
func uses(f *pallas.Function) map[int]bool {
	m := map[int]bool{}
	atom := func(a *pallas.Atom) {
		if a != nil && a.Literal == nil {
			m[a.Var] = true
		}
	}
	for _, e := range f.Eqns {
		for _, o := range e.In {
			if o == nil {
				continue
			}
			atom(&o.Atom)
			for i := range o.View {
				for _, x := range o.View[i].Index {
					atom(x.At)
					atom(x.List)
					atom(x.Start)
				}
				for j := range o.View[i].Cluster {
					atom(&o.View[i].Cluster[j].At)
				}
				device(o.View[i].Device, atom)
			}
		}
		atom(e.When)
		device(params[struct{ Device *pallas.DeviceSpec }](e).Device, atom)
	}
	for i := range f.Out {
		atom(&f.Out[i])
	}
	return m
}

func device(d *pallas.DeviceSpec, atom func(*pallas.Atom)) {
	if d == nil {
		return
	}
	atom(d.Logical)
	for _, x := range d.Mesh {
		if x != nil {
			atom(&x.At)
		}
	}
}

// atom is what is known of an atom.
func (s *scope) atom(a *pallas.Atom) value {
	switch {
	case a == nil:
	case a.Literal != nil:
		return value{class: array, dtype: a.Literal.Type, shape: a.Literal.Shape}
	case a.Var >= 0 && a.Var < len(s.vars):
		return s.vars[a.Var]
	}
	return value{}
}

func (s *scope) operand(o *pallas.Operation) value {
	if o == nil {
		return value{}
	}
	return s.atom(&o.Atom)
}

// function goes through a function that is given these operands.
func (l *linter) function(f *pallas.Function, params []value) []value {
	if f == nil {
		return nil
	}
	s := &scope{vars: make([]value, f.Vars), uses: uses(f)}
	for i, n := range f.In {
		if i < len(params) && n >= 0 && n < f.Vars {
			s.vars[n] = params[i]
		}
	}
	for i := range f.Consts {
		k := &f.Consts[i]
		d, _ := tensor.FindDType(k.DType)
		s.vars[k.Var] = value{class: array, dtype: d, shape: k.Shape}
	}
	for _, e := range f.Eqns {
		site, prim := l.site, l.prim
		l.site, l.prim = e.Src, e.Prim
		l.equation(s, e)
		l.site, l.prim = site, prim
	}
	out := make([]value, len(f.Out))
	for i := range f.Out {
		out[i] = s.atom(&f.Out[i])
	}
	return out
}

// results defines the results of an equation.
func (s *scope) results(e *pallas.Eqn, from []value) {
	for i, r := range e.Out {
		if r.Var < 0 || r.Var >= len(s.vars) {
			continue
		}
		v := value{}
		if i < len(from) {
			v = from[i]
		}
		if r.DType != "" {
			d, _ := tensor.FindDType(r.DType)
			v = value{class: array, dtype: d, shape: r.Shape, loaded: v.loaded}
		}
		s.vars[r.Var] = v
	}
}

func (l *linter) equation(s *scope, e *pallas.Eqn) {
	in := make([]value, len(e.In))
	loaded := false
	for i, o := range e.In {
		in[i] = s.operand(o)
		loaded = loaded || in[i].loaded && in[i].wide()
	}
	inline := e.Prim == "commit_smem" && params[struct{ Inline bool }](e).Inline
	ok := inline || e.Prim == "while" && l.counts(e) || l.known(e.Prim)
	out := make([]value, len(e.Out))
	for i := range out {
		out[i] = value{class: array, loaded: loaded || fromMemory[e.Prim]}
	}
	if holds[e.Prim] {
		out = l.holding(e, in)
	} else if ok {
		if check := checks[e.Prim]; check != nil {
			check(l, s, e, in)
		} else {
			l.arithmetic(e, in)
		}
	}
	s.results(e, out)
	if e.Prim == "get_global" && len(e.Out) == 1 && e.Out[0].Var >= 0 {
		s.vars[e.Out[0].Var] = value{class: semaphore}
	}
}

// fromMemory are primitives whose results have a layout of their own.
var fromMemory = map[string]bool{"get": true, "masked_load": true, "wgmma_load": true, "load_tmem": true, "multimem_load_reduce": true, "mma": true}

// view is a use of a reference.
func (s *scope) view(o *pallas.Operation) view {
	if o == nil {
		return see(value{}, nil, s.atom)
	}
	return see(s.operand(o), o.View, s.atom)
}
