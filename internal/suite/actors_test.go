package suite

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNoSecondPath: threads are stepped by actors and by nothing else, and nothing can launch without
// them.
func TestNoSecondPath(t *testing.T) {
	t.Run("only actors step threads", func(t *testing.T) {
		for _, pkg := range goList(t, "{{.ImportPath}} {{.Dir}}", "gpusim/...") {
			path, dir, _ := strings.Cut(pkg, " ")
			steps := mentions(t, dir, ".Step(")
			if want := path == "gpusim/actors"; steps != want {
				t.Errorf("%s: calls a Step method: %v, want %v", path, steps, want)
			}
		}
	})
	t.Run("the command needs actors", func(t *testing.T) {
		if deps := goList(t, `{{join .Deps "\n"}}`, "gpusim/device"); !slices.Contains(deps, "gpusim/actors") {
			t.Error("device does not need actors")
		}
		if deps := goList(t, `{{join .Deps "\n"}}`, "gpusim/ptx"); slices.Contains(deps, "gpusim/actors") {
			t.Error("the PTX front end knows actors")
		}
	})
	t.Run("without actors nothing launches", withoutActors)
}

// withoutActors builds the command with one kind of actor deaf to every message but those of its life
// cycle, and runs programs of barriers, allocation and deadlock: none may be told what it is told
// else.
func withoutActors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command several times")
	}
	programs := []string{"testdata/corpus/shared_static.yaml", "testdata/corpus/named_barriers.yaml", "testdata/patterns/e_count_too_large.racy.yaml"}
	hears := buildTool(t)
	for _, a := range []struct{ file, receiver string }{{"thread.go", "t *threadActor"}, {"block.go", "b *blockActor"}, {"memory.go", "s *sharedMemory"}, {"launch.go", "h *coordinator"}} {
		deaf := buildTool(t, "-overlay", deafen(t, a.file, a.receiver))
		for _, file := range programs {
			path := filepath.Join(root, filepath.FromSlash(file))
			want, got := verdict(t, hears, path), verdict(t, deaf, path)
			if want == "" || got == want {
				t.Errorf("%s with deaf actors %s: the same report as with them", file, a.receiver)
			}
		}
	}
}

// deafen writes an overlay for go build in which a Receive method heeds no message of ours.
func deafen(t *testing.T, file, receiver string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "actors", file))
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := "func (" + receiver + ") Receive(c actor.Context) {\n"
	before, after, found := strings.Cut(string(code), head)
	if !found {
		t.Fatalf("%s has no method %s", path, head)
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, file)
	code = []byte(before + head + "\tswitch c.Message().(type) {\n\tcase actor.SystemMessage, actor.AutoReceiveMessage, *actor.Started, *actor.Stopped:\n\tdefault:\n\t\treturn\n\t}\n" + after)
	if err := os.WriteFile(copied, code, 0o666); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: copied}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// verdict is the report of one run of the command; it is given up after a while.
func verdict(t *testing.T, tool, file string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, tool, "check", "--format", "json", file).Output() // the status says no more than the report
	return string(out)
}

// mentions reports whether a package's own code, without tests, contains a text.
func mentions(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(code), text) {
			return true
		}
	}
	return false
}

// goList runs go list and returns what it prints, line by line.
func goList(t *testing.T, format, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, pkg).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
