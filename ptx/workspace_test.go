package ptx_test

import (
	"testing"

	. "gpusim/internal/ptxtest"
)

// The driver's workspace for grid-wide barriers is zeroed memory whose address is in
// %envreg1 and %envreg2, as NVIDIA's cooperative_groups headers expect.
func TestGridWorkspace(t *testing.T) {
	out := make([]uint32, 2)
	Run{PTX: `.visible .entry k(.param .u64 o) {
.reg .b32 %r<6>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [o];
mov.u32 %r1, %envreg2;
mov.u32 %r2, %envreg1;
mov.b64 %rd2, {%r1, %r2};
atom.global.add.u32 %r3, [%rd2+4], 5;
atom.global.add.u32 %r4, [%rd2+4], 1;
st.global.v2.u32 [%rd1], {%r3, %r4};
mov.u32 %r5, %envreg3;
ret;
}`, Block: 1, Args: []any{out}}.Clean(t)
	if out[0] != 0 || out[1] != 5 {
		t.Error(out)
	}
}
