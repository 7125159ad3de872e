package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Every workload's files are there, and a peer can be given the same work.
func TestSuite(t *testing.T) {
	for _, w := range suite {
		path := filepath.Join("..", w.file)
		f, err := readLaunchFile(path)
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			continue
		}
		if n, err := f.bytes(); err != nil || n <= 0 {
			t.Errorf("%s: %d bytes of buffers, %v", w.name, n, err)
		}
		if w.opencl == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("kernels", w.opencl))
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			continue
		}
		args, err := f.clrun(w.opencl, "d", 1)
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			continue
		}
		if kernel := "__kernel void " + args[1] + "("; !strings.Contains(string(text), kernel) {
			t.Errorf("%s: %s has no %q", w.name, w.opencl, kernel)
		}
		if roles := strings.Join(args[5:], " "); !strings.Contains(roles, "in:") || !strings.Contains(roles, "out:") && !strings.Contains(roles, "zero:") {
			t.Errorf("%s: nothing goes in, or nothing comes out: %s", w.name, roles)
		}
	}
	for _, h := range hotKernels {
		if _, err := os.Stat(filepath.Join("..", h.file)); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
	}
	if _, err := os.Stat(filepath.Join("..", small)); err != nil {
		t.Error(err)
	}
}

func TestClrunArguments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	text := `program: a.ptx
buffers:
  a: {dtype: f32, shape: [4, 8], init: {fill: 1}}
  b: {dtype: u32, shape: [16]}
  c: {dtype: u8, shape: [16], init: none}
launches:
  - {kernel: k, grid: [2, 3], block: [16, 4], args: [a, b, c, {i32: 7}]}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := readLaunchFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.bytes(); err != nil || n != 4*8*4+16*4+16 {
		t.Errorf("%d bytes, %v", n, err)
	}
	got, err := f.clrun("a.cl", "d", 3)
	want := []string{"a.cl", "k", "32,12", "16,4", "3", "in:d/a.npy", "zero:d/b.npy", "out:d/c.npy", "i32:7"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	f.Launches[0].Args = []any{map[string]any{"f64": 1}}
	if _, err := f.clrun("a.cl", "d", 3); err == nil {
		t.Error("an argument that clrun does not know is accepted")
	}
}
