package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"gpusim/bench/table"
)

var prototypeLine = regexp.MustCompile(`(?m)^\S+ +\S+ +([0-9.]+) ms .* err=<nil>`)

// prototypeTime is the kernel time of one process of the prototype.
func (b *bench) prototypeTime(ctx context.Context, name, config string) (time.Duration, error) {
	p, err := start(ctx, nil, b.prototype, "-only", name, "-cfg", config, "-reps", "1")
	if err != nil {
		return 0, err
	}
	m := prototypeLine.FindStringSubmatch(p.stdout)
	if m == nil {
		return 0, fmt.Errorf("prototype, %s: no time in its output:\n%s", name, p.stdout)
	}
	ms, err := strconv.ParseFloat(m[1], 64)
	return time.Duration(ms * float64(time.Millisecond)), err
}

// hot measures a kernel here and in the prototype, in turns, one process a run.
func (b *bench) hot(ctx context.Context, h hot) (table.Hot, error) {
	r := table.Hot{Name: h.name, Target: h.target}
	path := filepath.Join(b.root, h.file)
	least := func(best *time.Duration, t time.Duration) {
		if *best == 0 || t < *best {
			*best = t
		}
	}
	for range b.repetitions {
		for _, side := range []struct {
			command, config string
			ours, theirs    *time.Duration
		}{
			{"check", "lines+uninit", &r.Check, &r.PrototypeCheck},
			{"run", "switch", &r.Run, &r.PrototypeRun},
		} {
			ours, err := b.gpusim(ctx, side.command, path)
			if err != nil {
				return r, err
			}
			theirs, err := b.prototypeTime(ctx, h.prototype, side.config)
			if err != nil {
				return r, err
			}
			least(side.ours, ours.Kernel)
			least(side.theirs, theirs)
		}
	}
	return r, nil
}
