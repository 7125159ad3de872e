package oracle

import "testing"

func TestShrink(t *testing.T) {
	hidden := list(
		syncthreads(aa, bb), bb.st(data+4), aa.st(data).addrs(data, data+8), a.fence(FenceSC, GPU), syncthreads(aa, bb),
		x.ld(flag), bb.ld(data).addrs(data+4, data+8), x.ld(data+8), syncthreads(xx), x.ld(other))
	racesOn := func(addr int64) func([]Event) bool {
		return func(events []Event) bool {
			r, err := Check(Config{}, events)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range r.Bytes {
				if b.Addr == addr && b.Step > 0 {
					return true
				}
			}
			return false
		}
	}
	got := Shrink(hidden, racesOn(data+8))
	want := Format(list(a1.st(data+8), x.ld(data+8)))
	if Format(got) != want {
		t.Errorf("got\n%swant\n%s", Format(got), want)
	}
}

// A shrunk list keeps what its barriers rely on.
func TestShrinkKeepsExits(t *testing.T) {
	events := list(b.st(data), b.do(Exit), a.bar(0, RoleSync), done(0, 0), a.ld(data))
	got := Shrink(events, func(events []Event) bool {
		n := len(events)
		return n > 0 && events[n-1].Op == Read
	})
	if want := Format(list(b.do(Exit), a.ld(data))); Format(got) != want {
		t.Errorf("got\n%swant\n%s", Format(got), want)
	}
}
