package kernelfuzz

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gpusim/exec"
	"gpusim/internal/oracle"
)

var granularities = []struct {
	name string
	exec.Granularity
}{{"warp", exec.ByWarp}, {"thread", exec.ByThread}}

func runner(g exec.Granularity) Runner {
	return func(p *Program, text string) (*Outcome, error) { return Run(p, text, g) }
}

// number is an environment variable with a default.
func number(name string, def int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return def
}

// TestKernels compares the whole tool with the axioms on random kernels. KERNELFUZZ sets how many, KERNELFUZZ_FROM the first seed.
func TestKernels(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 100
	}
	n, from := number("KERNELFUZZ", n), number("KERNELFUZZ_FROM", 0)
	for _, g := range granularities {
		t.Run(g.name, func(t *testing.T) {
			verdicts, events, bad := map[string]int{}, 0, map[string]int{}
			for seed := from; seed < from+n; seed++ {
				p := Generate(uint64(seed))
				x, want, f := Check(p, runner(g.Granularity))
				if f != nil {
					if bad[f.Class]++; bad[f.Class] == 1 {
						t.Error(explain(seed, p, g.Granularity, f))
					}
					continue
				}
				verdicts[verdict(want)]++
				events += len(x.Events)
			}
			t.Logf("%d kernels, %d events, %v; failures %v", n, events, verdicts, bad)
		})
	}
}

// verdict is clean, warning or error.
func verdict(r oracle.Result) string {
	s := oracle.Clean
	for _, b := range r.Bytes {
		s = max(s, b.Severity)
	}
	return [...]string{"clean", "warning", "error"}[s]
}

// explain tells a failure with all that is needed to look into it, after making the program smaller.
func explain(seed int, p *Program, g exec.Granularity, f *Failure) string {
	p = Shrink(p, f.Class == Unexpected || f.Class == NotRun, func(q *Program) bool {
		_, _, x := Check(q, runner(g))
		return x != nil && x.Class == f.Class
	})
	x, _, f := Check(p, runner(g))
	text, lines := p.Text()
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s: %s\n%d blocks of %d threads, schedule %s\n", seed, f.Class, f.Text, p.Blocks, p.Threads, p.Schedule)
	at := map[Place]int{}
	for i, l := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%4d %s\n", i+1, l)
		if pl, ok := lines[i+1]; ok {
			at[pl] = i + 1
		}
	}
	if x != nil {
		for i := range x.Events {
			fmt.Fprintf(&b, "%3d line %3d: %s\n", i, at[x.Places[i]], &x.Events[i])
		}
	}
	return b.String()
}
