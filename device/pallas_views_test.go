package device

import (
	"strings"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// matrixIn is a matrix of 4 rows of 6 columns that holds 0, 1, 2 and so on.
var matrixIn = []param{{"in", tensor.I32, []int{4, 6}, iota}, {"out", tensor.I32, []int{24}, nil}}

// picks are the elements of the matrix that a view holds, in order.
func picks(name string, want []float64, view func(in array.Ref) array.Ref) program {
	return program{name: name, args: matrixIn, out: want, run: func(k *kit) {
		v := view(k.in())
		n := tensor.Count(v.Shape())
		k.here()
		k.Store(must(sub(k.out(), sl(0, n)).Reshape(v.Shape())), k.Load(v))
	}}
}

func by(n int, f func(i int) int) []float64 {
	return count(n, func(i int) float64 { return float64(f(i)) })
}

func TestPallasViews(t *testing.T) {
	checkAll(t, []program{
		picks("a row", by(6, func(i int) int { return 12 + i }), func(in array.Ref) array.Ref { return sub(in, el(2)) }),
		picks("a column", by(4, func(i int) int { return 6*i + 3 }), func(in array.Ref) array.Ref { return sub(in, sl(0, 4), el(3)) }),
		picks("slices of slices", by(2, func(i int) int { return 6*3 + 2 + i }), func(in array.Ref) array.Ref { return sub(sub(in, sl(1, 3), sl(1, 4)), el(2), sl(1, 2)) }),
		picks("strides of strides", []float64{1, 5}, func(in array.Ref) array.Ref {
			return sub(sub(in, el(0), array.Index{Start: 1, Size: 3, Stride: 2}), array.Index{Start: 0, Size: 2, Stride: 2})
		}),
		picks("a transpose", by(24, func(i int) int { return i%4*6 + i/4 }), func(in array.Ref) array.Ref { return in.Transpose([]int{1, 0}) }),
		picks("a slice of a transpose", by(4, func(i int) int { return i%2*6 + 6 + i/2 + 2 }), func(in array.Ref) array.Ref { return sub(in.Transpose([]int{1, 0}), sl(2, 2), sl(1, 2)) }),
		picks("a reshape", by(8, func(i int) int { return 8 + i }), func(in array.Ref) array.Ref { return sub(must(in.Reshape([]int{3, 8})), el(1)) }),
		picks("a reshape that splits", by(2, func(i int) int { return 18 + 3*i }), func(in array.Ref) array.Ref { return sub(must(in.Reshape([]int{4, 2, 3})), el(3), sl(0, 2), el(0)) }),
		picks("a reshape of a slice of rows", by(12, func(i int) int { return 6 + i }), func(in array.Ref) array.Ref { return must(sub(in, sl(1, 2)).Reshape([]int{12})) }),
		picks("a reshape that adds dimensions of extent 1", by(4, func(i int) int { return 6*i + 3 }), func(in array.Ref) array.Ref { return must(sub(in, sl(0, 4), el(3)).Reshape([]int{1, 4, 1})) }),
		picks("columns reshaped by rows", by(8, func(i int) int { return i/2*6 + i%2 }), func(in array.Ref) array.Ref {
			return must(sub(in, sl(0, 4), sl(0, 2)).Reshape([]int{2, 2, 2}))
		}),
		picks("a list of rows", []float64{19, 7, 1}, func(in array.Ref) array.Ref { return sub(in, array.Index{List: []int{3, 1, 0}}, el(1)) }),
		picks("a slice of a list", []float64{6, 0}, func(in array.Ref) array.Ref { return sub(sub(in, array.Index{List: []int{3, 1, 0}}), sl(1, 2), el(0)) }),
		picks("an element of a list", []float64{7}, func(in array.Ref) array.Ref { return sub(sub(in, array.Index{List: []int{3, 1, 0}}, el(1)), el(1)) }),
		{name: "a bitcast", out: []float64{0x00020001, 0x00040003}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.set(s[0].Ref, filled(tensor.I16, func(i int) float64 { return float64(1 + i) }, 4))
				k.move(sub(k.out(), sl(0, 2)), must(s[0].Ref.Bitcast(tensor.I32, 0)))
			}, smem("halves", tensor.I16, 4))
		}},
		{name: "a bitcast to smaller elements", args: []param{{"in", tensor.I32, []int{2}, func(i int) float64 { return float64(0x00020001 + i*0x10001) }}, {"out", tensor.I16, []int{4}, nil}}, out: []float64{1, 2, 2, 3}, run: func(k *kit) {
			k.move(k.out(), must(k.in().Bitcast(tensor.I16, 0)))
		}},
		{name: "members of a union with different lifetimes", bad: "allocation-misuse...through alias group 1, which was last written through alias group 0", out: []float64{5, 5, 7, 7}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				first, second := must(s[0].Ref.Alias(tensor.I32, []int{4}, 0, 0)), must(s[0].Ref.Alias(tensor.I32, []int{2}, 8, 1))
				k.put(first, 5)
				k.move(sub(k.out(), sl(0, 2)), sub(first, sl(2, 2)))
				if !k.bug() {
					k.put(second, 7)
				}
				k.move(sub(k.out(), sl(2, 2)), second)
			}, array.Scratch{Name: "union", Space: kernel.Shared, Bytes: 16})
		}},
		{name: "members of a union that overlap race", mesh: two, bad: "data-race union", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				at := 0
				if k.ID == 1 && !k.bug() {
					at = 8
				}
				k.put(must(s[0].Ref.Alias(tensor.I32, []int{2}, at, 0)), 1)
			}, array.Scratch{Name: "union", Space: kernel.Shared, Bytes: 16})
		}},
		{name: "rows of a transpose race where they meet", mesh: two, bad: "data-race tile", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				r := s[0].Ref
				if k.ID == 1 && k.bug() {
					r = r.Transpose([]int{1, 0})
				}
				k.put(sub(r, el(k.ID)), 1)
			}, smem("tile", tensor.I32, 4, 4))
		}},
		{name: "strided stores race where they meet", mesh: two, bad: "data-race tile", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				stride := 2
				if k.bug() {
					stride += k.ID
				}
				k.put(sub(s[0].Ref, array.Index{Start: k.ID, Size: 4, Stride: stride}), 1)
			}, i32("tile", 16))
		}},
	})
}

