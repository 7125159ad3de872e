package launch

import (
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v4"
)

// decoder reads a launch file's tree into a plan.
type decoder struct {
	checker
	doc     *document
	plan    *Plan
	members int // of structs in the launch that is read
}

// maxNesting bounds structs and lists of values within each other: an alias may name the
// collection that it is in.
const maxNesting = 16

// decodeFile reads a launch file. The plan holds what could be read, also with errors.
func decodeFile(name, dir string, text []byte, maxMemory int64) (*Plan, InputErrors) {
	plan := &Plan{dir: dir}
	doc, err := parseYAML(name, text)
	if err != nil {
		return plan, InputErrors{err.(InputError)}
	}
	d := &decoder{checker: checker{dir: dir}, doc: doc, plan: plan}
	top := d.mapping(doc.root, "launch file", "program", "compile", "buffers", "launches", "expect")
	if top == nil {
		return plan, d.errs
	}
	d.programs(top)
	d.compile(top)
	d.buffers(top, maxMemory)
	d.launches(top)
	d.expect(top)
	return plan, d.errs
}

// entry is one key and value of a mapping.
type entry struct {
	key   scalar
	value *yaml.Node
}

// mapping returns the entries of a mapping by their keys; nil if it is none. With known
// keys, every other one is an error.
func (d *decoder) mapping(n *yaml.Node, what string, known ...string) map[string]entry {
	list := d.entries(n, what)
	if list == nil {
		return nil
	}
	m := make(map[string]entry, len(list))
	for _, e := range list {
		if !contains(known, e.key.text) {
			d.add(e.key.at, what, "unknown key %q%s; known: %s", e.key.text, nearest(e.key.text, known), strings.Join(known, ", "))
			continue
		}
		m[e.key.text] = e
	}
	return m
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// entries lists a mapping in its order, or returns nil with an error.
func (d *decoder) entries(n *yaml.Node, what string) []entry {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		d.add(d.doc.of(n), what, "a mapping of keys to values is expected, not %s", describe(n))
		return nil
	}
	list := make([]entry, 0, len(n.Content)/2)
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := target(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			d.add(d.doc.of(k), what, "a key must be a plain word, not %s", describe(k))
			continue
		}
		if line, twice := seen[k.Value]; twice {
			d.add(d.doc.of(k), what, "key %q is given twice, first at line %d", k.Value, line)
			continue
		}
		seen[k.Value] = k.Line
		list = append(list, entry{scalar{k.Value, false, d.doc.of(k)}, n.Content[i+1]})
	}
	return list
}

