// Package report renders what a run brought to light: as text for people, as JSON for
// scripts, as SARIF for editors and code review, as JUnit for CI. It holds no wall-clock figure unless Timing asks for one, and no path that
// was not in the input, so one seed gives one text.
package report

import (
	"gpusim/kernel"
)

// Report is everything that a report may say.
type Report struct {
	File     string // what was to run: a launch file or a program
	Program  string
	Seed     uint64
	Seeds    int // from Seed on
	Launches []Launch
	Findings []Finding // sorted
	Expect   []Expect
	Output   string // what the kernels printed
	Complete bool
	Stopped  string // why it is not complete
	Errors   []Error
	Internal bool // the errors are ours
	FailOn   kernel.Severity
	Timing   bool // show Seconds
}

// Launch is one kernel launch.
type Launch struct {
	Kernel               string
	Grid, Block, Cluster kernel.Dim3
	ThreadInstructions   uint64
	Seconds              float64
}

// Finding is a finding with the first seed that showed it.
type Finding struct {
	kernel.Finding
	Seed uint64
}

// Expect tells whether a buffer held what was expected.
type Expect struct {
	Buffer string
	OK     bool
}

// Error is a mistake in the input, or one of ours.
type Error struct {
	File         string
	Line, Column int
	Message      string
	Quote        string // the line or flag that Column points into; may be ""
}

// The exit statuses, by precedence.
const (
	StatusInternal   = 3
	StatusInput      = 2
	StatusFindings   = 1
	StatusIncomplete = 4
	StatusClean      = 0
)

// Status is the exit status that the report stands for.
func (r *Report) Status() int {
	switch {
	case r.Internal:
		return StatusInternal
	case len(r.Errors) > 0:
		return StatusInput
	case r.failing():
		return StatusFindings
	case !r.Complete:
		return StatusIncomplete
	}
	return StatusClean
}

func (r *Report) failing() bool {
	for _, f := range r.Findings {
		if f.Severity >= r.FailOn {
			return true
		}
	}
	return false
}

// Verdict is the status in one word.
func (r *Report) Verdict() string {
	switch r.Status() {
	case StatusClean:
		return "clean"
	case StatusFindings:
		return "findings"
	case StatusIncomplete:
		return "incomplete"
	}
	return "error"
}

func (r *Report) seconds() (s float64) {
	for _, l := range r.Launches {
		s += l.Seconds
	}
	return s
}

func (r *Report) threadInstructions() (n uint64) {
	for _, l := range r.Launches {
		n += l.ThreadInstructions
	}
	return n
}
