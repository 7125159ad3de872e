package pallasfuzz

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpusim/array"
)

// ways are how each program is run.
func ways(seed uint64) []How {
	return []How{{Seed: seed}, {Seed: seed + 1, Completion: array.Lazy}, {Seed: seed + 2, Completion: array.Random}, {Seed: seed + 3, Schedule: "rr", Completion: array.Completion(seed % 3)}, {Seed: seed + 4, Blind: true, Completion: array.Random}}
}

// number is an environment variable with a default.
func number(name string, def int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return def
}

// TestKernels compares the device with the rules on random kernels. PALLASFUZZ sets for how
// many seconds, PALLASFUZZ_FROM the first seed, PALLASFUZZ_N the number of programs.
func TestKernels(t *testing.T) {
	seconds := number("PALLASFUZZ", 5)
	if testing.Short() {
		seconds = number("PALLASFUZZ", 1)
	}
	from, n := number("PALLASFUZZ_FROM", 0), number("PALLASFUZZ_N", 1<<40)
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	count, races, clean, bad := 0, 0, 0, map[string]int{}
	ended := map[string]int{}
	for seed := uint64(from); seed < uint64(from+n) && time.Now().Before(until); seed++ {
		p := Generate(seed)
		for _, how := range ways(seed) {
			v, _ := Try(p, how)
			count++
			if v.Races > 0 {
				races++
			}
			if v.Clean {
				clean++
			}
			ended[v.Ended]++
			if c := v.Class(); c != "" {
				if bad[c]++; os.Getenv("PALLASFUZZ_FIRST") != "" { // that there is a failure is all
					t.Fatalf("seed %d, %+v: %v", seed, how, &v)
				}
				if bad[c] == 1 {
					q := Shrink(p, func(q *Program) bool {
						w, _ := Try(q, how)
						return w.Class() == c
					})
					w, text := Try(q, how)
					t.Errorf("seed %d, %+v: %v\n%v%s%s", seed, how, &w, q, text, events(q, how))
				}
				break
			}
		}
	}
	t.Logf("%d runs, %d with races, %d clean; ended %v; failures %v", count, races, clean, ended, bad)
}

// events is the log of a run as text.
func events(p *Program, how How) string {
	out, err := Run(p, how)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range out.Events {
		text := fmt.Sprint(e.Stmt.Site)
		if e.What != Landed {
			text = p.text(e.Stmt)
		}
		fmt.Fprintf(&b, "%v cluster %d thread %d: %s\n", []string{"", "begins", "passes", "lands", "starts", "ends"}[e.What], e.Group, e.Thread, text)
	}
	return b.String()
}
