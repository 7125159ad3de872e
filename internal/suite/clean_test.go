package suite

import (
	"path/filepath"
	"testing"

	"gpusim/device"
)

// TestCorpus: what the compiler makes of every kernel of the corpus, at every level, runs to a
// clean bill with the right result.
func TestCorpus(t *testing.T) { testClean(t, "corpus", seeds(1)[:1]) }

// TestIdioms: code that is right although it looks dangerous is never reported.
func TestIdioms(t *testing.T) { testClean(t, "idioms", seeds(2)) }

func testClean(t *testing.T, folder string, seeds []uint64) {
	for _, level := range levels {
		dir := atLevel(t, filepath.Join(root, "testdata", folder), level)
		for _, name := range names(t, dir, ".yaml") {
			t.Run(level+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := load(t, filepath.Join(dir, name+".yaml"))
				for _, g := range granularities {
					for _, seed := range seeds {
						o := p.run(t, device.Options{Granularity: g, Seed: seed})
						if len(o.Expect) == 0 && !expectsNothing[name] {
							t.Fatal("the launch file expects nothing")
						}
						if err := o.clean(); err != nil {
							t.Errorf("%s granularity, seed %d: %v", granularityFlag(g), seed, err)
						}
					}
				}
			})
		}
	}
}

// expectsNothing are the idioms whose values the schedule decides.
var expectsNothing = map[string]bool{"volatile_warp_tail": true}
