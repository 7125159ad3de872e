package lint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"

	"gpusim/pallas"
	"gpusim/pallas/lint"
)

// What Load accepts can be checked, whatever its numbers are.
func FuzzCheck(f *testing.F) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c struct{ Program json.RawMessage }
		if err := json.Unmarshal(line, &c); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(c.Program))
	}
	f.Fuzz(func(_ *testing.T, text []byte) {
		if m, err := pallas.Load(text); err == nil {
			lint.Check(m, "")
		}
	})
}

// Other numbers in the place of a program's own: extents of 0, dimensions that do not exist.
func TestNumbers(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`\d+`)
	r := rand.New(rand.NewPCG(1, 2))
	values := []int{0, 1, 2, 3, 7, 8, 16, 32, 64, 100, 128, 256, 512, 1000}
	loaded := 0
	for line := range bytes.Lines(text) {
		var c struct {
			Name    string
			Program json.RawMessage
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		at := number.FindAllIndex(c.Program, -1)
		for _, p := range at {
			other := slices.Concat(c.Program[:p[0]], fmt.Append(nil, values[r.IntN(len(values))]), c.Program[p[1]:])
			if m, err := pallas.Load(other); err == nil {
				lint.Check(m, "")
				loaded++
			}
		}
	}
	if loaded < 1000 {
		t.Errorf("%d programs", loaded)
	}
}
