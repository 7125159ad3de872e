package main

import (
	"slices"
	"testing"
)

// TestListApplies: every edit still finds its place. Running them is for a quiet machine.
func TestListApplies(t *testing.T) {
	names := map[string]bool{}
	for _, m := range slices.Concat(mutants, pallasMutants) {
		if names[m.name] {
			t.Errorf("%s is listed twice", m.name)
		}
		names[m.name] = true
		if _, err := m.apply("../.."); err != nil {
			t.Error(err)
		}
	}
}
