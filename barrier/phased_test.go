package barrier

import (
	"strings"
	"testing"
)

// A script of threads' operations: "a" arrives, "w0" waits as thread 0 (and has to pass),
// "b0" has to block as thread 0, "end" deallocates.
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
		{"a thread misses a phase", "a w0 a a a", 1, "Thread 0 only observed barrier up to phase 0, but barrier completed up to phase 3, meaning thread 0 missed observing phase 1."},
		{"first wait too late", "a w0 a w0 w1", 1, "Thread T is waiting at barrier 7 for the first time, but barrier is already at phase 2."},
		{"wait too late", "a w0 a a w0", 1, "Thread T is awaiting phase 2, but barrier is already at phase 3, which violates the invariant"},
		{"pending arrival", "a w0 end", 2, "Barrier deallocated with 1 arrivals pending."},
		{"last phase not observed", "a w0 a end", 1, "When barrier 7 was deallocated, thread 0 had only observed barrier up to phase 0, but barrier completed up to phase 1."},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &Phased{Arrivals: c.arrivals}
			said := ""
			for _, op := range strings.Fields(c.script) {
				var err error
				switch op[0] {
				case 'a':
					_, err = b.Arrive()
				case 'e':
					said, err = b.End(7)
				case 'w', 'b':
					var ready bool
					thread := int(op[1] - '0')
					ready, err = b.Ready(thread, "T", 7)
					if c.name == "pending arrival" {
						break
					}
					if err == nil && ready != (op[0] == 'w') {
						t.Fatalf("%s: ready is %v", op, ready)
					}
					if ready {
						b.Observe(thread)
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
