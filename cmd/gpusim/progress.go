package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"gpusim/device"
)

const (
	// barDelay is how long a launch runs before its bar appears.
	barDelay = 300 * time.Millisecond
	// barPeriod is the time between two states of the bar.
	barPeriod = 100 * time.Millisecond
)

// progress shows a terminal how far a long launch is; anything else gets nothing.
type progress struct {
	w    io.Writer // nil: silent
	now  func() time.Time
	name string // of the launch

	bar   *progressbar.ProgressBar // nil: not shown
	began time.Time                // the launch
	shown time.Time                // the last state of the bar
	count uint64                   // thread instructions then
}

func newProgress(w io.Writer, quiet bool) *progress {
	if f, ok := w.(*os.File); !quiet && ok && isatty.IsTerminal(f.Fd()) {
		return &progress{w: w, now: time.Now}
	}
	return &progress{}
}

// starting notes the beginning of a launch.
func (p *progress) starting(seed uint64, index int, kernel string) {
	if p.w == nil {
		return
	}
	p.clear()
	p.name = fmt.Sprintf("seed %d, launch %d (%s)", seed, index, kernel)
	p.began, p.shown, p.count = p.now(), p.now(), 0
}

// step is called many times a second.
func (p *progress) step(s device.Progress) {
	if p.w == nil {
		return
	}
	now := p.now()
	since := now.Sub(p.shown)
	if since < barPeriod || p.bar == nil && now.Sub(p.began) < barDelay {
		return
	}
	rate := float64(s.Counters.ThreadInstructions-p.count) / since.Seconds()
	what := fmt.Sprintf("%s: %.1f M instructions/s, blocks", p.name, rate/1e6)
	p.shown, p.count = now, s.Counters.ThreadInstructions
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(int64(s.Total), progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(20),
			progressbar.OptionShowCount(), progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(true),
			progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(what))
	}
	p.bar.Describe(what)
	_ = p.bar.Set64(int64(s.Done)) // it may fail to write to the terminal: there is nobody to tell
}

// clear takes the bar off the terminal.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
