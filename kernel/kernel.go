// Package kernel is the leaf vocabulary of gpusim: dimensions, identities, memory
// spaces, source positions, findings and the events that observers receive.
// It imports nothing of the project.
package kernel

import "fmt"

// Dim3 is a CUDA extent or index, x fastest.
type Dim3 struct{ X, Y, Z uint32 }

// Count is the number of elements of an extent.
func (d Dim3) Count() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

// At is the index with the given linear number, x fastest.
func (d Dim3) At(linear uint64) Dim3 {
	x, y := uint64(d.X), uint64(d.Y)
	return Dim3{uint32(linear % x), uint32(linear / x % y), uint32(linear / (x * y))}
}

func (d Dim3) String() string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

// Space is a state space of the PTX ISA, chapter "State Spaces, Types, and Variables".
type Space uint8

// The state spaces an address may belong to.
const (
	Generic Space = iota
	Global
	Shared
	Local
	Const
	Param
	Tensor // tensor memory of the fifth-generation tensor cores
)

func (s Space) String() string {
	return [...]string{"generic", "global", "shared", "local", "const", "param", "tensor"}[s]
}

// Scope is the set of threads that a strong operation may synchronise with:
// PTX ISA, "Memory Consistency Model", "Scope". A wider scope has a greater value.
type Scope uint8

// The scopes, from none (a weak access) to the widest.
const (
	NoScope Scope = iota
	CTA
	Cluster
	GPU
	Sys
)

func (s Scope) String() string { return [...]string{"", "cta", "cluster", "gpu", "sys"}[s] }

// Sem is the ordering of a strong memory operation.
type Sem uint8

// The orderings of ld, st, atom and red.
const (
	Weak Sem = iota
	Relaxed
	Acquire
	Release
	AcqRel
)

func (s Sem) String() string {
	return [...]string{"weak", "relaxed", "acquire", "release", "acq_rel"}[s]
}

// Source is the place in the user's program that an instruction came from.
type Source struct {
	File       string
	Line       int
	Column     int
	Function   string   // as a user writes it (demangled)
	InlinedAt  []Source // call sites, innermost first
	PTX        string   // the instruction's text
	PTXLine    int
	NoLineInfo bool // File and Line are the PTX file's own: it has no .loc
}

// ThreadID names one thread of a launch.
type ThreadID struct {
	Device int
	Block  Dim3
	Thread Dim3
}
