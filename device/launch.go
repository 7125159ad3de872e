package device

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"gpusim/exec"
	"gpusim/kernel"
)

// MaxThreads is the number of threads that a block may have.
const MaxThreads = 1024

// maxGrid are the greatest extents of a grid (CUDA C++ Programming Guide, "Compute
// Capabilities").
var maxGrid = kernel.Dim3{X: 1<<31 - 1, Y: 65535, Z: 65535}

// maxBlock are the greatest extents of a block.
var maxBlock = kernel.Dim3{X: 1024, Y: 1024, Z: 64}

// Spec is what to launch.
type Spec struct {
	Kernel               string // as the user writes it
	Grid, Block, Cluster kernel.Dim3
	DynShared            int64 // bytes of dynamic shared memory
}

// LaunchResult is how a launch went.
type LaunchResult struct {
	Spec
	Counters exec.Counters
	Complete bool   // every thread ran to its end
	Stopped  string // why not
	Faulted  bool   // a trap or failed assertion ended it, as on a GPU
	Seconds  float64
	Err      error // bad input, or an *InternalError
}

// Launch runs a program to its end. It never panics.
func (d *Device) Launch(p exec.Program, s Spec) (r LaunchResult) {
	if s.Cluster == (kernel.Dim3{}) {
		s.Cluster = kernel.Dim3{X: 1, Y: 1, Z: 1}
	}
	r.Spec = s
	start := time.Now()
	defer func() {
		if v := recover(); v != nil {
			r.Complete, r.Stopped = false, "internal error"
			r.Err = &InternalError{Panic: v, Stack: debug.Stack()}
		}
		r.Seconds = time.Since(start).Seconds()
	}()
	index := len(d.launches)
	d.launches = append(d.launches, launched{s, p})
	if err := s.check(); err != nil {
		r.Stopped, r.Err = "bad launch", err
		return r
	}
	l := &exec.Launch{
		Index: index, Program: p, Kernel: s.Kernel, Grid: s.Grid, Block: s.Block, DynShared: s.DynShared, SMs: d.model.SMs,
		Granularity: d.opts.Granularity, Memory: d.engine.Memory, Heap: &d.heap, Shapes: d.shapes, Race: d.races, Uninit: !d.opts.NoUninit,
		Findings: &d.findings, Counters: &r.Counters, Output: &d.output, Observe: d.opts.Observe, Budget: d.opts.MaxInstructions, Room: d.opts.MaxMemory - d.used,
		Rand: rand.New(rand.NewPCG(d.opts.Seed, uint64(index)+1)),
	}
	limit, ok := d.resident(l)
	if !ok {
		r.Stopped = "not enough shared memory"
		return r
	}
	if d.races != nil {
		if err := d.races.BeginLaunch(s.Grid.Count(), p.OrdersBlocks()); err != nil {
			r.Stopped, r.Err = "too large", fmt.Errorf("kernel %s: %w", s.Kernel, err)
			return r
		}
	}
	r.Err = d.internal(d.engine.Run(l, limit))
	if d.races != nil {
		d.races.EndLaunch()
		if err := d.races.Err(); err != nil {
			l.Stop(err.Error(), false)
		}
	}
	r.Stopped, r.Faulted = l.Stopped, l.Faulted
	r.Complete = l.Stopped == "" && r.Err == nil
	return r
}

// check refuses dimensions that no device accepts.
func (s *Spec) check() error {
	within := func(what string, d, most kernel.Dim3) error {
		switch {
		case d.X < 1 || d.Y < 1 || d.Z < 1:
			return fmt.Errorf("kernel %s: %s %v: every dimension must be at least 1", s.Kernel, what, d)
		case d.X > most.X || d.Y > most.Y || d.Z > most.Z:
			return fmt.Errorf("kernel %s: %s %v: at most %v is possible", s.Kernel, what, d, most)
		}
		return nil
	}
	if err := within("grid", s.Grid, maxGrid); err != nil {
		return err
	}
	if err := within("block", s.Block, maxBlock); err != nil {
		return err
	}
	switch n := s.Block.Count(); {
	case n > MaxThreads:
		return fmt.Errorf("kernel %s: block %v has %d threads: at most %d are possible", s.Kernel, s.Block, n, MaxThreads)
	case s.DynShared < 0:
		return fmt.Errorf("kernel %s: %d bytes of dynamic shared memory", s.Kernel, s.DynShared)
	}
	return nil
}

// resident is the number of blocks that the device holds at once. A block that asks for
// more shared memory than there is cannot run anywhere: that is a finding.
func (d *Device) resident(l *exec.Launch) (limit int, ok bool) {
	// A launch takes its dynamic shared memory whether the kernel names it or not.
	shared := l.DynShared
	largest := exec.SharedVar{Name: "dynamic shared memory", Size: l.DynShared}
	for _, v := range l.Program.SharedVars() {
		if v.Dynamic {
			v.Size = l.DynShared
		} else {
			shared += v.Size
		}
		if v.Size >= largest.Size {
			largest = v
		}
	}
	limit = d.model.Resident(int(l.Block.Count()), shared)
	if limit == 0 {
		key := exec.Key{Kind: kernel.AllocationMisuse, Severity: kernel.Error, Launch: l.Index, Site: [2]int{-1, -1}, Object: -1}
		l.Findings.Report(key, func() kernel.Finding {
			return kernel.Finding{Kernel: l.Kernel, Space: kernel.Shared, Object: largest.Name,
				Message: fmt.Sprintf("a block of %s needs %s of shared memory (%s the largest variable, %s), but the device %s gives a block at most %s",
					l.Kernel, bytesText(shared), bytesText(largest.Size), largest.Name, d.model.Title, bytesText(d.model.BlockShared)),
				Fix:      "use smaller tiles, or choose a device that has more with --device",
				Accesses: []kernel.Access{{Source: largest.Source}}}
		})
		return 0, false
	}
	if d.opts.Resident > 0 {
		limit = d.opts.Resident
	}
	return limit, true
}
