package launch

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
)

// runFake reads, prepares and runs a launch file on fake devices.
func runFake(t *testing.T, file string, o Options, launch func(*fakeDevice, device.Spec) device.LaunchResult) (*Result, []*fakeDevice, *fakeFrontend) {
	t.Helper()
	f := &fakeFrontend{}
	plan, errs := Read(Input{File: file}, 1<<20)
	p, err := plan.Prepare(f, errs)
	if err != nil {
		t.Fatal(err)
	}
	var devices []*fakeDevice
	o.NewDevice = func(seed uint64) (Device, error) {
		d := &fakeDevice{seed: seed, launch: launch}
		devices = append(devices, d)
		return d, nil
	}
	r, err := p.Run(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		if !d.closed {
			t.Error("a device was not closed")
		}
	}
	return r, devices, f
}

func TestRun(t *testing.T) {
	dir, _ := unpack(t, "testdata/errors.txtar")
	t.Chdir(dir)
	r, devices, f := runFake(t, "good.yaml", Options{Seed: 5}, nil)
	d := devices[0]
	wantLog := []string{"launch k (1,1,1) (32,1,1) shared 64", "launch k (1,1,1) (32,1,1) shared 0", "launch k (1,1,1) (32,1,1) shared 212", "free in"}
	if !reflect.DeepEqual(d.log, wantLog) {
		t.Errorf("log %q, want %q", d.log, wantLog)
	}
	buffers := d.memory.Buffers() // table, in, out, copy
	for i, want := range []string{"01000000010000000100000001000000", "0100000002000000030000000400000005000000060000000700000008000000", "", "",
		fmt.Sprintf("%s%s", le(2<<36), le(3<<36+8))} {
		got := hex.EncodeToString(buffers[i].Data)
		if want != "" && got != want {
			t.Errorf("buffer %s = %s, want %s", buffers[i].Name, got, want)
		}
	}
	if buffers[2].AllValid(0, 4) || !buffers[1].AllValid(0, 32) {
		t.Error("validity does not follow init")
	}
	// in at slot 2, out at slot 3; dynamic shared memory is the variable after the only one.
	shared := uint64(0x1000_0000 + 1<<19)
	for i, want := range []string{
		le(2<<36) + le(3<<36+4) + "0000a040",
		le(0) + "01000000000000ff" + "ffffffff",
		le(0) + le(112) + "ffffffff",
		le(shared) + le(shared+112) + "ffffffff",
	} {
		if got := hex.EncodeToString(f.arguments[i]); got != want {
			t.Errorf("arguments %d = %s, want %s", i, got, want)
		}
	}
	if len(f.arguments) != 4 {
		t.Errorf("%d programs, want 4", len(f.arguments))
	}
	if len(r.Launches) != 3 || !r.Complete || r.Output != "seed 5\n" || r.Program != "k.ptx" {
		t.Errorf("result %+v", r)
	}
	// out is uninitialised.
	if len(r.Findings) != 1 || r.Findings[0].Kind != kernel.WrongResult || r.Findings[0].Count != 4 || r.Expect[0].OK {
		t.Errorf("findings %+v expect %+v", r.Findings, r.Expect)
	}
	want := "4 of 4 elements differ from what is expected: out[0] is uninitialised, expected 0; out[1] is uninitialised, expected 0; " +
		"out[2] is uninitialised, expected 0; out[3] is uninitialised, expected 0"
	if got := r.Findings[0].Message; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func le(v uint64) string {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return hex.EncodeToString(b)
}

const twoLaunches = `
program: k.ptx
buffers:
  c: {dtype: i32, shape: [2, 3]}
launches:
  - {kernel: k, grid: [1], block: [32], args: [c, c, {i32: 1}]}
  - {kernel: k, grid: [2], block: [32], args: [c, c, {i32: 1}]}
expect:
  c: {values: [0, 0, 0, 0, 7, 0]}
`

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestSeedsAreMerged(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", twoLaunches)
	writeFile(t, "k.ptx", "")
	race := func(seed uint64, line int) kernel.Finding {
		at := func(l int) kernel.Access {
			return kernel.Access{Op: "write", Source: kernel.Source{File: "k.cu", Line: l}, Thread: kernel.ThreadID{Thread: kernel.Dim3{X: uint32(seed)}}}
		}
		f := kernel.Finding{Kind: kernel.DataRace, Severity: kernel.Error, Kernel: "k", Object: "c", Offset: int64(seed), Count: 2, Accesses: []kernel.Access{at(line), at(3)}}
		if seed%2 == 0 { // the other access came first
			f.Accesses[0], f.Accesses[1] = f.Accesses[1], f.Accesses[0]
		}
		return f
	}
	leak := kernel.Finding{Kind: kernel.Leak, Severity: kernel.Warning, Count: 1}
	launch := func(d *fakeDevice, s device.Spec) device.LaunchResult {
		if s.Grid.X == 1 {
			d.Report(race(d.seed, 9))
			d.Report(leak)
			if d.seed == 3 { // one of its own beside it stays
				d.Report(race(d.seed, 12))
				d.Report(race(d.seed, 12))
			}
		} else if d.seed != 2 {
			d.memory.Buffers()[1].Data[16] = 7
		}
		return device.LaunchResult{Spec: s, Complete: true, Counters: exec.Counters{ThreadInstructions: d.seed}}
	}
	var observed, started int
	r, devices, _ := runFake(t, "a.yaml", Options{Seed: 1, Seeds: 4, Policy: Policy{kernel.Leak: kernel.Off},
		Observe:  func(uint64, device.LaunchResult) { observed++ },
		Starting: func(uint64, int, string) { started++ },
	}, launch)
	if len(devices) != 4 || observed != 8 || started != 8 {
		t.Errorf("%d devices, %d launches observed, %d started", len(devices), observed, started)
	}
	type short struct {
		kind   kernel.Kind
		lines  string
		count  uint64
		seed   uint64
		offset int64
	}
	var got []short
	for _, f := range r.Findings {
		var lines []string
		for _, a := range f.Accesses {
			lines = append(lines, fmt.Sprint(a.Source.Line))
		}
		got = append(got, short{f.Kind, strings.Join(lines, " "), f.Count, f.Seed, f.Offset})
	}
	want := []short{{kernel.DataRace, "9 3", 8, 1, 1}, {kernel.DataRace, "12 3", 2, 3, 3}, {kernel.DataRace, "12 3", 2, 3, 3}, {kernel.WrongResult, "", 1, 2, 16}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("findings\n%v, want\n%v", got, want)
	}
	if want := "1 of 6 element differs from what is expected: c[1,1] is 0, expected 7"; r.Findings[3].Message != want {
		t.Errorf("message %q, want %q", r.Findings[3].Message, want)
	}
	if len(r.Launches) != 2 || r.Launches[0].Counters.ThreadInstructions != 1 || r.Output != "seed 1\n" || r.Expect[0].OK || !r.Complete {
		t.Errorf("result %+v", r)
	}
}

func TestStops(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", twoLaunches)
	writeFile(t, "k.ptx", "")
	interrupt := make(chan struct{})
	launch := func(d *fakeDevice, s device.Spec) device.LaunchResult {
		close(interrupt)
		return device.LaunchResult{Spec: s, Stopped: "interrupted"}
	}
	r, devices, _ := runFake(t, "a.yaml", Options{Seeds: 5, Interrupt: interrupt}, launch)
	if r.Complete || r.Stopped != "launch 0 (k): interrupted" || len(r.Launches) != 1 || len(r.Expect) != 0 || len(devices) != 1 {
		t.Errorf("interrupted: %+v, %d devices", r, len(devices))
	}
	fault := func(d *fakeDevice, s device.Spec) device.LaunchResult {
		d.Report(kernel.Finding{Kind: kernel.Trap, Severity: kernel.Error})
		return device.LaunchResult{Spec: s, Stopped: "trap", Faulted: true}
	}
	r, devices, _ = runFake(t, "a.yaml", Options{Seeds: 2}, fault)
	if len(devices) != 2 || len(devices[0].log) != 1 || len(r.Findings) != 1 || r.Complete {
		t.Errorf("fault: %+v, %d devices", r, len(devices))
	}
}

func TestRunErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", twoLaunches)
	writeFile(t, "k.ptx", "")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&device.InternalError{Panic: "oh"}, "internal error: oh"},
		{errors.New("too large"), "a.yaml:6:5: launch: too large"},
	} {
		plan, errs := Read(Input{File: "a.yaml"}, 1<<20)
		p, err := plan.Prepare(&fakeFrontend{}, errs)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(Options{NewDevice: func(uint64) (Device, error) {
			return &fakeDevice{launch: func(d *fakeDevice, s device.Spec) device.LaunchResult {
				d.Report(kernel.Finding{Kind: kernel.Leak, Severity: kernel.Warning})
				return device.LaunchResult{Spec: s, Err: c.err}
			}}, nil
		}})
		if text(err) != c.want || r.Complete || len(r.Launches) != 1 || len(r.Findings) != 1 {
			t.Errorf("%v: error %q, result %+v", c.err, text(err), r)
		}
	}
}

