package ptx_test

import (
	"reflect"
	"testing"

	"gpusim/ptx"
)

const described = `
.extern .shared .align 4 .b8 pool[];
.shared .align 4 .b8 tile[48];
.global .align 8 .u64 table[1] = {indirect};
.func indirect() { .reg .b32 %r; mov.u32 %r, %tid.y; mov.u32 %r, pool; ret; }
.func direct() { .reg .b32 %r; mov.u32 %r, tile; mov.u32 %r, %ctaid.z; ret; }
.func never() { .reg .b32 %r; mov.u32 %r, %tid.z; ret; }
.visible .entry k() .maxntid 64
{
	.reg .v2 .f32 %v;
	.reg .f32 %f;
	.reg .b64 %rd<3>;
	ld.global.u64 %rd1, [table];
	ld.global.b64 %rd2, [table];
	ld.global.b64 %rd2, [table];
	mov.v2.f32 %v, {%f, %f};
	call direct;
proto: .callprototype _ ();
	call %rd1, (), proto;
	ret;
}
.visible .entry simple() { ret; }
`

func TestDescribe(t *testing.T) {
	ks := load(t, described).Kernels()
	d := ks[0].Describe()
	if d.Static != 48 || !d.Dynamic || d.Functions != 2 || d.BlockDims != 2 || d.GridDims != 3 || !reflect.DeepEqual(d.Variables, []string{"table"}) {
		t.Errorf("%+v", d)
	}
	if want := []ptx.Registers{{Type: "b64", Count: 2}, {Type: "f32", Count: 3}}; !reflect.DeepEqual(d.Registers, want) {
		t.Errorf("registers %+v, want %+v", d.Registers, want)
	}
	counts := map[string]int{}
	for _, o := range d.Opcodes {
		counts[o.Name] = o.Count
		if o.Name == "ld" && !reflect.DeepEqual(o.Forms, []ptx.Form{{Name: "ld.global.b64", Count: 2}, {Name: "ld.global.u64", Count: 1}}) {
			t.Errorf("forms of ld: %+v", o.Forms)
		}
	}
	if want := map[string]int{"ld": 3, "mov": 5, "call": 2, "ret": 3}; !reflect.DeepEqual(counts, want) {
		t.Errorf("opcodes %v, want %v", counts, want)
	}
	if d := ks[1].Describe(); d.Static != 0 || d.Dynamic || d.Functions != 0 || len(d.Registers) != 0 || d.BlockDims != 1 || d.GridDims != 1 {
		t.Errorf("simple: %+v", d)
	}
}

const used = `
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 8 .b8 s[32], .param .u64 n, .param .u64 mixed, .param .u64 unused, .param .u64 async, .param .u64 spilled)
{
	.reg .b64 %rd<16>;
	.reg .b32 %r<8>;
	.reg .f32 %f<4>;
	.reg .b64 %SP;
	.local .align 8 .b8 depot[64];
	mov.u64 %SP, depot;
	bra LAST;
FIRST:
	ld.global.v2.f32 {%f1, %f2}, [%rd3+8];
	st.global.f32 [%rd5], %f1;
	st.global.u32 [%rd7], %r1;
	ld.global.f32 %f3, [%rd7];
	ld.global.u8 %r1, [%rd9];
	ld.global.f32 %f3, [%rd11];
	cp.async.ca.shared.global [%r2], [%rd10], 16;
	ret;
LAST:
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd4, [out];
	ld.param.u64 %rd6, [mixed];
	ld.param.u64 %rd8, [n];
	ld.param.v2.u32 {%r3, %r4}, [s+4];
	ld.param.u64 %rd9, [s+16];
	ld.param.u32 %r5, [s+20];
	ld.param.u64 %rd10, [async];
	ld.param.u64 %rd12, [spilled];
	st.u64 [%SP+8], %rd12;
	st.u64 [%SP+16], %rd8;
	ld.u64 %rd13, [%SP+8];
	ld.u64 %rd14, [%SP+16];
	add.s64 %rd15, %rd13, %rd14;
	st.f64 [%rd15], 0d0000000000000000;
	cvta.to.global.u64 %rd2, %rd1;
	mad.lo.s64 %rd3, %rd8, 8, %rd2;
	add.s64 %rd5, %rd4, %rd8;
	mov.u64 %rd7, %rd6;
	add.s64 %rd11, %rd8, %rd1; // the number first
	bra FIRST;
}
`

func TestUses(t *testing.T) {
	k, err := load(t, used).Find("k")
	if err != nil {
		t.Fatal(err)
	}
	want := []ptx.Use{
		{Param: 0, Size: 8, Type: "u64", Pointer: true, Element: "f32", Read: true},
		{Param: 1, Size: 8, Type: "u64", Pointer: true, Element: "f32", Written: true},
		{Param: 2, Offset: 4, Size: 4, Type: "u32"},
		{Param: 2, Offset: 8, Size: 4, Type: "u32"},
		{Param: 2, Offset: 16, Size: 8, Type: "u64", Pointer: true, Element: "u8", Read: true},
		{Param: 3, Size: 8, Type: "u64"},
		{Param: 4, Size: 8, Type: "u64", Pointer: true, Read: true, Written: true},
		{Param: 5, Size: 8, Type: "u64"},
		{Param: 6, Size: 8, Type: "u64", Pointer: true, Read: true},
		{Param: 7, Size: 8, Type: "u64", Pointer: true, Element: "f64", Written: true},
	}
	got := k.Uses()
	for i, u := range got {
		if i >= len(want) || u != want[i] {
			t.Errorf("%+v", u)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d uses, want %d", len(got), len(want))
	}
}

func TestTypes(t *testing.T) {
	m := load(t, `
.visible .entry _Z1aPKfRiyPFviE(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) { ret; }
.visible .entry _Z1bv() { ret; }
.visible .entry _Z1cIiEvT_S0_(.param .u32 a, .param .align 4 .b8 b[8]) { ret; }
.visible .entry _Z1dIJifEEvDpT_(.param .u32 a, .param .f32 b) { ret; }
.visible .entry plain(.param .u32 a) { ret; }
`)
	for i, want := range [][]string{{"float const*", "int&", "unsigned long long", "void (*)(int)"}, nil, {"int", "int"}, nil, nil} {
		if k := m.Kernels()[i]; !reflect.DeepEqual(k.Types(), want) {
			t.Errorf("%s: %q, want %q", k.Name, k.Types(), want)
		}
	}
}
