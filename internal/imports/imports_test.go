package imports

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestProject(t *testing.T) {
	root := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Table(string(doc))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := Check(root, "gpusim", rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

const table = `
| other | table |
|---|---|
| x | y |

| package | may import | pure | what |
|---|---|---|---|
| ` + "`a` | | yes | leaf |" + `
| ` + "`b` `c` | `a` | | |" + `
| ` + "`cmd/x` | any | | |" + `
| ` + "`gone` | | | |" + `

| ` + "`after` | `a` | yes | |\n"

func TestTable(t *testing.T) {
	rules, err := Table(table)
	if err != nil || len(rules) != 5 || !rules["a"].Pure || rules["a"].Any || !slices.Equal(rules["c"].Imports, []string{"a"}) || !rules["cmd/x"].Any {
		t.Errorf("%+v %v", rules, err)
	}
	if _, err := Table("nothing"); err == nil {
		t.Error("a document without a table passes")
	}
}

func TestCheckFindsEveryKindOfProblem(t *testing.T) {
	root := t.TempDir()
	for name, src := range map[string]string{
		"a/a.go":            "package a\nimport _ \"time\"\nimport _ \"fmt\"\nfunc f() { go f() }\n",
		"a/a_test.go":       "package a\nimport _ \"m/b\"\n",
		"b/b.go":            "package b\nimport _ \"m/a\"\nimport _ \"m/c\"\n",
		"c/c.go":            "package c\nimport _ \"" + actorLibrary + "/actor\"\n",
		"cmd/x/x.go":        "package main\nimport _ \"m/a\"\nimport _ \"m/b\"\n",
		"d/d.go":            "package d\n",
		"d/testdata/t.go":   "package t\n",
		".hidden/hidden.go": "package h\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rules, _ := Table(table)
	got, err := Check(root, "m", rules)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a is pure and must not import time",
		"a is pure and must not start goroutines",
		"b must not import c",
		"c must not import the actor library",
		"d: not in the table",
		"gone: in the table, but there is no such package",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