func TestPallasBadViews(t *testing.T) {
	d := newDevice(t, Options{})
	b := newBuffer(t, d, "x", 96)
	whole := (&array.Buffer{Buffer: b, Type: tensor.I32, Dims: []int{4, 6}}).All()
	columns := sub(whole, sl(0, 4), sl(0, 3))
	for want, err := range map[string]error{
		"a view of shape (4, 6) cannot be reshaped to (5, 5)":           second(whole.Reshape([]int{5, 5})),
		"a view of shape (4, 3) cannot be reshaped to (12,): it is not": second(columns.Reshape([]int{12})),
		"a view of int32 of shape (4, 3) cannot be bitcast to float64":  second(columns.Bitcast(tensor.F64, 1)),
		"a reference of int32 cannot be bitcast to int4":                second(whole.Bitcast(tensor.I4, 1)),
		"int32 of shape (6, 6) at byte 0 exceeds the 96 bytes of x":     second(whole.Alias(tensor.I32, []int{6, 6}, 0, 0)),
		"int32 of shape (1,) at byte -4 exceeds":                        second(whole.Alias(tensor.I32, []int{1}, -4, 0)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func second(_ array.Ref, err error) error { return err }

// mask holds for some of n elements.
func mask(n int, f func(i int) bool) tensor.Value {
	v := tensor.Make(tensor.Bool, []int{n})
	for i := range n {
		if f(i) {
			v.Data[i] = 1
		}
	}
	return v
}

func TestPallasMasksAndAtomics(t *testing.T) {
	even := mask(4, func(i int) bool { return i%2 == 0 })
	checkAll(t, []program{
		{name: "a masked load", out: []float64{0, -1, 2, -1}, run: func(k *kit) {
			k.here()
			k.Store(sub(k.out(), sl(0, 4)), k.LoadMasked(sub(k.in(), sl(0, 4)), even, full(tensor.I32, -1)))
		}},
		{name: "a masked load reads what the mask tells", bad: "uninitialized-read tile...element 1", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(sub(s[0].Ref, array.Index{Size: 2, Stride: 2}), 1)
				m := even
				if k.bug() {
					m = mask(4, func(i int) bool { return i < 2 })
				}
				k.here()
				k.LoadMasked(s[0].Ref, m, full(tensor.I32, 0))
			}, i32("tile", 4))
		}},
		{name: "a masked load that lies outside where the mask does not hold", out: []float64{62, 63, -1, -1}, run: func(k *kit) {
			k.here()
			k.Store(sub(k.out(), sl(0, 4)), k.LoadMasked(k.IndexCopy(k.in(), sl(62, 4)), mask(4, func(i int) bool { return i < 2 }), full(tensor.I32, -1)))
		}},
		{name: "a mask that holds outside", n: 3, want: func(i int) string {
			return []string{"", "out-of-bounds in...Out-of-bounds masked read of in: the mask holds for element [2] of the read of shape (4,)", "out-of-bounds in...Out-of-bounds masked swap of in"}[i]
		}, run: func(k *kit) {
			r := k.IndexCopy(k.in(), sl(62, 4))
			m := mask(4, func(i int) bool { return i < 2 || i == 2 && k.i > 0 })
			k.here()
			if k.i < 2 {
				k.LoadMasked(r, m, full(tensor.I32, -1))
			} else {
				k.SwapMasked(r, full(tensor.I32, -1), m, false)
			}
		}},
		{name: "a masked swap", out: []float64{9, 1, 9, 3, 0, 9, 2, 9}, run: func(k *kit) {
			k.move(sub(k.out(), sl(0, 4)), sub(k.in(), sl(0, 4)))
			k.here()
			old := k.SwapMasked(sub(k.out(), sl(0, 4)), full(tensor.I32, 9, 4), even, true)
			k.Store(sub(k.out(), sl(4, 4)), old)
		}},
		{name: "M11: masked stores race where their masks meet", mesh: two, bad: "data-race out", args: zeroes, out: []float64{1, 2, 1, 2}, run: func(k *kit) {
			m := mask(4, func(i int) bool { return i%2 == k.ID || k.bug() && i == 2 })
			k.here()
			k.SwapMasked(sub(k.out(), sl(0, 4)), full(tensor.I32, float64(1+k.ID), 4), m, false)
		}},
		{name: "atomic updates", mesh: Mesh{Grid: []int{3}, Threads: 2}, bad: "data-race out...atomically update", args: zeroes, out: []float64{6, 6}, run: func(k *kit) {
			r := sub(k.out(), sl(0, 2))
			if k.bug() && k.Point()[0] == 1 && k.ID == 0 {
				k.put(r, 1)
				return
			}
			k.here()
			k.AtomicStore(r, full(tensor.I32, 1, 2), nil, "add")
		}},
		{name: "atomic updates order nothing", mesh: clusters, bad: "data-race out", args: zeroes, run: func(k *kit) {
			flag := k.flag(0)
			if k.Point()[0] == 0 {
				k.put(sub(k.out(), el(1)), 7)
				k.here()
				k.AtomicStore(sub(k.out(), el(0)), num(k.out(), 1), nil, "max")
				k.signal(flag, 1)
				return
			}
			k.here()
			k.AtomicStore(sub(k.out(), el(0)), num(k.out(), 1), nil, "max")
			if !k.bug() {
				k.await(flag, 1)
			}
			k.get(sub(k.out(), el(1)))
		}},
		{name: "a load of what others update atomically", mesh: two, bad: "data-race tile", out: []float64{3, 4}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				if k.ID == 0 {
					k.put(s[0].Ref, 1)
					k.arrive(s[1])
				}
				k.wait(s[1])
				k.here()
				k.AtomicStore(sub(s[0].Ref, el(k.ID)), num(s[0].Ref, float64(2+k.ID)), nil, "add")
				k.arrive(s[2])
				if k.ID == 0 {
					if !k.bug() {
						k.wait(s[2])
					}
					k.move(sub(k.out(), sl(0, 2)), sub(s[0].Ref, sl(0, 2)))
				}
			}, i32("tile", 4), bar("ready", 1), bar("done", 2))
		}},
		{name: "a store, then a copy that adds", bad: "data-race out proxy-fence", out: []float64{11, 11}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				if k.bug() {
					k.fence()
				}
				k.put(sub(k.out(), sl(0, 4)), 6)
				if !k.bug() {
					k.fence()
				}
				k.here()
				k.CopyOut(s[0].Ref, sub(k.out(), sl(0, 4)), array.CopyOut{Commit: true, Reduction: "add"})
				k.waitOut(0)
			}, four...)
		}},
		{name: "masked atomic updates", args: zeroes, out: []float64{5, 0, 5, 0}, run: func(k *kit) {
			k.here()
			k.AtomicStore(sub(k.out(), sl(0, 4)), full(tensor.I32, 5, 4), &even, "max")
		}},
		{name: "an atomic operation that is not known", args: zeroes, want: func(int) string { return `async-misuse...the reduction "nand" is not known` }, run: func(k *kit) {
			k.here()
			k.AtomicStore(sub(k.out(), el(0)), num(k.out(), 1), nil, "nand")
		}},
	})
}
