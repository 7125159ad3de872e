package compile

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// family is how a compiler wants to be called.
type family int

const (
	clang family = iota
	nvcc
)

// tool is a compiler on this machine.
type tool struct {
	path   string
	family family
}

// name is the tool's plain name, for messages.
func (t tool) name() string { return filepath.Base(t.path) }

// preferred is the clang whose PTX the tests know.
const preferred = "clang-19"

// oldest is the first clang whose NVPTX back end knows everything that the embedded headers say.
const oldest = 17

// install says how to get a compiler.
const install = "install clang (Debian and Ubuntu: apt-get install clang-19) or the CUDA toolkit (nvcc), or name a compiler with --compiler PATH"

// find returns the compiler for a language: the one that was asked for, else nvcc (CUDA only), else clang-19, the newest clang-N, clang.
func find(lang language, asked, cudaPath string) (tool, error) {
	if asked != "" {
		return named(lang, asked)
	}
	if lang == cuda {
		if cudaPath != "" {
			if path, err := exec.LookPath(filepath.Join(cudaPath, "bin", "nvcc")); err == nil {
				return tool{path, nvcc}, nil
			}
		} else if path, err := exec.LookPath("nvcc"); err == nil {
			return tool{path, nvcc}, nil
		}
	}
	for _, name := range append([]string{preferred}, append(versioned(), "clang")...) {
		if path, err := exec.LookPath(name); err == nil {
			return tool{path, clang}, nil
		}
	}
	return tool{}, &Error{Message: "no compiler for " + lang.String() + " is on PATH: " + install}
}

// named is the compiler that the user named, by path or by a name on PATH.
func named(lang language, asked string) (tool, error) {
	path, err := exec.LookPath(asked)
	if err != nil {
		if e := (*exec.Error)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return tool{}, &Error{Message: "--compiler " + asked + ": " + err.Error()}
	}
	t := tool{path, clang}
	if strings.Contains(t.name(), "nvcc") {
		t.family = nvcc
		if lang == opencl {
			return tool{}, &Error{Message: "--compiler " + asked + ": nvcc does not compile OpenCL C; clang does"}
		}
	}
	return t, nil
}

var clangName = regexp.MustCompile(`^clang-(\d+)$`)

// versioned lists the names clang-N of PATH, newest first.
func versioned() []string {
	var found []int
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as the shell does
		}
		for _, e := range entries {
			if m := clangName.FindStringSubmatch(e.Name()); m != nil {
				if n, err := strconv.Atoi(m[1]); err == nil && n >= oldest {
					found = append(found, n)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b int) int { return cmp.Compare(b, a) })
	var names []string
	for _, n := range slices.Compact(found) {
		names = append(names, "clang-"+strconv.Itoa(n))
	}
	return names
}
