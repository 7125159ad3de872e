package ptx_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
	"gpusim/ptx"
	"gpusim/ptx/syntax"
)

func load(t *testing.T, texts ...string) *ptx.Module {
	t.Helper()
	m, err := ptx.Load((&Run{PTX: texts[0], More: texts[1:]}).Sources())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// store is a kernel that stores what its body leaves in %v.
func store(body string) string {
	return `.visible .entry k(.param .u64 out) {
	.reg .u32 %v, %r<9>; .reg .u64 %o, %rd<9>; .param .u32 rv; .param .u32 pa;
	ld.param.u64 %o, [out];
` + body + `
	st.global.u32 [%o], %v;
	ret;
}`
}

const callHelper = "call (rv), helper; ld.param.u32 %v, [rv];"

func returns(linkage, name string, n int) string {
	return fmt.Sprintf("%s .func (.param .u32 r) %s() { .reg .u32 %%x; mov.u32 %%x, %d; st.param.u32 [r], %%x; ret; }\n", linkage, name, n)
}

func TestLinkedFunctions(t *testing.T) {
	extern := ".extern .func (.param .u32 r) helper();\n"
	caller := func(name, callee string) string {
		return ".visible .func (.param .u32 r) " + name + "() { .reg .u32 %x; .param .u32 rv; call (rv), " + callee +
			"; ld.param.u32 %x, [rv]; st.param.u32 [r], %x; ret; }\n"
	}
	for name, c := range map[string]struct {
		texts []string
		want  uint32
	}{
		"extern":                    {[]string{extern + store(callHelper), returns(".visible", "helper", 7)}, 7},
		"extern, defined before":    {[]string{returns(".visible", "other", 1) + store("call (rv), other; ld.param.u32 %v, [rv];"), ".extern .func (.param .u32 r) other();\n" + returns(".visible", "unused", 9)}, 1},
		"weak and visible":          {[]string{returns(".weak", "helper", 1) + store(callHelper), returns(".visible", "helper", 2)}, 2},
		"weak twice: the first":     {[]string{returns(".weak", "helper", 1) + store(callHelper), returns(".weak", "helper", 2)}, 1},
		"weak alone":                {[]string{returns(".weak", "helper", 3) + store(callHelper)}, 3},
		"static same names":         {[]string{returns("", "helper", 1) + store(callHelper), returns("", "helper", 2) + caller("g", "helper")}, 1},
		"static same names, second": {[]string{".extern .func (.param .u32 r) g();\n" + returns("", "helper", 1) + store("call (rv), g; ld.param.u32 %v, [rv];"), returns("", "helper", 2) + caller("g", "helper")}, 2},
		"static before visible":     {[]string{returns("", "helper", 1) + caller("g", "helper"), returns(".visible", "helper", 2), extern + store(callHelper)}, 2},
		"static behind visible":     {[]string{extern + store(callHelper), returns(".visible", "helper", 2), returns("", "helper", 1) + caller("g", "helper")}, 2},
		"alias":                     {[]string{returns(".visible", "helper", 5) + ".visible .func (.param .u32 r) also();\n.alias also, helper;\n" + store("call (rv), also; ld.param.u32 %v, [rv];")}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			out := []uint32{0}
			Run{PTX: c.texts[0], More: c.texts[1:], Kernel: "k", Block: 1, Args: []any{out}}.Clean(t)
			if out[0] != c.want {
				t.Errorf("%d, want %d", out[0], c.want)
			}
		})
	}
	r := Run{PTX: extern + store(callHelper), More: []string{returns("", "helper", 1) + caller("g", "helper")}, Args: []any{[]uint32{0}}}.Do(t)
	if r.Load == nil || !strings.Contains(r.Load.Error(), "function helper is declared but defined in none of the files") {
		t.Error("a function that is private to another text was linked:", r.Load)
	}
}

