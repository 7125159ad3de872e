package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpusim/kernel"
)

// Findings are all findings so far, merged where they agree in kind, object and source
// lines, and sorted: one seed, one list.
func (d *Device) Findings() []kernel.Finding {
	all := d.findings.List()
	all = append(all, d.raceFindings()...)
	all = append(all, d.heap.Leaks()...)
	all = append(all, d.reported...)
	slices.SortStableFunc(all, compare) // errors come before the warnings of their launch
	var out []kernel.Finding
	at := map[string]int{}
	for _, f := range all {
		if f.Count == 0 {
			f.Count = 1
		}
		k := place(&f)
		i, ok := at[asError(k, &f)]
		if !ok {
			i, ok = at[k]
		}
		if ok {
			out[i].Count += f.Count
			continue
		}
		at[k] = len(out)
		out = append(out, f)
	}
	return out
}

// raceFindings puts the races into words. A compiler may make many instructions of one
// line: if one pair of them races between warps, none is advised to synchronise its warp.
func (d *Device) raceFindings() []kernel.Finding {
	if d.races == nil {
		return nil
	}
	races := d.races.Races()
	cross := map[string]bool{}
	for i := range races {
		if f := d.raceFinding(&races[i]); races[i].CrossWarp {
			cross[place(&f)] = true
		}
	}
	out := make([]kernel.Finding, len(races))
	for i, r := range races {
		out[i] = d.raceFinding(&r)
		if cross[place(&out[i])] && !r.CrossWarp {
			r.CrossWarp = true
			out[i] = d.raceFinding(&r)
		}
	}
	return out
}

// asError is the place of the error that makes a warning about the same race superfluous:
// threads that wrote one value where others wrote different ones.
func asError(k string, f *kernel.Finding) string {
	if f.Kind != kernel.DataRace || f.Severity != kernel.Warning {
		return k
	}
	e := *f
	e.Severity = kernel.Error
	return place(&e)
}

// compare orders findings for a reader: by launch, the severe ones first, then by kind,
// place and object.
func compare(a, b kernel.Finding) int {
	return cmp.Or(
		cmp.Compare(a.Launch, b.Launch),
		cmp.Compare(b.Severity, a.Severity),
		cmp.Compare(slices.Index(kernel.Kinds, a.Kind), slices.Index(kernel.Kinds, b.Kind)),
		slices.CompareFunc(a.Accesses, b.Accesses, func(x, y kernel.Access) int { return compareSource(x.Source, y.Source) }),
		slices.CompareFunc(a.Waits, b.Waits, func(x, y kernel.Wait) int { return compareSource(x.Source, y.Source) }),
		cmp.Compare(a.Space, b.Space),
		cmp.Compare(a.Object, b.Object),
		cmp.Compare(a.Edge, b.Edge),
		cmp.Compare(a.Offset, b.Offset),
		slices.CompareFunc(a.Accesses, b.Accesses, func(x, y kernel.Access) int {
			return cmp.Or(cmp.Compare(x.Op, y.Op), compareDim(x.Thread.Block, y.Thread.Block), compareDim(x.Thread.Thread, y.Thread.Thread))
		}),
		cmp.Compare(a.Message, b.Message),
	)
}

func compareSource(a, b kernel.Source) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.PTXLine, b.PTXLine))
}

func compareDim(a, b kernel.Dim3) int {
	return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
}

// place is what findings that a reader takes for one agree in. A compiler may make many
// instructions of one source line.
func place(f *kernel.Finding) string {
	var parts []string
	for _, x := range f.Accesses {
		parts = append(parts, fmt.Sprint(x.Op, x.Atomic, x.Source.File, ":", x.Source.Line, inlined(x.Source)))
	}
	slices.Sort(parts) // which of two racing accesses came first does not matter
	for _, w := range f.Waits {
		parts = append(parts, fmt.Sprint(w.Thread, w.Source.File, ":", w.Source.Line, w.On))
	}
	s := fmt.Sprint(f.Kind, "|", f.Severity, "|", f.Launch, "|", f.Kernel, "|", f.Space, "|", f.Object, "|", strings.Join(parts, "|"))
	if len(parts) == 0 || !ofAccess[f.Kind] {
		s += "|" + f.Message
	}
	return s
}

// ofAccess are the kinds that are about memory accesses: their messages name an offset
// and a thread, which are examples only.
var ofAccess = map[kernel.Kind]bool{kernel.DataRace: true, kernel.OutOfBounds: true, kernel.Misaligned: true, kernel.UninitializedRead: true,
	kernel.UseAfterFree: true, kernel.ReadOnlyWrite: true}

func inlined(s kernel.Source) string {
	var b strings.Builder
	for _, x := range s.InlinedAt {
		fmt.Fprintf(&b, "<%s:%d", x.File, x.Line)
	}
	return b.String()
}
