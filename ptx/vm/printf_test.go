package vm_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// text is a PTX byte array of a string, ended by a NUL.
func text(name, s string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".global .align 1 .b8 %s[%d] = {", name, len(s)+1)
	for i := range len(s) {
		fmt.Fprintf(&b, "%d, ", s[i])
	}
	return b.String() + "0};\n"
}

// printed runs one call of printf whose arguments are laid out as the compiler does:
// each at a multiple of its size.
func printed(t *testing.T, format string, args ...any) string {
	t.Helper()
	var data []byte
	for _, a := range args {
		raw, err := binary.Append(nil, binary.LittleEndian, a)
		if err != nil {
			t.Fatal(err)
		}
		for len(data)%len(raw) != 0 {
			data = append(data, 0)
		}
		data = append(data, raw...)
	}
	for len(data)%8 != 0 || len(data) == 0 {
		data = append(data, 0)
	}
	var store strings.Builder
	for i := 0; i < len(data); i += 8 {
		fmt.Fprintf(&store, "\tst.local.u64 [buf+%d], %#x;\n", i, binary.LittleEndian.Uint64(data[i:]))
	}
	n := []uint32{0}
	r := Run{PTX: text("format", format) + fmt.Sprintf(`
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry k(.param .u64 n) {
	.local .align 8 .b8 buf[%d];
	.reg .u64 %%a, %%n; .reg .u32 %%r;
	.param .b64 pf; .param .b64 pa; .param .b32 rv;
%s	mov.u64 %%a, format;
	cvta.global.u64 %%a, %%a;
	st.param.b64 [pf], %%a;
	mov.u64 %%a, buf;
	cvta.local.u64 %%a, %%a;
	st.param.b64 [pa], %%a;
	call (rv), vprintf, (pf, pa);
	ld.param.b32 %%r, [rv];
	ld.param.u64 %%n, [n];
	st.global.u32 [%%n], %%r;
	ret;
}`, len(data), store.String()), Block: 1, Args: []any{n}}.Clean(t)
	if int(n[0]) != len(args) {
		t.Errorf("vprintf returned %d for %d arguments", n[0], len(args))
	}
	return r.Output
}

// TestPrintf: the expected texts are what glibc prints.
func TestPrintf(t *testing.T) {
	inf := math.Inf(1)
	i32 := func(n int) int32 { return int32(n) }
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d|%i", []any{int32(1), int32(-2)}, "1|-2"},
		{"%5d|%-5d|%05d|%+d|% d", []any{int32(42), int32(42), int32(42), int32(42), int32(42)}, "   42|42   |00042|+42| 42"},
		{"%.3d|%6.3d|%-6.3d|%06.3d", []any{int32(7), int32(7), int32(7), int32(-7)}, "007|   007|007   |  -007"},
		{"%.0d|%.d|", []any{int32(0), int32(5)}, "|5|"},
		{"%d|%lld", []any{int32(math.MinInt32), int64(math.MinInt64)}, "-2147483648|-9223372036854775808"},
		{"%u|%+u|%10u", []any{uint32(math.MaxUint32), uint32(7), uint32(7)}, "4294967295|7|         7"},
		{"%x|%X|%#x|%#X|%08x|%#010x|%+x", []any{i32(255), i32(255), i32(255), i32(255), i32(255), i32(255), i32(255)}, "ff|FF|0xff|0XFF|000000ff|0x000000ff|ff"},
		{"%#x|%o|%#o|%#o", []any{i32(0), i32(8), i32(8), i32(0)}, "0|10|010|0"},
		{"%ld|%lld|%llu|%lx|%zu", []any{int64(-5), int64(-6), uint64(math.MaxUint64), int64(255), int64(9)}, "-5|-6|18446744073709551615|ff|9"},
		{"%hd|%hhd|%hu|%hhu|%hx", []any{i32(70000), i32(300), i32(70000), i32(300), i32(70000)}, "4464|44|4464|44|1170"},
		{"%d %lld %d", []any{i32(1), int64(2), i32(3)}, "1 2 3"},
		{"%f|%.2f|%8.3f|%-8.1f|%08.2f|%+f|% f", []any{1.5, 2.345, 3.14159, 2.25, -1.5, 1.0, 1.0}, "1.500000|2.35|   3.142|2.2     |-0001.50|+1.000000| 1.000000"},
		{"%e|%.2e|%E|%12.3e|%-12.1e", []any{12345.678, 0.00012, 1e100, 1.0, 1.0}, "1.234568e+04|1.20e-04|1.000000E+100|   1.000e+00|1.0e+00     "},
		{"%g|%g|%g|%g|%.3g|%G|%g", []any{100000.0, 1000000.0, 0.0001, 0.00001, 1234.5, 1e-10, 0.5}, "100000|1e+06|0.0001|1e-05|1.23e+03|1E-10|0.5"},
		{"%#g|%#.3g|%.0f|%#.0f|%.0e", []any{1.0, 2.0, 2.5, 3.0, 15000.0}, "1.00000|2.00|2|3.|2e+04"},
		{"%f|%F|%e|%g|%+f|%8f|%-8f|%08f", []any{inf, inf, -inf, math.NaN(), inf, inf, -inf, inf}, "inf|INF|-inf|nan|+inf|     inf|-inf    |     inf"},
		{"%f %g", []any{math.Copysign(0, -1), math.Copysign(0, -1)}, "-0.000000 -0"},
		{"%c%c|%3c|%-3c|", []any{i32('a'), i32('b'), i32('c'), i32('d')}, "ab|  c|d  |"},
		{"%c", []any{i32(200)}, "\xC8"},
		{"%*d|%-*d|%*d|", []any{i32(5), i32(1), i32(5), i32(2), i32(-5), i32(3)}, "    1|2    |3    |"},
		{"%.*f|%*.*f|%.*f|%.*d", []any{i32(2), 1.23456, i32(8), i32(1), 2.55, i32(-1), 0.5, i32(-3), i32(7)}, "1.23|     2.5|0.500000|7"},
		{"%a|%A|%.2a", []any{1.0, 0.5, 3.14159}, "0x1p+0|0X1P-1|0x1.92p+1"},
		{"100%%|%d%%|%5%|", []any{i32(50)}, "100%|50%|%|"},
		{"%d\n%d\t%d", []any{i32(1), i32(2), i32(3)}, "1\n2\t3"},
		{"%p", []any{uint64(0x1234)}, "0x1234"},
		{"%", nil, "%"},
		{"%y%-", nil, "%y%-"},
		{"", nil, ""},
		{"%s", []any{uint64(8)}, "<bad address 0x8>"},
	} {
		if got := printed(t, c.format, c.args...); got != c.want {
			t.Errorf("%s of %v:\n got %q\nwant %q", c.format, c.args, got, c.want)
		}
	}
	if got := printed(t, "%999999999d", i32(1)); len(got) != 1<<16 {
		t.Errorf("a width of 999999999 printed %d characters", len(got))
	}
}

