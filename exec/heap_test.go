package exec

import (
	"strings"
	"testing"

	"gpusim/kernel"
	"gpusim/memory"
)

func TestHeap(t *testing.T) {
	m := &memory.Map{}
	id, dropped := 0, 0
	h := &Heap{Limit: 256, Make: func(name string, size int64) *memory.Buffer { id++; return m.Add(id, name, size, true) }, Drop: func(*memory.Buffer) { dropped++ }}
	l := &Launch{Findings: &Findings{}, Memory: m, Kernel: "k"}
	by := kernel.Access{Source: src(3)}
	if h.Alloc(l, 257, by) != 0 || h.Alloc(l, ^uint64(0), by) != 0 {
		t.Error("more than the heap has")
	}
	a, b := h.Alloc(l, 100, by), h.Alloc(l, 0, by)
	if a == 0 || b == 0 || a == b {
		t.Fatal(a, b)
	}
	if h.Alloc(l, 129, by) != 0 {
		t.Error("the heap has 128 bytes left")
	}
	c := h.Alloc(l, 128, by)
	if c == 0 || h.Alloc(l, 1, by) != 0 {
		t.Error("exactly the rest")
	}
	h.Free(l, a, by, 1)
	h.Free(l, 0, by, 1)
	if d := h.Alloc(l, 112, by); d == 0 || d == a {
		t.Error("freed memory is there again, at another address")
	}
	if len(l.Findings.List()) != 0 || dropped != 1 {
		t.Error(l.Findings.List(), dropped)
	}
	h.Free(l, a, by, 2)
	h.Free(l, c+8, by, 3)
	h.Free(l, 12, by, 4)
	var all []string
	for _, f := range l.Findings.List() {
		all = append(all, string(f.Kind)+": "+f.Message)
	}
	want := []string{"use-after-free: double free: ", "allocation-misuse: free of an address at offset 8", "allocation-misuse: free of the address 0xc"}
	for i, w := range want {
		if i >= len(all) || !strings.HasPrefix(all[i], w) {
			t.Errorf("no %q in %q", w, all)
		}
	}
	leaks := h.Leaks()
	if len(leaks) != 1 || leaks[0].Count != 3 || !strings.Contains(leaks[0].Message, "3 allocations, 240 bytes") {
		t.Error(leaks)
	}
	for range 200 {
		x := h.Alloc(l, 1, by)
		if x == 0 {
			h.Free(l, c, by, 5)
			x = h.Alloc(l, 1, by)
		}
		h.Free(l, x, by, 5)
	}
	if len(h.list) > 100 {
		t.Error("the list does not shrink", len(h.list))
	}
}
