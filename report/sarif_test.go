package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"gpusim/kernel"
)

func reports() map[string]*Report {
	stopped := racy()
	stopped.Complete, stopped.Stopped = false, "launch 0 (histogram): interrupted"
	return map[string]*Report{"racy": racy(), "empty": {File: "k.yaml", Program: "k.ptx", Seeds: 1}, "stopped": stopped,
		"failed": {File: "a.ptx", Program: "a.ptx", Seeds: 1, Errors: []Error{
			{"a b.ptx", 3, 7, "opcode: unknown instruction {addd}", "  addd.s32 %r1, %r2, %r3;"}, {"", 0, 4, "--arg", "x"}, {"/b.npy", 0, 0, "npy", ""}}},
		"internal": {File: "a.ptx", Seeds: 1, Internal: true, Errors: []Error{{Message: "ours"}}}}
}

// TestSARIFSchema compares SARIF files with the schema of the standard.
func TestSARIFSchema(t *testing.T) {
	for name, r := range reports() {
		s := SARIF{Version: "v1", Quoter: Quoter{Dirs: []string{"testdata"}}}
		var b bytes.Buffer
		if err := s.Write(&b, r); err != nil {
			t.Fatal(err)
		}
		read, err := sarif.FromBytes(b.Bytes(), sarif.WithStrictValidation())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := read.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.document(r).Validate(); err != nil { // what reading drops is seen here
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := (&SARIF{}).document(racy())
	bad.Runs[0].Results[0].Level = "fatal"
	if bad.Validate() == nil {
		t.Error("a level that SARIF does not have passes")
	}
}

func TestSARIFResults(t *testing.T) {
	s := SARIF{Version: "v1", Quoter: Quoter{Dirs: []string{"testdata"}}}
	run := s.document(racy()).Runs[0]
	if n := len(run.Tool.Driver.Rules); n != len(kernel.Kinds) {
		t.Errorf("%d rules", n)
	}
	for i, r := range run.Tool.Driver.Rules {
		if *r.ID != string(kernel.Kinds[i]) || r.ShortDescription == nil || !strings.Contains(*r.Help.Markdown, "## How to fix it") {
			t.Errorf("rule %d is %s", i, *r.ID)
		}
	}
	race, deadlock, trap := run.Results[0], run.Results[1], run.Results[2]
	if race.Level != "error" || deadlock.Level != "warning" || trap.Level != "note" || *race.RuleID != "data-race" || race.RuleIndex != 0 || *race.OccurrenceCount != 1700 {
		t.Errorf("%+v", race)
	}
	at := func(l *sarif.Location) (uri string, line, column int, text string) {
		p := l.PhysicalLocation
		if p.Region.StartColumn != nil {
			column = *p.Region.StartColumn
		}
		if p.Region.Snippet != nil {
			text = *p.Region.Snippet.Text
		}
		return *p.ArtifactLocation.URI, *p.Region.StartLine, column, text
	}
	if uri, line, column, text := at(race.Locations[0]); uri != "testdata/histogram.cu" || line != 3 || column != 3 || !strings.Contains(text, "bins") {
		t.Errorf("location %s:%d:%d %q", uri, line, column, text)
	}
	// Both accesses, and the call that the second one was inlined through.
	if len(race.RelatedLocations) != 3 {
		t.Fatalf("%d related locations", len(race.RelatedLocations))
	}
	for i, want := range []struct {
		line int
		text string
	}{{3, "write by thread (3,0,0) of block (0,0,0)"}, {4, "atomic write by thread (40,0,0) of block (0,0,0)"}, {7, "inlined here"}} {
		l := race.RelatedLocations[i]
		if _, line, _, _ := at(l); line != want.line || *l.Message.Text != want.text || l.ID != i+1 {
			t.Errorf("related location %d: %d %q", l.ID, line, *l.Message.Text)
		}
	}
	for _, want := range []string{"[write by thread (3,0,0) of block (0,0,0)](1)", "[atomic write by", "](2)", "missing: a barrier", "fix: add __syncthreads()"} {
		if !strings.Contains(*race.Message.Text, want) {
			t.Errorf("no %q in %q", want, *race.Message.Text)
		}
	}
	if n := len(deadlock.RelatedLocations); n != 2 {
		t.Errorf("%d places of the deadlock", n)
	}
}

// TestFingerprints moves a finding to other lines, and swaps its accesses as another seed
// may: it is the same finding. Another source line, or a second finding, is not.
func TestFingerprints(t *testing.T) {
	dir := t.TempDir()
	prints := func(text string, change func(*Report)) (out []string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "histogram.cu"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r := racy()
		change(r)
		s := SARIF{Quoter: Quoter{Dirs: []string{dir}}}
		for _, x := range s.document(r).Runs[0].Results {
			out = append(out, x.PartialFingerprints[fingerprint])
		}
		return out
	}
	before := prints("\n\nbins[t] = 0;\nbins[x]++;\n", func(*Report) {})
	moved := prints("\n\n\n\n\n\nbins[t] = 0;\n  bins[x]++;\n", func(r *Report) {
		a := r.Findings[0].Accesses
		a[0].Source.Line, a[1].Source.Line = 7, 8
		a[0], a[1] = a[1], a[0]
	})
	edited := prints("\n\nbins[t] = 1;\nbins[x]++;\n", func(*Report) {})
	if moved[0] != before[0] || edited[0] == before[0] || before[0] == before[1] {
		t.Errorf("before %q\nmoved  %q\nedited %q", before, moved, edited)
	}
	twice := prints("\n\nbins[t] = 0;\nbins[x]++;\n", func(r *Report) { r.Findings = append(r.Findings, r.Findings[0]) })
	if twice[0] != before[0] || twice[3] == twice[0] {
		t.Errorf("%q", twice)
	}
}

func TestArtifact(t *testing.T) {
	for file, want := range map[string]string{"a b/k%.cu": "a%20b/k%25.cu", "/x/k.cu": "file:///x/k.cu", "k.cu": "k.cu"} {
		if got := *artifact(file).URI; got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if got := *message("st.v2 {%r1}").Text; got != "st.v2 {{%r1}}" {
		t.Error(got)
	}
}
