// Command mutants breaks the race detectors on purpose, one small edit at a time, and says
// which edits are not noticed: by the tests of package race, or, of the detector of Pallas
// kernels and what feeds it, by internal/pallasfuzz.
//
//	go run ./internal/mutants [-only WORD] [-lists N] [-seconds N]
//
// Run it from the root of the repository when race/, array/ or barrier/ has changed. It takes minutes. The
// exit status is 1 if a mutant survives.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is an edit of one file: old, which occurs exactly once, becomes new.
type mutant struct {
	name, file, old, new string
}

var errBroken = errors.New("the mutant does not compile")

func main() {
	only := flag.String("only", "", "run the mutants whose name contains this")
	from := flag.Int("from", 0, "leave out so many mutants at the start of the list")
	lists := flag.Int("lists", 20000, "event lists for the comparison with the oracle")
	seconds := flag.Int("seconds", 40, "seconds for the comparison of Pallas kernels with their rules")
	flag.Parse()
	survivors, err := run(".", *only, *from, effort{*lists, *seconds})
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case survivors > 0:
		os.Exit(1)
	}
}

// effort is how long a mutant is looked at.
type effort struct{ lists, seconds int }

func run(root, only string, from int, e effort) (survivors int, err error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	killed := 0
	var broken error
	for i, m := range slices.Concat(mutants, pallasMutants) {
		if i < from || !strings.Contains(m.name, only) {
			continue
		}
		text, err := m.apply(root)
		if err != nil {
			return survivors, err
		}
		dead, how, err := m.test(root, dir, text, e)
		switch {
		case errors.Is(err, errBroken):
			broken = errors.Join(broken, fmt.Errorf("%s: %w", m.name, err))
		case err != nil:
			return survivors, err
		case dead:
			killed++
			fmt.Printf("killed    %s (%s)\n", m.name, how)
		default:
			survivors++
			fmt.Printf("SURVIVED  %s: %s: %q -> %q\n", m.name, m.file, m.old, m.new)
		}
	}
	fmt.Printf("%d killed, %d survived\n", killed, survivors)
	return survivors, broken
}

// apply returns the edited text of the mutant's file.
func (m *mutant) apply(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(data), m.old); n != 1 {
		return "", fmt.Errorf("%s: %q occurs %d times in %s", m.name, m.old, n, m.file)
	}
	return strings.Replace(string(data), m.old, m.new, 1), nil
}

// tests are the arguments of go test that are to notice the mutant.
func (m *mutant) tests() []string {
	if path.Dir(m.file) == "race" {
		return []string{"./race"}
	}
	return []string{"-run", "TestKernels", "./internal/pallasfuzz"}
}

// test runs the tests with the edited file in place of the real one.
func (m *mutant) test(root, dir, text string, e effort) (dead bool, how string, err error) {
	edited, overlay := filepath.Join(dir, "edited.go"), filepath.Join(dir, "overlay.json")
	real, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		return false, "", err
	}
	j, err := json.Marshal(map[string]map[string]string{"Replace": {real: edited}})
	if err != nil {
		return false, "", err
	}
	if err := errors.Join(os.WriteFile(edited, []byte(text), 0o600), os.WriteFile(overlay, j, 0o600)); err != nil {
		return false, "", err
	}
	cmd := exec.Command("go", append([]string{"test", "-overlay", overlay, "-failfast", "-timeout", "5m"}, m.tests()...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), fmt.Sprintf("RACE_ORACLE=%d", e.lists), fmt.Sprintf("PALLASFUZZ=%d", e.seconds), "PALLASFUZZ_FIRST=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false, "", nil
	}
	if strings.Contains(string(out), "[build failed]") {
		return false, "", fmt.Errorf("%w:\n%s", errBroken, out)
	}
	for _, l := range strings.Split(string(out), "\n") {
		if how = strings.TrimSpace(l); strings.HasPrefix(how, "--- FAIL: ") || strings.HasPrefix(how, "panic: ") {
			how, _, _ = strings.Cut(strings.TrimPrefix(how, "--- FAIL: "), " (")
			return true, how, nil
		}
	}
	return true, "failed", nil
}
