package launch

import (
	"math"
	"math/bits"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v4"
)

func (d *decoder) buffers(top map[string]entry, maxMemory int64) {
	e, ok := top["buffers"]
	if !ok || isNull(target(e.value)) {
		return
	}
	var sum sizeSum
	for _, x := range d.entries(e.value, "buffers") {
		what := "buffer " + x.key.text
		b := &buffer{name: x.key.text, at: x.key.at}
		d.plan.buffers = append(d.plan.buffers, b)
		m := d.mapping(x.value, what, "dtype", "shape", "init", "symbol")
		if m == nil {
			continue
		}
		ok := d.elementType(b, m, x.key.at, what)
		ok = d.shape(b, m, x.key.at, what) && ok
		if s, has := m["symbol"]; has {
			b.symbol, _ = d.scalar(s.value, what+" symbol")
		}
		if !ok || !sum.add(&d.checker, b, maxMemory) {
			b.count = 0 // unknown: what depends on it is not checked
			continue
		}
		if in, has := m["init"]; has {
			b.init = d.init(b, in.value, what+" init")
		} else if b.symbol.text == "" {
			b.init = &initialiser{kind: initZeros, at: b.at}
		}
	}
}

func (d *decoder) elementType(b *buffer, m map[string]entry, at place, what string) bool {
	e, ok := m["dtype"]
	if !ok {
		d.add(at, what, "dtype is missing")
		return false
	}
	s, ok := d.scalar(e.value, what+" dtype")
	if !ok {
		return false
	}
	t, err := findDType(s.text)
	if err != nil {
		d.add(s.at, what+" dtype", "%v", err)
		return false
	}
	b.dtype = t
	return true
}

func (d *decoder) shape(b *buffer, m map[string]entry, at place, what string) bool {
	e, ok := m["shape"]
	if !ok {
		d.add(at, what, "shape is missing")
		return false
	}
	items := d.list(e.value)
	if len(items) == 0 {
		d.add(d.doc.of(target(e.value)), what+" shape", "at least one dimension is expected")
		return false
	}
	for _, n := range items {
		k, isInt := d.integer(n, what+" shape", 1, math.MaxInt64)
		ok = ok && isInt
		b.shape = append(b.shape, k)
	}
	return ok
}

// sizeSum adds up the buffers of a plan. Sizes up to 2^64 and beyond must not wrap into
// something that looks small.
type sizeSum struct{ bytes uint64 }

// add counts a buffer's elements, and reports the buffer if it does not fit the limit.
func (s *sizeSum) add(c *checker, b *buffer, limit int64) bool {
	size, overflow := uint64(b.dtype.Size), false
	for _, n := range b.shape {
		hi, lo := bits.Mul64(size, uint64(n))
		overflow = overflow || hi != 0
		size = lo
	}
	total, carry := bits.Add64(s.bytes, size, 0)
	if overflow || carry != 0 || total > uint64(limit) {
		needs := "more than 2^64 bytes"
		if !overflow {
			needs = humanize.IBytes(size)
		}
		c.add(b.at, "buffer "+b.name, "%s %s needs %s; all buffers together may take %s (--max-memory)",
			b.dtype.Name, formatShape(b.shape), needs, humanize.IBytes(uint64(limit)))
		return false
	}
	s.bytes = total
	b.count = int64(size) / int64(b.dtype.Size)
	return true
}

// init reads the value of an init key.
func (d *decoder) init(b *buffer, n *yaml.Node, what string) *initialiser {
	n = target(n)
	if n.Kind == yaml.ScalarNode && (n.Value == string(initZeros) || n.Value == string(initNone)) {
		return &initialiser{kind: initKind(n.Value), at: d.doc.of(n)}
	}
	if n.Kind == yaml.ScalarNode {
		names := []string{"zeros", "none", "fill", "range", "random", "values", "npy", "raw", "addresses"}
		d.add(d.doc.of(n), what, "unknown initialiser %s%s", describe(n), nearest(n.Value, names))
		return nil
	}
	m := d.mapping(n, what, "fill", "range", "random", "values", "npy", "raw", "addresses")
	if len(m) != 1 {
		if m != nil && (len(m) > 1 || len(n.Content) == 0) {
			d.add(d.doc.of(n), what, "one of zeros, none, fill, range, random, values, npy, raw and addresses is expected, and only one")
		}
		return nil
	}
	for kind, e := range m { // the only one
		return d.initialiser(b, initKind(kind), e.value, what)
	}
	return nil
}

