package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// needClang skips a test of sources where the compiler is missing that the tests know.
func needClang(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not on PATH")
	}
}

// checked is what the tests of sources look at in a report.
type checked struct {
	Errors   []struct{ Message string }
	Findings []struct {
		Kind, Severity string
		Count          int
		Accesses       []struct {
			File         string
			Line, Column int
		}
	}
}

// lines lists the findings, with their places.
func (c *checked) lines() (out []string) {
	for _, f := range c.Findings {
		out = append(out, fmt.Sprint(f))
	}
	return out
}

func check(t *testing.T, args ...string) *checked {
	t.Helper()
	var out, errs bytes.Buffer
	status := Main(append([]string{"check", "--format", "json", "--compiler", "clang-19"}, args...), &out, &errs)
	if status > 1 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	var r checked
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// TestSources runs the launch files of testdata/sources: nothing is found but what the first line says ("# finds: KIND ...").
func TestSources(t *testing.T) {
	needClang(t)
	files, err := filepath.Glob("../../testdata/sources/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no launch files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			first, _, _ := strings.Cut(string(text), "\n")
			if kinds, ok := strings.CutPrefix(first, "# finds: "); ok {
				want = strings.Fields(kinds)
			}
			r := check(t, file)
			for _, f := range r.Findings {
				if !slices.Contains(got, f.Kind) {
					got = append(got, f.Kind)
				}
				for _, a := range f.Accesses {
					if strings.Contains(a.File, "/") {
						t.Errorf("a place in %s, which is no file of the user's", a.File)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("finds %v, want %v: %v", got, want, r.lines())
			}
		})
	}
}

// TestExamplesFromSource: checking an example's source gives the findings that its PTX gives, at the same places.
// GPUSIM_LONG takes all of them, else every fourth.
func TestExamplesFromSource(t *testing.T) {
	needClang(t)
	files, err := filepath.Glob("../../examples/*/racy.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "testdata", "include"), os.DirFS("../../testdata/include")); err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		dir := filepath.Dir(file)
		if _, err := os.Stat(filepath.Join(dir, "kernel.cu")); err != nil || os.Getenv("GPUSIM_LONG") == "" && i%4 != 0 {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			copied := filepath.Join(root, "examples", filepath.Base(dir))
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fromSource := filepath.Join(copied, "source.yaml")
			if err := os.WriteFile(fromSource, bytes.Replace(text, []byte("kernel.ptx"), []byte("kernel.cu"), 1), 0o666); err != nil {
				t.Fatal(err)
			}
			want, got := check(t, file).lines(), check(t, fromSource).lines()
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("from the source: %v\nfrom PTX: %v", got, want)
			}
		})
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, errs bytes.Buffer
	status := Main([]string{"check", "../../testdata/sources/tutorial.yaml"}, &out, &errs)
	if want := "tutorial.cu: no compiler for CUDA C++ is on PATH: install clang"; status != 2 || !strings.Contains(errs.String(), want) {
		t.Errorf("status %d: %s\nwant %s", status, &errs, want)
	}
}
