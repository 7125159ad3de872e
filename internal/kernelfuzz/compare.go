package kernelfuzz

import (
	"fmt"
	"slices"

	"gpusim/internal/oracle"
	"gpusim/kernel"
)

// Failure is a disagreement. Its class stays while a program is made smaller.
type Failure struct{ Class, Text string }

// The classes.
const (
	Unread     = "not read"       // the text is refused
	NotRun     = "not run"        // hung, or ended early
	Unexpected = "other finding"  // neither a race nor put there by the generator
	Executor   = "executor"       // order of statements, values or memory
	FalseAlarm = "false alarm"    // a reported pair that does not race
	Missed     = "missed race"    // a racing byte without a reported pair
	Severity   = "severity"       // a pair that races with another severity
	BadList    = "bad event list" // the oracle refuses it
)

// Check runs a program and compares everything. It returns nil if all agree.
func Check(p *Program, run Runner) (*Execution, oracle.Result, *Failure) {
	text, lines := p.Text()
	out, err := run(p, text)
	if out == nil {
		return nil, oracle.Result{}, &Failure{Unread, err.Error()}
	}
	if err != nil {
		return nil, oracle.Result{}, &Failure{NotRun, err.Error()}
	}
	for _, f := range out.Findings {
		if f.Kind != kernel.DataRace {
			return nil, oracle.Result{}, &Failure{Unexpected, fmt.Sprintf("%s: %s", f.Kind, f.Message)}
		}
	}
	x, err := Replay(p, lines, out.Steps)
	if err != nil {
		return nil, oracle.Result{}, &Failure{Executor, err.Error()}
	}
	if f := values(x, out); f != nil {
		return x, oracle.Result{}, f
	}
	want, err := oracle.Check(oracle.Config{}, x.Events)
	if err != nil {
		return x, want, &Failure{BadList, err.Error()}
	}
	c := &comparison{x: x, want: want, findings: out.Findings, lines: lines}
	return x, want, c.compare()
}

// Runner runs a program's text.
type Runner func(p *Program, text string) (*Outcome, error)

// values compares the memory that the run left.
func values(x *Execution, out *Outcome) *Failure {
	for i := range x.Global {
		if x.Global[i] != out.Global[i] {
			return &Failure{Executor, fmt.Sprintf("global byte %d is %d, want %d", i, out.Global[i], x.Global[i])}
		}
	}
	for l := range x.Sums {
		for t := range x.Sums[l] {
			if x.Sums[l][t] != out.Sums[l][t] {
				return &Failure{Executor, fmt.Sprintf("launch %d, thread %d: checksum %d, want %d", l, t, out.Sums[l][t], x.Sums[l][t])}
			}
		}
	}
	return nil
}

type comparison struct {
	x        *Execution
	want     oracle.Result
	findings []kernel.Finding
	lines    map[int]Place
}

// matches reports whether a finding is about a pair, apart from threads and bytes.
func (c *comparison) matches(f *kernel.Finding, p *oracle.Pair) bool {
	if (f.Space == kernel.Shared) != (p.Space == oracle.Shared) {
		return false
	}
	a, b := c.lines[f.Accesses[0].Source.Line], c.lines[f.Accesses[1].Source.Line]
	x, y := c.x.Places[p.First.Event], c.x.Places[p.Second.Event]
	return a == x && b == y || a == y && b == x
}

// exact reports whether a finding is this pair: threads, direction and bytes too.
func (c *comparison) exact(f *kernel.Finding, p *oracle.Pair) bool {
	return c.matches(f, p) && touches(f, p) && c.side(&f.Accesses[0], p.First) && c.side(&f.Accesses[1], p.Second)
}

// touches reports whether a finding and a pair, of one space, have bytes in common.
func touches(f *kernel.Finding, p *oracle.Pair) bool {
	return f.Offset < p.Hi && p.Lo < f.Offset+int64(f.Size)
}

// side reports whether an access of a finding is one of a pair.
func (c *comparison) side(f *kernel.Access, a oracle.Access) bool {
	e := &c.x.Events[a.Event]
	return int(f.Thread.Block.X) == e.Block && int(f.Thread.Thread.X) == e.Warp*32+a.Lane && (f.Op == "write") == a.Write &&
		f.Atomic == (e.Op == oracle.RMW) && c.lines[f.Source.Line] == c.x.Places[a.Event]
}

func severityOf(p *oracle.Pair) kernel.Severity {
	if p.Cause.Severity() == oracle.Error {
		return kernel.Error
	}
	return kernel.Warning
}

func (c *comparison) compare() *Failure {
	for i := range c.findings {
		if f := c.alarm(&c.findings[i]); f != nil {
			return f
		}
	}
	for i := range c.want.Bytes {
		if f := c.missed(&c.want.Bytes[i]); f != nil {
			return f
		}
	}
	return nil
}

