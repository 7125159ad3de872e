package report

import (
	"encoding/json"
	"io"

	"gpusim/kernel"
)

// Schema is the version of the JSON report.
const Schema = "gpusim-report/1"

// The types below are the contract: all keys are always present, and lists are never null.

type jsonReport struct {
	Schema   string        `json:"schema"`
	Program  string        `json:"program"`
	Seed     uint64        `json:"seed"`
	Verdict  string        `json:"verdict"`
	Complete bool          `json:"complete"`
	Errors   []jsonError   `json:"errors"`
	Output   string        `json:"output"`
	Launches []jsonLaunch  `json:"launches"`
	Findings []jsonFinding `json:"findings"`
	Expect   []jsonExpect  `json:"expect"`
	Seconds  *float64      `json:"seconds,omitempty"`
}

type jsonError struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type jsonLaunch struct {
	Kernel             string    `json:"kernel"`
	Grid               [3]uint32 `json:"grid"`
	Block              [3]uint32 `json:"block"`
	Cluster            [3]uint32 `json:"cluster"`
	ThreadInstructions uint64    `json:"thread_instructions"`
	Seconds            *float64  `json:"seconds,omitempty"`
}

type jsonFinding struct {
	Kind     string       `json:"kind"`
	Severity string       `json:"severity"`
	Message  string       `json:"message"`
	Missing  string       `json:"missing"`
	Edge     string       `json:"edge"`
	Fix      string       `json:"fix"`
	Launch   int          `json:"launch"`
	Kernel   string       `json:"kernel"`
	Space    string       `json:"space"`
	Object   string       `json:"object"`
	Offset   int64        `json:"offset"`
	Size     int          `json:"size"`
	Count    uint64       `json:"count"`
	Waits    []jsonWait   `json:"waits"`
	Accesses []jsonAccess `json:"accesses"`
}

type jsonWait struct {
	Block  [3]uint32 `json:"block"`
	Thread [3]uint32 `json:"thread"`
	File   string    `json:"file"`
	Line   int       `json:"line"`
	On     string    `json:"on"`
	Needs  string    `json:"needs"`
}

type jsonAccess struct {
	Op          string      `json:"op"`
	Atomic      bool        `json:"atomic"`
	Device      int         `json:"device"`
	Block       [3]uint32   `json:"block"`
	Thread      [3]uint32   `json:"thread"`
	File        string      `json:"file"`
	Line        int         `json:"line"`
	Column      int         `json:"column"`
	InlinedAt   []jsonPlace `json:"inlined_at"`
	Function    string      `json:"function"`
	Instruction string      `json:"instruction"`
}

// jsonPlace is a call site, innermost first in its list.
type jsonPlace struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Function string `json:"function"`
}

type jsonExpect struct {
	Buffer string `json:"buffer"`
	OK     bool   `json:"ok"`
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	out := jsonReport{
		Schema: Schema, Program: r.Program, Seed: r.Seed, Verdict: r.Verdict(), Complete: r.Complete, Output: r.Output,
		Errors:   convert(r.Errors, func(e Error) jsonError { return jsonError{e.File, e.Line, e.Column, e.Message} }),
		Launches: convert(r.Launches, r.jsonLaunch),
		Findings: convert(r.Findings, func(f Finding) jsonFinding { return newJSONFinding(f.Finding) }),
		Expect:   convert(r.Expect, func(e Expect) jsonExpect { return jsonExpect(e) }),
	}
	if r.Timing {
		s := r.seconds()
		out.Seconds = &s
	}
	return writeJSON(w, out)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// convert maps a list; the result is never nil.
func convert[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

func triple(d kernel.Dim3) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

func (r *Report) jsonLaunch(l Launch) jsonLaunch {
	out := jsonLaunch{Kernel: l.Kernel, Grid: triple(l.Grid), Block: triple(l.Block), Cluster: triple(l.Cluster),
		ThreadInstructions: l.ThreadInstructions}
	if r.Timing {
		out.Seconds = &l.Seconds
	}
	return out
}

func newJSONFinding(f kernel.Finding) jsonFinding {
	space := f.Space.String()
	if f.Space == kernel.Generic && f.Object == "" {
		space = "" // no memory is involved
	}
	return jsonFinding{
		Kind: string(f.Kind), Severity: f.Severity.String(), Message: f.Message, Missing: f.Missing, Edge: string(f.Edge),
		Fix: f.Fix, Launch: f.Launch, Kernel: f.Kernel, Space: space, Object: f.Object, Offset: f.Offset, Size: f.Size,
		Count: f.Count,
		Waits: convert(f.Waits, func(w kernel.Wait) jsonWait {
			return jsonWait{triple(w.Thread.Block), triple(w.Thread.Thread), w.Source.File, w.Source.Line, w.On, w.Needs}
		}),
		Accesses: convert(f.Accesses, newJSONAccess),
	}
}

func newJSONAccess(a kernel.Access) jsonAccess {
	s := a.Source
	return jsonAccess{
		Op: a.Op, Atomic: a.Atomic, Device: a.Thread.Device, Block: triple(a.Thread.Block), Thread: triple(a.Thread.Thread),
		File: s.File, Line: s.Line, Column: s.Column, Function: s.Function, Instruction: s.PTX,
		InlinedAt: convert(s.InlinedAt, func(p kernel.Source) jsonPlace {
			return jsonPlace{p.File, p.Line, p.Column, p.Function}
		}),
	}
}
