package exec

import (
	"strings"
	"testing"

	"gpusim/kernel"
)

func TestFindingsCount(t *testing.T) {
	var f Findings
	made := 0
	report := func(k Key) {
		f.Report(k, func() kernel.Finding {
			made++
			return kernel.Finding{Message: k.Detail}
		})
	}
	a := Key{Kind: kernel.Trap, Severity: kernel.Error, Launch: 2, Detail: "a"}
	b := a
	b.Site[1] = 7
	for _, k := range []Key{a, b, a, a} {
		report(k)
	}
	list := f.List()
	if made != 2 || len(list) != 2 || list[0].Count != 3 || list[1].Count != 1 {
		t.Errorf("%d made, %+v", made, list)
	}
	if x := list[0]; x.Kind != kernel.Trap || x.Severity != kernel.Error || x.Launch != 2 || x.Message != "a" {
		t.Errorf("%+v", x)
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := Output{Limit: 10}
	for range 3 {
		o.Print("12345")
	}
	if s := o.String(); s != "1234512345[1 further printf calls dropped]\n" {
		t.Errorf("%q", s)
	}
	var d Output
	d.Print(strings.Repeat("x", DefaultOutputLimit))
	d.Print("y")
	if s := d.String(); !strings.HasPrefix(s, "xxx") || !strings.HasSuffix(s, "x[1 further printf calls dropped]\n") {
		t.Error(len(s))
	}
}
