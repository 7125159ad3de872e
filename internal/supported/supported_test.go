package main

import (
	"os"
	"strings"
	"testing"
)

func TestDocument(t *testing.T) {
	want := document()
	got, err := os.ReadFile("../../docs/supported-ptx.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/supported-ptx.md is out of date: run go generate ./internal/supported")
	}
}

// A line is supported as a whole or not at all; else the table would mislead.
func TestLinesAreAllOrNothing(t *testing.T) {
	for _, s := range sections {
		for _, l := range s.lines {
			if v := l.try(); v.accepted > 0 && v.refused > 0 {
				t.Errorf("%s %s: %d of %d spellings are refused: %s", l.syntax, l.operands, v.refused, v.refused+v.accepted, v.reason)
			}
		}
	}
}

// What gpusim must be able to do is in the table of what it can do.
func TestTableHasTheBasics(t *testing.T) {
	supported, _, _ := strings.Cut(document(), "## Refused")
	for _, words := range []string{"mma.sync.aligned.m16n8k16", "ldmatrix", "wmma.store", "cp.async.ca", "shfl.sync", "atom{,.global,.shared}.cas.b128", "vabsdiff"} {
		if !strings.Contains(supported, words) {
			t.Errorf("%s is not in the table", words)
		}
	}
}
