package kernelfuzz

import (
	"reflect"
	"regexp"
	"testing"

	"gpusim/exec"
	"gpusim/kernel"
)

func TestGenerateIsDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		a, b := Generate(seed), Generate(seed)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d: two programs", seed)
		}
		x, _ := a.Text()
		if y, _ := b.Text(); x != y {
			t.Fatalf("seed %d: two texts", seed)
		}
	}
}

// A tool that misunderstood a part of PTX would be found out: it would behave like this one, which runs another text than the one that is judged.
func TestMisreadTextIsNoticed(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"release is relaxed", `\bst\.release`, "st.relaxed"},
		{"acquire is relaxed", `\bld\.acquire`, "ld.relaxed"},
		{"relaxed is acquire", `\bld\.relaxed`, "ld.acquire"},
		{"strong is weak", `\b(st|ld)\.volatile`, "$1"},
		{"weak is strong", `\b(st|ld)\.global`, "$1.relaxed.gpu.global"},
		{"scopes are narrow", `\.gpu\b`, ".cta"},
		{"scopes are wide", `\.cta\b`, ".gpu"},
		{"membar is acq_rel", `membar\.gl`, "fence.acq_rel.gpu"},
		{"acq_rel is sc", `fence\.acq_rel`, "fence.sc"},
		{"no fences", `(membar|fence)\.\S*;`, "mov.u32 %c, 0;"},
		{"fences of the whole warp", `@%p\d+ ((membar|fence)\.\S*;)`, "$1"},
		{"arrive waits", `bar\.arrive`, "bar.sync"},
		{"masks are ignored", `bar\.warp\.sync 0x\w+;`, "bar.warp.sync -1;"},
		{"no warp barriers", `bar\.warp\.sync 0x\w+;`, "mov.u32 %c, 0;"},
		{"non-coherent loads are plain", `ld\.global\.nc`, "ld.global"},
		{"copies need no wait", `cp\.async\.commit_group`, "cp.async.wait_all"},
		{"wait_all is a wait for groups", `cp\.async\.wait_all`, "cp.async.wait_group 0"},
		{"a wait for all groups but one is for all", `wait_group 1`, "wait_group 0"},
		{"a reduction is an exchange", `red(\S*)\.add\.u(32|64)`, "red$1.max.u$2"},
		{"a failed cas writes", `atom(\S*)\.cas\.b32 (\S+), (\S+), (\S+),`, "atom$1.exch.b32 $2, $3,"},
		{"vectors are halves", `v2\.u32 \{%x0, %x1\}`, "v2.u32 {%x1, %x0}"},
		{"bytes are words", `\bst(\S*)\.u16 `, "st$1.u8 "},
		{"guards are ignored", `@%p\d+ (st|ld)`, "$1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, used := regexp.MustCompile(c.from), 0
			for seed := range uint64(6000) {
				p := Generate(seed)
				text, _ := p.Text()
				other := from.ReplaceAllString(text, c.to)
				if other == text {
					continue
				}
				used++
				if _, _, f := Check(p, func(p *Program, _ string) (*Outcome, error) { return Run(p, other, exec.ByWarp) }); f != nil && f.Class != Unread {
					return
				}
			}
			t.Errorf("not noticed in %d kernels", used)
		})
	}
}

// Faults of the report are noticed.
func TestWrongReportsAreNoticed(t *testing.T) {
	for _, c := range []struct {
		name  string
		class string
		edit  func(f *kernel.Finding)
	}{
		{"thread", FalseAlarm, func(f *kernel.Finding) { f.Accesses[1].Thread.Thread.X += 64 }},
		{"block", FalseAlarm, func(f *kernel.Finding) { f.Accesses[0].Thread.Block.X += 2 }},
		{"line", FalseAlarm, func(f *kernel.Finding) { f.Accesses[0].Source.Line++ }},
		{"bytes", FalseAlarm, func(f *kernel.Finding) { f.Offset += 4096 }},
		{"direction", FalseAlarm, func(f *kernel.Finding) { f.Accesses[0], f.Accesses[1] = f.Accesses[1], f.Accesses[0] }},
		{"operation", FalseAlarm, func(f *kernel.Finding) { f.Accesses[1].Op = "execute" }},
		{"severity", Severity, func(f *kernel.Finding) { f.Severity = kernel.Error + kernel.Warning - f.Severity }},
		{"kind", Unexpected, func(f *kernel.Finding) { f.Kind = kernel.OutOfBounds }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(100) {
				edited := false
				_, _, f := Check(Generate(seed), func(p *Program, text string) (*Outcome, error) {
					out, err := Run(p, text, exec.ByWarp)
					if err == nil && len(out.Findings) > 0 {
						c.edit(&out.Findings[0])
						edited = true
					}
					return out, err
				})
				if edited && f != nil && f.Class == c.class {
					return
				}
			}
			t.Error("never noticed")
		})
	}
	for seed := range uint64(100) {
		dropped := 0
		_, _, f := Check(Generate(seed), func(p *Program, text string) (*Outcome, error) {
			out, err := Run(p, text, exec.ByWarp)
			if err == nil {
				dropped, out.Findings = len(out.Findings), nil
			}
			return out, err
		})
		if dropped > 0 && (f == nil || f.Class != Missed) {
			t.Errorf("seed %d: %d findings left out, and the verdict is %v", seed, dropped, f)
		}
	}
}

// A failure is made small: of a whole program, what is left of a race is two accesses.
func TestShrink(t *testing.T) {
	p := Generate(5)
	racy := func(q *Program) bool {
		_, want, f := Check(q, func(p *Program, text string) (*Outcome, error) { return Run(p, text, exec.ByWarp) })
		return f == nil && len(want.Pairs) > 0
	}
	for seed := uint64(6); !racy(p); seed++ {
		p = Generate(seed)
	}
	q := Shrink(p, false, racy)
	if text, lines := q.Text(); len(lines) > 4 || len(q.Kernels) != 1 {
		t.Errorf("%d statements are left:\n%s", len(lines), text)
	}
}

// One seed, one run: the same steps and findings.
func TestRunsAreDeterministic(t *testing.T) {
	for seed := range uint64(15) {
		p := Generate(seed)
		text, _ := p.Text()
		for _, g := range granularities {
			a, err := Run(p, text, g.Granularity)
			if err != nil {
				t.Fatal(seed, err)
			}
			if b, err := Run(p, text, g.Granularity); err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("seed %d, %s: two runs differ (%v)", seed, g.name, err)
			}
		}
	}
}
