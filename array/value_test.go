package array

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gpusim/kernel"
	"gpusim/memory"
)

// Every bit pattern of the 16-bit formats is a value that survives, and rounding to nearest
// even goes to the nearer neighbour.
func TestHalfFormats(t *testing.T) {
	for _, d := range []DType{F16, BF16} {
		for b := range uint64(1 << 16) {
			x := d.floatOf(b)
			if math.IsNaN(x) {
				continue
			}
			if got := d.bits(d.Round(x), 0); got != b {
				t.Fatalf("%v %#x is %v, which is %#x", d, b, x, got)
			}
			if math.IsInf(x, 0) || b&0x7FFF == 0x7F7F || b&0x7FFF == 0x7BFF {
				continue
			}
			up := d.floatOf(b + 1) // of greater magnitude
			if math.IsInf(up, 0) {
				continue
			}
			middle := (x + up) / 2
			even := x
			if b&1 == 1 {
				even = up
			}
			if got := d.Round(middle); got != even {
				t.Fatalf("%v: %v between %v and %v became %v", d, middle, x, up, got)
			}
			if got := d.Round(middle + (x-middle)/8); got != x {
				t.Fatalf("%v: nearer to %v became %v", d, x, got)
			}
		}
	}
	if x := F16.Round(65519); x != 65504 {
		t.Error(x)
	}
	if x := F16.Round(65520); !math.IsInf(x, 1) {
		t.Error(x)
	}
}

// Views against indices that are computed one by one.
func TestViews(t *testing.T) {
	b := &Buffer{Buffer: memory.NewBuffer(1, "b", kernel.Shared, 0, 4*6*8*2, false), Type: I16, Dims: []int{4, 6, 8}}
	for i := range 4 * 6 * 8 {
		store(b.Data[2*i:], 2, uint64(i))
	}
	r, err := b.All().At(Index{Start: 2, Element: true}, Index{Start: 1, Size: 2, Stride: 3}, Index{Start: 4, Size: 3, Stride: 1})
	if err != nil {
		t.Fatal(err)
	}
	r = r.Transpose([]int{1, 0})
	var want []int64
	for k := 4; k < 7; k++ {
		for _, j := range []int{1, 4} {
			want = append(want, int64(2*48+j*8+k))
		}
	}
	if got := r.read(); !slices.Equal(got.I, want) || !slices.Equal(got.Shape, []int{3, 2}) {
		t.Errorf("%+v, want %v", got, want)
	}
	for _, bad := range []Index{{Start: 8, Element: true}, {Start: -1, Element: true}, {Start: 6, Size: 3, Stride: 1}, {Start: 0, Size: 5, Stride: 2}} {
		if _, err := b.All().At(Index{Size: 4, Stride: 1}, Index{Size: 6, Stride: 1}, bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// The runs of a view are its bytes, each once.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := &Buffer{Buffer: memory.NewBuffer(1, "b", kernel.Shared, 0, 5*7*9*4, false), Type: F32, Dims: []int{5, 7, 9}}
	for range 200 {
		var index []Index
		for _, n := range b.Dims {
			switch start := r.IntN(n); r.IntN(3) {
			case 0:
				index = append(index, Index{Start: start, Element: true})
			case 1:
				index = append(index, Index{Size: n, Stride: 1})
			default:
				index = append(index, Index{Start: start, Size: 1 + r.IntN(n-start), Stride: 1})
			}
		}
		v, err := b.All().At(index...)
		if err != nil {
			t.Fatal(err)
		}
		want := map[int64]bool{}
		v.each(func(_, off int) {
			for k := range int64(4) {
				want[int64(off)*4+k] = true
			}
		})
		n := 0
		for _, x := range v.runs() {
			for k := range x.Len {
				if !want[x.Off+k] {
					t.Fatalf("%v: byte %d", index, x.Off+k)
				}
				n++
			}
		}
		if n != len(want) {
			t.Fatalf("%v: %d bytes, want %d", index, n, len(want))
		}
	}
}
