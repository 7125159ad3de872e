package memory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gpusim/kernel"
)

// Validity against a plain slice of booleans, over random ranges.
func TestValidity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		size := int64(1 + rng.IntN(300))
		b := NewBuffer(1, "b", kernel.Global, 1<<GlobalShift, size, true)
		want := make([]bool, size)
		for range 20 {
			off := rng.Int64N(size)
			n := 1 + rng.Int64N(size-off)
			valid := rng.IntN(3) != 0
			b.SetValid(off, n, valid)
			for i := off; i < off+n; i++ {
				want[i] = valid
			}
			off = rng.Int64N(size)
			n = 1 + rng.Int64N(size-off)
			if got, all := b.AllValid(off, n), !slices.Contains(want[off:off+n], false); got != all {
				t.Fatalf("size %d: AllValid(%d, %d) is %v", size, off, n, got)
			}
			k := min(n, 8)
			var mask uint64
			for i := range k {
				if !want[off+i] {
					mask |= 0xFF << (8 * i)
				}
			}
			if got := b.InvalidBits(off, int(k)); got != mask {
				t.Fatalf("size %d: InvalidBits(%d, %d) is %x, want %x", size, off, k, got, mask)
			}
		}
		invalid := int64(0)
		for _, v := range want {
			if !v {
				invalid++
			}
		}
		if got := b.CountInvalid(); got != invalid {
			t.Fatalf("size %d: %d invalid bytes, want %d", size, got, invalid)
		}
	}
}

func TestUntracked(t *testing.T) {
	b := NewBuffer(1, "b", kernel.Global, 1<<GlobalShift, 8, false)
	b.SetValid(0, 8, false)
	if !b.AllValid(0, 8) || b.InvalidBits(0, 8) != 0 || b.CountInvalid() != 0 || b.Size() != 8 {
		t.Error("without tracking everything counts as initialised")
	}
}

func TestWatches(t *testing.T) {
	b := NewBuffer(1, "b", kernel.Global, 1<<GlobalShift, 64, false)
	var woken []int
	watch := func(id int, off, n int64) *Watch {
		w := &Watch{Off: off, Len: n, Wake: func() { woken = append(woken, id) }}
		b.AddWatch(w)
		return w
	}
	watch(1, 0, 4)
	watch(2, 2, 4)
	third := watch(3, 8, 4)
	watch(4, 0, 64)
	b.Changed(5, 1)
	if !slices.Equal(woken, []int{2, 4}) {
		t.Error("those whose bytes changed, in the order of registration:", woken)
	}
	b.Changed(5, 1)
	if len(woken) != 2 {
		t.Error("a watch wakes once", woken)
	}
	b.Changed(4, 4)
	if len(woken) != 2 {
		t.Error("neighbours are not woken", woken)
	}
	b.RemoveWatch(third)
	b.RemoveWatch(third)
	b.Changed(8, 4)
	if len(woken) != 2 || !b.Watched() {
		t.Error(woken)
	}
	b.DropWatches()
	if b.Watched() {
		t.Error("dropped")
	}
}

func TestMap(t *testing.T) {
	var m Map
	a := m.Add(1, "a", 100, true)
	b := m.Add(2, "b", 10, false)
	for addr, want := range map[uint64]*Buffer{a.Base: a, a.Base + 99: a, a.Base + 100: a, b.Base: b, b.Base - 1: a, 0: nil, b.Base + 1<<GlobalShift: nil} {
		if got := m.Find(addr); got != want {
			t.Errorf("Find(%#x): %v", addr, got)
		}
	}
	if m.Near(b.Base-4) != b || m.Near(a.Base+104) != a || m.Near(b.Base-1<<31) != a || m.Near(12) != nil {
		t.Error("an address just below a buffer most likely meant it")
	}
	// A 32-bit index that wraps leads into a gap, not into another buffer.
	if m.Find(a.Base+4*(1<<32-1)) != a || a.Base+4*(1<<32-1) < a.Base+100 {
		t.Error("wrapped index")
	}
	if !slices.Equal(m.Buffers(), []*Buffer{a, b}) || a.Base%256 != 0 {
		t.Error(m.Buffers())
	}
}

func TestSpaceOf(t *testing.T) {
	for addr, want := range map[uint64]kernel.Space{0: kernel.Generic, 1 << GlobalShift: kernel.Global, SharedBase: kernel.Shared, SharedEnd - 1: kernel.Shared,
		SharedEnd: kernel.Generic, LocalBase: kernel.Local, ParamBase: kernel.Param, ParamEnd: kernel.Generic} {
		if got := SpaceOf(addr); got != want {
			t.Errorf("%#x: %v, want %v", addr, got, want)
		}
	}
}

// A byte whose bits are initialised one by one is initialised with the last of them.
func TestBitsOfBytes(t *testing.T) {
	b := NewBuffer(1, "b", kernel.Global, 1<<GlobalShift, 8, true)
	check := func(what string, want uint64) {
		t.Helper()
		if got := b.InvalidBits(0, 4); got != want {
			t.Errorf("%s: uninitialised bits %#x, want %#x", what, got, want)
		}
	}
	check("fresh", 0xFFFFFFFF)
	b.SetInvalidBits(0, 4, 0xFFFF00E0)
	check("a bit-field", 0xFFFF00E0)
	if b.AllValid(0, 1) || !b.AllValid(1, 1) {
		t.Error("bytes are initialised when all their bits are")
	}
	b.SetInvalidBits(0, 2, 0)
	check("the rest of it", 0xFFFF0000)
	b.SetInvalidBits(0, 1, 0xFF)
	check("unset again", 0xFFFF00FF)
	b.MarkValid(0, 4)
	check("an element", 0)
	if !b.ElementValid(0, 4) || b.ElementValid(4, 2) || b.ElementValid(0, 8) {
		t.Error("elements")
	}
	b.SetInvalidBits(0, 1, 0x0F)
	b.Invalidate()
	check("invalidated", 0xFFFFFFFF)
}
