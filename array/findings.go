package array

import (
	"fmt"
	"strings"

	"gpusim/exec"
	"gpusim/kernel"
)

// report adds a finding about what the thread is doing.
func (t *Thread) report(f kernel.Finding, kind kernel.Kind, severity kernel.Severity, detail string) {
	l := t.launch()
	key := exec.Key{Kind: kind, Severity: severity, Launch: l.Index, Site: [2]int{t.site, -1}, Object: -1, Detail: detail}
	l.Findings.Report(key, func() kernel.Finding {
		f.Kernel = l.Kernel
		if len(f.Accesses) == 0 {
			f.Accesses = []kernel.Access{{Source: t.source(), Thread: t.id()}}
		}
		return f
	})
}

// Fail reports an error of the kernel that leaves no result, and ends the launch.
func (t *Thread) Fail(kind kernel.Kind, op, message, fix string) {
	t.fail(kernel.Finding{Message: message, Fix: fix}, kind, op)
}

// failAt is Fail about a barrier.
func (t *Thread) failAt(b *Barrier, op, message, fix string) {
	t.fail(kernel.Finding{Message: message, Fix: fix, Object: b.Name}, kernel.BarrierMisuse, op)
}

// failOn is Fail about a buffer.
func (t *Thread) failOn(b *Buffer, kind kernel.Kind, op, message, fix string) {
	t.fail(kernel.Finding{Message: message, Fix: fix, Space: b.Space, Object: b.Name}, kind, op)
}

func (t *Thread) fail(f kernel.Finding, kind kernel.Kind, op string) {
	f.Accesses = []kernel.Access{{Op: op, Source: t.source(), Thread: t.id()}}
	t.report(f, kind, kernel.Error, f.Message)
	t.launch().Stop(string(kind), true)
	panic(stopped{})
}

// inBrackets is a place to add to a sentence, or nothing if it is not known.
func inBrackets(s kernel.Source) string {
	if s.File == "" {
		return ""
	}
	return " (" + exec.Place(s) + ")"
}

// shapeText is a shape as Python shows it.
func shapeText(shape []int) string {
	s := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
