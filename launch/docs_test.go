package launch

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocs reads the launch file and the command in the documentation, and checks that it
// names every type and initialiser.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/launch-files.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	t.Chdir(t.TempDir())
	writeFile(t, "histogram.ptx", "")
	writeFile(t, "histogram.cu", "")
	u32, _ := findDType("u32")
	var want bytes.Buffer
	if err := writeNpy(&want, make([]byte, 1024), u32, []int64{256}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "want.npy", want.String())
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(doc, -1)
	if len(blocks) == 0 {
		t.Error("no launch file in the documentation")
	}
	for _, b := range blocks {
		if _, errs := decodeFile("doc.yaml", ".", []byte(b[1]), 1<<30); len(errs) > 0 {
			t.Errorf("%s%v", b[1], errs)
		}
	}
	args := regexp.MustCompile(`--arg '?([^' \n]*)`).FindAllStringSubmatch(doc, -1)
	if len(args) == 0 {
		t.Error("no --arg in the documentation")
	}
	in := Input{File: "histogram.ptx", Grid: "64", Block: "256"}
	for _, a := range args {
		in.Args = append(in.Args, a[1])
	}
	if _, errs := Read(in, 1<<30); len(errs) > 0 {
		t.Error(errs)
	}
	words := append(dtypeNames(), "zeros", "none", "fill", "range", "random", "values", "npy", "raw", "addresses", "symbol", "free", "pad", "atol")
	for _, w := range words {
		if !strings.Contains(doc, w) {
			t.Errorf("%s is not documented", w)
		}
	}
}
