package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpusim/compile"
)

// every lists PTX files of the project.
func every(t *testing.T, patterns ...string) (files []string) {
	t.Helper()
	for _, p := range patterns {
		list, err := filepath.Glob(filepath.FromSlash(p))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d files, %v", p, len(list), err)
		}
		files = append(files, list...)
	}
	return files
}

// TestStarter writes launch files for all kernels of the project: each has to be accepted
// as it stands, arguments and block included.
func TestStarter(t *testing.T) {
	dir, kernels := t.TempDir(), 0
	for _, file := range every(t, "../examples/*/kernel.ptx", "../bench/kernels/*.ptx", "../testdata/*/ptx/*.O2.ptx") {
		absolute, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		program, err := Inspect(absolute, compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range program.Kernels() {
			kernels++
			if err := prepareText(dir, program.Starter(k, absolute)); err != nil {
				t.Errorf("%s, %s: %v", file, k.Full, err)
			}
		}
	}
	if kernels < 100 {
		t.Errorf("only %d kernels", kernels)
	}
}

// prepareText reads a launch file and fits it to its program.
func prepareText(dir, text string) error {
	path := filepath.Join(dir, "starter.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return err
	}
	plan, errs := Read(Input{File: path}, 1<<30)
	_, err := plan.Prepare(PTX, errs)
	return err
}

const oddKernel = `.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 pool[];
.const .align 4 .b8 table[64];
.const .align 4 .b8 unmentioned[64];
.visible .entry _Z3oddPKhPK6float4PPfS4_13__nv_bfloat16bPvdlP4pair(
	.param .u64 in, .param .u64 odd_in, .param .u64 pp, .param .u64 null,
	.param .b16 half, .param .u8 flag, .param .u64 .ptr .global .align 1 void, .param .f64 x, .param .u64 n, .param .u64 p)
.reqntid 64, 2
{
	.reg .b32 %r<2>;
	mov.u32 %r0, pool;
	ld.const.u32 %r0, [table];
	mov.u32 %r1, %ctaid.z;
	ret;
}
.visible .entry plain(.param .u64 plain_out, .param .u64 .ptr .shared .align 4 plain_scratch,
	.param .align 8 .b8 plain_s[40], .param .b64 plain_n, .param .align 4 .b8 opaque[12], .param .b32 bits)
.maxntid 96
{
	.reg .b64 %rd<8>;
	.reg .b32 %r<3>;
	.reg .f32 %f<3>;
	ld.param.u64 %rd0, [plain_out];
	cvta.to.global.u64 %rd1, %rd0;
	add.s64 %rd2, %rd1, 8;
	mov.u32 %r0, 1;
	st.global.s32 [%rd2+4], %r0;
	ld.param.u64 %rd3, [plain_s+8];
	ld.param.v2.u32 {%r1, %r2}, [plain_s+24];
	ld.global.f32 %f0, [%rd3];
	ld.param.b64 %rd4, [plain_n];
	mad.lo.s64 %rd5, %rd4, 4, %rd1;
	atom.global.add.s32 %r0, [%rd5], 1;
	ret;
}
`

// TestStarterGuesses checks what is made of types and uses.
func TestStarterGuesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "odd one.ptx")
	if err := os.WriteFile(file, []byte(oddKernel), 0o666); err != nil {
		t.Fatal(err)
	}
	program, err := Inspect(file, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{
		"# A launch file for odd(unsigned char const*, float4 const*, float**, float*, __nv_bfloat16, bool, void*, double, long, pair*).",
		"program: '" + file + "'",
		"  in: {dtype: u8, shape: [4096], init: {random: {seed: 1, low: 0, high: 64}}}",
		"  odd_in: {dtype: f32, shape: [16384], init: {random: {seed: 1, low: -1, high: 1}}}",
		"  pp: {dtype: u64, shape: [4096], init: zeros}",
		"  arg3_null: {dtype: f32, ",
		"  void: {dtype: f32, shape: [4096], init: zeros} # void*; the type is a guess",
		"  p: {dtype: u8, shape: [4096], init: zeros} # pair*; the type is a guess",
		"#   table: {symbol: table, dtype: u8, shape: [64], init: zeros}",
		"    grid: [2, 2, 2]", "    block: [64, 2] ", "    shared: 4096",
		"      - {bf16: 1} ", "      - {u8: 1} ", "      - {f64: 1} ", "      - {i64: 64} ",
		"#   pp: {npy: ",
	}, {
		"  out: {dtype: i32, shape: [4096], init: zeros} # pointer, read and written",
		"  s_8: {dtype: f32, shape: [4096], init: {random: {seed: 1, low: -1, high: 1}}} # pointer, read",
		"    grid: [2] ", "    block: [96] ", "# threads of a block, x first: at most 96 (.maxntid)",
		"      - out ", "      - {shared: 4096} ", "      - {struct: [{pad: 8}, {buffer: s_8}, {pad: 8}, {u32: 64}, {u32: 64}, {pad: 8}]} ",
		"      - {b64: 64} ", "      - {struct: [{pad: 12}]} ", "      - {b32: 64} ",
	}} {
		k := program.Kernels()[i]
		got := program.Starter(k, file)
		if strings.Contains(got, "unmentioned") {
			t.Errorf("a variable that the kernel does not mention in\n%s", got)
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("no %q in\n%s", w, got)
			}
		}
		if err := prepareText(t.TempDir(), got); err != nil {
			t.Errorf("%v in\n%s", err, got)
		}
	}
}

func TestInspectErrors(t *testing.T) {
	for file, want := range map[string]string{
		"none.ptx": "none.ptx: FILE: no such file or directory", "testdata": "testdata: FILE: it is a directory; a program is expected",
		"../examples/scan/racy.yaml": "../examples/scan/racy.yaml: FILE: a program is expected, not a launch file",
		"testdata/two.npy":           `program: testdata/two.npy: unknown extension ".npy"; a program is PTX (.ptx) or a source (.cu .cl)`,
	} {
		if _, err := Inspect(file, compile.Options{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
