package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpusim/kernel"
)

var update = flag.Bool("update", false, "write the golden files")

func racy() *Report {
	at := func(line, column int, ptx string) kernel.Source {
		return kernel.Source{File: "histogram.cu", Line: line, Column: column, Function: "histogram", PTX: ptx}
	}
	write := at(3, 3, "st.shared.u32 [%rd4], %r5;")
	add := at(4, 2, "red.shared.add.u32 [%rd6], 1;")
	wait := func(y uint32) kernel.Wait {
		return kernel.Wait{Thread: kernel.ThreadID{Block: kernel.Dim3{Y: y}}, Source: at(99, 0, "bar.sync 0;"), On: "barrier 0", Needs: "thread (1,0,0) of its block"}
	}
	add.InlinedAt = []kernel.Source{{File: "main.cu", Line: 7, Column: 9, Function: "outer"}}
	return &Report{
		Program: "histogram.cu", Seed: 1, Seeds: 1, Complete: true, FailOn: kernel.Error,
		Launches: []Launch{{Kernel: "histogram", Grid: kernel.Dim3{X: 64, Y: 1, Z: 1}, Block: kernel.Dim3{X: 256, Y: 1, Z: 1},
			Cluster: kernel.Dim3{X: 1, Y: 1, Z: 1}, ThreadInstructions: 1234567, Seconds: 0.25}},
		Findings: []Finding{
			{Finding: kernel.Finding{Kind: kernel.DataRace, Severity: kernel.Error,
				Message: "two threads access bins without a barrier in between", Missing: "a barrier between lines 3 and 4",
				Edge: kernel.NoBarrier, Fix: "add __syncthreads() after line 3", Kernel: "histogram", Space: kernel.Shared,
				Object: "bins", Offset: 12, Size: 4, Count: 1700,
				Accesses: []kernel.Access{
					{Op: "write", Thread: kernel.ThreadID{Thread: kernel.Dim3{X: 3}}, Source: write},
					{Op: "write", Atomic: true, Thread: kernel.ThreadID{Thread: kernel.Dim3{X: 40}}, Source: add}}}, Seed: 1},
			{Finding: kernel.Finding{Kind: kernel.Deadlock, Severity: kernel.Warning, Message: "nobody can go on <here>", Kernel: "histogram", Count: 1,
				Waits: []kernel.Wait{wait(1), wait(2), {Source: at(3, 3, "bar.sync 1;"), On: "barrier 1"}, wait(4)}}, Seed: 1},
			{Finding: kernel.Finding{Kind: kernel.Trap, Severity: kernel.Info, Message: "trapped", Count: 1,
				Accesses: []kernel.Access{{Op: "read", Source: kernel.Source{File: "k.ptx", Line: 1, PTX: "trap;", NoLineInfo: true}}}}, Seed: 1},
		},
		Expect: []Expect{{Buffer: "hist", OK: true}, {Buffer: "sum", OK: false}},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", name, got, want)
	}
}

func TestGolden(t *testing.T) {
	failed := &Report{Program: "a.ptx", Seed: 7, Seeds: 1, FailOn: kernel.Error, Complete: true,
		Errors: []Error{{"a.ptx", 3, 7, "opcode: unknown instruction addd (nearest: add)", "  addd.s32 %r1, %r2, %r3;"},
			{"", 0, 4, "--arg 'in=u33[4]', column 4: unknown type", "in=u33[4]"}, {"b.npy", 0, 0, "npy: file does not exist", ""}}}
	many := racy()
	many.Seeds, many.Complete, many.Stopped, many.Timing = 10, false, "launch 0 (histogram): interrupted", true
	many.Findings[1].Seed = 4
	empty := &Report{Program: "k.ptx", Seed: 1, Seeds: 1, FailOn: kernel.Error, Complete: true}
	for _, c := range []struct {
		name   string
		report *Report
		color  bool
	}{{"racy", racy(), false}, {"colour", racy(), true}, {"failed", failed, false}, {"seeds", many, false}, {"empty", empty, false}} {
		text := Text{Color: c.color, Quoter: Quoter{Dirs: []string{"testdata"}}}
		var b bytes.Buffer
		if err := text.Write(&b, c.report); err != nil {
			t.Fatal(err)
		}
		if err := text.WriteErrors(&b, c.report.Errors); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name+".txt", b.Bytes())
		if c.color {
			continue
		}
		b.Reset()
		if err := c.report.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name+".json", b.Bytes())
	}
}

