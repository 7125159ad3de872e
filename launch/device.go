package launch

import (
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
)

// Device is the simulated device that a plan runs on.
type Device interface {
	Host
	Alloc(name string, size int64, initialised bool) (*memory.Buffer, error)
	Free(*memory.Buffer)
	Launch(exec.Program, Spec) LaunchResult
	Report(kernel.Finding)
	Findings() []kernel.Finding
	Output() string
	Close() error
}

type Spec struct {
	Kernel               string
	Grid, Block, Cluster kernel.Dim3
	DynShared            int64
}

type LaunchResult struct {
	Spec
	Counters exec.Counters
	Complete bool
	Stopped  string
	Faulted  bool
	Seconds  float64
}
