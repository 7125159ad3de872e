package report

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"gpusim/kernel"
)

func TestJUnit(t *testing.T) {
	for name, r := range reports() {
		if name == "racy" {
			r.File, r.Output = "racy.yaml", "a\x1bb\n]]>"
			r.Findings = append(r.Findings, Finding{Finding: kernel.Finding{Kind: kernel.Leak, Severity: kernel.Warning, Launch: -1, Message: "leaked"}})
		}
		var b bytes.Buffer
		if err := (&JUnit{Quoter: Quoter{Dirs: []string{"testdata"}}}).Write(&b, r); err != nil {
			t.Fatal(err)
		}
		if name == "racy" || name == "failed" {
			golden(t, name+".xml", b.Bytes())
		}
		var all junit.Testsuites
		if err := xml.Unmarshal(b.Bytes(), &all); err != nil {
			t.Errorf("%s: %v\n%s", name, err, &b)
			continue
		}
		want := map[string][3]int{"racy": {2, 1, 0}, "empty": {0, 0, 0}, "stopped": {1, 1, 1}, "failed": {1, 0, 1}, "internal": {1, 0, 1}}[name]
		if got := [3]int{all.Tests, all.Failures, all.Errors}; got != want || len(all.Suites) != 1 || len(all.Suites[0].Testcases) != want[0] {
			t.Errorf("%s: %v, want %v\n%s", name, got, want, &b)
		}
	}
}
