package launch

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v4"

	"gpusim/kernel"
)

// The limits of a launch: CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability".
const (
	maxThreadsPerBlock = 1024
	maxShared          = math.MaxInt32
	// maxMembers bounds the struct members of a launch; the PTX ISA allows 32,764 bytes of
	// parameters ("Kernel Function Parameters").
	maxMembers = 32764
)

var (
	gridLimits    = [3]int64{math.MaxInt32, 65535, 65535}
	blockLimits   = [3]int64{1024, 1024, 64}
	clusterLimits = [3]int64{math.MaxInt32, math.MaxInt32, math.MaxInt32}
)

func (d *decoder) launches(top map[string]entry) {
	e, ok := top["launches"]
	if !ok {
		d.add(d.doc.of(d.doc.root), "launch file", "launches is missing")
		return
	}
	for i, n := range d.sequence(e.value, "launches") {
		d.launch(i, n)
	}
	d.checkAddresses()
}

func (d *decoder) launch(i int, n *yaml.Node) {
	what := fmt.Sprintf("launch %d", i)
	m := d.mapping(n, what, "kernel", "grid", "block", "cluster", "shared", "args", "free")
	if m == nil {
		return
	}
	s := step{at: d.doc.of(target(n))}
	if f, ok := m["free"]; ok {
		if len(m) > 1 {
			d.add(s.at, what, "free stands alone, without kernel, grid and the like")
		}
		if name, ok := d.scalar(f.value, what+" free"); ok && d.bufferNamed(name, what+" free") {
			s.free = name.text
			d.plan.steps = append(d.plan.steps, s)
		}
		return
	}
	if k, ok := m["kernel"]; ok {
		s.kernel, _ = d.scalar(k.value, what+" kernel")
		what = fmt.Sprintf("launch %d (%s)", i, s.kernel.text)
	} else {
		s.kernel.at = s.at
	}
	s.grid = d.extent(m, "grid", s.at, what, gridLimits)
	s.block = d.extent(m, "block", s.at, what, blockLimits)
	if b, ok := m["block"]; ok {
		s.blockAt = d.doc.of(target(b.value))
		d.checkBlock(s.block, s.blockAt, what+" block")
	}
	if c, ok := m["cluster"]; ok {
		d.checkCluster(d.extent(m, "cluster", s.at, what, clusterLimits), d.doc.of(target(c.value)), what+" cluster")
	}
	if x, ok := m["shared"]; ok {
		s.sharedAt = d.doc.of(target(x.value))
		s.shared, _ = d.integer(x.value, what+" shared", 0, maxShared)
	}
	s.argsAt = s.at
	if a, ok := m["args"]; ok && !isNull(target(a.value)) {
		s.argsAt = d.doc.of(target(a.value))
		d.members = 0
		for j, x := range d.sequence(a.value, what+" args") {
			// A broken argument keeps its place, so that the count is right.
			s.args = append(s.args, d.argument(target(x), fmt.Sprintf("%s argument %d", what, j), 0))
		}
	}
	d.plan.steps = append(d.plan.steps, s)
}

// extent reads one to three numbers.
func (d *decoder) extent(m map[string]entry, key string, at place, what string, limits [3]int64) kernel.Dim3 {
	e, ok := m[key]
	if !ok {
		d.add(at, what, "%s is missing", key)
		return kernel.Dim3{}
	}
	what += " " + key
	items := d.list(e.value)
	if len(items) == 0 || len(items) > 3 {
		d.add(d.doc.of(target(e.value)), what, "one to three numbers are expected, not %d", len(items))
		return kernel.Dim3{}
	}
	words := make([]scalar, len(items))
	for i, n := range items {
		s, ok := d.scalar(n, what)
		if !ok {
			return kernel.Dim3{}
		}
		words[i] = s
	}
	return d.dims(words, what, limits)
}

// dims checks one to three numbers; the zero extent stands for a broken one.
func (c *checker) dims(words []scalar, what string, limits [3]int64) kernel.Dim3 {
	out, good := [3]uint32{1, 1, 1}, true
	for i, s := range words {
		v, ok := c.parseInteger(s, what, 1, limits[i])
		good = good && ok
		out[i] = uint32(v)
	}
	if !good {
		return kernel.Dim3{}
	}
	return kernel.Dim3{X: out[0], Y: out[1], Z: out[2]}
}

func (c *checker) checkBlock(b kernel.Dim3, at place, what string) {
	if n := b.Count(); n > maxThreadsPerBlock {
		c.add(at, what, "%d threads in a block; at most %d are possible", n, maxThreadsPerBlock)
	}
}

func (c *checker) checkCluster(x kernel.Dim3, at place, what string) {
	if x.Count() > 1 {
		c.add(at, what, "clusters of more than one block are not supported yet")
	}
}

