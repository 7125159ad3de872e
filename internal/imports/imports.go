// Package imports checks that the packages of the project import each other only as the
// table in docs/architecture.md allows.
package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Rule is a row of the table.
type Rule struct {
	Any     bool
	Imports []string
	Pure    bool
}

// Table reads the rules from the first table of the document whose header begins with
// "package" and "may import".
func Table(document string) (map[string]Rule, error) {
	rules := map[string]Rule{}
	in := false
	for _, line := range strings.Split(document, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			if in {
				return rules, nil
			}
		case len(cells) < 4:
		case strings.TrimSpace(cells[0]) == "package" && strings.TrimSpace(cells[1]) == "may import":
			in = true
		case in && !strings.HasPrefix(line, "|---"):
			r := Rule{Any: strings.TrimSpace(cells[1]) == "any", Pure: strings.TrimSpace(cells[2]) == "yes"}
			if !r.Any {
				r.Imports = names(cells[1])
			}
			for _, n := range names(cells[0]) {
				rules[n] = r
			}
		}
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("no table of packages found")
	}
	return rules, nil
}

// names are the words in backquotes.
func names(cell string) []string {
	var list []string
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			list = append(list, part)
		}
	}
	return list
}

// actorLibrary may be imported by one package only.
const actorLibrary = "github.com/asynkron/protoactor-go"

// Check compares the Go files below root, the module's directory, with the rules.
func Check(root, module string, rules map[string]Rule) (problems []string, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (n == "testdata" || strings.HasPrefix(n, ".") || strings.HasPrefix(n, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen[pkg] = true
		found, err := checkFile(path, pkg, module, src, rules)
		problems = append(problems, found...)
		return err
	})
	for pkg := range rules {
		if !seen[pkg] {
			problems = append(problems, fmt.Sprintf("%s: in the table, but there is no such package", pkg))
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems), err
}

func checkFile(path, pkg, module string, src []byte, rules map[string]Rule) (problems []string, err error) {
	rule, ok := rules[pkg]
	if !ok {
		return []string{fmt.Sprintf("%s: not in the table", pkg)}, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		own, ours := strings.CutPrefix(name, module+"/")
		switch {
		case ours && !rule.Any && !slices.Contains(rule.Imports, own):
			problems = append(problems, fmt.Sprintf("%s must not import %s", pkg, own))
		case strings.HasPrefix(name, actorLibrary) && pkg != "actors":
			problems = append(problems, fmt.Sprintf("%s must not import the actor library", pkg))
		case rule.Pure && name == "time":
			problems = append(problems, fmt.Sprintf("%s is pure and must not import time", pkg))
		}
	}
	if rule.Pure {
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				problems = append(problems, fmt.Sprintf("%s is pure and must not start goroutines", pkg))
			}
			return true
		})
	}
	return problems, nil
}
