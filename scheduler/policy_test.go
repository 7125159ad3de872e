package scheduler

import (
	"fmt"
	"slices"
	"testing"
)

// serve pushes n mailboxes and serves them, pushing each popped one again until its
// share of turns is used up.
func serve(p Policy, n, turns int) []int32 {
	left := map[int32]int{}
	for i := range int32(n) {
		left[i] = turns
		p.Push(i)
	}
	var order []int32
	for p.Len() > 0 {
		m := p.Pop()
		order = append(order, m)
		if left[m]--; left[m] > 0 {
			p.Push(m)
		}
	}
	return order
}

func TestRoundRobin(t *testing.T) {
	want := []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}
	if got := serve(&RoundRobin{}, 3, 3); !slices.Equal(got, want) {
		t.Error(got)
	}
	got := serve(&RoundRobin{}, 100, 2) // beyond the ring's first size, with wrapping
	for i, m := range got {
		if m != int32(i%100) {
			t.Fatal(i, m)
		}
	}
}

func TestRandom(t *testing.T) {
	a, b := serve(NewRandom(7), 40, 5), serve(NewRandom(7), 40, 5)
	if !slices.Equal(a, b) {
		t.Error("one seed, one order")
	}
	if slices.Equal(a, serve(NewRandom(8), 40, 5)) {
		t.Error("another seed, another order")
	}
	count := map[int32]int{}
	for _, m := range a {
		count[m]++
	}
	for m := range int32(40) {
		if count[m] != 5 {
			t.Error("every mailbox is served as often as it was pushed", m, count[m])
		}
	}
}

// Any of three mailboxes may come first, about equally often.
func TestRandomIsFair(t *testing.T) {
	first := [3]int{}
	for seed := range uint64(3000) {
		first[serve(NewRandom(seed), 3, 1)[0]]++
	}
	for m, n := range first {
		if n < 900 || n > 1100 {
			t.Errorf("mailbox %d came first %d times of 3000", m, n)
		}
	}
}

func TestQuantum(t *testing.T) {
	p := NewRandom(1)
	short, lowest, highest := 0, Quantum, 0
	for range 10000 {
		p.Push(0) // a quantum follows a choice
		p.Pop()
		if q := p.Quantum(false); q != Quantum {
			short++
		}
		q := p.Quantum(true)
		lowest, highest = min(lowest, q), max(highest, q)
		if q < 1 {
			t.Fatal("a quantum makes progress", q)
		}
	}
	if short < 1000 || short > 1500 {
		t.Error("about one quantum in eight is short:", short)
	}
	if lowest > 4 || highest < Quantum {
		t.Error("quanta of all magnitudes:", lowest, highest)
	}
}

func TestBlocks(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(200) {
		p := NewRandom(seed)
		if n := p.Blocks(100, false); n != 1 {
			t.Fatal("blocks that do not communicate run one after the other", n)
		}
		n := p.Blocks(5, true)
		if n < 2 || n > 5 {
			t.Fatal(n)
		}
		seen[n] = true
		if n := p.Blocks(1, true); n != 1 {
			t.Fatal(n)
		}
		if n := p.Blocks(2, true); n != 2 {
			t.Fatal(n)
		}
	}
	if len(seen) != 4 {
		t.Error("seeds differ in how many blocks they interleave", seen)
	}
}

func TestNew(t *testing.T) {
	for _, name := range Names {
		if p, err := New(name, 1); err != nil || p == nil {
			t.Error(name, err)
		}
	}
	if _, err := New("fair", 1); err == nil || err.Error() != `unknown schedule "fair": want random or rr` {
		t.Error(err)
	}
}

// Examples computed by hand from the tables that Models cites.
func TestResident(t *testing.T) {
	for _, c := range []struct {
		model   string
		threads int
		shared  int64
		want    int
	}{
		{"", 256, 0, 108 * 8},          // a100: 2048 threads
		{"a100", 32, 0, 108 * 32},      // 32 blocks
		{"a100", 33, 0, 108 * 32},      // two warps each
		{"a100", 1024, 48 * 1024, 216}, // 2 by threads, 3 by shared memory
		{"a100", 128, 48 * 1024, 324},  // 164 / (48+1)
		{"a100", 128, 163 * 1024, 108}, // one fills an SM
		{"a100", 128, 163*1024 + 1, 0}, // too much
		{"v100", 1024, 96 * 1024, 80},  // nothing reserved
		{"H100", 256, 227 * 1024, 132}, // names ignore case
		{"rtx4090", 1024, 0, 128},      // 1536 threads hold one block of 1024
		{"l4", 64, 0, 58 * 24},         // 24 blocks
		{"t4", 1024, 64 * 1024, 40},    //
		{"b200", 1024, 100 * 1024, 2 * 148},
	} {
		m, err := FindModel(c.model)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Resident(c.threads, c.shared); got != c.want {
			t.Errorf("%s with %d threads, %d bytes: %d, want %d", m.Name, c.threads, c.shared, got, c.want)
		}
	}
	_, err := FindModel("gtx480")
	if err == nil || fmt.Sprint(err)[:24] != `unknown device "gtx480":` {
		t.Error(err)
	}
}
