package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"gpusim/device"
	"gpusim/launch"
	"gpusim/metrics"
	"gpusim/report"
)

func (a *app) checkCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Run a program with every detector on, and report what is wrong",
		Long:  "Run a program or a launch file with every detector on.\n\n" + launch.Extensions + ".",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.input.File = args[0]
			_, f.input.Compile.Flags = splitArgs(cmd, args)
			return a.execute(f, false)
		},
	}
	f.register(cmd.Flags())
	completions(cmd)
	return cmd
}

func (a *app) runCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a program for its result, without detection of races and uninitialised reads",
		Long:  "Run a program or a launch file for its result. Races and uninitialised reads are not looked for.\n\n" + launch.Extensions + ".",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.input.File = args[0]
			_, f.input.Compile.Flags = splitArgs(cmd, args)
			return a.execute(f, true)
		},
	}
	f.register(cmd.Flags())
	completions(cmd)
	return cmd
}

// session is one execution of check or run.
type session struct {
	*app
	*settings
	metrics   *metrics.Metrics // nil: nobody asked for them
	interrupt chan struct{}
	progress  *progress
	report    *report.Report
	text      report.Text
}

// execute runs the input and writes report and metrics, whatever happens.
func (a *app) execute(f *flags, fast bool) error {
	s, err := f.check()
	if err != nil {
		return usageError{err}
	}
	if fast {
		s.device.NoRaces, s.device.NoUninit = true, true
	}
	x := &session{app: a, settings: s, report: &report.Report{File: f.input.File, Seed: f.seed, Seeds: f.seeds, FailOn: s.failOn, Timing: f.timing, Complete: true}}
	out, err := x.open()
	if err != nil {
		return err
	}
	stop := x.watchInterrupt()
	defer stop()
	x.input.Compile.Interrupt = x.interrupt
	x.progress = newProgress(a.stderr, f.quiet)
	if err := x.observe(x.run); err != nil {
		x.take(err)
	}
	x.progress.clear()
	return x.finish(out)
}

// open makes the report's file at once: a run must not end with nowhere to report.
func (x *session) open() (io.WriteCloser, error) {
	if x.output == "" {
		return nopCloser{x.stdout}, nil
	}
	f, err := os.Create(x.output)
	if err != nil {
		return nil, usageError{fmt.Errorf("--output %w", err)}
	}
	return f, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// run reads, prepares and runs the input. A panic on the way is a bug of ours, and does
// not lose the report.
func (x *session) run() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &device.InternalError{Panic: v, Stack: debug.Stack()}
		}
	}()
	plan, errs := launch.Read(x.input, x.device.MaxMemory)
	x.report.Program = plan.Program()
	if x.report.Program == "" {
		x.report.Program = x.input.File
	}
	x.text.Quoter.Dirs = plan.SourceDirs()
	errs = append(errs, plan.CheckSave(x.save)...)
	prepared, err := plan.Prepare(launch.PTX, errs)
	if err != nil && x.interrupted() {
		x.report.Complete, x.report.Stopped = false, "interrupted before the first launch"
		return nil
	}
	if err != nil {
		return err
	}
	result, err := prepared.Run(launch.Options{
		NewDevice: func(seed uint64) (launch.Device, error) {
			o := x.device
			o.Seed, o.Interrupt, o.Progress = seed, x.interrupt, x.running
			return device.New(o)
		},
		Seed: x.seed, Seeds: x.seeds, Policy: x.policy, Save: x.save, Pallas: x.pallas, Interrupt: x.interrupt,
		Starting: x.progress.starting, Observe: x.launched,
	})
	x.fill(result)
	return err
}

// running observes a launch under way.
func (x *session) running(p device.Progress) {
	x.progress.step(p)
	if x.metrics != nil {
		x.metrics.Running(p.Kernel, p.Counters)
	}
}

// launched observes the end of a launch.
func (x *session) launched(seed uint64, r device.LaunchResult) {
	if x.metrics != nil {
		x.metrics.Launched(r)
	}
	if x.verbose && !x.quiet {
		x.progress.clear()
		fmt.Fprintf(x.stderr, "seed %d: %s grid %v block %v: %d thread instructions in %.3f s\n",
			seed, r.Kernel, r.Grid, r.Block, r.Counters.ThreadInstructions, r.Seconds)
	}
}

// fill puts a result into the report.
func (x *session) fill(r *launch.Result) {
	r.Report(x.report)
	if x.metrics != nil {
		for _, f := range r.Findings {
			x.metrics.Found(f.Finding)
		}
	}
}

// take puts an error into the report: the input's, or an internal one.
func (x *session) take(err error) {
	if stack := launch.ReportError(x.report, err); stack != nil {
		fmt.Fprintf(x.stderr, "%s\n", stack)
	}
}

// finish writes everything that the user asked for and sets the exit status.
func (x *session) finish(out io.WriteCloser) error {
	var lost error // standard error may be full; the report is due all the same
	errorText := report.Text{Color: colour(x.stderr)}
	if len(x.report.Errors) > 0 {
		lost = errorText.WriteErrors(x.stderr, x.report.Errors)
	}
	x.status = x.report.Status()
	if (x.format == "text" || x.format == "sarif") && x.report.Output != "" && !x.quiet {
		if _, err := io.WriteString(x.stderr, x.report.Output); err != nil {
			lost = err
		}
	}
	x.text.Color = x.output == "" && colour(x.stdout)
	err := write(out, x.format, x.report, x.text)
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if lost != nil && x.status != report.StatusInternal {
		x.status = report.StatusInput
	}
	return nil
}

// write writes a report in one of the formats.
func write(w io.Writer, format string, r *report.Report, text report.Text) error {
	switch format {
	case "json":
		return r.WriteJSON(w)
	case "sarif":
		return (&report.SARIF{Version: version(), Quoter: text.Quoter}).Write(w, r)
	case "junit":
		return (&report.JUnit{Quoter: text.Quoter}).Write(w, r)
	}
	return text.Write(w, r)
}

// colour reports whether a stream is a terminal that shows colours (https://no-color.org).
func colour(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