func TestPrintfStrings(t *testing.T) {
	r := Run{PTX: text("format", "[%s|%8s|%-8s|%.2s]") + text("word", "word") + `
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .u64 args[4] = {generic(word), generic(word), generic(word), generic(word)};
.global .u64 p[2] = {generic(format), generic(args)};
.visible .entry k() {
	.reg .u64 %a, %b;
	.param .b64 pf; .param .b64 pa; .param .b32 rv;
	ld.global.u64 %a, [p];
	ld.global.u64 %b, [p+8];
	st.param.b64 [pf], %a;
	st.param.b64 [pa], %b;
	call (rv), vprintf, (pf, pa);
	ret;
}`, Block: 2}.Clean(t)
	if want := strings.Repeat("[word|    word|word    |wo]", 2); r.Output != want {
		t.Errorf("%q", r.Output)
	}
}

// A million calls must not fill the memory.
func TestPrintfIsBounded(t *testing.T) {
	r := Run{PTX: text("format", strings.Repeat("x", 1000)) + `
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry k() {
	.reg .u64 %a; .reg .u32 %i; .reg .pred %p;
	.param .b64 pf; .param .b64 pa; .param .b32 rv;
	mov.u64 %a, format;
	st.param.b64 [pf], %a;
	st.param.b64 [pa], 0;
	mov.u32 %i, 0;
L:	call (rv), vprintf, (pf, pa);
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 100;
	@%p bra L;
	ret;
}`}.Clean(t)
	if n := len(r.Output); n > 1<<20+100 || !strings.HasSuffix(r.Output, "further printf calls dropped]\n") {
		t.Error(n)
	}
}

func TestAssertAndTrap(t *testing.T) {
	assert := text("cond", "i < n") + text("file", "k.cu") + text("fn", "void k(int)") + `
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry k(.param .u64 out) {
	.reg .u64 %a; .reg .u32 %t; .reg .pred %p;
	.param .b64 a1; .param .b64 a2; .param .b32 a3; .param .b64 a4; .param .b64 a5;
	mov.u32 %t, %tid.x;
	setp.ne.u32 %p, %t, 5;
	@%p bra E;
	mov.u64 %a, cond; st.param.b64 [a1], %a;
	mov.u64 %a, file; st.param.b64 [a2], %a;
	st.param.b32 [a3], 12;
	mov.u64 %a, fn; st.param.b64 [a4], %a;
	st.param.b64 [a5], 1;
	call __assertfail, (a1, a2, a3, a4, a5);
	trap;
E:	ret;
}`
	for _, o := range both {
		r := Run{PTX: assert, Args: []any{make([]uint32, 1)}, Options: o}.Do(t)
		f := r.One(t, kernel.Assert, "assertion `i < n` failed in void k(int) (k.cu:12)")
		if r.Complete || !r.Faulted || f.Accesses[0].Thread.Thread.X != 5 || r.Output != "k.cu:12: void k(int): block: [0,0,0], thread: [5,0,0] Assertion `i < n` failed.\n" {
			t.Errorf("%+v %q", r.LaunchResult, r.Output)
		}
		r = Run{PTX: entry("setp.eq.u32 %p1, %t, 9;\n@%p1 trap;"), Args: []any{make([]uint32, 32)}, Options: o}.Do(t)
		f = r.One(t, kernel.Trap, "executed a trap")
		if r.Complete || !r.Faulted || f.Accesses[0].Thread.Thread.X != 9 || f.Accesses[0].Source.Line != 8 || f.Accesses[0].Op != "" {
			t.Errorf("%+v %+v", r.LaunchResult, f)
		}
	}
}
