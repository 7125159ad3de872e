package barrier

import (
	"fmt"
	"strings"
	"testing"
)

// play runs a script of arrivals on one barrier of a block and prints what happens. A
// command is "warp role count[+pred bits]"; "exit warp" ends a warp.
func play(t *testing.T, warps int, script string) string {
	t.Helper()
	var n Named
	live := uint32(1<<uint(warps) - 1)
	var out []string
	complete := func() {
		if n.Complete(live) {
			out = append(out, fmt.Sprintf("complete waiting=%b popc=%d and=%d or=%d", n.Waiting, n.Result(Popc), n.Result(And), n.Result(Or)))
			n.Close()
		}
	}
	for _, line := range strings.Split(script, ";") {
		var w, count int
		var role string
		var pred uint32
		if k, _ := fmt.Sscanf(strings.TrimSpace(line), "exit %d", &w); k == 1 {
			live &^= 1 << w
			complete()
			continue
		}
		if k, err := fmt.Sscanf(strings.TrimSpace(line), "%d %s %d %x", &w, &role, &count, &pred); k < 3 {
			t.Fatalf("bad command %q: %v", line, err)
		}
		a := Arrival{Warp: w, Warps: warps, Count: count, Lanes: 0xFFFFFFFF, Pred: pred}
		a.Role = map[string]Role{"sync": Sync, "arrive": Arrive, "red": Red}[role]
		if m := n.Check(a); m != Fine {
			out = append(out, misuseNames[m])
		}
		n.Arrive(a)
		complete()
	}
	if n.Open() {
		out = append(out, fmt.Sprintf("open arrived=%b waiting=%b", n.Arrived, n.Waiting))
	}
	return strings.Join(out, "; ")
}

var misuseNames = map[Misuse]string{BadCount: "bad count", ArriveWithout: "arrive without count", CountTooLarge: "count too large",
	CountDiffers: "count differs", RedMixed: "red mixed", ArrivedTwice: "arrived twice"}

// PTX ISA, "barrier, barrier.cta".
func TestNamed(t *testing.T) {
	done := func(waiting string) string { return "complete waiting=" + waiting + " popc=0 and=1 or=0" }
	for _, c := range []struct {
		name   string
		warps  int
		script string
		want   string
	}{
		{"all threads", 3, "0 sync 0; 2 sync 0; 1 sync 0", done("111")},
		{"one warp", 1, "0 sync 0", done("1")},
		{"reused at once", 2, "0 sync 0; 1 sync 0; 1 sync 0; 0 sync 0", done("11") + "; " + done("11")},
		{"named pair", 4, "3 sync 64; 1 sync 64", done("1010")},
		{"producer and consumer", 4, "0 arrive 64; 1 sync 64", done("10")},
		{"consumer first", 4, "1 sync 64; 0 arrive 64", done("10")},
		{"incomplete", 4, "1 sync 96; 0 arrive 96", "open arrived=11 waiting=10"},
		{"exited before", 3, "exit 1; 0 sync 0; 2 sync 0", done("101")},
		{"exit completes", 3, "0 sync 0; 2 sync 0; exit 1", done("101")},
		{"exit does not fill a count", 3, "0 sync 64; exit 1", "open arrived=1 waiting=1"},
		{"whole block is none", 2, "0 sync 0; 1 sync 64", done("11")},
		{"whole block first", 2, "0 sync 64; 1 sync 0", done("11")},
		{"reduction", 2, "0 red 0 ff; 1 red 0 1", "complete waiting=11 popc=9 and=0 or=1"},
		{"reduction of all", 1, "0 red 0 ffffffff", "complete waiting=1 popc=32 and=1 or=1"},
		{"reduction of none", 1, "0 red 0 0", "complete waiting=1 popc=0 and=0 or=0"},

		{"no multiple", 4, "0 sync 48", "bad count; open arrived=1 waiting=1"},
		{"rounded up", 4, "0 sync 48; 1 sync 64", "bad count; " + done("11")},
		{"negative", 4, "0 sync -32", "bad count; open arrived=1 waiting=1"},
		{"arrive needs a count", 2, "0 arrive 0; 1 sync 0", "arrive without count; " + done("10")},
		{"too large", 2, "0 sync 96; 1 sync 96", "count too large; count too large; open arrived=11 waiting=11"},
		{"two counts", 4, "0 sync 64; 1 sync 96", "count differs; " + done("11")},
		{"count and none", 4, "0 sync 64; 1 sync 0", "count differs; " + done("11")},
		{"red meets sync", 2, "0 sync 0; 1 red 0 1", "red mixed; complete waiting=11 popc=1 and=0 or=1"},
		{"arrive meets red", 2, "0 red 64 1; 1 arrive 64", "red mixed; complete waiting=1 popc=1 and=0 or=1"},
		{"twice", 4, "0 arrive 96; 0 arrive 96", "arrived twice; open arrived=1 waiting=0"},
		{"arrive, then sync", 4, "0 arrive 64; 0 sync 64", "arrived twice; open arrived=1 waiting=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := play(t, c.warps, c.script); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.script, got, c.want)
			}
		})
	}
}

func TestNeedsExited(t *testing.T) {
	var n Named
	n.Arrive(Arrival{Warp: 0, Warps: 4, Count: 96})
	for _, c := range []struct {
		could, exited uint32
		want          bool
	}{
		{0b1110, 0b0000, false}, // the living suffice
		{0b0010, 0b1100, true},  // one living, two exited
		{0b0000, 0b1100, true},
		{0b0000, 0b1000, false}, // not even the exited would suffice
		{0b0110, 0b1000, false},
	} {
		if got := n.NeedsExited(c.could, c.exited); got != c.want {
			t.Errorf("could %04b, exited %04b: %v", c.could, c.exited, got)
		}
	}
	n.Close()
	if n.NeedsExited(0, 0b1110) {
		t.Error("a barrier without a phase needs somebody")
	}
}

func TestRoleOf(t *testing.T) {
	var n Named
	n.Arrive(Arrival{Warp: 0, Warps: 4, Count: 128, Role: Arrive})
	n.Arrive(Arrival{Warp: 1, Warps: 4, Count: 128})
	if n.RoleOf(0) != Arrive || n.RoleOf(1) != Sync || n.Count() != 128 {
		t.Error(n.RoleOf(0), n.RoleOf(1), n.Count())
	}
	n.Reset()
	n.Arrive(Arrival{Warp: 2, Warps: 4, Role: Red})
	if n.RoleOf(2) != Red || n.Open() != true || n.Count() != 0 {
		t.Error(n.RoleOf(2), n.Count())
	}
}

func TestRendezvous(t *testing.T) {
	var r Rendezvous
	a := r.Open("shfl", 0xF)
	b := r.Open("vote", 0xF)
	if a == b || r.Open("shfl", 0xF) != a || r.Open("shfl", 0x7) == a {
		t.Fatal("lanes pair by operation and mask")
	}
	a.Arrived = 0x7
	if a.Complete(0xFFFFFFFF) || !a.Complete(0xFFFFFFF7) {
		t.Error("exactly the live members are waited for")
	}
	r.Close(a)
	if len(r.Pending()) != 2 || r.Pending()[0] != b {
		t.Error("pending meetings keep their order")
	}
	if c := r.Open("shfl", 0xF); c.Arrived != 0 {
		t.Error("a reused meeting starts empty")
	}
	r.Reset()
	if len(r.Pending()) != 0 {
		t.Error("reset forgets all")
	}
}
