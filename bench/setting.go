package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// setting says where, when and how the numbers were measured.
func (b *bench) setting(ctx context.Context, versions []string) []string {
	command := "go run ./bench"
	if b.only != "" {
		command += fmt.Sprintf(" -only %q", b.only)
	}
	command += fmt.Sprintf(" -repetitions %d -oclgrind %d", b.repetitions, b.oclgrindRuns)
	if b.prototype != "" {
		command += " -prototype PROGRAM"
	}
	return []string{
		fmt.Sprintf("machine: %s, %d CPUs, %s; %s", processor(), runtime.NumCPU(), memory(), system(ctx)),
		"load average at the end: " + loadAverage(),
		"commit: " + b.commit(ctx),
		"date: " + time.Now().UTC().Format(time.DateOnly),
		"command: `" + command + "`",
		"versions: " + strings.Join(append([]string{runtime.Version()}, versions...), ", "),
	}
}

// field is the value of the first line of a file under /proc that begins with the key.
func field(path, key string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}

func processor() string {
	name := field("/proc/cpuinfo", "model name")
	if strings.Contains(field("/proc/cpuinfo", "flags"), "avx512f") {
		name += " with AVX-512"
	}
	return name + ", " + field("/proc/cpuinfo", "cpu MHz") + " MHz"
}

func memory() string {
	var kib int64
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kib); err != nil {
		return "unknown memory"
	}
	return fmt.Sprintf("%.1f GiB", float64(kib)/(1<<20))
}

func system(ctx context.Context) string {
	p, err := start(ctx, nil, "uname", "-sr")
	if err != nil {
		return runtime.GOOS
	}
	s := strings.TrimSpace(p.stdout)
	if v, err := os.ReadFile("/etc/debian_version"); err == nil {
		s = "Debian " + strings.TrimSpace(string(v)) + ", " + s
	}
	return s
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}

// commit is the checked-out one, with a remark if the sources differ from it.
func (b *bench) commit(ctx context.Context) string {
	p, err := start(ctx, nil, "git", "-C", b.root, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown"
	}
	c := strings.TrimSpace(p.stdout)
	if p, err := start(ctx, nil, "git", "-C", b.root, "status", "--porcelain", "--", "*.go"); err != nil || p.stdout != "" {
		c += ", with changes"
	}
	return c
}