// bufferNamed reports a name that is no buffer's.
func (d *decoder) bufferNamed(s scalar, what string) bool {
	if d.plan.buffer(s.text) != nil {
		return true
	}
	d.add(s.at, what, "there is no buffer %q%s", s.text, nearest(s.text, d.plan.bufferNames()))
	return false
}

// checkAddresses reports addresses of buffers that do not exist.
func (d *decoder) checkAddresses() {
	for _, b := range d.plan.buffers {
		if b.init == nil {
			continue
		}
		for _, a := range b.init.addresses {
			d.bufferNamed(scalar{text: a.buffer, at: a.at}, "buffer "+b.name+" init addresses")
		}
	}
}

// argument reads one kernel argument; a broken one comes back without any kind.
func (d *decoder) argument(n *yaml.Node, what string, depth int) *argument {
	at := d.doc.of(n)
	a := &argument{at: at, text: describe(n)}
	if n.Kind == yaml.ScalarNode {
		s, ok := d.scalar(n, what)
		switch {
		case !ok:
		case d.plan.buffer(s.text) == nil && looksNumeric(s):
			d.add(at, what, "a scalar needs its type: {i32: %s}", s.text)
		case d.bufferNamed(s, what):
			a.buffer, a.text = s.text, s.text
		}
		return a
	}
	keys := append(dtypeNames(), "buffer", "offset", "bytes", "struct", "pad", "shared")
	m := d.mapping(n, what, keys...)
	if m == nil {
		return a
	}
	if _, ok := m["buffer"]; ok {
		if p := d.address(n, what); p != nil && d.bufferNamed(scalar{text: p.buffer, at: at}, what) {
			return p
		}
		return a
	}
	if len(m) != 1 {
		if len(m) > 1 || len(n.Content) == 0 {
			d.add(at, what, "one of a typed scalar like {i32: 5}, buffer, bytes, struct, pad and shared is expected")
		}
		return a
	}
	for key, e := range m { // the only one
		a.text = key
		d.keyedArgument(a, key, e, what, depth)
	}
	return a
}

func looksNumeric(s scalar) bool {
	_, err := parseFloat(s.text)
	return err == nil && !s.quoted
}

func (d *decoder) keyedArgument(a *argument, key string, e entry, what string, depth int) {
	what += " " + key
	switch key {
	case "bytes":
		if s, ok := d.scalar(e.value, what); ok {
			b, err := hex.DecodeString(strings.Join(strings.Fields(s.text), ""))
			if err != nil || len(b) == 0 {
				d.add(s.at, what, "%q is not a string of hexadecimal digit pairs", s.text)
				return
			}
			a.bytes = b
		}
	case "pad":
		if depth == 0 {
			d.add(e.key.at, what, "padding stands inside a struct only")
			return
		}
		if k, ok := d.integer(e.value, what, 1, 1<<16); ok {
			a.bytes = make([]byte, k)
		}
	case "shared":
		if k, ok := d.integer(e.value, what, 1, maxShared); ok {
			a.shared, a.isShare = k, true
		}
	case "struct":
		if depth == maxNesting {
			d.add(e.key.at, what, "structs are nested more than %d deep", maxNesting)
			return
		}
		items := d.sequence(e.value, what)
		if target(e.value).Kind == yaml.SequenceNode && len(items) == 0 {
			d.add(d.doc.of(target(e.value)), what, "the list is empty")
		}
		for i, x := range items {
			if d.members++; d.members > maxMembers {
				if d.members == maxMembers+1 {
					d.add(a.at, what, "more than %d struct members in one launch", maxMembers)
				}
				return
			}
			a.parts = append(a.parts, d.argument(target(x), fmt.Sprintf("%s member %d", what, i), depth+1))
		}
	case "offset":
		d.add(e.key.at, what, "offset needs a buffer: {buffer: in, offset: 128}")
	default:
		t, err := findDType(key)
		if s, ok := d.scalar(e.value, what); ok && err == nil {
			a.bytes = make([]byte, t.Size)
			t.put(a.bytes, d.value(t, s, what))
		}
	}
}

// address reads a buffer's name, or {buffer: in, offset: 128}. Whether the buffer exists
// is left to the caller.
func (d *decoder) address(n *yaml.Node, what string) *argument {
	a := &argument{at: d.doc.of(n)}
	if n.Kind == yaml.ScalarNode {
		s, ok := d.scalar(n, what)
		if !ok {
			return nil
		}
		a.buffer, a.text = s.text, s.text
		return a
	}
	m := d.mapping(n, what, "buffer", "offset")
	e, ok := m["buffer"]
	if !ok {
		if m != nil {
			d.add(a.at, what, "buffer is missing")
		}
		return nil
	}
	s, ok := d.scalar(e.value, what+" buffer")
	if !ok {
		return nil
	}
	a.buffer, a.text = s.text, s.text
	if o, ok := m["offset"]; ok {
		a.offset, _ = d.integer(o.value, what+" offset", math.MinInt64, math.MaxInt64)
	}
	return a
}
