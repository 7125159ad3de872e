// Package device is the facade of the engine: a simulated GPU with memory that the host
// allocates, launches that run to their end, and what was found to be wrong.
//
// A Device is not safe for concurrent use; several devices are independent of each other.
package device

import (
	"fmt"

	"gpusim/actors"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
	"gpusim/scheduler"
	"gpusim/shape"
)

// Options says what a device is and how it runs. The zero value is usable: every
// detector on, warps as actors, the random schedule of seed 0 on an A100.
type Options struct {
	Seed            uint64
	Schedule        string // "random" (also "") or "rr"
	Granularity     exec.Granularity
	Workers         int              // at least 1; 0 is 1. One goroutine runs everything today; the report must not depend on the number
	Resident        int              // blocks that may be in progress together; 0: as the model says
	Model           string           // "" is a100; see scheduler.Models
	MaxInstructions int64            // thread instructions of one launch; 0 is 10^11
	MaxMemory       int64            // bytes of all buffers; 0: three quarters of the machine's
	NoRaces         bool             // no race detection
	NoUninit        bool             // no detection of uninitialised reads
	Interrupt       <-chan struct{}  // closed to end a launch early
	Progress        func(Progress)   // told now and then how far a launch is; may be nil
	Observe         func(exec.Event) // told what the threads of every launch do; may be nil
}

// DefaultMaxInstructions is the budget of a launch whose options do not set one.
const DefaultMaxInstructions = 100_000_000_000

// Progress is how far a launch is.
type Progress = actors.Progress

// Counters are the figures of one launch.
type Counters = exec.Counters

// Device is a simulated GPU.
type Device struct {
	opts     Options
	model    *scheduler.Model
	engine   *actors.Engine
	shapes   *shape.Table
	races    *race.Detector
	findings exec.Findings
	reported []kernel.Finding // by the host
	output   exec.Output
	launches []launched
	used     int64 // bytes of all buffers
	heap     exec.Heap
	live     map[*memory.Buffer]bool
}

// launched is what is kept of a launch to explain its races.
type launched struct {
	spec    Spec
	program exec.Program
}

// New makes a device.
func New(o Options) (*Device, error) {
	if o.Schedule == "" {
		o.Schedule = "random"
	}
	policy, err := scheduler.New(o.Schedule, o.Seed)
	if err != nil {
		return nil, err
	}
	model, err := scheduler.FindModel(o.Model)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Workers < 0:
		return nil, fmt.Errorf("%d workers: want at least 1", o.Workers)
	case o.Resident < 0:
		return nil, fmt.Errorf("%d resident blocks: want at least 1, or 0 for what the device holds", o.Resident)
	case o.MaxInstructions < 0:
		return nil, fmt.Errorf("at most %d instructions: want a positive number", o.MaxInstructions)
	case o.MaxMemory < 0:
		return nil, fmt.Errorf("at most %d bytes of memory: want a positive number", o.MaxMemory)
	}
	if o.MaxInstructions == 0 {
		o.MaxInstructions = DefaultMaxInstructions
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = machineMemory() / 4 * 3
	}
	d := &Device{opts: o, model: model, shapes: shape.NewTable(), live: map[*memory.Buffer]bool{}}
	if !o.NoRaces {
		d.races = race.New(d.shapes)
	}
	d.engine = actors.NewEngine(actors.Config{Policy: policy, Race: d.races, Interrupt: o.Interrupt, Progress: o.Progress})
	d.heap = exec.Heap{Limit: exec.DefaultHeap, Drop: d.engine.DropHeapBuffer, Make: func(name string, size int64) *memory.Buffer {
		return d.engine.HeapBuffer(name, size, !o.NoUninit)
	}}
	return d, nil
}

// Output is what the kernels have printed.
func (d *Device) Output() string { return d.output.String() }

// Report adds a finding of the host's, such as a wrong result.
func (d *Device) Report(f kernel.Finding) { d.reported = append(d.reported, f) }

// Close stops the device's actors.
func (d *Device) Close() error { return d.internal(d.engine.Close()) }
