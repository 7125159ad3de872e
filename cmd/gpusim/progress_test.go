package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"gpusim/device"
)

// TestProgress plays a launch of three seconds to a terminal.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := &progress{w: &out, now: func() time.Time { return now }}
	p.starting(7, 1, "histogram")
	step := func(after time.Duration, done, instructions uint64) string {
		out.Reset()
		now = now.Add(after)
		p.step(device.Progress{Done: done, Total: 64, Counters: device.Counters{ThreadInstructions: instructions}})
		return out.String()
	}
	if s := step(barDelay/2, 0, 1000); s != "" {
		t.Errorf("a short launch shows %q", s)
	}
	contains := func(s string, list ...string) {
		t.Helper()
		for _, want := range list {
			if !strings.Contains(s, want) {
				t.Errorf("no %q in %q", want, s)
			}
		}
	}
	step(time.Second-barDelay/2, 16, 23_000_000)
	contains(step(time.Second, 32, 43_000_000), "seed 7, launch 1 (histogram): 20.0 M instructions/s, blocks", "50%", "(32/64)")
	if s := step(time.Millisecond, 33, 24_000_000); s != "" {
		t.Errorf("a state right after another shows %q", s)
	}
	contains(step(time.Second, 48, 73_000_000), ": 30.0 M", "75%", "(48/64)", "[", "s]")
	out.Reset()
	p.clear()
	if !strings.Contains(out.String(), "\x1b[2K") {
		t.Errorf("not cleared: %q", &out)
	}
	out.Reset()
	if p.clear(); out.Len() > 0 {
		t.Errorf("cleared twice: %q", &out)
	}
}

// TestNoProgress gives nothing to what is no terminal.
func TestNoProgress(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range []*progress{newProgress(f, false), newProgress(&bytes.Buffer{}, false), newProgress(f, true)} {
		p.starting(1, 0, "k")
		if p.step(device.Progress{Total: 1}); p.bar != nil {
			t.Error("progress on what is no terminal")
		}
		p.clear()
	}
}
