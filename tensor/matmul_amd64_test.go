package tensor

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly, gonum's routine and the loops give the same bits.
func TestTilesAreLikeLoops(t *testing.T) {
	if !avx {
		t.Skip("this machine has no AVX")
	}
	defer func() { avx = true }()
	r := rand.New(rand.NewPCG(2, 2))
	for _, s := range [][3]int{{4, 16, 2}, {4, 8, 3}, {5, 17, 7}, {64, 64, 64}, {66, 40, 130}, {7, 200, 33}, {128, 128, 128}} {
		m, n, k := s[0], s[1], s[2]
		random := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			return x
		}
		a, b := random(m*k), random(k*n)
		tiles, loops, blas := make([]float32, m*n), make([]float32, m*n), make([]float32, m*n)
		avx = true
		if !gemmTiles(m, n, k, a, b, tiles) {
			t.Fatalf("%v: not computed by tiles", s)
		}
		product(loops, a, b, m, n, k)
		avx = false
		gemm32(m, n, k, a, b, blas)
		if !slices.Equal(tiles, loops) {
			t.Errorf("%v: tiles and loops differ", s)
		}
		if !slices.Equal(tiles, blas) {
			t.Errorf("%v: tiles and gonum differ", s)
		}
	}
}
