package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// JUnit renders reports as JUnit XML, which CI services show as test results: a suite for
// the launch file, a case for each launch. A case fails when its launch has a finding of the
// severity that fails the run; lesser findings are its output.
type JUnit struct{ Quoter Quoter }

// Write writes the report as JUnit XML.
func (j *JUnit) Write(w io.Writer, r *Report) error {
	suite := junit.Testsuite{Name: visible(r.File), Time: seconds(r, r.seconds())}
	suite.AddProperty("seed", fmt.Sprint(r.Seed))
	suite.AddProperty("seeds", fmt.Sprint(r.Seeds))
	var outside []Finding
	byLaunch := make([][]Finding, len(r.Launches))
	for _, f := range r.Findings {
		if f.Launch < 0 || f.Launch >= len(r.Launches) {
			outside = append(outside, f)
			continue
		}
		byLaunch[f.Launch] = append(byLaunch[f.Launch], f)
	}
	for i, l := range r.Launches {
		c := junit.Testcase{Classname: visible(r.File), Name: visible(fmt.Sprintf("launch %d: %s grid %v block %v", i, l.Kernel, l.Grid, l.Block)), Time: seconds(r, l.Seconds)}
		if err := j.fill(&c, r, byLaunch[i]); err != nil {
			return err
		}
		if i == len(r.Launches)-1 && !r.Complete && r.Stopped != "" {
			c.Error = &junit.Result{Type: "incomplete", Message: visible(r.Stopped)}
		}
		suite.AddTestcase(c)
	}
	if len(outside) > 0 {
		c := junit.Testcase{Classname: visible(r.File), Name: "host"}
		if err := j.fill(&c, r, outside); err != nil {
			return err
		}
		suite.AddTestcase(c)
	}
	if len(r.Errors) > 0 {
		suite.AddTestcase(j.errors(r))
	}
	if r.Output != "" {
		suite.SystemOut = &junit.Output{Data: visible(r.Output)}
	}
	var all junit.Testsuites
	all.AddSuite(suite)
	if _, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); err != nil {
		return err
	}
	return all.WriteXML(w)
}

// fill writes findings into a case.
func (j *JUnit) fill(c *junit.Testcase, r *Report, findings []Finding) error {
	text := Text{Quoter: j.Quoter}
	var failures, others bytes.Buffer
	var first *Finding
	n := 0
	for i, f := range findings {
		to := &others
		if f.Severity >= r.FailOn {
			to = &failures
			if n++; first == nil {
				first = &findings[i]
			}
		}
		p := &printer{w: to, text: &text, style: text.style()}
		if p.finding(r, f); p.err != nil {
			return p.err
		}
	}
	if first != nil {
		message := first.Message
		if n > 1 {
			message += fmt.Sprintf(" (and %s)", plural(n-1, "more finding", "more findings"))
		}
		c.Failure = &junit.Result{Type: string(first.Kind), Message: visible(message), Data: visible(failures.String())}
	}
	if others.Len() > 0 {
		c.SystemOut = &junit.Output{Data: visible(others.String())}
	}
	return nil
}

// errors is a case for an input that could not be run.
func (j *JUnit) errors(r *Report) junit.Testcase {
	kind := "input"
	if r.Internal {
		kind = "internal"
	}
	var b strings.Builder
	text := Text{}
	_ = text.WriteErrors(&b, r.Errors) // a strings.Builder takes everything
	return junit.Testcase{Classname: visible(r.File), Name: kind,
		Error: &junit.Result{Type: kind, Message: visible(r.Errors[0].Message), Data: visible(b.String())}}
}

// seconds is a duration for an attribute, which readers expect to be there.
func seconds(r *Report, s float64) string {
	if !r.Timing {
		return "0"
	}
	return fmt.Sprintf("%.3f", s)
}

// visible drops what XML cannot hold: control characters and broken UTF-8.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == '\uFFFE' || c == '\uFFFF' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
