package tensor

// avx selects the assembly. The tests switch it off to compare.
var avx = hasAVX()

func hasAVX() bool

// gemmTile adds the product of 4 rows of a and 16 columns of b, which lie next to each other, to
// a tile of c. Products are rounded before they are added, in the order of k, as without it.
//
//go:noescape
func gemmTile(k int, a *float32, lda int, b *float32, c *float32, ldc int)

const tileRows, tileColumns = 4, 16

// gemmTiles adds the product of a and b to c, if this machine has the instructions and the
// product is large enough for them.
func gemmTiles(m, n, k int, a, b, c []float32) bool {
	if !avx || m < tileRows || k < 2 || n < tileColumns/2 {
		return false
	}
	var edge [tileRows * tileColumns]float32
	panel := make([]float32, k*tileColumns)
	var rows []float32 // the last rows of a, filled up with zeros
	full := m - m%tileRows
	if full < m {
		rows = make([]float32, tileRows*k)
		copy(rows, a[full*k:m*k])
	}
	for j := 0; j < n; j += tileColumns {
		w := min(n-j, tileColumns)
		for l := range k {
			copy(panel[l*tileColumns:l*tileColumns+w], b[l*n+j:l*n+j+w])
			clear(panel[l*tileColumns+w : (l+1)*tileColumns])
		}
		for i := 0; i < m; i += tileRows {
			from, h := a[i*k:], min(m-i, tileRows)
			if h < tileRows {
				from = rows
			}
			if h == tileRows && w == tileColumns {
				gemmTile(k, &from[0], k, &panel[0], &c[i*n+j], n)
				continue
			}
			clear(edge[:])
			for r := range h {
				copy(edge[r*tileColumns:], c[(i+r)*n+j:(i+r)*n+j+w])
			}
			gemmTile(k, &from[0], k, &panel[0], &edge[0], tileColumns)
			for r := range h {
				copy(c[(i+r)*n+j:(i+r)*n+j+w], edge[r*tileColumns:])
			}
		}
	}
	return true
}
