package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var expectedError = regexp.MustCompile(`# ERROR (.*)$`)

// unpack writes the archive's files, and the data files beside it, into a new directory.
func unpack(t *testing.T, archive string) (dir string, names []string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range a.Files {
		write(f.Name, f.Data)
		if ext := filepath.Ext(f.Name); ext == ".yaml" || ext == ".json" {
			names = append(names, f.Name)
		}
	}
	for _, name := range []string{"two.npy", "four.raw"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, data)
	}
	f32, _ := findDType("f32")
	file, err := os.Create(filepath.Join(dir, "four.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := writeNpy(file, make([]byte, 16), f32, []int64{4}); err != nil {
		t.Fatal(err)
	}
	return dir, names
}

func TestInputErrors(t *testing.T) {
	dir, names := unpack(t, "testdata/errors.txtar")
	t.Chdir(dir)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, line := range strings.Split(string(text), "\n") {
				if m := expectedError.FindStringSubmatch(line); m != nil {
					for _, e := range strings.Split(m[1], " ## ") {
						want = append(want, fmt.Sprintf("%s:%d:%s", name, i+1, e))
					}
				}
			}
			if name == "nothing.yaml" { // an error beside the line would make it not empty
				want = []string{"nothing.yaml:1:1: launch file: it is empty"}
			}
			plan, errs := Read(Input{File: name}, 1<<20)
			_, prepareErr := plan.Prepare(&fakeFrontend{}, errs)
			var got []string
			if prepareErr != nil {
				for _, e := range prepareErr.(InputErrors) {
					got = append(got, e.Error())
					if e.Line > 0 && e.Quote == "" {
						t.Errorf("%v has no line to quote", e)
					}
				}
			}
			if !slices.IsSortedFunc(got, comparePlaces) {
				t.Errorf("not sorted:\n%s", strings.Join(got, "\n"))
			}
			slices.Sort(got)
			slices.Sort(want)
			for _, g := range got {
				if !slices.Contains(want, g) {
					t.Errorf("not wanted: %s", g)
				}
			}
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("missing:    %s", w)
				}
			}
		})
	}
}

func comparePlaces(a, b string) int {
	number := func(s string, i int) int {
		n, _ := strconv.Atoi(strings.SplitN(s, ":", 4)[i])
		return n
	}
	if d := number(a, 1) - number(b, 1); d != 0 {
		return d
	}
	return number(a, 2) - number(b, 2)
}
