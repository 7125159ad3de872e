package vm_test

import "testing"

// Selectors reach the instruction from the text.
func TestVideoOperands(t *testing.T) {
	words(t, entry(`
	mul.lo.u32 %r0, %t, 0x01010101;
	vadd.u32.u32.u32.sat %r1.h1, %r0.b3, %r0.h0, 5;
	vabsdiff4.u32.u32.u32.add %r2, %r0, %r1, 7;
	vmax2.u32.u32.u32 %r0.h1, %r1.h02, %r2.h33, %r2;
	add.u32 %r0, %r0, %r1;
	st.global.u32 [%e], %r0;`), func(i int) uint32 {
		n := uint32(i)
		r0 := n * 0x01010101
		r1 := min(n+n*0x0101, 0xffff)<<16 | 5
		r2 := uint32(7)
		for s := 0; s < 32; s += 8 {
			a, b := int(r0>>s&0xff), int(r1>>s&0xff)
			r2 += uint32(max(a-b, b-a))
		}
		return (max(r1&0xffff, 0)<<16 | r2&0xffff) + r1
	})
}
