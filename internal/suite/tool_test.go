package suite

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/memory"
	"gpusim/report"
)

const (
	root      = "../.."
	maxMemory = 1 << 30
)

var (
	allLevels     = []string{"O0", "O1", "O2", "O3"} // of clang
	levels        = allLevels                        // those that are tested
	granularities = []exec.Granularity{exec.ByWarp, exec.ByThread}
)

// granularityFlag is the value of --granularity.
func granularityFlag(g exec.Granularity) string {
	if g == exec.ByThread {
		return "thread"
	}
	return "warp"
}

// program is a launch file that has been read and compared with its PTX.
type program struct {
	file     string
	plan     *launch.Plan
	prepared *launch.Prepared
}

func load(t *testing.T, file string) *program {
	t.Helper()
	plan, errs := launch.Read(launch.Input{File: file}, maxMemory)
	prepared, err := plan.Prepare(launch.PTX, errs)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &program{file, plan, prepared}
}

// outcome is what one run of a program brought to light.
type outcome struct {
	*launch.Result
	json   []byte            // the report
	memory map[string][]byte // every global buffer at the end, by name
}

// run runs the program as `gpusim check` does.
func (p *program) run(t *testing.T, o device.Options) *outcome {
	t.Helper()
	var dev *recorder
	r, err := p.prepared.Run(launch.Options{Seed: o.Seed, NewDevice: func(seed uint64) (launch.Device, error) {
		o.Seed = seed
		d, err := device.New(o)
		dev = &recorder{Device: d, memory: map[string][]byte{}}
		return dev, err
	}})
	if err != nil {
		t.Fatalf("%s, %s, seed %d: %v", p.file, granularityFlag(o.Granularity), o.Seed, err)
	}
	out := &outcome{Result: r, memory: dev.memory}
	var b bytes.Buffer
	if err := newReport(r).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	out.json = b.Bytes()
	return out
}

// newReport is the report of a result.
func newReport(r *launch.Result) *report.Report {
	out := &report.Report{Program: r.Program, Seed: r.Seed, Seeds: r.Seeds, Output: r.Output, Complete: r.Complete,
		Stopped: r.Stopped, FailOn: kernel.Error}
	for _, l := range r.Launches {
		out.Launches = append(out.Launches, report.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Cluster: l.Cluster,
			ThreadInstructions: l.Counters.ThreadInstructions})
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, report.Finding(f))
	}
	for _, e := range r.Expect {
		out.Expect = append(out.Expect, report.Expect(e))
	}
	return out
}

// recorder is a device that keeps a copy of its buffers when it is closed.
type recorder struct {
	*device.Device
	buffers []*memory.Buffer
	memory  map[string][]byte
}

func (r *recorder) Alloc(name string, size int64, initialised bool) (*memory.Buffer, error) {
	b, err := r.Device.Alloc(name, size, initialised)
	if err == nil {
		r.buffers = append(r.buffers, b)
	}
	return b, err
}

func (r *recorder) AllocVar(name string, space kernel.Space, size int64, align int) (*memory.Buffer, error) {
	b, err := r.Device.AllocVar(name, space, size, align)
	if err == nil {
		r.buffers = append(r.buffers, b)
	}
	return b, err
}

func (r *recorder) Close() error {
	for _, b := range r.buffers {
		r.memory[b.Name] = bytes.Clone(b.Data)
	}
	return r.Device.Close()
}

// sameMemory names the first buffer in which two runs differ, or "".
func sameMemory(a, b *outcome) string {
	if len(a.memory) != len(b.memory) {
		return fmt.Sprintf("%d and %d buffers", len(a.memory), len(b.memory))
	}
	for _, name := range slices.Sorted(maps.Keys(a.memory)) {
		if !bytes.Equal(a.memory[name], b.memory[name]) {
			return name
		}
	}
	return ""
}

// clean reports everything that keeps an outcome from being a clean bill.
func (o *outcome) clean() error {
	if !o.Complete {
		return fmt.Errorf("not complete: %s", o.Stopped)
	}
	if len(o.Findings) > 0 {
		var b strings.Builder
		for _, f := range o.Findings {
			fmt.Fprintf(&b, "\n  %s", describe(f.Finding))
		}
		return fmt.Errorf("%d findings:%s", len(o.Findings), b.String())
	}
	for _, e := range o.Expect {
		if !e.OK {
			return fmt.Errorf("buffer %s does not hold what is expected", e.Buffer)
		}
	}
	return nil
}

// describe is a finding in one line.
func describe(f kernel.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", f.Severity, f.Kind, f.Message)
	for _, a := range f.Accesses {
		fmt.Fprintf(&b, " [%s %s:%d %s]", a.Op, a.Source.File, a.Source.Line, a.Source.PTX)
	}
	for _, w := range f.Waits {
		fmt.Fprintf(&b, " [thread %v of block %v waits at %s:%d on %s]", w.Thread.Thread, w.Thread.Block, w.Source.File, w.Source.Line, w.On)
	}
	return b.String()
}

// atLevel writes the launch files of a folder of testdata for the PTX of another level, and
// returns the folder of the copies.
func atLevel(t *testing.T, folder, level string) string {
	t.Helper()
	dir := t.TempDir()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to := filepath.Join(dir, e.Name())
		if filepath.Ext(e.Name()) != ".yaml" {
			if err := os.Symlink(filepath.Join(from, e.Name()), to); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(".O2.ptx")) {
			t.Errorf("%s/%s names no PTX of level O2", folder, e.Name())
		}
		text = bytes.ReplaceAll(text, []byte(".O2.ptx"), []byte("."+level+".ptx"))
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// names are the files of a folder with an ending, without it.
func names(t *testing.T, folder, ending string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "*"+ending))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("no %s in %s", ending, folder)
	}
	for i, path := range list {
		list[i] = strings.TrimSuffix(filepath.Base(path), ending)
	}
	return list
}
