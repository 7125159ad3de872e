package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpusim/bench/table"
)

// process is one finished run of a program.
type process struct {
	wall   time.Duration
	rss    int64 // peak resident memory in bytes
	stdout string
	stderr string
}

// start runs a program to its end. What it printed is part of the error.
func start(ctx context.Context, env []string, name string, args ...string) (process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), env...)
	begin := time.Now()
	err := cmd.Run()
	p := process{wall: time.Since(begin), stdout: stdout.String(), stderr: stderr.String()}
	if err != nil {
		return p, fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, p.stdout, p.stderr)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.rss = usage.Maxrss << 10 // Linux counts in KiB
	}
	return p, nil
}

// gpusim measures one command of the tool, which must find nothing.
func (b *bench) gpusim(ctx context.Context, command, file string, more ...string) (table.Run, error) {
	report := filepath.Join(b.dir, "report.json")
	args := append([]string{command, file, "--workers", "1", "--seed", "1", "--quiet", "--timing", "--format", "json", "--output", report}, more...)
	p, err := start(ctx, nil, b.tool, args...)
	if err != nil {
		text, _ := os.ReadFile(report) // there is none if the usage was wrong
		return table.Run{}, fmt.Errorf("%w%s", err, text)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return table.Run{}, err
	}
	var r struct {
		Verdict  string
		Launches []struct{ Seconds float64 }
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return table.Run{}, err
	}
	if r.Verdict != "clean" || len(r.Launches) == 0 {
		return table.Run{}, fmt.Errorf("gpusim %s %s: verdict %q", command, file, r.Verdict)
	}
	// Launches before the last one only prepare its input.
	kernel := r.Launches[len(r.Launches)-1].Seconds
	return table.Run{Wall: p.wall, Kernel: time.Duration(kernel * float64(time.Second)), RSS: p.rss}, nil
}

// summary is the median of the walls, the best of the kernel times and the largest peak.
func summary(runs []table.Run) table.Run {
	var walls, kernels []time.Duration
	var s table.Run
	for _, r := range runs {
		walls, kernels = append(walls, r.Wall), append(kernels, r.Kernel)
		s.RSS = max(s.RSS, r.RSS)
	}
	slices.Sort(walls)
	s.Wall, s.Kernel = walls[len(walls)/2], slices.Min(kernels)
	return s
}

// both measures check and run in turns, so that a busy moment meets both.
func (b *bench) both(ctx context.Context, file string) (check, run table.Run, err error) {
	var checks, runs []table.Run
	for range b.repetitions {
		c, err := b.gpusim(ctx, "check", file)
		if err != nil {
			return check, run, err
		}
		r, err := b.gpusim(ctx, "run", file)
		if err != nil {
			return check, run, err
		}
		checks, runs = append(checks, c), append(runs, r)
	}
	return summary(checks), summary(runs), nil
}

func (b *bench) workload(ctx context.Context, w workload) (table.Result, error) {
	r := table.Result{Name: w.name, Class: w.class, Memory: w.memory}
	path := filepath.Join(b.root, w.file)
	f, err := readLaunchFile(path)
	if err != nil {
		return r, err
	}
	if r.Buffers, err = f.bytes(); err != nil {
		return r, err
	}
	if w.once {
		r.Check, err = b.gpusim(ctx, "check", path)
		return r, err
	}
	if r.Check, r.Run, err = b.both(ctx, path); err != nil || w.opencl == "" {
		return r, err
	}
	if _, err := b.gpusim(ctx, "run", path, f.saves(b.dir)...); err != nil {
		return r, err
	}
	if r.PoCL, err = b.pocl(ctx, f, w.opencl); err != nil {
		return r, err
	}
	if b.oclgrindRuns > 0 {
		r.Oclgrind, err = b.oclgrind(ctx, f, w.opencl)
	}
	return r, err
}

// startUp is the median wall of checking a small kernel.
func (b *bench) startUp(ctx context.Context) (time.Duration, error) {
	var runs []table.Run
	for range 4*b.repetitions + 1 {
		r, err := b.gpusim(ctx, "check", filepath.Join(b.root, small))
		if err != nil {
			return 0, err
		}
		runs = append(runs, r)
	}
	return summary(runs).Wall, nil
}
