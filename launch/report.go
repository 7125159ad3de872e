package launch

import (
	"errors"

	"gpusim/device"
	"gpusim/report"
)

// Report puts what a run brought to light into a report.
func (r *Result) Report(out *report.Report) {
	for _, l := range r.Launches {
		out.Launches = append(out.Launches, report.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Cluster: l.Cluster,
			ThreadInstructions: l.Counters.ThreadInstructions, Seconds: l.Seconds})
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, report.Finding(f))
	}
	for _, e := range r.Expect {
		out.Expect = append(out.Expect, report.Expect(e))
	}
	out.Output, out.Complete, out.Stopped = r.Output, r.Complete, r.Stopped
}

// ReportError puts an error into a report: mistakes in the input with their places, or an
// internal error, whose stack it returns.
func ReportError(out *report.Report, err error) (stack []byte) {
	out.Complete = false
	var input InputErrors
	if errors.As(err, &input) {
		out.Errors = append(out.Errors, input.Report()...)
		return nil
	}
	var internal *device.InternalError
	if errors.As(err, &internal) {
		out.Internal, stack = true, internal.Stack
	}
	out.Errors = append(out.Errors, report.Error{Message: err.Error()})
	return stack
}

// Report is the list as a report shows it.
func (l InputErrors) Report() []report.Error {
	out := make([]report.Error, len(l))
	for i, e := range l {
		out[i] = report.Error{File: e.File, Line: e.Line, Column: e.Column, Message: e.Message(), Quote: e.Quote}
	}
	return out
}
