package race

import (
	"math/rand/v2"
	"testing"
)

// TestExt compares the tree with a map, on puts and joins of near and far keys.
func TestExt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type both struct {
		x *ext
		m map[uint64]uint32
	}
	var all []both
	stamp := uint32(0)
	key := func() uint64 { return r.Uint64N(1 << (1 + r.IntN(25))) }
	for range 300 {
		n := both{nil, map[uint64]uint32{}}
		if len(all) > 1 && r.IntN(2) == 0 {
			a, b := all[r.IntN(len(all))], all[r.IntN(len(all))]
			n.x = joinExt(a.x, b.x)
			for _, m := range []map[uint64]uint32{a.m, b.m} {
				for k, v := range m {
					n.m[k] = max(n.m[k], v)
				}
			}
			if j := joinExt(b.x, n.x); joinExt(n.x, a.x) != n.x || j != n.x && j != b.x {
				t.Fatal("a join with what is known makes a new tree")
			}
		} else if len(all) > 0 {
			a := all[r.IntN(len(all))]
			n.x = a.x
			for k, v := range a.m {
				n.m[k] = v
			}
		}
		for range r.IntN(4) {
			stamp++
			k, v := key(), stamp*7919%100003 // no two are equal
			n.x = n.x.put(k, &part{floor: v})
			n.m[k] = max(n.m[k], v)
		}
		all = append(all, n)
	}
	for _, n := range all {
		for k, v := range n.m {
			if got := n.x.get(k); got == nil || got.floor != v {
				t.Fatalf("key %d: %v, want %d", k, got, v)
			}
		}
		for range 50 {
			if k := key(); n.x.get(k) != nil {
				if _, ok := n.m[k]; !ok {
					t.Fatalf("key %d was never put", k)
				}
			}
		}
	}
}
