package table

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden file")

const millisecond = time.Millisecond

func sample() *Report {
	return &Report{
		Setting:     []string{"machine: a machine", "commit: abc", "date: 2026-01-02", "command: `go run ./bench`"},
		Repetitions: 5, OclgrindRuns: 1,
		Results: []Result{
			{Name: Matmul256, Buffers: 786432,
				Check:    Run{Wall: 100 * millisecond, Kernel: 80 * millisecond, RSS: 40 << 20},
				Run:      Run{Wall: 60 * millisecond, Kernel: 50 * millisecond, RSS: 20 << 20},
				Oclgrind: Peer{Wall: 40 * time.Second}, PoCL: 10 * millisecond},
			{Name: "histogram", Class: Scatter, Buffers: 4 << 20,
				Check:    Run{Wall: 500 * millisecond, Kernel: 450 * millisecond, RSS: 200 << 20},
				Run:      Run{Wall: 60 * millisecond, Kernel: 50 * millisecond, RSS: 20 << 20},
				Oclgrind: Peer{Wall: 5 * time.Second, Reports: 3}, PoCL: 5 * millisecond},
			{Name: "byte scatter", Class: NoTarget, Memory: Bytes, Buffers: 8 << 20,
				Check: Run{Wall: 2000 * millisecond, Kernel: 1800 * millisecond, RSS: 128 << 20},
				Run:   Run{Wall: 100 * millisecond, Kernel: 90 * millisecond, RSS: 20 << 20}},
			{Name: "once", Buffers: 48 << 20, Check: Run{Wall: time.Minute, Kernel: time.Minute, RSS: 272 << 20}},
		},
		Hot: []Hot{
			{"matmul", true, 150 * millisecond, 100 * millisecond, 100 * millisecond, 80 * millisecond},
			{"scatter", false, 300 * millisecond, 100 * millisecond, 100 * millisecond, 80 * millisecond},
		},
		StartUp: 25 * millisecond,
	}
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "results.md")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs from (run with -update to accept):\n%s", golden, b.String())
	}
}

// Every row of a Markdown table has as many cells as its header.
func TestRowsAreComplete(t *testing.T) {
	var b strings.Builder
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	cells, rows := 0, 0
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		rows++
		n := strings.Count(line, "|")
		if cells != 0 && n != cells {
			t.Errorf("%d cells, not %d: %s", n-1, cells-1, line)
		}
		cells = n
	}
	if rows < 20 {
		t.Errorf("only %d rows", rows)
	}
}

func TestTargets(t *testing.T) {
	want := map[string]bool{
		"check against Oclgrind, whole process, geometric mean":             false, // sqrt(400*10) = 63
		"check against Oclgrind, whole process, least":                      false, // 10
		"check against PoCL on one compute unit, kernel time, " + Matmul256: true,  // 8
		"check against run, kernel time, regular kernels":                   true,  // 1.6
		"check against run, kernel time, scatter and histogram":             false, // 9
		"peak memory of check, regular kernels":                             false, // 200 of 140 MiB
		"peak memory of check, byte elements":                               true,  // 128 of 128 MiB
		"check of a small kernel, whole process":                            true,
		"check against the prototype, kernel time, first three kernels":     true, // 1.5
	}
	got := sample().targets()
	if len(got) != len(want) {
		t.Errorf("%d targets, not %d", len(got), len(want))
	}
	for _, x := range got {
		met, ok := want[x.what]
		if !ok {
			t.Errorf("unexpected target %q", x.what)
		}
		if met != x.met {
			t.Errorf("%s: %s, %s, met: %v", x.what, x.limit, x.measured, x.met)
		}
	}
}

// What was not measured makes no target and no number.
func TestNothingMeasured(t *testing.T) {
	r := &Report{Results: []Result{{Name: "vector add", Buffers: 1}}}
	if got := r.targets(); len(got) != 0 {
		t.Errorf("targets without measurements: %v", got)
	}
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"NaN", "Inf", "Beside the peers", "Beside the prototype"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q in\n%s", bad, b.String())
		}
	}
}

func TestGeomean(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{0}, 0}, {[]float64{2, 8}, 4}, {[]float64{10, 0, 1000}, 100}} {
		if got := geomean(c.values); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("geomean(%v) = %v, not %v", c.values, got, c.want)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	for class, want := range []int64{Plain: 3*100 + 128<<20, Scattered: 8*100 + 256<<20, Bytes: 16 * 100} {
		if got := (Result{Memory: MemoryClass(class), Buffers: 100}).memoryLimit(); got != want {
			t.Errorf("%s: %d, not %d", memoryRule[class], got, want)
		}
	}
}
