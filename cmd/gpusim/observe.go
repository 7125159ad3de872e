package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gpusim/launch"
	"gpusim/metrics"
)

// observe calls f with the metrics that the flags ask for around it.
func (x *session) observe(f func() error) error {
	if x.metricsAddr == "" && x.metricsFile == "" {
		return f()
	}
	x.metrics = metrics.New()
	var server *metrics.Server
	if x.metricsAddr != "" {
		var err error
		if server, err = x.metrics.Serve(x.metricsAddr); err != nil {
			return launch.InputErrors{{Reading: "--metrics-addr " + x.metricsAddr, Cause: err.Error()}}
		}
		if !x.quiet {
			fmt.Fprintf(x.stderr, "metrics at http://%s/metrics\n", server.Address())
		}
	}
	err := f()
	if server != nil {
		if e := server.Close(); err == nil && e != nil {
			err = fmt.Errorf("metrics server: %w", e)
		}
	}
	if x.metricsFile != "" {
		if e := x.metrics.WriteFile(x.metricsFile); err == nil && e != nil {
			err = launch.InputErrors{{Reading: "--metrics-file", Cause: e.Error()}}
		}
	}
	return err
}

// interrupted reports whether the user wants the run to end.
func (x *session) interrupted() bool {
	select {
	case <-x.interrupt:
		return true
	default:
		return false
	}
}

// watchInterrupt makes the first Ctrl-C end the run in order; the second one kills the
// process, as without us. The function it returns ends the watch.
func (x *session) watchInterrupt() (stop func()) {
	x.interrupt = make(chan struct{})
	signals, done, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(ended)
		select {
		case <-signals:
			signal.Stop(signals)
			close(x.interrupt)
		case <-done:
			signal.Stop(signals)
		}
	}()
	return func() { close(done); <-ended }
}
