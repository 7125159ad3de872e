package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/golden/*.dump")

// TestGolden compares the dump of each testdata/golden/*.ptx with the file beside it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Parse(file, text)
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, m)
			golden := strings.TrimSuffix(file, ".ptx") + ".dump"
			got := dump(m)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
			for i := range max(len(gotLines), len(wantLines)) {
				g, w := lineAt(gotLines, i), lineAt(wantLines, i)
				if g != w {
					t.Fatalf("%s:%d: got\n%s\nwant\n%s", golden, i+1, g, w)
				}
			}
		})
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}
