package memory

import (
	"errors"
	"strings"
	"testing"

	"gpusim/kernel"
)

func at(line int) kernel.Source { return kernel.Source{File: "k.py", Line: line} }

var threadAxis = []Axis{ThreadAxis}

// The texts are those that users search for: design contract, collective allocation.
func TestRequestErrors(t *testing.T) {
	l := NewLedger(0)
	l.BeginBlock(0, 2)
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"host, thread", func() error { _, err := l.ForAll(Request{Thread: 1}); return err },
			"`thread_id` must be zero when allocating a buffer for all threads"},
		{"host, block", func() error { _, err := l.ForAll(Request{Block: 1}); return err },
			"`block_id` must be zero when allocating a buffer for all threads"},
		{"no thread axis", func() error { _, _, err := l.Alloc(Request{Private: true, Collective: threadAxis}); return err },
			"Requesting collective allocations, but no explicit thread axis specified."},
		{"cluster axis", func() error {
			_, _, err := l.Alloc(Request{Collective: []Axis{ThreadAxis, ClusterAxis}})
			return err
		}, "Collective allocations along cluster axes are not supported."},
		{"not collective", func() error { _, _, err := l.Alloc(Request{}); return err },
			"Scoped allocation must have the thread axis in its collective axes."},
		{"accumulator", func() error { _, _, err := l.Alloc(Request{Accumulator: true, Collective: threadAxis}); return err },
			ErrCollectiveAccumulator.Error()},
		{"no such block", func() error { _, _, err := l.Alloc(Request{Block: 7}); return err }, "thread 0 of block 7 is not running"},
		{"no such thread", func() error { _, _, err := l.Alloc(Request{Thread: 2}); return err }, "thread 2 of block 0 is not running"},
	} {
		if err := c.do(); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	if l.Live() != 0 {
		t.Error("a refused request allocates nothing")
	}
}

func TestCollective(t *testing.T) {
	l := NewLedger(3)
	host, err := l.ForAll(Request{Space: kernel.Global, Size: 8, Name: "in"})
	if err != nil || host.Key != (AllocKey{Space: kernel.Global, Device: 3, ID: 100}) {
		t.Fatal(host, err)
	}
	l.BeginBlock(5, 3)
	req := func(thread, line int) Request {
		return Request{Space: kernel.Shared, Block: 5, Thread: thread, Size: 64, Name: "s", Site: at(line), Collective: threadAxis}
	}
	first, created, err := l.Alloc(req(1, 10))
	if err != nil || !created || first.Key != (AllocKey{kernel.Shared, 3, 5, 0, 101}) {
		t.Fatal(first, created, err)
	}
	for _, thread := range []int{0, 2} {
		a, created, err := l.Alloc(req(thread, 10))
		if a != first || created || err != nil {
			t.Fatal("every later request returns the first one's buffer", a, created, err)
		}
	}
	second, created, err := l.Alloc(req(2, 10)) // the same call in the next iteration
	if err != nil || !created || second.Key.ID != 102 {
		t.Fatal(second, created, err)
	}
	for i := range 3 {
		freed, err := l.Release(first.Key)
		if err != nil || freed != (i == 2) {
			t.Fatalf("release %d: %v %v", i, freed, err)
		}
	}
	if _, err := l.Release(first.Key); err == nil {
		t.Error("a fourth release is an error")
	}
}

