package pallasfuzz

import (
	"reflect"
	"testing"

	"gpusim/kernel"
)

func TestGenerateIsDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		if a, b := Generate(seed), Generate(seed); !reflect.DeepEqual(a, b) || a.String() != b.String() {
			t.Fatalf("seed %d: two programs", seed)
		}
	}
}

// Faults of the report are noticed.
func TestWrongReportsAreNoticed(t *testing.T) {
	for _, c := range []struct {
		name string
		kind kernel.Kind
		edit func(f *kernel.Finding)
	}{
		{"a race left out", kernel.DataRace, func(f *kernel.Finding) { f.Kind = kernel.Leak }},
		{"line", kernel.DataRace, func(f *kernel.Finding) { f.Accesses[0].Source.Line += 1000 }},
		{"object", kernel.DataRace, func(f *kernel.Finding) { f.Object += "x" }},
		{"severity", kernel.DataRace, func(f *kernel.Finding) { f.Severity = kernel.Error + kernel.Warning - f.Severity }},
		{"edge", kernel.DataRace, func(f *kernel.Finding) { f.Edge = kernel.NoRelease }},
		{"an uninitialised read left out", kernel.UninitializedRead, func(f *kernel.Finding) { f.Kind = kernel.Leak }},
		{"line of an uninitialised read", kernel.UninitializedRead, func(f *kernel.Finding) { f.Accesses[0].Source.Line += 1000 }},
		{"a deadlock left out", kernel.Deadlock, func(f *kernel.Finding) { f.Kind = kernel.Leak }},
		{"another misuse", kernel.BarrierMisuse, func(f *kernel.Finding) { f.Message = "something" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(300) {
				p := Generate(seed)
				out, err := Run(p, How{})
				if err != nil {
					t.Fatal(err)
				}
				edited := false
				for i := range out.Findings {
					if f := &out.Findings[i]; f.Kind == c.kind && (f.Kind != kernel.DataRace || len(f.Accesses) == 2) {
						c.edit(f)
						edited = true
						break
					}
				}
				if v := Judge(p, out, How{}); edited && len(v.Wrong) > 0 {
					return
				}
			}
			t.Error("never noticed")
		})
	}
}

// A wrong value in a program without races is noticed: in what is loaded, and in the memory
// that is left.
func TestWrongValuesAreNoticed(t *testing.T) {
	loads, memory := false, false
	for seed := uint64(0); seed < 500 && !(loads && memory); seed++ {
		p := Generate(seed)
		out, err := Run(p, How{})
		if err != nil {
			t.Fatal(err)
		}
		if v := Judge(p, out, How{}); !v.Clean || len(v.Wrong) > 0 {
			continue
		}
		out.Host[0][3]++
		v := Judge(p, out, How{})
		memory = memory || len(v.Wrong) > 0
		out.Host[0][3]--
		for _, e := range out.Events {
			if len(e.Values) > 0 {
				e.Values[0]++
				v := Judge(p, out, How{})
				loads = loads || len(v.Wrong) > 0
				break
			}
		}
	}
	if !loads || !memory {
		t.Error(loads, memory)
	}
}
