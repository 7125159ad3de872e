package compile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakes puts shell scripts on a PATH that holds nothing else but the shell's own tools.
func fakes(t *testing.T, scripts map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("/bin/sh"); err != nil {
		t.Skip("the fake compilers are shell scripts")
	}
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

// writes is a script that writes PTX, the arguments that it was called with and the working directory.
const writes = `all="$*"
while [ $# -gt 1 ]; do if [ "$1" = -o ]; then out=$2; fi; shift; done
echo "// $all in $PWD" >"$out"
`

func TestFind(t *testing.T) {
	const ok = "exit 0\n"
	for _, c := range []struct {
		name    string
		have    []string
		lang    language
		asked   string
		want    string
		family  family
		message string
	}{
		{name: "nvcc first", have: []string{"nvcc", "clang-19", "clang"}, want: "nvcc", family: nvcc},
		{name: "no nvcc for OpenCL", have: []string{"nvcc", "clang-19"}, lang: opencl, want: "clang-19"},
		{name: "clang-19 before newer ones", have: []string{"clang-21", "clang-19", "clang"}, want: "clang-19"},
		{name: "the newest by number", have: []string{"clang-9", "clang-17", "clang-100", "clang-20", "clang"}, want: "clang-100"},
		{name: "plain clang", have: []string{"clang"}, want: "clang"},
		{name: "an old clang-N is not tried", have: []string{"clang-15", "clang-cpp-19", "clang++-19"}, message: "no compiler for CUDA C++ is on PATH: install clang"},
		{name: "none", message: "no compiler for CUDA C++ is on PATH: install clang (Debian and Ubuntu: apt-get install clang-19)"},
		{name: "none for OpenCL", have: []string{"nvcc"}, lang: opencl, message: "no compiler for OpenCL C is on PATH"},
		{name: "asked by name", have: []string{"nvcc", "clang", "mine"}, asked: "mine", want: "mine"},
		{name: "asked for an old one", have: []string{"clang-15"}, asked: "clang-15", want: "clang-15"},
		{name: "asked for nvcc", have: []string{"nvcc-12.4", "clang-19"}, asked: "nvcc-12.4", want: "nvcc-12.4", family: nvcc},
		{name: "asked for what is not there", have: []string{"clang-19"}, asked: "klang", message: "--compiler klang: executable file not found in $PATH"},
		{name: "nvcc for OpenCL", have: []string{"nvcc"}, lang: opencl, asked: "nvcc", message: "nvcc does not compile OpenCL C"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripts := map[string]string{}
			for _, name := range c.have {
				scripts[name] = ok
			}
			fakes(t, scripts)
			got, err := find(c.lang, c.asked, "")
			if c.message != "" {
				if err == nil || !strings.Contains(err.Error(), c.message) {
					t.Fatalf("%v, want %s", err, c.message)
				}
				return
			}
			if err != nil || got.name() != c.want || got.family != c.family {
				t.Errorf("%v %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestFindInToolkit: a toolkit's own nvcc goes before clang, and one on PATH does not take its place.
func TestFindInToolkit(t *testing.T) {
	toolkit := t.TempDir()
	fakes(t, map[string]string{"nvcc": "exit 0\n", "clang-19": "exit 0\n"})
	if got, err := find(cuda, "", toolkit); err != nil || got.name() != "clang-19" {
		t.Errorf("without an nvcc of its own: %v %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(toolkit, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(toolkit, "bin", "nvcc")
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := find(cuda, "", toolkit); err != nil || got.path != own {
		t.Errorf("with one: %v %v", got, err)
	}
}

func TestArguments(t *testing.T) {
	fakes(t, map[string]string{"nvcc": writes, "clang-19": writes})
	dir := t.TempDir()
	for _, c := range []struct {
		name    string
		options Options
		source  Source
		want    []string
		not     string
	}{
		{"nvcc", Options{Flags: []string{"-DB=2"}}, Source{Name: "k.cu", Arch: "sm_90", Flags: []string{"-DA=1"}},
			[]string{"-ptx -lineinfo -arch=sm_90 -DA=1 -DB=2 -o ", "out.ptx k.cu in " + dir}, "-isystem"},
		{"clang", Options{Compiler: "clang-19"}, Source{Name: "sub/k.cu", Flags: []string{"-O0"}},
			[]string{"--cuda-gpu-arch=sm_80", "-O2", "-nocudainc", "-include gpusim/runtime.h -O0 -o ", "sub/k.cu in " + dir}, "--cuda-path"},
		{"clang with a toolkit", Options{Compiler: "clang-19", CUDAPath: dir}, Source{Name: "k.cu"},
			[]string{"--cuda-path=" + dir, "-nocudalib"}, "-nocudainc"},
		{"an architecture on the command line", Options{Compiler: "clang-19", Arch: "sm_86"}, Source{Name: "k.cu", Arch: "sm_90"},
			[]string{"--cuda-gpu-arch=sm_86"}, "sm_90"},
		{"OpenCL", Options{}, Source{Name: "k.cl", Arch: "sm_75"}, []string{"-x cl -cl-std=CL2.0", "-target-cpu -Xclang sm_75", "gpusim/opencl.h"}, "cuda"},
		{"a name like a flag", Options{}, Source{Name: "-k.cu"}, []string{" ./-k.cu in "}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.source.Dir = dir
			text, err := PTX(c.options, c.source)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range c.want {
				if !strings.Contains(string(text), w) {
					t.Errorf("no %q in %s", w, text)
				}
			}
			if c.not != "" && strings.Contains(string(text), c.not) {
				t.Errorf("%q in %s", c.not, text)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	many := ""
	for range 30 {
		many += "echo 'k.cu:1:2: error: no'\n"
	}
	for _, c := range []struct {
		name, script string
		arch         string
		want         string
	}{
		{"clang's form", `echo "In file included from a.h:1:" >&2
echo "k.cu:3:7: error: expected ';'" >&2
echo "    3 |   int a" >&2
echo "k.cu:9:1: warning: odd" >&2
echo "k.cu:4:1: fatal error: 'x.h' file not found" >&2
exit 1`, "", "k.cu:3:7: expected ';'\nk.cu:4:1: 'x.h' file not found; it is not among gpusim's own headers: give its folder in the flags (-I DIR), or " +
			"move host code that needs it to another file; a toolkit's headers come with --cuda-path DIR, and nvcc is used where it is on PATH"},
		{"an unknown function of the runtime", `echo "k.cu:3:7: error: use of undeclared identifier 'cudaFooBar'"; exit 1`, "",
			"k.cu:3:7: use of undeclared identifier 'cudaFooBar'; gpusim's own headers do not declare it: move host code that needs it to another file; " +
				"a toolkit's headers come with --cuda-path DIR, and nvcc is used where it is on PATH"},
		{"an unknown name of the user's", `echo "k.cu:3:7: error: use of undeclared identifier 'foo'"; exit 1`, "", "k.cu:3:7: use of undeclared identifier 'foo'"},
		{"nvcc's form", `echo 'k.cu(12): error: identifier "foo" is undefined'; echo 'k.cu(13): error #20: no'; exit 2`, "",
			"k.cu:12:0: identifier \"foo\" is undefined\nk.cu:13:0: no"},
		{"a form of its own", `echo "out of cheese"; exit 3`, "", "clang-19 failed (exit status 3): out of cheese"},
		{"silence", "exit 1", "", "clang-19 failed (exit status 1): it says nothing"},
		{"a crash", "kill -9 $$", "", "clang-19 failed (signal: killed): it says nothing"},
		{"no output", "exit 0", "", "clang-19 ended without an error and without PTX: no such file or directory"},
		{"a name that is no architecture", "exit 0", "80", `arch "80": sm_70 to sm_90 are supported`},
		{"one that is too old", "exit 0", "sm_35", `arch "sm_35": sm_70 to sm_90 are supported`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakes(t, map[string]string{"clang-19": c.script})
			_, err := PTX(Options{}, Source{Name: "k.cu", Arch: c.arch})
			var failed *Error
			if !errors.As(err, &failed) || err.Error() != c.want {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("many errors", func(t *testing.T) {
		fakes(t, map[string]string{"clang-19": many + "exit 1"})
		_, err := PTX(Options{}, Source{Name: "k.cu"})
		var failed *Error
		if !errors.As(err, &failed) || len(failed.List) != maxDiagnostics || !strings.HasSuffix(err.Error(), "no (and 10 more errors)") {
			t.Errorf("%v", err)
		}
	})
	t.Run("endless messages", func(t *testing.T) {
		fakes(t, map[string]string{"clang-19": `i=0
x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
x=$x$x$x$x$x$x$x$x$x$x
x=$x$x$x$x$x$x$x$x$x$x
while [ $i -lt 300 ]; do echo $x; i=$((i+1)); done
exit 1`})
		_, err := PTX(Options{}, Source{Name: "k.cu"})
		if err == nil || len(err.Error()) > 3000 {
			t.Errorf("%d bytes", len(err.Error()))
		}
	})
	t.Run("no end", func(t *testing.T) {
		fakes(t, map[string]string{"clang-19": "while :; do :; done"})
		_, err := PTX(Options{Timeout: 50e6}, Source{Name: "k.cu"})
		if err == nil || err.Error() != "clang-19 was stopped after 50ms" {
			t.Errorf("%v", err)
		}
	})
	t.Run("an interrupt", func(t *testing.T) {
		fakes(t, map[string]string{"clang-19": "while :; do :; done"})
		interrupt := make(chan struct{})
		close(interrupt)
		_, err := PTX(Options{Interrupt: interrupt}, Source{Name: "k.cu"})
		if err == nil || err.Error() != "clang-19 was interrupted" {
			t.Errorf("%v", err)
		}
	})
	t.Run("a name in two lines", func(t *testing.T) {
		fakes(t, map[string]string{"clang-19": "exit 0"})
		_, err := PTX(Options{}, Source{Name: "k\n.cu"})
		if err == nil || err.Error() != "the name of a source cannot hold a line break: PTX has it in comments" {
			t.Errorf("%v", err)
		}
	})
	t.Run("not a program", func(t *testing.T) {
		dir := fakes(t, nil)
		if err := os.WriteFile(filepath.Join(dir, "clang-19"), []byte("\x7fELF nothing"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := PTX(Options{}, Source{Name: "k.cu"})
		if err == nil || !strings.HasPrefix(err.Error(), "clang-19 does not start: ") {
			t.Errorf("%v", err)
		}
	})
}

// TestNothingIsLeft: headers and output go to a directory that is removed.
func TestNothingIsLeft(t *testing.T) {
	fakes(t, map[string]string{"clang-19": writes})
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if _, err := PTX(Options{}, Source{Name: "k.cu"}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}
