package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpusim/device"
	"gpusim/kernel"
)

// Result is what a run, or several with different seeds, brought to light.
type Result struct {
	Program  string
	Seed     uint64 // the first
	Seeds    int
	Launches []device.LaunchResult // of the first seed
	Findings []Finding
	Expect   []ExpectResult
	Output   string // what the kernels printed with the first seed
	Complete bool
	Stopped  string // why it is not complete
}

// Finding is a finding with the first seed that showed it.
type Finding struct {
	kernel.Finding
	Seed uint64
}

// ExpectResult says whether a buffer held what was expected with every seed.
type ExpectResult struct {
	Buffer string
	OK     bool
}

// merge adds what a run with another seed found. Findings of different seeds that agree in
// all but threads, offsets and values are one; a device has merged its own.
func (r *Result) merge(seed uint64, findings []kernel.Finding, expect []ExpectResult) {
	seen := make(map[string]int, len(r.Findings))
	for i, f := range slices.Backward(r.Findings) {
		seen[identity(f.Finding)] = i
	}
	for _, f := range findings {
		key := identity(f)
		if i, ok := seen[key]; ok {
			r.Findings[i].Count += f.Count
			continue
		}
		r.Findings = append(r.Findings, Finding{f, seed})
	}
	for _, e := range expect {
		i := slices.IndexFunc(r.Expect, func(x ExpectResult) bool { return x.Buffer == e.Buffer })
		if i < 0 {
			r.Expect = append(r.Expect, e)
		} else if !e.OK {
			r.Expect[i].OK = false
		}
	}
}

// identity tells findings of different seeds apart.
func identity(f kernel.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%d|%d|%s|%s|%s|%s", f.Kind, f.Severity, f.Launch, f.Kernel, f.Space, f.Object, f.Edge)
	parts := make([]string, 0, len(f.Accesses)+len(f.Waits))
	for _, a := range f.Accesses {
		parts = append(parts, fmt.Sprintf("%s %v %s:%d:%d %s %s", a.Op, a.Atomic, a.Source.File, a.Source.Line, a.Source.Column,
			a.Source.Function, a.Source.PTX))
	}
	for _, w := range f.Waits {
		parts = append(parts, fmt.Sprintf("%s:%d %s", w.Source.File, w.Source.Line, w.On))
	}
	slices.Sort(parts) // which of two racing accesses came first depends on the seed
	for _, p := range slices.Compact(parts) {
		b.WriteString("|" + p)
	}
	return b.String()
}

// sort puts the findings of all seeds in one order: launch, severity, kind, place. It is
// stable, and the devices' own lists are sorted further.
func (r *Result) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		p, q := firstPlace(a.Finding), firstPlace(b.Finding)
		return cmp.Or(cmp.Compare(a.Launch, b.Launch), -cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(slices.Index(kernel.Kinds, a.Kind), slices.Index(kernel.Kinds, b.Kind)),
			cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
}

// firstPlace is the first place that a finding names.
func firstPlace(f kernel.Finding) kernel.Source {
	switch {
	case len(f.Accesses) > 0:
		return f.Accesses[0].Source
	case len(f.Waits) > 0:
		return f.Waits[0].Source
	}
	return kernel.Source{}
}