func TestLinkErrors(t *testing.T) {
	_, err := ptx.Load((&Run{PTX: returns(".visible", "helper", 1) + ".visible .global .u32 x;", More: []string{"\n" + returns(".visible", "helper", 2) + ".visible .global .u32 x;"}}).Sources())
	var list syntax.ErrorList
	if !errors.As(err, &list) || len(list) != 2 {
		t.Fatal(err)
	}
	for i, want := range []string{"k1.ptx:2:32: linking: function helper is already defined in k.ptx:1", "k1.ptx:3:23: linking: variable x is already defined in k.ptx:2"} {
		if list[i].Error() != want {
			t.Errorf("%v, want %s", list[i], want)
		}
	}
	if _, err := ptx.Load((&Run{PTX: "oops", More: []string{"oops"}}).Sources()); !errors.As(err, &list) || list[0].Pos.File != "k.ptx" || list[len(list)-1].Pos.File != "k1.ptx" {
		t.Error("the errors of all texts are told:", err)
	}
	if _, err := ptx.Load([]ptx.Source{{Name: "a.ptx", Text: []byte(".version 8.0\n.target sm_80\n.address_size 32\n")}}); err == nil || !strings.Contains(err.Error(), "32-bit programs are not supported") {
		t.Error(err)
	}
}

func TestLinkedVariables(t *testing.T) {
	read := "ld.global.u32 %v, [x];"
	for name, c := range map[string]struct {
		texts []string
		want  uint32
	}{
		"extern":             {[]string{".extern .global .u32 x;" + store(read), ".visible .global .u32 x = 7;"}, 7},
		"weak and visible":   {[]string{".weak .global .u32 x = 1;" + store(read), ".visible .global .u32 x = 2;"}, 2},
		"weak twice":         {[]string{".weak .global .u32 x = 1;" + store(read), ".weak .global .u32 x = 2;"}, 1},
		"static same names":  {[]string{".global .u32 x = 1;" + store(read), ".global .u32 x = 2;"}, 1},
		"static and visible": {[]string{".global .u32 x = 1;" + store(read), ".visible .global .u32 x = 2;"}, 1},
		"extern const":       {[]string{".extern .const .u32 x;" + store("ld.const.u32 %v, [x];"), ".visible .const .u32 x = 9;"}, 9},
		"common":             {[]string{".common .global .u32 x;" + store("st.global.u32 [x], 6; "+read), ".common .global .u32 x;"}, 6},
		"common, the larger": {[]string{".common .global .u32 x;" + store("st.global.u32 [x+60], 6; ld.global.u32 %v, [x+60];"), ".common .global .b8 x[64];"}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			out := []uint32{0}
			Run{PTX: c.texts[0], More: c.texts[1:], Args: []any{out}, Block: 1}.Clean(t)
			if out[0] != c.want {
				t.Errorf("%d, want %d", out[0], c.want)
			}
		})
	}
	r := Run{PTX: ".extern .global .u32 x;\n" + store(read), Args: []any{[]uint32{0}}}.Do(t)
	if r.Load == nil || !strings.Contains(r.Load.Error(), "k.ptx:5:1: ld.global.u32 %v, [x]: variable x is declared but defined nowhere") {
		t.Error(r.Load)
	}
}

