// Package serve answers requests to run exported Pallas programs, one after the other, over
// a pair of streams: what the process `gpusim serve` does for gpusim_jax. Arrays are raw
// bytes in the frames; inputs are read straight into device memory, and results are written
// straight out of it.
package serve

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"gpusim/device"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/pallas"
	"gpusim/report"
)

// request is the header of a frame to the server.
type request struct {
	// Op is "load" (the body is a program), "run", "unload" or "ping".
	Op      string  `json:"op"`
	Name    string  `json:"name"`    // load: what messages call the program
	Program int     `json:"program"` // run, unload: the number that load has given
	Options options `json:"options"`
	// Inputs are the lengths of the arrays in the body of run: those of all buffers that the
	// program marks as input, of device 0, then of device 1, and so on.
	Inputs []int64 `json:"inputs"`
	// Outputs names the buffers that the answer shall hold.
	Outputs []string `json:"outputs"`
}

// options are those of one run. The zero value is usable.
type options struct {
	Seed               uint64            `json:"seed"`
	Schedule           string            `json:"schedule"`
	Completion         string            `json:"completion"`
	ReadOverwriteFence string            `json:"read_overwrite_fence"`
	Arch               string            `json:"arch"`
	Lint               bool              `json:"lint"`
	NoRaces            bool              `json:"no_races"`
	MaxInstructions    int64             `json:"max_instructions"`
	Policy             map[string]string `json:"policy"` // severities of kinds of findings
}

// answer is the header of a frame from the server.
type answer struct {
	// Error is a request that could not be served. A program that is not complete is no
	// error: its report says why.
	Error   string `json:"error,omitempty"`
	Program int    `json:"program,omitempty"`
	// Report is the length of the report, which comes first in the body.
	Report  int     `json:"report"`
	Outputs []int64 `json:"outputs"`           // lengths; empty if the program is not complete
	Stopped string  `json:"stopped,omitempty"` // why the program is not complete
}

type program struct {
	name     string
	prepared *launch.Prepared
	small    bool // garbage of a run is small beside the machine's memory
}

// smallProgram is how many bytes the buffers of a program may have for which garbage is
// collected seldom. Most of a run's memory is garbage afterwards, and collecting it was up to
// half of the time of small programs.
const (
	smallProgram = 64 << 20
	seldom       = 800 // percent of what is in use
)

// collect sets how often garbage is collected.
func (s *server) collect(percent int) {
	if s.gcPercent != 0 && s.gcPercent != percent {
		debug.SetGCPercent(percent)
		s.gcPercent = percent
	}
}

type server struct {
	gcPercent int // 0: the user has chosen
	in        *bufio.Reader
	out       *bufio.Writer
	maxMemory int64
	programs  map[int]*program
	last      int
	log       io.Writer
}

// Serve answers requests until the input ends, which also ends a program under way. Stacks
// of internal errors go to log.
func Serve(in io.Reader, out, log io.Writer, maxMemory int64) error {
	s := &server{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10), maxMemory: maxMemory, programs: map[int]*program{}, log: log}
	if os.Getenv("GOGC") == "" {
		s.gcPercent = 100
		defer debug.SetGCPercent(debug.SetGCPercent(s.gcPercent))
	}
	for {
		var r request
		b, err := readFrame(s.in, &r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if b == nil {
			if e := writeFrame(s.out, answer{Error: err.Error()}); e != nil {
				return e
			}
			return err
		}
		var a answer
		var parts [][]byte
		var watched <-chan struct{}
		if err == nil {
			a, parts, watched, err = s.serve(&r, b)
		}
		if err != nil {
			a, parts = answer{Error: err.Error()}, nil
		}
		if e := b.drop(); e != nil {
			return nil // the other side is gone
		}
		if err := writeFrame(s.out, a, parts...); err != nil {
			return err
		}
		if watched != nil {
			<-watched
		}
	}
}

// serve does what a request says. A panic is an error of this request only.
func (s *server) serve(r *request, b *body) (a answer, parts [][]byte, watched <-chan struct{}, err error) {
	var w *watch
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			fmt.Fprintf(s.log, "%s", stack)
			err = fmt.Errorf("internal error in %s of %s: %v\n%s", r.Op, s.name(r), v, stack)
		}
		if w != nil {
			watched = w.done
		}
	}()
	switch r.Op {
	case "ping":
		return a, nil, nil, nil
	case "load":
		a.Program, err = s.load(r, b)
		return a, nil, nil, err
	case "unload":
		if s.programs[r.Program] == nil {
			return a, nil, nil, fmt.Errorf("unload: there is no program %d", r.Program)
		}
		delete(s.programs, r.Program)
		return a, nil, nil, nil
	case "run":
		p := s.programs[r.Program]
		if p == nil {
			return a, nil, nil, fmt.Errorf("run: there is no program %d", r.Program)
		}
		w = &watch{in: s.in, interrupt: make(chan struct{})}
		a, parts, err = s.run(p, r, b, w)
		return a, parts, nil, err
	}
	return a, nil, nil, fmt.Errorf("unknown request %q", r.Op)
}

