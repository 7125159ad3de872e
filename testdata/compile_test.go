// Package testdata_test checks that the committed PTX is what the compiler makes of the committed sources.
package testdata_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const compiler = "clang-19"

// sourceFolders are the folders whose PTX compile.sh writes.
var sourceFolders = []string{"testdata", "examples", "bench/kernels"}

// handWritten are PTX files that no compiler wrote.
var handWritten = map[string]bool{"testdata/corpus/linked_common.ptx": true}

func TestPTXIsWhatTheCompilerEmits(t *testing.T) {
	if testing.Short() {
		t.Skip("recompiles every kernel")
	}
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not on PATH", compiler)
	}
	fresh := t.TempDir()
	if out, err := exec.Command("./compile.sh", fresh).CombinedOutput(); err != nil {
		t.Fatalf("compile.sh: %v\n%s", err, out)
	}
	want := ptxFiles(t, fresh)
	got := ptxFiles(t, "..")
	if len(want) == 0 {
		t.Fatal("compile.sh wrote nothing")
	}
	for name := range got {
		if _, ok := want[name]; !ok && !handWritten[name] && !strings.HasPrefix(name, "examples/triton_") { // Triton wrote those
			t.Errorf("%s has no source", name)
		}
	}
	for name, text := range want {
		committed, ok := got[name]
		switch {
		case !ok:
			t.Errorf("%s is missing: run testdata/compile.sh", name)
		case !bytes.Equal(committed, text):
			t.Errorf("%s differs from its source: run testdata/compile.sh", name)
		}
	}
}

// TestPTXNamesNoMachine: `.file` holds the plain name of the source, never a path of the machine that
// compiled it.
func TestPTXNamesNoMachine(t *testing.T) {
	files := ptxFiles(t, "..")
	if len(files) == 0 {
		t.Fatal("no PTX found")
	}
	for name, text := range files {
		for _, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, ".file") && strings.Contains(line, "/") {
				t.Errorf("%s: %s", name, strings.TrimSpace(line))
			}
		}
	}
}

// ptxFiles reads every .ptx below root's source folders, by its path from root.
func ptxFiles(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, folder := range sourceFolders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".ptx" {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			files[filepath.ToSlash(name)] = text
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}
