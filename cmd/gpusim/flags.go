package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/pbnjay/memory"
	"github.com/spf13/pflag"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/pallas"
	"gpusim/scheduler"
)

// flags are the values of check's and run's flags as given.
type flags struct {
	input                         launch.Input
	seed                          uint64
	seeds                         int
	schedule, granularity, device string
	workers, resident             int
	maxInstructions               int64
	maxMemory                     string
	format, output, failOn        string
	disable, policy, save         []string
	pallas                        pallas.Settings
	metricsAddr, metricsFile      string
	timing, quiet, verbose        bool
}

func (f *flags) register(s *pflag.FlagSet) {
	s.SortFlags = false
	s.StringVar(&f.input.Kernel, "kernel", "", "kernel of a program: its PTX or C++ name; default: the only one")
	s.StringVar(&f.input.Grid, "grid", "", "blocks of the grid, x first: 8,8")
	s.StringVar(&f.input.Block, "block", "", "threads of a block, x first: 256")
	s.StringVar(&f.input.Cluster, "cluster", "", "blocks of a cluster (default 1)")
	s.StringVar(&f.input.Shared, "shared", "", "bytes of dynamic shared memory (default 0)")
	s.StringArrayVar(&f.input.Args, "arg", nil, "kernel argument, in order: in=u32[65536]:random(1,0,256), n=u32:65536 or part=shared:1024; INIT is\n"+
		"zeros none fill(v) range(start,step) random(seed,low,high) values(a;b) npy(path) raw(path)")
	s.Uint64Var(&f.seed, "seed", 1, "seed of the schedule")
	s.IntVar(&f.seeds, "seeds", 1, "number of seeds, from --seed on; findings are merged")
	s.StringVar(&f.schedule, "schedule", "random", "order of execution: random or rr (round robin)")
	s.IntVar(&f.workers, "workers", 1, "workers; one does all the work today, and the report is the same for every number")
	s.StringVar(&f.granularity, "granularity", "warp", "what one actor runs: warp or thread")
	s.StringVar(&f.device, "device", "", "modelled device: a100 (default), h100, ...")
	s.IntVar(&f.resident, "resident", 0, "resident blocks at most; 0: what the device holds")
	s.Int64Var(&f.maxInstructions, "max-instructions", device.DefaultMaxInstructions, "thread instructions of one launch")
	s.StringVar(&f.maxMemory, "max-memory", "", "size of all buffers together: 512MiB, 8GiB (default three quarters of the machine)")
	s.StringVar(&f.format, "format", "text", "report: text, json, sarif or junit")
	s.StringVar(&f.output, "output", "", "file for the report (default standard output)")
	s.StringVar(&f.failOn, "fail-on", "error", "least severity that makes the exit status 1: error, warning or info")
	s.StringSliceVar(&f.disable, "disable", nil, "kinds of findings to drop: KIND,... (race and uninit for short)")
	s.StringSliceVar(&f.policy, "policy", nil, "severity of a kind: KIND=error|warning|info|off")
	s.StringVar(&f.pallas.Completion, "completion", "eager", "Pallas: when asynchronous operations complete: eager, lazy (as late as possible) or random")
	s.StringVar(&f.pallas.ReadOverwriteFence, "read-overwrite-fence", "warning", "Pallas: severity of an asynchronous write behind a read without commit_smem between: warning, error or off")
	s.BoolVar(&f.pallas.Lint, "lint", false, "Pallas: report what runs here and would not compile for a GPU")
	compilerFlags(s, &f.input.Compile)
	s.StringVar(&f.metricsAddr, "metrics-addr", "", "serve Prometheus metrics at HOST:PORT while running")
	s.StringVar(&f.metricsFile, "metrics-file", "", "write Prometheus metrics to a file at the end")
	s.BoolVar(&f.timing, "timing", false, "report the wall-clock time of launches")
	s.BoolVar(&f.quiet, "quiet", false, "nothing on standard error but errors")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "tell more on standard error")
	s.StringArrayVar(&f.save, "save", nil, "write a buffer at the end: hist=hist.npy")
}

