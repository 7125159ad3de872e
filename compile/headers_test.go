package compile

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// long takes everything, where a test else takes a sample.
var long = os.Getenv("GPUSIM_LONG") != ""

func needClang(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(preferred); err != nil {
		t.Skipf("%s is not on PATH", preferred)
	}
}

// strict makes every warning an error, also one in the embedded headers.
var strict = []string{"-Wall", "-Werror", "-Wno-unused-function", "-Wno-unknown-cuda-version"}

// TestHeaders compiles a use of everything that the embedded headers offer, and looks for places in the headers: no instruction may
// have one.
func TestHeaders(t *testing.T) {
	needClang(t)
	archs := []string{"sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}
	levels := []string{"-O0", "-O1", "-O2", "-O3"}
	for _, arch := range archs {
		for _, level := range levels {
			for _, name := range []string{"everything.cu", "everything.cl"} {
				if sample := map[string]bool{"everything.cu sm_70 -O0": true, "everything.cu sm_80 -O2": true, "everything.cl sm_90 -O3": true}; !long && !sample[name+" "+arch+" "+level] {
					continue
				}
				t.Run(name+" "+arch+" "+level, func(t *testing.T) {
					t.Parallel()
					text, err := PTX(Options{Compiler: preferred}, Source{Name: name, Dir: "testdata", Arch: arch, Flags: append([]string{level}, strict...)})
					if err != nil {
						t.Fatal(err)
					}
					for _, m := range regexp.MustCompile(`(?m)^\s*\.file\s.*`).FindAllString(string(text), -1) {
						if !strings.HasSuffix(m, `"`+name+`"`) && !strings.Contains(m, "/c++/") {
							t.Errorf("instructions have lines in%s", m)
						}
					}
				})
			}
		}
	}
}

// TestOpenCLVersions: the library fits the language's versions.
func TestOpenCLVersions(t *testing.T) {
	needClang(t)
	for _, v := range []string{"CL1.2", "CL2.0", "CL3.0"} {
		dir := t.TempDir()
		write(t, dir, "k.cl", "__kernel void k(__global int *a, __local int *b) { b[0] = atomic_inc(a); barrier(CLK_LOCAL_MEM_FENCE); a[1] = b[0]; }")
		if _, err := PTX(Options{}, Source{Name: "k.cl", Dir: dir, Flags: append([]string{"-cl-std=" + v}, strict...)}); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}

// TestFileNames: PTX names a file as the user wrote it.
func TestFileNames(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	const kernel = "void k(int *a) { a[0] = f(a[1]); }\n"
	header := "inline int f(int v) { return v * v; }\n"
	for _, d := range []string{"sub", "work"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "k.cu", "#include \"sub/f.h\"\n__global__ "+kernel)
	write(t, dir, "sub/k.cu", "#include \"f.h\"\n__global__ "+kernel)
	write(t, dir, "sub/f.h", "#ifdef __CUDA__\n__device__\n#endif\n"+header)
	write(t, dir, "sub/k.cl", "#include \"f.h\"\n__kernel "+strings.Replace(kernel, "int *", "__global int *", 1))
	for i, c := range []struct{ dir, name, header string }{
		{dir, "k.cu", "sub/f.h"},
		{dir, "sub/k.cu", "sub/f.h"},
		{filepath.Join(dir, "work"), "../sub/k.cu", "../sub/f.h"},
		{dir, filepath.Join(dir, "sub", "k.cu"), filepath.Join(dir, "sub", "f.h")},
		{dir, "sub/k.cl", "sub/f.h"},
	} {
		text, err := PTX(Options{Compiler: preferred}, Source{Name: c.name, Dir: c.dir})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range []string{c.name, c.header} {
			if !bytes.Contains(text, []byte(` "`+want+`"`)) {
				t.Errorf("%s: no %q in %s", c.name, want, regexp.MustCompile(`(?m)^\s*\.file.*`).FindAllString(string(text), -1))
			}
		}
		if i > 0 {
			continue
		}
		again, err := PTX(Options{Compiler: preferred}, Source{Name: c.name, Dir: c.dir})
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: a second run gives another text (%v)", c.name, err)
		}
	}
}

// TestCorpus: the kernels that the project's tests run compile here too. GPUSIM_LONG takes all of them.
func TestCorpus(t *testing.T) {
	needClang(t)
	var files []string
	for _, pattern := range []string{"testdata/*/*.cu", "examples/*/*.cu", "bench/kernels/*.cu"} {
		list, err := filepath.Glob("../" + pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, list...)
	}
	for i, file := range files {
		if !long && i%60 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := Source{Name: filepath.Base(file), Dir: filepath.Dir(file)}
			first, _, _ := strings.Cut(string(text), "\n")
			if rest, ok := strings.CutPrefix(first, "// arch: "); ok {
				arch, flags, _ := strings.Cut(rest, " flags:")
				s.Arch, s.Flags = arch, strings.Fields(flags)
			}
			if _, err := PTX(Options{Compiler: preferred}, s); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMisuseOfHeaders: an error within a header is told at the line that uses it.
func TestMisuseOfHeaders(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	write(t, dir, "k.cu", `#include <cooperative_groups.h>
__global__ void k(int *a) {
  auto tile = cooperative_groups::tiled_partition<48>(cooperative_groups::this_thread_block());
  a[0] = tile.size();
}
`)
	_, err := PTX(Options{Compiler: preferred}, Source{Name: "k.cu", Dir: dir})
	if want := "k.cu:3:"; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "tiles of 1, 2, 4, 8, 16 and 32 threads are supported") {
		t.Errorf("%v\nwant %s", err, want)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
