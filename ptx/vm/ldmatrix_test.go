package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// matrixText is a kernel whose lanes fill 1 KiB of shared memory, 16 words each, run the
// lines on it, and store four words each. %row is the address of the lane's row of 16
// bytes, %w0 to %w3 are what is stored.
func matrixText(barrier string, lines ...string) string {
	return `.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %i, %o, %x; .reg .b32 %t, %s, %row, %v, %w<4>; .shared .align 16 .b8 m[512];
	mov.u32 %t, %tid.x; ld.param.u64 %i, [in]; ld.param.u64 %o, [out];
	mul.wide.u32 %x, %t, 16; add.u64 %i, %i, %x; add.u64 %o, %o, %x;
	mov.u32 %s, m; mul.lo.u32 %row, %t, 16; add.u32 %row, %row, %s;
	ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%i];
	st.shared.v4.b32 [%row], {%w0, %w1, %w2, %w3};
	` + barrier + "\n" + strings.Join(lines, "\n") + `
	st.global.v4.b32 [%o], {%w0, %w1, %w2, %w3}; ret; }`
}

// half is element (row, col) of matrix m of the test's input.
func half(m, row, col int) uint32 { return uint32(m<<8 | row<<4 | col) }

func matrixInput() []uint32 {
	in := make([]uint32, 128)
	for i := range in {
		lane, w := i/4, i%4
		in[i] = half(lane/8, lane%8, 2*w) | half(lane/8, lane%8, 2*w+1)<<16
	}
	return in
}

// eachGranularity runs a test for both granularities.
func eachGranularity(t *testing.T, f func(t *testing.T, o device.Options)) {
	for _, o := range both {
		t.Run(fmt.Sprint(o.Granularity), func(t *testing.T) { f(t, o) })
	}
}

func TestLdmatrix(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			eachGranularity(t, func(t *testing.T, o device.Options) {
				out := make([]uint32, 128)
				text := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%row];", n, trans, names("w", n))
				ptxtest.Run{PTX: matrixText("bar.warp.sync -1;", text), Args: []any{matrixInput(), out}, Options: o}.Clean(t)
				for lane := range 32 {
					for j := range n {
						r, c := lane/4, lane%4*2
						want := half(j, r, c) | half(j, r, c+1)<<16
						if trans != "" {
							want = half(j, c, r) | half(j, c+1, r)<<16
						}
						if got := out[4*lane+j]; got != want {
							t.Errorf("%s: lane %d, register %d: %#x, want %#x", text, lane, j, got, want)
						}
					}
				}
			})
		}
	}
}

func TestStmatrixAndMovmatrix(t *testing.T) {
	for _, trans := range []string{"", ".trans"} {
		eachGranularity(t, func(t *testing.T, o device.Options) {
			out := make([]uint32, 128)
			// Every lane brings its four words as four fragments, and looks at its row.
			ptxtest.Run{PTX: matrixText("bar.warp.sync -1;", "stmatrix.sync.aligned.m8n8.x4"+trans+".shared.b16 [%row], {%w0, %w1, %w2, %w3};",
				"bar.warp.sync -1;", "ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%row];"), Args: []any{matrixInput(), out}, Options: o}.Clean(t)
			in := matrixInput()
			for j := range 4 {
				for e := range 64 {
					r, c := e/8, e%8
					if trans != "" {
						r, c = c, r
					}
					want := in[4*(r*4+c/2)+j] >> (16 * (c % 2)) & 0xffff // the holder of (r, c)
					if got := out[4*(8*j+e/8)+e%8/2] >> (16 * (e % 2)) & 0xffff; got != want {
						t.Errorf("matrix %d, element %d: %#x, want %#x", j, e, got, want)
					}
				}
			}
		})
	}
	eachGranularity(t, func(t *testing.T, o device.Options) {
		out := make([]uint32, 128)
		ptxtest.Run{PTX: matrixText("bar.warp.sync -1;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%w0}, [%row];",
			"movmatrix.sync.aligned.m8n8.trans.b16 %w1, %w0;"), Args: []any{matrixInput(), out}, Options: o}.Clean(t)
		for lane := range 32 {
			if r, c := lane/4, lane%4*2; out[4*lane+1] != half(0, c, r)|half(0, c+1, r)<<16 {
				t.Errorf("movmatrix: lane %d has %#x", lane, out[4*lane+1])
			}
		}
	})
}

// The rows are weak accesses of the lanes that give their addresses.
func TestMatrixRaces(t *testing.T) {
	in, out := matrixInput(), make([]uint32, 128)
	eachGranularity(t, func(t *testing.T, o device.Options) {
		o.NoUninit = true // the racy read comes first in one granularity
		// Own rows need no barrier for ldmatrix; other lanes' do.
		ptxtest.Run{PTX: matrixText("", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%w0, %w1, %w2, %w3}, [%row];"), Args: []any{in, out}, Options: o}.Clean(t)
		ptxtest.Run{PTX: matrixText("", "xor.b32 %v, %row, 16;", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%w0, %w1, %w2, %w3}, [%v];"),
			Args: []any{in, out}, Options: o}.Do(t).One(t, kernel.DataRace)
		ptxtest.Run{PTX: matrixText("bar.warp.sync -1;", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row], {%w0, %w1, %w2, %w3};",
			"xor.b32 %v, %row, 16;", "ld.shared.b32 %w0, [%v];"), Args: []any{in, out}, Options: o}.Do(t).One(t, kernel.DataRace)
	})
}

func TestMatrixMisuse(t *testing.T) {
	text := matrixText("bar.warp.sync -1;", "movmatrix.sync.aligned.m8n8.trans.b16 %w1, %w0;")
	ptxtest.Run{PTX: text, Block: 16, Args: []any{matrixInput(), make([]uint32, 128)}}.Do(t).One(t, kernel.BarrierMisuse, "all 32 must execute it together")
	text = matrixText("bar.warp.sync -1;", "add.u32 %row, %row, 4;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%w0}, [%row];")
	ptxtest.Run{PTX: text, Args: []any{matrixInput(), make([]uint32, 128)}}.Do(t).One(t, kernel.Misaligned)
}