// What initialisers may hold: numbers, addresses of variables and functions in any order of
// definition, generic(), offsets, masks.
func TestInitialisers(t *testing.T) {
	text := `
.extern .global .u32 later;
.global .u64 p[4] = {a, generic(a)+4, 0, b};
.global .align 8 .b8 bytes[8] = {0xFF(a), 0xFF00(a), 0xFF0000(a), 0xFF000000(a), 0xFF00000000(a), 0xFF0000000000(a), 0xFF000000000000(a), 0xFF00000000000000(a)};
.global .u32 a[2] = {1, 2};
.const .u64 c = a;
.global .u64 b = later;
.visible .func f() { ret; }
.global .u64 g[2] = {f, f};
.global .f32 h = 0f3F800000;
.global .b8 s[6] = {104, 101, 108, 108, 111};
` + store("mov.u32 %v, 1;")
	r := Run{PTX: text, More: []string{".visible .global .u32 later = 3;"}, Block: 1, Args: []any{[]uint32{0}}}.Clean(t)
	u64 := func(name string, i int) uint64 { return binary.LittleEndian.Uint64(r.Module.Buffer(name).Data[8*i:]) }
	a := r.Module.Buffer("a").Base
	for what, pair := range map[string][2]uint64{
		"a": {u64("p", 0), a}, "a+4": {u64("p", 1), a + 4}, "0": {u64("p", 2), 0}, "b": {u64("p", 3), r.Module.Buffer("b").Base}, "c": {u64("c", 0), a},
		"bytes": {u64("bytes", 0), a}, "later": {u64("b", 0), r.Module.Buffer("later").Base}, "f twice": {u64("g", 0), u64("g", 1)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %#x, want %#x", what, pair[0], pair[1])
		}
	}
	if f := u64("g", 0); f == 0 || f > 1<<28 {
		t.Errorf("a function's address is %#x: it must hit no memory", f)
	}
	if string(r.Module.Buffer("s").Data) != "hello\x00" || binary.LittleEndian.Uint32(r.Module.Buffer("h").Data) != 0x3F800000 {
		t.Error(r.Module.Buffer("s").Data)
	}
	if r.Module.Buffer("nothing") != nil || !r.Module.Buffer("c").ReadOnly || r.Module.Buffer("a").ReadOnly {
		t.Error("wrong buffers")
	}
	bad := Run{PTX: ".shared .u32 s;\n.extern .global .u32 e;\n.global .u64 x = e;\n.global .u64 y = e;\n" + store("mov.u32 %v, 1;"), Args: []any{[]uint32{0}}}.Do(t)
	var list syntax.ErrorList
	if !errors.As(bad.Load, &list) || len(list) != 2 || !strings.Contains(list[0].Error(), "k.ptx:3") || !strings.Contains(list[1].Error(), "initialiser of y: the address of e is not known") {
		t.Error(bad.Load)
	}
}

// A virtual call: the object's table of functions lies in another text's constant memory.
func TestVirtualTable(t *testing.T) {
	out := []uint32{0}
	Run{PTX: `.extern .global .align 8 .b8 vt[16];
` + store(`
P:	.callprototype (.param .u32 _) _ ();
	ld.global.u64 %rd1, [vt+8];
	call (rv), %rd1, P;
	ld.param.u32 %v, [rv];`), More: []string{returns(".visible", "first", 1) + returns("", "second", 2) + ".visible .global .align 8 .u64 vt[2] = {first, second};"}, Block: 1, Args: []any{out}}.Clean(t)
	if out[0] != 2 {
		t.Error(out)
	}
}

func TestConstantMemoryIsReadOnly(t *testing.T) {
	r := Run{PTX: ".const .u32 c[4];\n" + store("mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1+4], 5; ld.const.u32 %v, [c+4];"), Block: 1, Args: []any{[]uint32{0}}}.Do(t)
	f := r.One(t, kernel.ReadOnlyWrite, "writes c, which is constant")
	if f.Object != "c" || f.Offset != 4 || f.Space != kernel.Const {
		t.Errorf("%+v", f)
	}
}

// All names of dynamic shared memory are one variable, and static ones are their own.
func TestDynamicSharedMemory(t *testing.T) {
	text := ".extern .shared .align 4 .b8 d1[];\n.extern .shared .align 16 .b8 d2[];\n.shared .u32 s;\n" +
		store("st.shared.u32 [d1+8], 5; st.shared.u32 [s], 1; ld.shared.u32 %v, [d2+8]; mov.u32 %r1, %dynamic_smem_size; mad.lo.u32 %v, %r1, 100, %v;")
	out := []uint32{0}
	Run{PTX: text, Block: 1, Shared: 12, Args: []any{out}}.Clean(t)
	if out[0] != 1205 {
		t.Error(out)
	}
	r := Run{PTX: text, Block: 1, Shared: 8, Args: []any{out}}.Do(t)
	if len(r.Findings) != 2 || r.Findings[0].Kind != kernel.OutOfBounds || r.Findings[0].Space != kernel.Shared || r.Findings[0].Offset != 8 {
		t.Error(r.Text())
	}
}
