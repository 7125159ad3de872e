package explain

import (
	"os"
	"strings"
	"testing"

	"gpusim/kernel"
)

// TestDocument fails when docs/diagnostics.md is not what `go generate` makes.
func TestDocument(t *testing.T) {
	got, err := os.ReadFile("../../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Document() {
		t.Error("docs/diagnostics.md is out of date: run go generate ./internal/explain")
	}
}

func TestEveryKind(t *testing.T) {
	files, err := texts.ReadDir("kinds")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(kernel.Kinds) {
		t.Errorf("%d texts for %d kinds", len(files), len(kernel.Kinds))
	}
	for _, k := range kernel.Kinds {
		text, ok := Kind(k)
		if !ok {
			t.Errorf("no text for %s", k)
			continue
		}
		if !strings.HasPrefix(text, "# "+string(k)+"\n\n") {
			t.Errorf("%s: the title is not the kind", k)
		}
		if s := Summary(k); !strings.HasSuffix(s, ".") || len(s) > 160 {
			t.Errorf("%s: summary %q", k, s)
		}
		at := 0
		for _, section := range []string{"What it means", "When it happens", "How to fix it", "Example", "How to prevent it"} {
			i := strings.Index(text[at:], "\n## "+section+"\n\n")
			if i < 0 {
				t.Errorf("%s: no section %q in its place", k, section)
				continue
			}
			at += i
		}
		if !strings.Contains(text, "Before") || !strings.Contains(text, "After") || strings.Count(text, "```")%2 != 0 {
			t.Errorf("%s: the example needs a before, an after and closed code", k)
		}
	}
	if _, ok := Kind("no-such-kind"); ok {
		t.Error("a text for a kind that does not exist")
	}
}
