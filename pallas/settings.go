package pallas

import (
	"fmt"
	"slices"
)

// Settings are the choices of a run that are no part of the program. The zero value is usable.
type Settings struct {
	// Completion says when asynchronous operations complete: "eager" (also ""), at once;
	// "lazy", as late as the program allows; "random", by the seed.
	Completion string
	// ReadOverwriteFence is the severity of an asynchronous write behind an ordinary read
	// without a proxy fence between them: "warning" (also ""), "error" or "off".
	ReadOverwriteFence string
	// Arch is the architecture whose limits hold, "" the program's own.
	Arch string
	// Lint reports what runs here and would not compile for a GPU.
	Lint bool
}

// The words that Settings knows; the first of each is the default.
var (
	Completions = []string{"eager", "lazy", "random"}
	Fences      = []string{"warning", "error", "off"}
	Archs       = []string{"", "sm_90", "sm_100"}
)

// Check reports the first word that is not known.
func (s Settings) Check() error {
	for _, c := range []struct {
		name, value string
		known       []string
	}{{"completion", s.Completion, Completions}, {"read_overwrite_fence", s.ReadOverwriteFence, Fences}, {"arch", s.Arch, Archs}} {
		if c.value != "" && !slices.Contains(c.known, c.value) {
			return fmt.Errorf("%s %q: one of %q is expected", c.name, c.value, c.known)
		}
	}
	return nil
}
