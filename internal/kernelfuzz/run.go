package kernelfuzz

import (
	"encoding/binary"
	"errors"
	"fmt"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/ptx"
)

// Outcome is what a device made of a program.
type Outcome struct {
	Steps    []Step
	Findings []kernel.Finding
	Global   []byte
	Sums     [][]uint64
}

// Run runs PTX text on a device of its own.
func Run(p *Program, text string, g exec.Granularity) (out *Outcome, err error) {
	m, err := ptx.Load([]ptx.Source{{Name: "k.ptx", Text: []byte(text)}})
	if err != nil {
		return nil, err
	}
	out = &Outcome{}
	var programs []exec.Program
	d, err := device.New(device.Options{Seed: p.Seed, Schedule: p.Schedule, Granularity: g, Observe: func(e exec.Event) {
		s := Step{Event: e}
		if e.Instruction >= 0 {
			s.Line = programs[e.Launch].Source(e.Instruction).PTXLine
		}
		out.Steps = append(out.Steps, s)
	}})
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := d.Close(); err == nil {
			err = e
		}
	}()
	if err := m.Instantiate(d); err != nil {
		return nil, err
	}
	global, err := d.Alloc("g", globalBytes, true)
	if err != nil {
		return nil, err
	}
	for i := range global.Data {
		global.Data[i] = initial(i)
	}
	threads := p.Blocks * p.Threads
	for i := range p.Kernels {
		sums, err := d.Alloc("sums", int64(8*threads), true)
		if err != nil {
			return nil, err
		}
		k, err := m.Find(KernelName(i))
		if err != nil {
			return nil, err
		}
		args := binary.LittleEndian.AppendUint64(nil, global.Base)
		args = binary.LittleEndian.AppendUint64(args, sums.Base)
		prog, err := k.Program(args)
		if err != nil {
			return nil, err
		}
		programs = append(programs, prog)
		r := d.Launch(prog, device.Spec{Kernel: k.Full, Grid: kernel.Dim3{X: uint32(p.Blocks), Y: 1, Z: 1}, Block: kernel.Dim3{X: uint32(p.Threads), Y: 1, Z: 1}})
		if r.Err != nil {
			var bug *device.InternalError
			if errors.As(r.Err, &bug) {
				return out, fmt.Errorf("%w\n%s", r.Err, bug.Stack)
			}
			return out, r.Err
		}
		list := make([]uint64, threads)
		for t := range list {
			list[t] = binary.LittleEndian.Uint64(sums.Data[8*t:])
		}
		out.Sums = append(out.Sums, list)
		if !r.Complete {
			out.Findings = d.Findings()
			return out, fmt.Errorf("launch %d stopped: %s; %v", i, r.Stopped, out.Findings)
		}
	}
	out.Findings = d.Findings()
	out.Global = global.Data
	return out, nil
}