func TestSave(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", twoLaunches)
	writeFile(t, "k.ptx", "")
	launch := func(d *fakeDevice, s device.Spec) device.LaunchResult {
		d.memory.Buffers()[1].Data[16] = byte(7 + d.seed)
		return device.LaunchResult{Spec: s, Complete: true}
	}
	runFake(t, "a.yaml", Options{Save: map[string]string{"c": "c.npy"}, Seeds: 2}, launch)
	f, err := os.Open("c.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	i32, _ := findDType("i32")
	data := make([]byte, 24)
	if err := readNpyData(f, data, i32); err != nil || data[16] != 7 {
		t.Errorf("saved % x, %v", data, err)
	}
	plan, _ := Read(Input{File: "a.yaml"}, 1<<20)
	errs := plan.CheckSave(map[string]string{"d": "x"})
	if errs.Error() != "--save d: there is no such buffer (nearest: c)" {
		t.Errorf("save of an unknown buffer: %v", errs)
	}
}

// TestLongFill compares a buffer that is longer than what is written out of a constant
// expectation, and not a multiple of it.
func TestLongFill(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "k.ptx", "")
	writeFile(t, "a.yaml", "program: k.ptx\nbuffers:\n  c: {dtype: u16, shape: [100001], init: {fill: 3}}\nlaunches: []\nexpect: {c: {fill: 3}}\n")
	if r, _, _ := runFake(t, "a.yaml", Options{}, nil); !r.Expect[0].OK || len(r.Findings) != 0 {
		t.Errorf("right content: %+v", r)
	}
	writeFile(t, "a.yaml", "program: k.ptx\nbuffers:\n  c: {dtype: u16, shape: [100001], init: {range: {start: 3, step: 0}}}\nlaunches:\n"+
		"  - {kernel: k, grid: [1], block: [1], args: [c, c, {i32: 1}]}\nexpect: {c: {fill: 3}}\n")
	r, _, _ := runFake(t, "a.yaml", Options{}, func(d *fakeDevice, s device.Spec) device.LaunchResult {
		d.memory.Buffers()[1].Data[200000] = 4
		return device.LaunchResult{Spec: s, Complete: true}
	})
	if len(r.Findings) != 1 || r.Findings[0].Offset != 200000 || r.Findings[0].Message != "1 of 100001 element differs from what is expected: c[100000] is 4, expected 3" {
		t.Errorf("one wrong element: %+v", r.Findings)
	}
}
