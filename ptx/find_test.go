package ptx_test

import (
	"reflect"
	"strings"
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
	"gpusim/ptx"
)

const named = `
.visible .entry plain() { ret; }
.visible .entry _Z3addPfi(.param .u64 a, .param .u32 n) { ret; }
.visible .entry _Z3addPdi(.param .u64 a, .param .u32 n) { ret; }
.visible .entry _Z5scaleIfEvPT_i(.param .u64 a, .param .u32 n) { ret; }
.visible .entry _Z5scaleIdEvPT_i(.param .u64 a, .param .u32 n) { ret; }
.visible .entry _ZN1n4histIiLi4EEEvPT_(.param .u64 a) { ret; }
.visible .func _Z6helperv() { ret; }
`

func TestFind(t *testing.T) {
	m := load(t, named)
	for name, want := range map[string]string{
		"plain": "plain", "_Z3addPfi": "_Z3addPfi", "add(float*, int)": "_Z3addPfi", "add(double*, int)": "_Z3addPdi",
		"scale<float>": "_Z5scaleIfEvPT_i", "scale<double>": "_Z5scaleIdEvPT_i", "void scale<double>(double*, int)": "_Z5scaleIdEvPT_i",
		"n::hist<int, 4>": "_ZN1n4histIiLi4EEEvPT_",
	} {
		if k, err := m.Find(name); err != nil || k.Name != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"add":          `kernel "add" is overloaded: name one of add(double*, int), add(float*, int)`,
		"":             "the program has several kernels: name one of add(double*, int), add(float*, int)",
		"helper":       `no kernel is called "helper": the program has add(double*, int)`,
		"_Z6helperv":   `no kernel is called "_Z6helperv"`,
		"scale":        `no kernel is called "scale"`,
		"hist<int, 4>": `no kernel is called "hist<int, 4>"`,
	} {
		if k, err := m.Find(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v %v", name, k, err)
		}
	}
	if k, err := load(t, ".visible .entry only() { ret; }").Find(""); err != nil || k.Name != "only" {
		t.Error(k, err)
	}
	for _, name := range []string{"", "k"} {
		if _, err := load(t, ".global .u32 x;").Find(name); err == nil || err.Error() != "the program has no kernel (.entry)" {
			t.Error(err)
		}
	}
	// The same template in two texts is one kernel.
	weak := ".weak .entry _Z5scaleIfEvPT_i(.param .u64 a, .param .u32 n) { ret; }"
	m = load(t, weak, weak)
	if k, err := m.Find("scale<float>"); err != nil || len(m.Kernels()) != 1 || k.Source.File != "k.ptx" {
		t.Error(k, err, len(m.Kernels()))
	}
}

func TestParameters(t *testing.T) {
	k, err := load(t, `.visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .u16 c, .param .align 4 .b8 d[6], .param .f64 e, .param .u8 f)
		.maxntid 256, 2 .reqntid 64 { ret; }`).Find("k")
	if err != nil {
		t.Fatal(err)
	}
	var offsets []int
	for i, p := range k.Params {
		if k.ParamOffset(i) != p.Offset {
			t.Error(i, k.ParamOffset(i))
		}
		offsets = append(offsets, p.Offset)
	}
	if want := []int{0, 8, 16, 20, 32, 40}; !reflect.DeepEqual(offsets, want) || k.ParamBytes() != 41 {
		t.Errorf("%v %d, want %v", offsets, k.ParamBytes(), want)
	}
	if !k.Params[1].Pointer || k.Params[0].Pointer || k.Params[3].Size != 6 || k.MaxThreads[:2][0] != 256 || k.ReqThreads[0] != 64 {
		t.Errorf("%+v", k)
	}
	if _, err := k.Program(make([]byte, 40)); err == nil || err.Error() != "kernel k has 41 bytes of parameters, 40 are given" {
		t.Error(err)
	}
	none, _ := load(t, ".visible .entry k() { ret; }").Find("k")
	if none.ParamBytes() != 0 {
		t.Error(none.ParamBytes())
	}
}

// Every parameter is read at its own place, by name and through its address.
func TestParametersInTheKernel(t *testing.T) {
	out := make([]uint32, 8)
	Run{PTX: `.visible .entry k(.param .u8 a, .param .u16 b, .param .u64 out, .param .align 4 .b8 s[12], .param .s16 d) {
	.reg .u32 %r<9>; .reg .u64 %o, %p;
	ld.param.u64 %o, [out];
	ld.param.u8 %r0, [a];
	ld.param.u16 %r1, [b];
	ld.param.u32 %r2, [s+4];
	ld.param.u8 %r3, [s+9];
	ld.param.s16 %r4, [d];
	mov.u64 %p, s;
	ld.param.u32 %r5, [%p+8];
	cvta.param.u64 %p, %p;
	ld.u16 %r6, [%p];
	st.global.u32 [%o], %r0;
	st.global.u32 [%o+4], %r1;
	st.global.u32 [%o+8], %r2;
	st.global.u32 [%o+12], %r3;
	st.global.u32 [%o+16], %r4;
	st.global.u32 [%o+20], %r5;
	st.global.u32 [%o+24], %r6;
	ret;
}`, Block: 1, Args: []any{uint8(200), uint16(50000), out, Struct{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, int16(-2)}}.Clean(t)
	if want := []uint32{200, 50000, 0x08070605, 10, 0xFFFFFFFE, 0x0C0B0A09, 0x0201, 0}; !reflect.DeepEqual(out, want) {
		t.Errorf("%#x, want %#x", out, want)
	}
}

func TestVariables(t *testing.T) {
	m := load(t, ".visible .global .align 16 .f32 _ZN1n4coefE[4];\n.const .u8 c;\n.extern .global .u32 e;\n.shared .u32 s;")
	want := []ptx.Variable{{Name: "_ZN1n4coefE", Demangled: "n::coef", Space: kernel.Global, Size: 16, Align: 16},
		{Name: "c", Demangled: "c", Space: kernel.Const, Size: 1, Align: 1}, {Name: "e", Demangled: "e", Space: kernel.Global, Size: 4, Align: 4, Extern: true}}
	if got := m.Variables(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	r := Run{PTX: ".visible .global .f32 _ZN1n4coefE[4];\n.visible .entry k() { ret; }"}.Clean(t)
	if b := r.Module.Buffer("n::coef"); b == nil || b != r.Module.Buffer("_ZN1n4coefE") || b.Size() != 16 || b.Host {
		t.Error(b)
	}
}