// TestJSONKeys checks the contract: every key always, and no null.
func TestJSONKeys(t *testing.T) {
	want := map[string]string{
		"":          "schema program seed verdict complete errors output launches findings expect",
		"errors":    "file line column message",
		"launches":  "kernel grid block cluster thread_instructions",
		"findings":  "kind severity message missing edge fix launch kernel space object offset size count waits accesses",
		"waits":     "block thread file line on needs",
		"accesses":  "op atomic device block thread file line column inlined_at function instruction",
		"expect":    "buffer ok",
		"positions": "file line column function",
	}
	r := racy()
	r.Errors = []Error{{}}
	r.Findings = append(r.Findings, Finding{}, Finding{Finding: kernel.Finding{Waits: []kernel.Wait{{}}, Accesses: []kernel.Access{{}}}})
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Error("a null in the report")
	}
	var tree any
	if err := json.Unmarshal(b.Bytes(), &tree); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if name == "inlined_at" {
				name = "positions"
			}
			seen[name]++
			keys := strings.Fields(want[name])
			if len(keys) != len(v) {
				t.Errorf("%s has %d keys, want %s", name, len(v), want[name])
			}
			for _, k := range keys {
				if _, ok := v[k]; !ok {
					t.Errorf("%s has no key %q", name, k)
				}
			}
			for k, x := range v {
				walk(k, x)
			}
		case []any:
			for _, x := range v {
				walk(name, x)
			}
		}
	}
	walk("", tree)
	for name := range want {
		if seen[name] == 0 {
			t.Errorf("no object for %q was seen", name)
		}
	}
}

func TestStatus(t *testing.T) {
	finding := func(s kernel.Severity) []Finding { return []Finding{{Finding: kernel.Finding{Severity: s}}} }
	for _, c := range []struct {
		report  Report
		status  int
		verdict string
	}{
		{Report{Complete: true, FailOn: kernel.Error}, 0, "clean"},
		{Report{Complete: true, FailOn: kernel.Error, Findings: finding(kernel.Warning)}, 0, "clean"},
		{Report{Complete: true, FailOn: kernel.Warning, Findings: finding(kernel.Warning)}, 1, "findings"},
		{Report{Complete: true, FailOn: kernel.Error, Findings: finding(kernel.Error)}, 1, "findings"},
		{Report{FailOn: kernel.Error}, 4, "incomplete"},
		{Report{FailOn: kernel.Error, Findings: finding(kernel.Error)}, 1, "findings"},
		{Report{FailOn: kernel.Error, Findings: finding(kernel.Error), Errors: []Error{{}}}, 2, "error"},
		{Report{FailOn: kernel.Error, Findings: finding(kernel.Error), Errors: []Error{{}}, Internal: true}, 3, "error"},
	} {
		if got := c.report.Status(); got != c.status || c.report.Verdict() != c.verdict {
			t.Errorf("%+v: status %d %s, want %d %s", c.report, got, c.report.Verdict(), c.status, c.verdict)
		}
	}
}

func TestQuotable(t *testing.T) {
	for line, want := range map[string]bool{"": false, "\tx = 1; // ä": true, "\x1b[31m": false, "a\xff": false, strings.Repeat("x", 401): false} {
		if quotable(line) != want {
			t.Errorf("quotable(%q) = %v", line, !want)
		}
	}
}

func TestCaret(t *testing.T) {
	for _, c := range []struct {
		line   string
		column int
		want   string
	}{{"abc", 1, "^"}, {"abc", 3, "  ^"}, {"\tabc", 2, "\t^"}, {"abc", 6, "     ^"}, {"", 1, "^"}} {
		if got := caret(c.line, c.column); got != c.want {
			t.Errorf("caret(%q, %d) = %q, want %q", c.line, c.column, got, c.want)
		}
	}
}