// name is the program of a request, for messages.
func (s *server) name(r *request) string {
	if p := s.programs[r.Program]; p != nil {
		return p.name
	}
	return r.Name
}

func (s *server) load(r *request, b *body) (int, error) {
	text, err := b.all()
	if err != nil {
		return 0, err
	}
	plan, errs := launch.LoadPallas(r.Name, text, s.maxMemory)
	prepared, err := plan.Prepare(launch.PTX, errs)
	if err != nil {
		return 0, err
	}
	s.last++
	s.programs[s.last] = &program{r.Name, prepared, prepared.Bytes() <= smallProgram}
	return s.last, nil
}

// watch notices that the input has ended while a program runs.
type watch struct {
	in        *bufio.Reader
	interrupt chan struct{}
	done      chan struct{} // nil: not started
}

// start begins to wait for the next frame. Nothing may read the input until done.
func (w *watch) start() {
	if w.done != nil {
		return
	}
	w.done = make(chan struct{})
	go func() {
		defer close(w.done)
		if _, err := w.in.Peek(1); err != nil {
			close(w.interrupt)
		}
	}()
}

func (s *server) run(p *program, r *request, b *body, w *watch) (a answer, parts [][]byte, err error) {
	o := &r.Options
	settings := pallas.Settings{Completion: o.Completion, ReadOverwriteFence: o.ReadOverwriteFence, Arch: o.Arch, Lint: o.Lint}
	if err := settings.Check(); err != nil {
		return a, nil, err
	}
	policy, err := launch.ParsePolicy(o.Policy)
	if err != nil {
		return a, nil, err
	}
	if p.small {
		s.collect(seldom)
	} else {
		s.collect(100)
	}
	given := 0
	outputs := make(map[string][]byte, len(r.Outputs))
	rep := &report.Report{File: p.name, Program: p.name, Seed: o.Seed, Seeds: 1, FailOn: kernel.Error, Complete: true}
	result, err := p.prepared.Run(launch.Options{
		NewDevice: func(seed uint64) (launch.Device, error) {
			return device.New(device.Options{Seed: seed, Schedule: o.Schedule, MaxInstructions: o.MaxInstructions, MaxMemory: s.maxMemory,
				NoRaces: o.NoRaces, Interrupt: w.interrupt})
		},
		Seed: o.Seed, Policy: policy, Pallas: settings, Interrupt: w.interrupt,
		Input: func(name string, data []byte) error {
			if given++; given > len(r.Inputs) {
				return fmt.Errorf("it is input %d, and %d are given", given-1, len(r.Inputs))
			}
			if n := r.Inputs[given-1]; n != int64(len(data)) {
				return fmt.Errorf("it has %d bytes, and %d are given", len(data), n)
			}
			return b.fill(data)
		},
		Output: func(name string, data []byte) { outputs[name] = data },
		Starting: func(uint64, int, string) {
			if b.left == 0 {
				w.start()
			}
		},
	})
	if err == nil && (given != len(r.Inputs) || b.left > 0) {
		return a, nil, fmt.Errorf("run of %s: %d inputs and %d bytes more than the program takes", p.name, len(r.Inputs)-given, b.left)
	}
	result.Report(rep)
	if err != nil {
		if stack := launch.ReportError(rep, err); stack != nil {
			fmt.Fprintf(s.log, "%s\n", stack)
		}
	}
	var text bytes.Buffer
	if err := rep.WriteJSON(&text); err != nil {
		return a, nil, err
	}
	a.Report, parts = text.Len(), [][]byte{text.Bytes()}
	if !rep.Complete {
		a.Stopped = rep.Stopped
		return a, parts, nil
	}
	for _, name := range r.Outputs {
		data, ok := outputs[name]
		if !ok {
			return answer{}, nil, fmt.Errorf("run of %s: there is no buffer %q", p.name, name)
		}
		a.Outputs, parts = append(a.Outputs, int64(len(data))), append(parts, data)
	}
	return a, parts, nil
}
