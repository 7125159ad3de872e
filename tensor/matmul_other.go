//go:build !amd64

package tensor

// gemmTiles has no assembly for this machine.
func gemmTiles(m, n, k int, a, b, c []float32) bool { return false }
