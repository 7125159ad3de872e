package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"gpusim/internal/explain"
	"gpusim/kernel"
)

// fingerprint is the name of our partial fingerprint; another way to compute it gets
// another version.
const fingerprint = "gpusimFinding/v1"

// SARIF renders reports in the format that code review and editors read: SARIF 2.1.0,
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type SARIF struct {
	Version string // of gpusim
	Quoter  Quoter
}

// Write writes the report as SARIF.
func (s *SARIF) Write(w io.Writer, r *Report) error {
	return writeJSON(w, s.document(r))
}

func (s *SARIF) document(r *Report) *sarif.Report {
	run := sarif.NewRun()
	driver := sarif.NewToolComponent().WithName("gpusim").WithVersion(s.Version)
	for _, k := range kernel.Kinds {
		driver.AddRule(rule(k))
	}
	run.Tool = sarif.NewTool().WithDriver(driver)
	run.WithAutomationDetails(sarif.NewRunAutomationDetails().WithID("gpusim/" + r.File + "/"))
	run.AddInvocation(s.invocation(r))
	seen := map[string]int{}
	for _, f := range r.Findings {
		run.AddResult(s.result(r, f, seen))
	}
	return sarif.NewReport().AddRun(run)
}

// rule describes a kind of finding.
func rule(k kernel.Kind) *sarif.ReportingDescriptor {
	text, _ := explain.Kind(k)
	level := sarif.LevelError
	switch k {
	case kernel.Leak, kernel.WouldNotLower:
		level = sarif.LevelWarning
	}
	return sarif.NewRule(string(k)).WithDescription(explain.Summary(k)).WithMarkdownHelp(text).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level))
}

// invocation tells how the run went: input errors, and why it is not complete.
func (s *SARIF) invocation(r *Report) *sarif.Invocation {
	status := r.Status()
	i := sarif.NewInvocation().WithExitCode(status).WithExecutionSuccessful(status == StatusClean || status == StatusFindings)
	for _, e := range r.Errors {
		n := sarif.NewNotification().WithLevel(sarif.LevelError).WithMessage(message(e.Message))
		if e.File != "" {
			n.AddLocation(sarif.NewLocationWithPhysicalLocation(physical(e.File, e.Line, e.Column, e.Quote)))
		}
		if r.Internal {
			i.AddToolExecutionNotification(n)
		} else {
			i.AddToolConfigurationNotification(n)
		}
	}
	if r.Stopped != "" {
		i.AddToolExecutionNotification(sarif.NewNotification().WithLevel(sarif.LevelWarning).WithMessage(message(r.Stopped)))
	}
	return i
}

var sarifLevels = map[kernel.Severity]string{kernel.Error: sarif.LevelError, kernel.Warning: sarif.LevelWarning, kernel.Info: sarif.LevelNote}

// result is a finding. Its location is the first place that it names; all places are
// related locations, to which the message links.
func (s *SARIF) result(r *Report, f Finding, seen map[string]int) *sarif.Result {
	out := sarif.NewRuleResult(string(f.Kind)).WithLevel(sarifLevels[f.Severity]).WithRuleIndex(slices.Index(kernel.Kinds, f.Kind)).
		WithOccurrenceCount(int(f.Count))
	text := []string{plain(f.Message)}
	link := func(what string, source kernel.Source) {
		id := len(out.RelatedLocations) + 1
		text = append(text, fmt.Sprintf("[%s](%d)", escapeLink.Replace(plain(what)), id))
		out.AddRelatedLocation(s.location(source, what).WithID(id))
		for _, c := range source.InlinedAt {
			out.AddRelatedLocation(s.location(c, "inlined here").WithID(len(out.RelatedLocations) + 1))
		}
	}
	for _, a := range f.Accesses {
		link(accessText(f.Kind, a), a.Source)
	}
	eachWait(f.Waits, func(w kernel.Wait, what string) { link(what, w.Source) })
	if f.Missing != "" {
		text = append(text, "missing: "+plain(f.Missing))
	}
	if f.Fix != "" {
		text = append(text, "fix: "+plain(f.Fix))
	}
	out.WithMessage(sarif.NewTextMessage(strings.Join(text, "\n")))

	first := firstSource(f.Finding)
	if first.File == "" {
		first = kernel.Source{File: r.Program}
	}
	out.AddLocation(s.location(first, ""))

	bag := sarif.NewPropertyBag()
	bag.Add("kernel", f.Kernel).Add("launch", f.Launch).Add("seed", f.Seed)
	if f.Object != "" {
		bag.Add("object", f.Object).Add("space", f.Space.String()).Add("offset", f.Offset).Add("size", f.Size)
	}
	if f.Edge != "" {
		bag.Add("edge", string(f.Edge))
	}
	out.WithProperties(bag)

	key := s.fingerprint(f.Finding)
	seen[key]++
	return out.WithPartialFingerprints(map[string]string{fingerprint: fmt.Sprintf("%s:%d", key, seen[key])})
}

// fingerprint tells a finding apart from others without line numbers, so that it is the
// same one after an edit elsewhere in the file.
func (s *SARIF) fingerprint(f kernel.Finding) string {
	var places []string
	place := func(what string, p kernel.Source) {
		line := strings.TrimSpace(s.Quoter.Line(p.File, p.Line))
		if line == "" {
			line = p.PTX
		}
		places = append(places, strings.Join([]string{what, p.File, p.Function, line}, "\x00"))
	}
	for _, a := range f.Accesses {
		place(a.Op, a.Source)
	}
	for _, w := range f.Waits {
		place(w.On, w.Source)
	}
	slices.Sort(places) // which of two racing accesses comes first depends on the seed
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%s", f.Kind, f.Kernel, f.Object, f.Edge, strings.Join(slices.Compact(places), "\x00"))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (s *SARIF) location(p kernel.Source, what string) *sarif.Location {
	file := s.Quoter.Path(p.File)
	l := sarif.NewLocationWithPhysicalLocation(physical(file, p.Line, p.Column, s.Quoter.Line(p.File, p.Line)))
	if p.Function != "" {
		l.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(p.Function).WithKind("function").WithIndex(-1).WithParentIndex(-1))
	}
	if what != "" {
		l.WithMessage(message(what))
	}
	return l
}

// physical is a place in a file, with the line's text if that is known.
func physical(file string, line, column int, text string) *sarif.PhysicalLocation {
	p := sarif.NewPhysicalLocation().WithArtifactLocation(artifact(file))
	if line > 0 {
		region := sarif.NewRegion().WithStartLine(line)
		if column > 0 {
			region.WithStartColumn(column)
		}
		if text != "" {
			region.WithSnippet(sarif.NewArtifactContent().WithText(text))
		}
		p.WithRegion(region)
	}
	return p
}

// artifact names a file by a relative reference or, if its path is absolute, by a URI.
func artifact(file string) *sarif.ArtifactLocation {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return sarif.NewSimpleArtifactLocation(u.String())
}

func message(text string) *sarif.Message { return sarif.NewTextMessage(plain(text)) }

// plain doubles braces: in a message they stand for arguments (section 3.11.5).
func plain(text string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(text) }

// escapeLink escapes brackets in the text of a link (section 3.11.6).
var escapeLink = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)
