package vm_test

import (
	"testing"

	. "gpusim/internal/ptxtest"
)

// Aliases, tables of functions and of branch targets, prototypes, addresses in initialisers,
// initialisers that are shorter than their variable, over several texts.
func TestLinkedTables(t *testing.T) {
	out := make([]uint32, 8)
	Run{PTX: `.version 8.0 .target sm_80 .address_size 64
.extern .func (.param .b32 r) twice (.param .b32 a);
.extern .global .u32 far[4];
.func (.param .b32 r) plus1 (.param .b32 a) { .reg .u32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, 1; st.param.u32 [r], %x; ret; }
.visible .func (.param .b32 r) plus2 (.param .b32 a) { .reg .u32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, 2; st.param.u32 [r], %x; ret; }
.visible .func (.param .b32 r) other (.param .b32 a);
.alias other, plus2;
.global .u32 numbers[4] = {10, 20};
.global .u64 pointer = generic(numbers)+4;
.global .u64 there = generic(far)+8;
.global .u64 vtable[2] = {plus1, twice};
.visible .entry k(.param .u64 out) {
	.reg .u64 %o, %p, %f; .reg .u32 %x, %i; .param .b32 a; .param .b32 r;
	ld.param.u64 %o, [out];
	ld.global.u64 %p, [pointer]; ld.u32 %x, [%p]; st.global.u32 [%o], %x;
	ld.global.u32 %x, [numbers+8]; st.global.u32 [%o+4], %x;
	ld.global.u64 %p, [there]; ld.u32 %x, [%p]; st.global.u32 [%o+8], %x;
	mov.u32 %x, 5; st.param.u32 [a], %x;
	call.uni (r), other, (a); ld.param.u32 %x, [r]; st.global.u32 [%o+12], %x;
Targets: .calltargets plus1, plus2;
Proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	mov.u64 %f, plus2;
	call (r), %f, (a), Targets; ld.param.u32 %x, [r]; st.global.u32 [%o+16], %x;
	ld.global.u64 %f, [vtable+8];
	call (r), %f, (a), Proto; ld.param.u32 %x, [r]; st.global.u32 [%o+20], %x;
	ld.global.u64 %f, [vtable];
	call (r), %f, (a), Proto; ld.param.u32 %x, [r]; st.global.u32 [%o+24], %x;
Table: .branchtargets A, B;
	mov.u32 %i, 1;
	brx.idx %i, Table;
A:	mov.u32 %x, 1; bra C;
B:	mov.u32 %x, 2;
C:	st.global.u32 [%o+28], %x;
	ret;
}`, More: []string{`.version 8.0 .target sm_80 .address_size 64
.visible .global .u32 far[4] = {1, 2, 33};
.visible .func (.param .b32 r) twice (.param .b32 a) { .reg .u32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, %x; st.param.u32 [r], %x; ret; }
`}, Block: 1, Args: []any{out}}.Clean(t)
	want := []uint32{20, 0, 33, 7, 7, 10, 6, 2}
	for i := range want {
		if out[i] != want[i] {
			t.Errorf("out[%d] = %d, want %d", i, out[i], want[i])
		}
	}
}
