package launch

import (
	"fmt"
	"math"
	"strings"

	"gpusim/kernel"
)

// readFlags makes the plan of a program from the flags beside it. Data files are relative
// to the working directory.
func readFlags(in Input, maxMemory int64) (*Plan, InputErrors) {
	r := &flagReader{plan: &Plan{dir: "."}}
	r.dir = "."
	r.plan.programs = []scalar{{text: in.File, at: place{file: in.File}}}
	r.checkPrograms(r.plan.programs)

	s := step{kernel: scalar{text: in.Kernel, at: place{file: ""}}}
	s.grid = r.extent("--grid", in.Grid, true, gridLimits)
	s.block = r.extent("--block", in.Block, true, blockLimits)
	r.checkBlock(s.block, flagPlace(in.Block, 1), "--block")
	r.checkCluster(r.extent("--cluster", in.Cluster, false, clusterLimits), flagPlace(in.Cluster, 1), "--cluster")
	if in.Shared != "" {
		s.shared, _ = r.parseInteger(scalar{text: in.Shared, at: flagPlace(in.Shared, 1)}, "--shared", 0, maxShared)
	}
	for i, text := range in.Args {
		s.args = append(s.args, r.arg(i, text, maxMemory))
	}
	r.plan.steps = []step{s}
	return r.plan, r.errs
}

// flagPlace is a column of a flag's value.
func flagPlace(value string, column int) place { return place{column: column, quote: value} }

// flagReader reads the flags of a program into a plan.
type flagReader struct {
	checker
	plan *Plan
	sum  sizeSum
}

func (r *flagReader) extent(flag, value string, required bool, limits [3]int64) kernel.Dim3 {
	if value == "" {
		if required {
			r.add(place{}, flag, "it is missing: one to three numbers, x first")
		}
		return kernel.Dim3{X: 1, Y: 1, Z: 1}
	}
	var words []scalar
	for _, t := range split(token{value, 1, value}, ',') {
		words = append(words, t.scalar())
	}
	if len(words) > 3 {
		r.add(flagPlace(value, 1), flag, "one to three numbers are expected, not %d", len(words))
		return kernel.Dim3{}
	}
	return r.dims(words, flag, limits)
}

// token is a part of a flag's value with its column, from 1.
type token struct {
	text   string
	column int
	whole  string
}

func (t token) scalar() scalar {
	return scalar{text: strings.TrimSpace(t.text), at: flagPlace(t.whole, t.column)}
}

// cut splits at the first of the characters; found is false without one.
func (t token) cut(chars string) (before, after token, found bool) {
	i := strings.IndexAny(t.text, chars)
	if i < 0 {
		return t, token{"", t.column + len(t.text), t.whole}, false
	}
	return token{t.text[:i], t.column, t.whole}, token{t.text[i+1:], t.column + i + 1, t.whole}, true
}

func split(t token, sep byte) []token {
	var out []token
	for {
		head, tail, more := t.cut(string(sep))
		out = append(out, head)
		if !more {
			return out
		}
		t = tail
	}
}

