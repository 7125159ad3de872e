package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/ptx/lower"
)

// refused lists what a kernel is refused for.
func refused(t *testing.T, r Run) (list []*lower.Unsupported) {
	t.Helper()
	err := r.Do(t).Load
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("not refused: %v", err)
	}
	for _, e := range joined.Unwrap() {
		var u *lower.Unsupported
		if !errors.As(e, &u) {
			t.Fatal(e)
		}
		list = append(list, u)
	}
	return list
}

func TestRefusals(t *testing.T) {
	for inst, reason := range map[string]string{
		"mbarrier.inval.foo.shared.b64 [%rd1];":                                            "mbarrier.inval.foo",
		"mbarrier.arrive.shared.b64 %r2, [%rd1];":                                          "the destination has the wrong type",
		"mbarrier.init.shared.b64 [%rd1];":                                                 "this form",
		"wgmma.fence.sync.aligned;":                                                        "",
		"wgmma.commit_group.sync.aligned;":                                                 "",
		"tcgen05.wait::ld.sync.aligned;":                                                   "",
		"cp.async.bulk.commit_group;":                                                      "cp.async.bulk",
		"cp.async.bulk.wait_group 0;":                                                      "cp.async.bulk",
		"cp.async.mbarrier.arrive.foo.b64 [%rd1];":                                         "cp.async.mbarrier.foo",
		"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 %r1, %r1, %r1, %r1;":            "needs .row.col",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};":    "1 registers where the fragment has 4",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 %r1, %r1, %r1, %r1;":           "does not multiply by",
		"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 %r1, %r1, %r1, %r1, %r1, 0;": "sparse",
		"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%rd1];":              "needs sm_100",
		"red.shared.v2.f32.add [%rd1], {%f1, %f2};":                                        "no such form",
		"discard.global.L2 [%rd1], 64;":                                                    "no such form",
		"multimem.red.global.add.u32 [%rd1], %r1;":                                         "",
		"redux.sync.min.f32 %f1, %f2, -1;":                                                 "redux.sync.min.f32",
		"shfl.idx.b32 %r1, %r2, 0, 31;":                                                    "only shfl.sync",
		"vote.all.pred %p1, %p2;":                                                          "only vote.sync",
		"atom.global.foo.u32 %r1, [%rd1], %r2;":                                            "",
		"add.s32 %r1, %r2;":                                                                "2 operands where the instruction has 3",
		"add.s33 %r1, %r2, %r3;":                                                           "",
		"add.u32 %p1, %r2, %r3;":                                                           "",
		"add.u64 %r1, %rd2, %rd3;":                                                         "the destination is a .u32 register",
		"add.u32 %r1, %p2, %r3;":                                                           "operand 2 has the wrong kind of register (.pred)",
		"mov.u32 %r1;":                                                                     "no such form",
		"ld.global.v2.u32 %r1, [%rd1];":                                                    "1 elements where the instruction has 2",
		"ld.global.u32 %p1, [%rd1];":                                                       "",
		"ld.global.u64 %r1, [%rd1];":                                                       "a register of 32 bits for an element of 64 bits",
		"membar.foo;":                                                                      "this membar is not supported",
		"fence.acq_rel;":                                                                   "a fence needs a scope",
		"cp.async.ca.shared.global [%rd1], [%rd2], 5;":                                     "this form of cp.async",
		"mov.u32 %r1, %envreg99;":                                                          "",
		"mov.u64 %rd1, undefined;":                                                         "",
	} {
		t.Run(inst, func(t *testing.T) {
			text := entry("mov.u32 %v, 1;\n.reg .f64 %fd<9>;\n" + inst)
			r := Run{PTX: text, Args: []any{make([]uint32, 32)}}
			err := r.Do(t).Load
			if err == nil {
				t.Fatal("accepted")
			}
			if reason == "" || !strings.Contains(err.Error(), "k.ptx:9:") {
				if !strings.Contains(err.Error(), "k.ptx:9:") {
					t.Errorf("no place in %v", err)
				}
				return
			}
			list := refused(t, r)
			u := list[0]
			if len(list) != 1 || u.Pos.File != "k.ptx" || u.Pos.Line != 9 || !strings.HasPrefix(u.Text, strings.Fields(inst)[0][:4]) || !strings.Contains(u.Reason, reason) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Everything that a kernel can reach is refused at once, in the order of the text; what
// other kernels use does not matter.
func TestRefusedTogether(t *testing.T) {
	text := `
.extern .func missing();
.extern .global .u32 nowhere;
.func unused() { wgmma.wait_group.sync.aligned 0; ret; }
.func taken() { wgmma.fence.sync.aligned; ret; }
.func inner() { wgmma.wait_group.sync.aligned 1; ret; }
.func outer() { call inner; ret; }
.func inregs(.reg .u32 %x) { ret; }
.global .u64 table[1] = {taken};
.visible .entry bad() {
	.reg .u64 %a; .reg .u32 %v;
	.reg .b128 %big;
	.param .b32 pa;
	call missing;
	ld.global.u32 %v, [nowhere];
	call outer;
	mov.b128 %big, {%a, %a}; mov.b128 {%a, %a}, %big;
	call inregs, (pa);
P:	.callprototype _ ();
	call %a, P;
	ret;
}
.visible .entry direct() { call outer; ret; }
.visible .entry good() { ret; }
`
	Run{PTX: text, Kernel: "good"}.Clean(t)
	lines := func(kernel string) (out []int, all string) {
		for _, u := range refused(t, Run{PTX: text, Kernel: kernel}) {
			out = append(out, u.Pos.Line)
			all += u.Error() + "\n"
		}
		return out, all
	}
	got, all := lines("bad")
	want := []int{5, 6, 14, 15}
	if len(got) != len(want) {
		t.Fatalf("lines %v, want %v:\n%s", got, want, all)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("lines %v, want %v:\n%s", got, want, all)
		}
	}
	for _, words := range []string{"call missing: function missing is declared but defined in none of the files", "variable nowhere is declared but defined nowhere",
		"wgmma.wait_group.sync.aligned 1: "} {
		if !strings.Contains(all, words) {
			t.Errorf("no %q in:\n%s", words, all)
		}
	}
	if got, all := lines("direct"); len(got) != 1 || got[0] != 6 {
		t.Errorf("%v:\n%s", got, all)
	}
}

func TestRefusedCalls(t *testing.T) {
	for declared, reason := range map[[2]string]string{
		{"(.param .b32 r) vprintf(.param .b64 f)", "call (r), vprintf, (a);"}:                   "vprintf takes arguments of [8 8] bytes",
		{"(.param .b32 r) vprintf(.param .b32 f, .param .b64 a)", "call (r), vprintf, (r, a);"}: "vprintf takes arguments of [8 8] bytes",
		{"__assertfail(.param .b64 a)", "call __assertfail, (a);"}:                              "__assertfail takes arguments of [8 8 4 8 8] bytes",
		{"cudaMalloc(.param .b64 a)", "call cudaMalloc, (a);"}:                                  "function cudaMalloc is declared but defined in none of the files",
	} {
		call := declared[1]
		list := refused(t, Run{PTX: ".extern .func " + declared[0] + ";\n.visible .entry k() { .param .b64 a; .param .b32 r;\n" + call + " ret; }"})
		if len(list) != 1 || !strings.Contains(list[0].Reason, reason) || list[0].Pos.Line != 3 {
			t.Errorf("%s: %v", call, list[0])
		}
	}
}

func TestRefusedKernels(t *testing.T) {
	list := refused(t, Run{PTX: ".visible .entry k() .reqnctapercluster 2, 1, 1 { ret; }"})
	if len(list) != 1 || !strings.Contains(list[0].Error(), "k: clusters of more than one block are not supported") {
		t.Error(list[0])
	}
	Run{PTX: ".visible .entry k() .reqnctapercluster 1, 1, 1 { ret; }"}.Clean(t)
}

func TestTooManyRegisters(t *testing.T) {
	var b strings.Builder
	b.WriteString(".visible .entry k() { .reg .pred %p<40000>; .reg .u32 %t; mov.u32 %t, %laneid;\n")
	for i := range 33000 {
		fmt.Fprintf(&b, "setp.lt.u32 %%p%d, %%t, 5;\n", i)
	}
	b.WriteString("ret; }")
	list := refused(t, Run{PTX: b.String()})
	if len(list) != 1 || list[0].Error() != "k.ptx:1:61: function k: it has more than 32766 registers and constants of one kind" {
		t.Error(list[0])
	}
}