// alarm checks one finding: it must be a pair that races, with its severity.
func (c *comparison) alarm(f *kernel.Finding) *Failure {
	found := false
	for i := range c.want.Pairs {
		p := &c.want.Pairs[i]
		if !c.exact(f, p) {
			continue
		}
		found = true
		if severityOf(p) == f.Severity && (p.Cause == oracle.ReadOnly) == (f.Edge == kernel.ReadOnly) || c.loud(f, p) {
			return nil
		}
	}
	if c.passed(f) {
		return nil
	}
	text := fmt.Sprintf("%s %s, lines %d and %d, %s offset %d size %d, edge %q: %s", f.Severity, f.Kind, f.Accesses[0].Source.Line, f.Accesses[1].Source.Line,
		f.Space, f.Offset, f.Size, f.Edge, f.Message)
	if found {
		return &Failure{Severity, text}
	}
	return &Failure{FalseAlarm, text}
}

// loud reports whether two stores of one value may be called an error: another access races with them, or the element had been overwritten in part by an access of
// another size. In both cases memory need not show the value of the earlier store any more, and that is all a detector has to compare the later one with.
func (c *comparison) loud(f *kernel.Finding, p *oracle.Pair) bool {
	if p.Cause != oracle.SameValue || f.Severity != kernel.Error {
		return false
	}
	for i := range c.want.Bytes {
		if b := &c.want.Bytes[i]; on(p, b) && b.Severity == oracle.Error {
			return true
		}
	}
	return slices.ContainsFunc(c.x.Events[:p.Second.Event], func(e oracle.Event) bool {
		if e.Op != oracle.Write && e.Op != oracle.RMW || e.Size == c.x.Events[p.Second.Event].Size || e.Space != p.Space {
			return false
		}
		return slices.ContainsFunc(e.Addr, func(at int64) bool { return at < p.Hi && p.Lo < at+int64(e.Size*max(e.Elems, 1)) })
	})
}

// passed reports whether the earlier access of a finding was seen in passing: a thread reads plainly what its own reduction has left, observes by that (the two are
// morally strong by program order) all of the chain of read-modify-writes, and so orders it before what follows. The detector follows strong reads only. The plain read
// itself comes too early to be ordered: it races with the same access, and nobody is alarmed without a race.
func (c *comparison) passed(f *kernel.Finding) bool {
	return slices.ContainsFunc(c.want.Pairs, func(p oracle.Pair) bool {
		read := &c.x.Events[p.Second.Event]
		return read.Op == oracle.Read && read.Sem == oracle.Weak && !read.Volatile && touches(f, &p) && c.side(&f.Accesses[0], p.First) &&
			slices.ContainsFunc(c.x.Events[:p.Second.Event], func(e oracle.Event) bool {
				return e.Red && e.Block == read.Block && e.Warp == read.Warp && slices.Contains(e.Lanes, p.Second.Lane)
			})
	})
}

// missed checks one byte that races: one of its pairs must have been reported, and one of severity error if it has such a pair.
func (c *comparison) missed(b *oracle.Byte) *Failure {
	class := Missed
	for i := range c.want.Pairs {
		p := &c.want.Pairs[i]
		if !on(p, b) {
			continue
		}
		for k := range c.findings {
			if !c.matches(&c.findings[k], p) {
				continue
			}
			class = Severity
			if b.Severity != oracle.Error || c.findings[k].Severity == kernel.Error || c.hidden(b) {
				return nil
			}
		}
	}
	text := fmt.Sprintf("%v byte %d (launch %d, block %d), %v, first at event %d:", [...]string{"global", "shared"}[b.Space], b.Addr, b.Launch, b.Block,
		[...]string{"clean", "warning", "error"}[b.Severity], b.Step)
	for i := range c.want.Pairs {
		if p := &c.want.Pairs[i]; on(p, b) {
			text += fmt.Sprintf(" events %d and %d (cause %d)", p.First.Event, p.Second.Event, p.Cause)
		}
	}
	return &Failure{class, text}
}

func on(p *oracle.Pair, b *oracle.Byte) bool {
	return p.Space == b.Space && p.Lo <= b.Addr && b.Addr < p.Hi && (p.Space == oracle.Global || p.Launch == b.Launch && p.Block == b.Block)
}

// hidden reports whether every error on a byte is between plain writes of different values where the older one had been overwritten by a write of the same value
// that races as well: the shadow remembers the last write only, and so the detector calls that a warning.
func (c *comparison) hidden(b *oracle.Byte) bool {
	for i := range c.want.Pairs {
		p := &c.want.Pairs[i]
		if !on(p, b) || severityOf(p) != kernel.Error {
			continue
		}
		if !p.First.Write || !p.Second.Write || !slices.ContainsFunc(c.want.Pairs, func(q oracle.Pair) bool {
			return q.Second == p.Second && q.Cause == oracle.SameValue && on(&q, b) && q.First.Event > p.First.Event
		}) {
			return false
		}
	}
	return true
}