// arg reads one --arg: NAME=TYPE[DIMS], NAME=TYPE[DIMS]:INIT, NAME=TYPE:VALUE or NAME=shared:BYTES. A broken
// one comes back without any kind.
func (r *flagReader) arg(i int, text string, maxMemory int64) *argument {
	what := func(t token) string { return fmt.Sprintf("--arg '%s', column %d", text, t.column) }
	fail := func(t token, format string, args ...any) *argument {
		r.add(flagPlace(text, t.column), what(t), format, args...)
		return &argument{text: text}
	}
	name, rest, ok := token{text, 1, text}.cut("=")
	if !ok || name.text == "" {
		return fail(name, "NAME=TYPE:VALUE or NAME=TYPE[SHAPE]:INIT is expected")
	}
	typeName, tail, _ := rest.cut(":[")
	if typeName.text == "shared" { // __local of OpenCL
		a := &argument{at: flagPlace(text, 1), text: name.text, isShare: true}
		if tail.text == "" {
			return fail(tail, "a number of bytes like shared:1024 is missing")
		}
		a.shared, _ = r.parseInteger(tail.scalar(), what(tail), 1, maxShared)
		return a
	}
	dtype, err := findDType(typeName.text)
	if _, notNumber := parseFloat(typeName.text); err != nil && notNumber == nil {
		return fail(rest, "a scalar needs its type: %s=i32:%s", name.text, typeName.text)
	}
	if err != nil {
		return fail(rest, "%v", err)
	}
	a := &argument{at: flagPlace(text, 1), text: name.text}
	switch {
	case len(tail.text) == 0 && tail.column > len(text):
		return fail(tail, "a shape like %s[256] or a value like %s:1 is missing", dtype.Name, dtype.Name)
	case text[tail.column-2] == ':':
		s := tail.scalar()
		a.bytes = make([]byte, dtype.Size)
		dtype.put(a.bytes, r.value(dtype, s, what(tail)))
		return a
	}
	dims, after, ok := tail.cut("]")
	if !ok {
		return fail(tail, "the shape has no closing ]")
	}
	b := &buffer{name: name.text, at: flagPlace(text, 1), dtype: dtype}
	if r.plan.buffer(b.name) != nil {
		return fail(name, "there is a buffer %q already", b.name)
	}
	before := len(r.errs)
	for _, t := range split(dims, ',') {
		k, _ := r.parseInteger(t.scalar(), what(t), 1, math.MaxInt64)
		b.shape = append(b.shape, k)
	}
	if len(r.errs) > before || !r.sum.add(&r.checker, b, maxMemory) {
		return &argument{text: text}
	}
	init := token{"zeros", after.column, text}
	if after.text != "" {
		if after.text[0] != ':' {
			return fail(after, "a colon and an initialiser are expected, not %q", after.text)
		}
		init = token{after.text[1:], after.column + 1, text}
	}
	b.init = r.init(b, init, what)
	r.plan.buffers = append(r.plan.buffers, b)
	a.buffer = b.name
	return a
}

// flagInits lists the initialisers of --arg with their numbers of operands; -1 is any.
var flagInits = map[string]int{"zeros": 0, "none": 0, "fill": 1, "range": 2, "random": 3, "values": -1, "npy": 1, "raw": 1}

// init reads an INIT of --arg.
func (r *flagReader) init(b *buffer, t token, what func(token) string) *initialiser {
	word, rest, call := t.cut("(")
	in := &initialiser{kind: initKind(word.text), at: flagPlace(t.whole, t.column)}
	want, known := flagInits[word.text]
	if !known {
		names := []string{"zeros", "none", "fill", "range", "random", "values", "npy", "raw"}
		r.add(in.at, what(t), "unknown initialiser %q%s; known: %s", word.text, nearest(word.text, names), strings.Join(names, " "))
		return nil
	}
	var operands []scalar
	if call {
		if !strings.HasSuffix(rest.text, ")") {
			r.add(flagPlace(t.whole, rest.column+len(rest.text)), what(rest), "%s( has no closing )", word.text)
			return nil
		}
		rest.text = strings.TrimSuffix(rest.text, ")")
		sep := byte(',')
		if in.kind == initValues {
			sep = ';'
		}
		parts := []token{rest}
		if in.kind != initNpy && in.kind != initRaw { // a path may hold commas
			parts = split(rest, sep)
		}
		for _, p := range parts {
			operands = append(operands, p.scalar())
		}
	}
	if want >= 0 && len(operands) != want || want < 0 && len(operands) == 0 {
		usage := map[initKind]string{initZeros: "zeros", initNone: "none", initFill: "fill(value)", initRange: "range(start,step)",
			initRandom: "random(seed,low,high)", initValues: "values(a;b;...)", initNpy: "npy(path)", initRaw: "raw(path)"}
		r.add(in.at, what(t), "%s is expected", usage[in.kind])
		return nil
	}
	column := what(rest)
	switch in.kind {
	case initFill:
		in.fill = r.value(b.dtype, operands[0], column)
	case initRange:
		in.start, in.step = r.number(b.dtype, operands[0], column), r.number(b.dtype, operands[1], column)
	case initRandom:
		r.random(b.dtype, in, operands[0], operands[1], operands[2], column)
	case initValues:
		if int64(len(operands)) != b.count {
			r.add(in.at, column, "%d values, separated by ;, for the %d elements of shape %s", len(operands), b.count, formatShape(b.shape))
			return nil
		}
		for _, s := range operands {
			in.values = append(in.values, r.value(b.dtype, s, column))
		}
	case initNpy, initRaw:
		in.path = operands[0]
		r.file(b, in, column)
	}
	return in
}
