package hugepages

import (
	"testing"
	"unsafe"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, size - 1, size, size + 1, 5*size + 123} {
		s := Make[byte](n)
		if len(s) != n || cap(s) < n {
			t.Fatalf("Make(%d) has length %d, capacity %d", n, len(s), cap(s))
		}
		for i, b := range s {
			if b != 0 {
				t.Fatalf("Make(%d)[%d] is %d", n, i, b)
			}
			s[i] = 1
		}
		if n >= size && uintptr(unsafe.Pointer(&s[0]))%size != 0 {
			t.Errorf("Make(%d) does not start at a huge page", n)
		}
	}
	if s := Make[[3]byte](size); len(s) != size {
		t.Errorf("elements of three bytes: length %d", len(s))
	}
	if s := Make[*int](size); len(s) != size || s[size-1] != nil {
		t.Error("pointers")
	}
}
