package pallasfuzz

import (
	"fmt"

	"gpusim/kernel"
)

// proxy is the path by which an access reaches memory.
type proxy uint8

const (
	generic proxy = iota
	async
	tmem
)

// operation is an asynchronous operation: it is issued, starts after what its issuer knows,
// has read its source, and is complete.
type operation struct{ issued, start, read, complete int }

// access is an access to one element.
type access struct {
	group  int
	op     *operation // nil: of a thread itself
	node   int        // of a thread itself
	write  bool
	atomic bool
	proxy  proxy
	site   int
	object string
	global bool // global memory
}

// as the earlier one of two, and as the later one.
func (a *access) earlier() int {
	switch {
	case a.op == nil:
		return a.node
	case a.write:
		return a.op.complete
	}
	return a.op.read
}

func (a *access) later() int {
	if a.op == nil {
		return a.node
	}
	return a.op.start
}

// Pair is a race as it is reported.
type Pair struct {
	First, Second int // sites in ascending order
	Object        string
	Severity      kernel.Severity
}

func pairOf(a, b int, object string, s kernel.Severity) Pair {
	return Pair{min(a, b), max(a, b), object, s}
}

func (p Pair) String() string {
	return fmt.Sprintf("%d and %d, %s, %v", p.First, p.Second, p.Object, p.Severity)
}

// ordered reports whether x happened before y, as y's proxy sees it.
func (g *graph) ordered(x, y *access) bool {
	switch {
	case x.op != nil && x.op == y.op:
		return true
	case y.proxy == tmem:
		return g.path(x.earlier(), y.later(), tensorWay)
	case y.proxy == async && x.op == nil:
		return g.path(x.earlier(), y.later(), fencedWay)
	}
	return g.path(x.earlier(), y.later(), anyWay)
}

// conflict reports whether two accesses to an element have to be ordered.
func conflict(x, y *access) bool { return (x.write || y.write) && !(x.atomic && y.atomic) }

// pair is what is to be reported of two accesses, if anything, and the edge that they lack.
func (g *graph) pair(x, y *access) (p Pair, edge kernel.Edge, racy bool) {
	if !conflict(x, y) || g.ordered(x, y) {
		return Pair{}, "", false
	}
	p, edge = pairOf(x.site, y.site, y.object, kernel.Error), kernel.NoBarrier
	switch {
	case y.proxy != generic && g.path(x.earlier(), y.later(), anyWay):
		edge = kernel.ProxyFence
		if !x.write && y.proxy == async {
			p.Severity = kernel.Warning
			if y.global {
				return Pair{}, "", false
			}
		}
	case x.op != nil && (x.group == y.group || g.path(x.op.issued, y.later(), anyWay)):
		edge = kernel.NoWait
	}
	return p, edge, true
}

// told reports whether a pair is reported: an error tells of the warning, too.
func told(reported map[Pair][]kernel.Edge, p Pair) bool {
	if _, ok := reported[p]; ok {
		return true
	}
	p.Severity = kernel.Error
	_, ok := reported[p]
	return ok
}

// place is an element of physical memory.
type place struct {
	group, block int // -1 for memory that does not belong to one
	device       int
	space        string
	at           int
}

// races compares the races by the graph with those that are reported: a reported pair has
// to race somewhere, and a pair that races has to be reported, unless it is told already
// that the older access races with a third one between them, or that the newer one races
// with an access that came after the older one.
func (m *model) races(reported map[Pair][]kernel.Edge) (wrong []string) {
	justified := map[Pair]map[kernel.Edge]bool{}
	for _, at := range m.places {
		list := m.accesses[at]
		for j, y := range list {
			var pairs []Pair
			var with []int
			for i, x := range list[:j] {
				if p, edge, racy := m.pair(x, y); racy {
					if justified[p] == nil {
						justified[p] = map[kernel.Edge]bool{}
					}
					justified[p][edge] = true
					pairs, with = append(pairs, p), append(with, i)
				}
			}
			for k, i := range with {
				if !told(reported, pairs[k]) && !m.covered(list, i, j, pairs, with, reported) {
					wrong = append(wrong, fmt.Sprintf("missed: %v (%+v)", pairs[k], at))
				}
			}
		}
	}
	for p, edges := range reported {
		if justified[p] == nil {
			wrong = append(wrong, fmt.Sprintf("false: %v", p))
			continue
		}
		for _, edge := range edges {
			if !justified[p][edge] {
				wrong = append(wrong, fmt.Sprintf("edge: %v lacks %v, not %s", p, justified[p], edge))
			}
		}
	}
	return wrong
}

func (m *model) covered(list []*access, i, j int, pairs []Pair, with []int, reported map[Pair][]kernel.Edge) bool {
	x := list[i]
	for k, n := range with {
		if n > i && m.path(x.earlier(), list[n].later(), anyWay) && (told(reported, pairs[k]) || m.covered(list, n, j, pairs, with, reported)) {
			return true
		}
		// Of groups that nothing orders, two are remembered.
		if !m.p.Talks && told(reported, pairs[k]) && x.write == list[n].write && x.atomic == list[n].atomic {
			return true
		}
	}
	for _, z := range list[i+1 : j] {
		// Who has waited for an operation needs no fence, though it may have written by the
		// generic proxy; it has taken the place of what was written before.
		if z.op != nil && z.proxy == generic && z.write && !z.atomic && m.ordered(x, z) && m.ordered(z, list[j]) {
			return true
		}
		if p, _, racy := m.pair(x, z); racy && told(reported, p) && z.write && !z.atomic {
			return true
		}
	}
	return false
}
