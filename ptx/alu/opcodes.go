package alu

import (
	"maps"
	"slices"
)

// Opcodes lists the opcodes that Lookup knows.
func Opcodes() []string { return slices.Sorted(maps.Keys(builders)) }
