package barrier

import (
	"fmt"
	"strings"
	"testing"
)

// A script of threads' operations: "a" arrives, "w0" waits as thread 0 (and has to pass),
// "w0.2" as its warp 2, "b0" has to block as thread 0, "x" expects a transaction, "d"
// delivers one, "end" deallocates.
func TestPhased(t *testing.T) {
	for _, c := range []struct {
		name, script string
		arrivals     int
		want         string // in the error or the warning of the last operation
	}{
		{"one phase", "b0 a w0 end", 1, ""},
		{"two arrivals", "a b0 a w0 w1 end", 2, ""},
		{"phases", "a w0 b0 a w0 a w0 end", 1, ""},
		{"nobody waits for one phase", "a end", 1, ""},
		{"nobody waits for two phases", "a a", 1, "Barrier completed phase 1, but no threads observed phase 0."},
		{"a thread misses a phase", "a w0 a a a", 1, "Thread T0 only observed barrier up to phase 1, but barrier completed up to phase 3, meaning thread T0 missed observing phase 2."},
		{"first wait too late", "a w0 a w0 w1", 1, "Thread T1 is waiting at barrier 7 for the first time, but barrier is already at phase 2."},
		{"wait too late", "a w0 a a w0", 1, "Thread T0 is awaiting phase 2, but barrier is already at phase 3, which violates the invariant"},
		{"pending arrival", "a w0 end", 2, "Barrier deallocated with 1 arrivals pending."},
		{"last phase not observed", "a w0 a end", 1, "T0 has seen 1 of 2"},
		{"transactions", "x a b0 d w0 end", 1, ""},
		{"a transaction before it is expected", "d x a w0 end", 1, ""},
		{"arrival in a phase that waits for a transaction", "x a a", 1, "Barrier got more than the 1 arrivals"},
		{"warps go on from their warpgroup", "a w0 a w0.0 w0.1 w0.2 w0.3 a w0 end", 1, ""},
		{"a warpgroup goes on from its warps", "a w0.0 w0.1 w0.2 w0.3 a w0 a w0.0 a", 1, ""},
		{"some warps waited", "a w0.0 w0.1 w0", 1, "Warpgroup-thread T0 is waiting at barrier 7, but only 2 of its constituent warps have participated in the barrier previously."},
		{"warps saw different phases", "a w0.0 w0.1 w0.2 w0.3 a w0.0 w0", 1, "Warpgroup-thread T0 is waiting at barrier 7, but its constituent warps have previously observed different phases: [2, 1, 1, 1]."},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &Phased{Arrivals: c.arrivals}
			name := func(o Observer) string { return fmt.Sprint("T", o.Warpgroup) }
			said := ""
			for _, op := range strings.Fields(c.script) {
				var err error
				switch op[0] {
				case 'a':
					_, err = b.Arrive(name)
				case 'x':
					b.Expect(1)
				case 'd':
					_, err = b.Deliver(name)
				case 'e':
					err = b.Pending()
					if who, seen, ok := b.Unobserved(0); ok && err == nil {
						said = fmt.Sprintf("%s has seen %d of %d", name(who), seen, b.Phase)
					}
				case 'w', 'b':
					var ready bool
					o := Observer{Warpgroup: int(op[1] - '0'), Warp: -1}
					if len(op) > 2 {
						o.Warp = int(op[3] - '0')
					}
					ready, err = b.Ready(o, 7, name)
					if c.name == "pending arrival" {
						break
					}
					if err == nil && ready != (op[0] == 'w') {
						t.Fatalf("%s: ready is %v", op, ready)
					}
					if ready {
						b.Observe(o)
					}
				}
				if err != nil {
					said = err.Error()
				}
			}
			if !strings.HasPrefix(said, c.want) || c.want == "" && said != "" {
				t.Errorf("%q, want %q", said, c.want)
			}
		})
	}
}