func TestDesync(t *testing.T) {
	l := NewLedger(0)
	l.BeginBlock(0, 2)
	req := func(thread int, name string, line int) Request {
		return Request{Space: kernel.Shared, Thread: thread, Size: 4, Name: name, Site: at(line), Collective: threadAxis}
	}
	for _, r := range []Request{req(0, "a", 10), req(0, "b", 20)} {
		if _, _, err := l.Alloc(r); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := l.Alloc(req(1, "b", 20)) // thread 1 has skipped a
	var d *DesyncError
	if !errors.As(err, &d) || d.Sites[0].Line != 10 || d.Sites[1].Line != 20 || d.Threads != [2]int{0, 1} {
		t.Fatalf("%v", err)
	}
	if s := err.Error(); !strings.Contains(s, "k.py:10") || !strings.Contains(s, "k.py:20") {
		t.Error(s)
	}
}

func TestDesyncAtTheEnd(t *testing.T) {
	l := NewLedger(0)
	l.BeginBlock(0, 3)
	for _, thread := range []int{0, 2} {
		if _, _, err := l.Alloc(Request{Thread: thread, Name: "a", Site: at(4), Collective: threadAxis}); err != nil {
			t.Fatal(err)
		}
	}
	bad := l.EndBlock(0)
	if len(bad) != 1 || bad[0].Threads != [2]int{0, 1} || !strings.Contains(bad[0].Error(), "thread 1 never makes it") {
		t.Fatalf("%v", bad)
	}
	if l.Live() != 0 || l.EndBlock(0) != nil {
		t.Error("the end of a block releases all that it held")
	}
}

func TestAllocAll(t *testing.T) {
	l := NewLedger(0)
	for block := range uint64(3) {
		l.BeginBlock(block, 256)
		a := l.AllocAll(block, kernel.Shared, 64, "tile", at(1))
		b := l.AllocAll(block, kernel.Shared, 32, "row", at(2))
		if a.Key.ID != 100 || b.Key.ID != 101 || a.Key.Block != block {
			t.Fatalf("block %d: every thread starts with the device's counter: %v %v", block, a.Key, b.Key)
		}
		// A thread that asks by itself afterwards goes on with the next id.
		c, _, err := l.Alloc(Request{Block: block, Thread: 7, Space: kernel.Shared, Name: "x", Collective: threadAxis})
		if err != nil || c.Key.ID != 102 {
			t.Fatal(c, err)
		}
		if d := l.AllocAll(block, kernel.Shared, 8, "y", at(3)); d.Key.ID != 103 {
			t.Fatal("a request of all threads comes after what any of them has", d.Key)
		}
		if n := len(l.EndBlock(block)); n != 1 {
			t.Fatal("x was allocated by one thread only", n)
		}
	}
	if l.AllocAll(9, kernel.Shared, 1, "z", at(1)) != nil {
		t.Error("no such block")
	}
}

func TestPrivateAndAccumulators(t *testing.T) {
	l := NewLedger(0)
	l.BeginBlock(0, 2)
	a, _, _ := l.Alloc(Request{Private: true, Thread: 0, Name: "p"})
	b, _, _ := l.Alloc(Request{Private: true, Thread: 1, Name: "p"})
	if a == b || a.Key.Thread != 0 || b.Key.Thread != 1 || a.Key.ID != b.Key.ID {
		t.Error("without a thread axis every thread's memory is its own", a.Key, b.Key)
	}
	for i, want := range []int{-100, -101} {
		r, created, err := l.Alloc(Request{Accumulator: true, Thread: 1})
		if err != nil || !created || r.Key.ID != want {
			t.Error(i, r, err)
		}
	}
	if r, _, _ := l.Alloc(Request{Accumulator: true, Thread: 0}); r.Key.ID != -100 {
		t.Error("accumulator ids of threads need not match", r.Key)
	}
	if bad := l.EndBlock(0); bad != nil {
		t.Error("private memory cannot be out of step", bad)
	}
}

func TestHostBuffers(t *testing.T) {
	l := NewLedger(0)
	a, _ := l.ForAll(Request{Name: "a"})
	b, _ := l.ForAll(Request{Name: "b"})
	if b.Key.ID != a.Key.ID+1 || l.Live() != 2 {
		t.Error(a.Key, b.Key)
	}
	if !l.FreeForAll(a.Key.ID) || l.FreeForAll(a.Key.ID) || l.Live() != 1 {
		t.Error("a buffer is freed once")
	}
	l.BeginBlock(0, 1)
	if c := l.AllocAll(0, kernel.Shared, 1, "s", at(1)); c.Key.ID != b.Key.ID+1 {
		t.Error("host allocations raise the counter with which threads start", c.Key)
	}
}
