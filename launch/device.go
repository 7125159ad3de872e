package launch

import (
	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
)

// Device is what a plan needs of a simulated device; *device.Device is one.
type Device interface {
	Host
	Alloc(name string, size int64, initialised bool) (*memory.Buffer, error)
	Free(*memory.Buffer)
	Launch(exec.Program, device.Spec) device.LaunchResult
	Report(kernel.Finding)
	Findings() []kernel.Finding
	Output() string
	Close() error
}
