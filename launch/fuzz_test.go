package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLaunchFile: a plan or errors, never a panic or a hang.
func FuzzLaunchFile(f *testing.F) {
	a, err := txtar.ParseFile("testdata/errors.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		f.Add(file.Data)
	}
	f.Add([]byte("program: &a [*a]\nbuffers: &b {x: *b}\nlaunches: *a\n"))
	f.Add([]byte("program: k.ptx\nbuffers: {x: {dtype: u8, shape: &s [*s], init: {values: &v [*v, *v]}}}\nlaunches: []\n"))
	f.Add([]byte("program: k.ptx\nlaunches: [{kernel: k, grid: [1], block: [1], args: [&s {struct: [*s, *s, *s, *s]}]}]\n"))
	f.Add([]byte("program: k.ptx\nbuffers: {x: {dtype: u8, shape: [9], init: {values: &v [*v, *v, *v, *v, *v]}}}\nlaunches: []\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		plan, errs := decodeFile("a.yaml", t.TempDir(), text, 1<<16)
		if plan == nil {
			t.Fatal("no plan")
		}
		_, err := plan.Prepare(&fakeFrontend{}, errs)
		if err == nil && len(errs) > 0 {
			t.Error("errors were lost")
		}
	})
}

// FuzzArg: a buffer, a scalar or errors that point into the argument, never a panic.
func FuzzArg(f *testing.F) {
	for _, s := range []string{"in=u32[65536]:random(1,0,256)", "n=u32:65536", "x=f16[2,2]:values(1;2;3;4)", "x=u8[1]:npy(a,b.npy)", "=", "x=u8[", "x=u8]:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &flagReader{plan: &Plan{}}
		r.dir = t.TempDir()
		a := r.arg(0, text, 1<<16)
		if a.broken() && len(r.errs) == 0 {
			t.Error("broken without an error")
		}
		for _, e := range r.errs {
			if e.Column < 1 || e.Column > len(text)+1 {
				t.Errorf("column %d of %d", e.Column, len(text))
			}
		}
	})
}

// TestRepositoryFiles loads every launch file of the project, with its program.
func TestRepositoryFiles(t *testing.T) {
	var files []string
	for _, root := range []string{"../testdata", "../examples", "../bench/kernels"} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".yaml") {
				files = append(files, path)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatal("there is no launch file")
	}
	for _, name := range files {
		plan, errs := Read(Input{File: name}, 1<<40)
		if _, err := plan.Prepare(PTX, errs); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}