// target follows an alias.
func target(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// scalar reads a single value.
func (d *decoder) scalar(n *yaml.Node, reading string) (scalar, bool) {
	n = target(n)
	if n.Kind != yaml.ScalarNode || isNull(n) {
		d.add(d.doc.of(n), reading, "a single value is expected, not %s", describe(n))
		return scalar{at: d.doc.of(n)}, false
	}
	return scalar{n.Value, n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0, d.doc.of(n)}, true
}

// integer reads an integer within limits.
func (d *decoder) integer(n *yaml.Node, reading string, low, high int64) (int64, bool) {
	s, ok := d.scalar(n, reading)
	if !ok {
		return 0, false
	}
	return d.parseInteger(s, reading, low, high)
}

func (c *checker) parseInteger(s scalar, reading string, low, high int64) (int64, bool) {
	i, err := parseInt(s.text)
	switch {
	case err != nil:
		c.add(s.at, reading, "%v", err)
	case !i.IsInt64() || i.Int64() < low || i.Int64() > high:
		if high == math.MaxInt64 && i.Sign() > 0 && !i.IsInt64() {
			c.add(s.at, reading, "%s is too large", s.text)
		} else if high == math.MaxInt64 {
			c.add(s.at, reading, "%s is below %d", s.text, low)
		} else {
			c.add(s.at, reading, "%s is not in %d to %d", s.text, low, high)
		}
	default:
		return i.Int64(), true
	}
	return 0, false
}

// float reads a number that is not negative.
func (d *decoder) float(n *yaml.Node, reading string) float64 {
	s, ok := d.scalar(n, reading)
	if !ok {
		return 0
	}
	f, err := parseFloat(s.text)
	if err != nil || !(f >= 0) {
		d.add(s.at, reading, "%q is not a number of at least 0", s.text)
		return 0
	}
	return f
}

// list reads a sequence, or a single item that stands for a sequence of one.
func (d *decoder) list(n *yaml.Node) []*yaml.Node {
	n = target(n)
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// sequence reads a list and nothing else.
func (d *decoder) sequence(n *yaml.Node, reading string) []*yaml.Node {
	n = target(n)
	if n.Kind != yaml.SequenceNode {
		d.add(d.doc.of(n), reading, "a list is expected, not %s", describe(n))
		return nil
	}
	return n.Content
}

func (d *decoder) programs(top map[string]entry) {
	e, ok := top["program"]
	if !ok {
		d.add(d.doc.of(d.doc.root), "launch file", "program is missing")
		return
	}
	for _, n := range d.list(e.value) {
		if s, ok := d.scalar(n, "program"); ok {
			d.plan.programs = append(d.plan.programs, s)
		}
	}
	if len(d.list(e.value)) == 0 {
		d.add(d.doc.of(target(e.value)), "program", "the list is empty")
	}
	d.checkPrograms(d.plan.programs)
}

// compile reads the section for sources; PTX needs none of it.
func (d *decoder) compile(top map[string]entry) {
	e, ok := top["compile"]
	if !ok {
		return
	}
	m := d.mapping(e.value, "compile", "arch", "flags")
	if a, ok := m["arch"]; ok {
		d.plan.arch, _ = d.scalar(a.value, "compile arch")
	}
	if f, ok := m["flags"]; ok {
		for _, n := range d.sequence(f.value, "compile flags") {
			if s, ok := d.scalar(n, "compile flags"); ok {
				d.plan.flags = append(d.plan.flags, s.text)
			}
		}
	}
}

func (d *decoder) expect(top map[string]entry) {
	e, ok := top["expect"]
	if !ok || isNull(target(e.value)) {
		return
	}
	for _, x := range d.entries(e.value, "expect") {
		what := "expect " + x.key.text
		b := d.plan.buffer(x.key.text)
		if b == nil {
			d.add(x.key.at, "expect", "there is no buffer %q%s", x.key.text, nearest(x.key.text, d.plan.bufferNames()))
			continue
		}
		for _, s := range d.plan.steps {
			if s.free == b.name {
				d.add(x.key.at, what, "the buffer is freed at line %d", s.at.line)
			}
		}
		m := d.mapping(x.value, what, "npy", "values", "fill", "atol", "rtol")
		if m == nil {
			continue
		}
		out := expectation{at: x.key.at, buffer: b.name}
		if a, ok := m["atol"]; ok {
			out.atol = d.float(a.value, what+" atol")
		}
		if r, ok := m["rtol"]; ok {
			out.rtol = d.float(r.value, what+" rtol")
		}
		delete(m, "atol")
		delete(m, "rtol")
		if len(m) != 1 {
			d.add(x.key.at, what, "one of npy, values and fill is expected")
			continue
		}
		for kind, v := range m { // the only one
			out.want = d.initialiser(b, initKind(kind), v.value, what)
		}
		d.plan.expects = append(d.plan.expects, out)
	}
}

func (p *Plan) buffer(name string) *buffer {
	for _, b := range p.buffers {
		if b.name == name {
			return b
		}
	}
	return nil
}

func (p *Plan) bufferNames() []string {
	names := make([]string, len(p.buffers))
	for i, b := range p.buffers {
		names[i] = b.name
	}
	return names
}
