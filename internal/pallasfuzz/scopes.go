package pallasfuzz

import (
	"fmt"
	"strings"

	"gpusim/kernel"
)

// flight is an operation of which no thread of its cluster knows, when the scope of memory
// that it accesses ends, that it is through with it.
type flight struct {
	group, site int
	object      string
	node        int  // at which it is through
	last        bool // nobody has written there since: it has to be reported
}

// known reports whether a thread of a cluster knows of an event.
func (m *model) knownBy(group, node int) bool {
	for k, t := range m.threads {
		if k.group == group && m.path(node, t.node, anyWay) {
			return true
		}
	}
	return false
}

// leave is the end of a scope: of a block's, or a thread's own.
func (x *doing) leave(scope int) {
	bufs := map[string]bool{}
	for _, b := range x.p.Scopes[scope].Bufs {
		bufs[x.p.Bufs[b].Name] = true
	}
	of := x.block
	if x.p.Scopes[scope].Own {
		of = max(of, x.e.Thread)
	}
	seen := map[flight]bool{}
	for _, at := range x.places {
		if at.group != x.group || at.block != of {
			continue
		}
		list := x.accesses[at]
		for i, a := range list {
			if a.op == nil || a.group != x.group || !bufs[a.object] || a.proxy == tmem && !a.write {
				continue
			}
			f := flight{x.group, a.site, a.object, a.earlier(), a.write}
			for _, later := range list[i+1:] {
				f.last = f.last && !later.write
			}
			if !seen[f] && !x.knownBy(x.group, f.node) {
				seen[f] = true
				x.flights = append(x.flights, f)
			}
		}
	}
}

// outlasting compares what is reported of operations that outlast their scope.
func (m *model) outlasting() {
	type told struct {
		object   string
		site     int
		severity kernel.Severity
	}
	reported, may := map[told]bool{}, map[told]bool{}
	for _, f := range m.out.Findings {
		if f.Kind == kernel.AsyncMisuse && strings.HasPrefix(f.Message, "the scope of") {
			reported[told{f.Object, f.Accesses[0].Source.Line, f.Severity}] = true
		}
	}
	for _, f := range m.flights {
		r := told{f.object, f.site, kernel.Error}
		if m.knownBy(f.group, f.node) {
			r.severity = kernel.Info
		}
		may[r] = true
		if f.last && !reported[r] {
			m.fail("outlasts its scope, not reported: %v", r)
		}
	}
	for r := range reported {
		if !may[r] {
			m.fail("does not outlast its scope: %v", fmt.Sprint(r))
		}
	}
}