// settings are flags that have been checked.
type settings struct {
	*flags
	device device.Options // without seed and interrupt
	policy launch.Policy
	failOn kernel.Severity
	save   map[string]string
}

// The values of flags that take one of a few words.
var (
	schedules     = []string{"random", "rr"}
	granularities = []string{"warp", "thread"}
	formats       = []string{"text", "json", "sarif", "junit"}
	failures      = []string{"error", "warning", "info"}
)

// check reports the first flag with a value that it cannot have.
func (f *flags) check() (*settings, error) {
	s := &settings{flags: f, policy: launch.Policy{}, save: map[string]string{}}
	if f.seeds < 1 {
		return nil, fmt.Errorf("--seeds %d: at least 1 is expected", f.seeds)
	}
	if f.workers < 1 {
		return nil, fmt.Errorf("--workers %d: at least 1 is expected", f.workers)
	}
	if f.resident < 0 {
		return nil, fmt.Errorf("--resident %d: it cannot be negative", f.resident)
	}
	if f.maxInstructions < 1 {
		return nil, fmt.Errorf("--max-instructions %d: at least 1 is expected", f.maxInstructions)
	}
	for _, c := range []struct {
		name, value string
		known       []string
	}{
		{"schedule", f.schedule, schedules},
		{"granularity", f.granularity, granularities},
		{"format", f.format, formats},
		{"fail-on", f.failOn, failures},
		{"completion", f.pallas.Completion, pallas.Completions},
		{"read-overwrite-fence", f.pallas.ReadOverwriteFence, pallas.Fences},
	} {
		if !slices.Contains(c.known, c.value) {
			return nil, fmt.Errorf("--%s %s: one of %s is expected", c.name, c.value, strings.Join(c.known, ", "))
		}
	}
	if _, err := scheduler.FindModel(f.device); err != nil {
		return nil, fmt.Errorf("--device %s: %w", f.device, err)
	}
	s.failOn = launch.Severities[f.failOn]
	limit, err := memoryLimit(f.maxMemory)
	if err != nil {
		return nil, err
	}
	if err := s.readPolicy(); err != nil {
		return nil, err
	}
	for _, v := range f.save {
		name, path, ok := strings.Cut(v, "=")
		if !ok || name == "" || path == "" {
			return nil, fmt.Errorf("--save %s: BUFFER=FILE.npy is expected", v)
		}
		s.save[name] = path
	}
	s.device = device.Options{Schedule: f.schedule, Workers: f.workers, Resident: f.resident, Model: f.device,
		MaxInstructions: f.maxInstructions, MaxMemory: limit,
		NoRaces: s.off(kernel.DataRace), NoUninit: s.off(kernel.UninitializedRead)}
	if f.granularity == "thread" {
		s.device.Granularity = exec.ByThread
	}
	return s, nil
}

func (s *settings) off(k kernel.Kind) bool {
	v, ok := s.policy[k]
	return ok && v == kernel.Off
}

// readPolicy reads --policy, then --disable.
func (s *settings) readPolicy() error {
	for _, v := range s.flags.policy {
		name, word, ok := strings.Cut(v, "=")
		severity, known := launch.Severities[word]
		if !ok || !known {
			return fmt.Errorf("--policy %s: KIND=error, warning, info or off is expected", v)
		}
		k, err := launch.ParseKind(name)
		if err != nil {
			return fmt.Errorf("--policy %s: %w", v, err)
		}
		s.policy[k] = severity
	}
	for _, v := range s.disable {
		k, err := launch.ParseKind(v)
		if err != nil {
			return fmt.Errorf("--disable %s: %w", v, err)
		}
		s.policy[k] = kernel.Off
	}
	return nil
}

// memoryLimit reads --max-memory.
func memoryLimit(size string) (int64, error) {
	if size == "" {
		return int64(memory.TotalMemory() / 4 * 3), nil
	}
	n, err := humanize.ParseBytes(size)
	if err != nil || n < 1 || n > 1<<62 {
		return 0, fmt.Errorf("--max-memory %s: a size like 512MiB or 8GiB is expected", size)
	}
	return int64(n), nil
}
