package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"gpusim/device"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/pallas"
	"gpusim/report"
)

// TestNoLeaks runs the command in this process: no goroutine survives it.
func TestNoLeaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	var out, errs bytes.Buffer
	args := []string{"check", "--grid", "2", "--block", "64", "--arg", "x=u32[128]", "--arg", "n=u32:128", "--metrics-addr", "127.0.0.1:0",
		"testdata/kernels/scale.ptx"}
	if status := Main(args, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s%s", status, &out, &errs)
	}
	goleak.VerifyNone(t, before)
}

// TestInternalError checks what the user gets when we are at fault: status 3 and a report
// with what was found so far.
func TestInternalError(t *testing.T) {
	for _, format := range []string{"json", "text"} {
		var out, errs bytes.Buffer
		a := &app{stdout: &out, stderr: &errs}
		s, err := (&flags{seed: 1, seeds: 1, workers: 1, maxInstructions: 1, schedule: "rr", granularity: "warp", format: format, failOn: "error",
			pallas: pallas.Settings{Completion: "eager", ReadOverwriteFence: "warning"}}).check()
		if err != nil {
			t.Fatal(err)
		}
		x := &session{app: a, settings: s, report: &report.Report{Seed: 1, Seeds: 1, FailOn: kernel.Error}}
		x.fill(&launch.Result{Complete: true, Findings: []launch.Finding{{Finding: kernel.Finding{Kind: kernel.Trap, Severity: kernel.Error}}}})
		x.take(&device.InternalError{Panic: "index out of range", Instruction: "add.u32", Stack: []byte("goroutine 1")})
		if err := x.finish(nopCloser{&out}); err != nil {
			t.Fatal(err)
		}
		if a.status != report.StatusInternal || !strings.Contains(errs.String(), "internal error in thread (0,0,0) of block (0,0,0) at \"add.u32\": index out of range") ||
			!strings.Contains(errs.String(), "goroutine 1") {
			t.Errorf("%s: status %d: %s", format, a.status, &errs)
		}
		if format == "text" {
			continue
		}
		var r struct {
			Verdict  string
			Errors   []struct{ Message string }
			Findings []struct{ Kind string }
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Verdict != "error" || len(r.Errors) != 1 || len(r.Findings) != 1 {
			t.Errorf("report %+v, %v", r, err)
		}
	}
}

// TestPanic panics where nothing but Main can catch it.
func TestPanic(t *testing.T) {
	var errs bytes.Buffer
	if status := Main([]string{"version"}, panicking{}, &errs); status != report.StatusInternal || !strings.Contains(errs.String(), "gpusim: internal error: broken writer") {
		t.Errorf("status %d: %s", status, &errs)
	}
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("broken writer") }

// interrupt runs the rest of its arguments, which have to ask for --metrics-addr, and
// sends Ctrl-C as soon as the run has begun. The first argument is the status expected.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	path := filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], "gpusim")
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	var out bytes.Buffer
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	r := bufio.NewReader(stderr)
	_, err = r.ReadString('\n') // "metrics at ...": signals are caught from here on
	ts.Check(err)
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	_, err = io.Copy(io.Discard, r)
	ts.Check(err)
	hung := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	_ = cmd.Wait() // the status is looked at below
	if got := cmd.ProcessState.String(); got != "exit status "+args[0] {
		ts.Fatalf("%s, want exit status %s\n%s", got, args[0], &out)
	}
	ts.Check(os.WriteFile(ts.MkAbs("interrupted"), out.Bytes(), 0o666))
}