// initialiser reads the parameters of one kind of initialiser.
func (d *decoder) initialiser(b *buffer, kind initKind, n *yaml.Node, what string) *initialiser {
	in := &initialiser{kind: kind, at: d.doc.of(target(n))}
	what += " " + string(kind)
	if b.count == 0 {
		return in
	}
	switch kind {
	case initFill:
		if s, ok := d.scalar(n, what); ok {
			in.fill = d.value(b.dtype, s, what)
		}
	case initValues:
		d.values(b, in, n, what)
	case initRange:
		if m := d.mapping(n, what, "start", "step"); m != nil {
			in.start = d.number(b.dtype, d.orDefault(m, "start", "0", what), what+" start")
			in.step = d.number(b.dtype, d.orDefault(m, "step", "1", what), what+" step")
		}
	case initRandom:
		m := d.mapping(n, what, "seed", "low", "high")
		if m == nil {
			return in
		}
		seed, low := d.required(m, "seed", in.at, what), d.required(m, "low", in.at, what)
		high := d.required(m, "high", in.at, what)
		if seed.text != "" && low.text != "" && high.text != "" {
			d.random(b.dtype, in, seed, low, high, what)
		}
	case initNpy, initRaw:
		if s, ok := d.scalar(n, what); ok {
			in.path = s
			d.file(b, in, what)
		}
	case initAddresses:
		d.addresses(b, in, n, what)
	}
	return in
}

func (d *decoder) required(m map[string]entry, key string, at place, what string) scalar {
	e, ok := m[key]
	if !ok {
		d.add(at, what, "%s is missing", key)
		return scalar{}
	}
	s, _ := d.scalar(e.value, what+" "+key)
	return s
}

func (d *decoder) orDefault(m map[string]entry, key, value, what string) scalar {
	if e, ok := m[key]; ok {
		if s, ok := d.scalar(e.value, what+" "+key); ok {
			return s
		}
	}
	return scalar{text: value}
}

// values reads a list of elements, which may be nested as the shape is.
func (d *decoder) values(b *buffer, in *initialiser, n *yaml.Node, what string) {
	n = target(n)
	if n.Kind != yaml.SequenceNode {
		d.add(d.doc.of(n), what, "a list is expected, not %s", describe(n))
		return
	}
	before, count := len(d.errs), int64(0)
	var walk func(n *yaml.Node, depth int)
	walk = func(n *yaml.Node, depth int) {
		for _, x := range n.Content {
			if count > b.count || len(d.errs) > before+10 {
				return // aliases can make a short text an endless list
			}
			x = target(x)
			if x.Kind == yaml.SequenceNode && depth < maxNesting {
				walk(x, depth+1)
				continue
			}
			count++
			if s, ok := d.scalar(x, what); ok {
				in.values = append(in.values, d.value(b.dtype, s, what))
			}
		}
	}
	walk(n, 0)
	if len(d.errs) == before && count != b.count {
		have := "fewer"
		if count > b.count {
			have = "more"
		}
		d.add(d.doc.of(n), what, "%s than the %d values of shape %s", have, b.count, formatShape(b.shape))
	}
}

// addresses reads a list of pointers to buffers; whether these exist is checked when all
// buffers are known.
func (d *decoder) addresses(b *buffer, in *initialiser, n *yaml.Node, what string) {
	if b.dtype.class == floating || b.dtype.Size != pointerSize {
		d.add(in.at, what, "the buffer is %s, addresses need u64, i64 or b64", b.dtype.Name)
		return
	}
	items := d.sequence(n, what)
	for _, x := range items {
		if a := d.address(target(x), what); a != nil {
			in.addresses = append(in.addresses, a)
		}
	}
	if items != nil && int64(len(items)) != b.count {
		d.add(in.at, what, "%d addresses for the %d elements of shape %s", len(items), b.count, formatShape(b.shape))
	}
}
