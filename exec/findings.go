package exec

import "gpusim/kernel"

// Findings collects what is wrong, one entry for each kind, place and object; further
// occurrences only count. Writing the text is left to the first occurrence.
type Findings struct {
	list  []*kernel.Finding
	byKey map[Key]*kernel.Finding
}

// Key is the identity of a finding.
type Key struct {
	Kind     kernel.Kind
	Severity kernel.Severity
	Launch   int
	Site     [2]int // the front end's numbers of the instructions involved
	Object   int
	Detail   string // tells findings apart that agree in all else
}

// Report counts an occurrence; make is called for the first one only.
func (f *Findings) Report(k Key, make func() kernel.Finding) {
	if f.byKey == nil {
		f.byKey = map[Key]*kernel.Finding{}
	}
	if x := f.byKey[k]; x != nil {
		x.Count++
		return
	}
	x := make()
	x.Kind, x.Severity, x.Launch = k.Kind, k.Severity, k.Launch
	if x.Count == 0 {
		x.Count = 1
	}
	f.byKey[k] = &x
	f.list = append(f.list, &x)
}

// List returns the findings in the order of their first occurrence.
func (f *Findings) List() []kernel.Finding {
	out := make([]kernel.Finding, len(f.list))
	for i, x := range f.list {
		out[i] = *x
	}
	return out
}
