// Package table turns measurements into the Markdown tables of results.md and holds the
// targets that they are compared with.
package table

import (
	"math"
	"time"
)

// Class is what decides how much slower than run check may be.
type Class int

// The classes of the targets.
const (
	Regular Class = iota
	Gather
	Scatter  // shared histograms too
	NoTarget // measured, but nothing is promised
)

// MemoryClass is what decides how much memory check may need.
type MemoryClass int

// The classes of the memory targets.
const (
	Plain MemoryClass = iota
	Scattered
	Bytes // elements of one byte
)

// Run is one command of gpusim on one workload, as a whole process.
type Run struct {
	Wall   time.Duration // from start to end
	Kernel time.Duration // of the launch alone
	RSS    int64         // peak resident memory in bytes
}

// Peer is Oclgrind's run of the same work.
type Peer struct {
	Wall    time.Duration
	Reports int // what it complained about
}

// Result is what was measured of one workload. Zero values were not measured.
type Result struct {
	Name       string
	Class      Class
	Memory     MemoryClass
	Buffers    int64 // bytes
	Check, Run Run
	Oclgrind   Peer
	PoCL       time.Duration // kernel time on one compute unit
}

// Hot is a kernel here and in the prototype: kernel times with and without detectors.
type Hot struct {
	Name                         string
	Target                       bool // whether the target is meant for it
	Check, Run                   time.Duration
	PrototypeCheck, PrototypeRun time.Duration
}

// Report is everything that one run of the benchmark has measured.
type Report struct {
	Setting                   []string // machine, commit, date, command
	Repetitions, OclgrindRuns int
	Results                   []Result
	Hot                       []Hot
	StartUp                   time.Duration
	Pallas                    string // the section of bench/pallas, kept as it is
}

// Matmul256 is the workload whose kernel time is compared with PoCL's.
const Matmul256 = "tiled matmul 256"

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// overOclgrind is how many times faster gpusim is, or 0 if that was not measured.
func (r Result) overOclgrind() float64 {
	if r.Oclgrind.Wall == 0 {
		return 0
	}
	return ratio(r.Oclgrind.Wall, r.Check.Wall)
}

// underPoCL is how many times slower gpusim is, or 0.
func (r Result) underPoCL() float64 {
	if r.PoCL == 0 {
		return 0
	}
	return ratio(r.Check.Kernel, r.PoCL)
}

// overRun is how many times slower check is than run, or 0.
func (r Result) overRun() float64 {
	if r.Run.Kernel == 0 {
		return 0
	}
	return ratio(r.Check.Kernel, r.Run.Kernel)
}

const mebibyte = 1 << 20

// memoryLimit is the most memory that check may need for these buffers.
func (r Result) memoryLimit() int64 {
	switch r.Memory {
	case Scattered:
		return 8*r.Buffers + 256*mebibyte
	case Bytes:
		return 16 * r.Buffers
	}
	return 3*r.Buffers + 128*mebibyte
}

// geomean is the geometric mean of the positive values, or 0 if there is none.
func geomean(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if v > 0 {
			sum += math.Log(v)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}
