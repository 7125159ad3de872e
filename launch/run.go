package launch

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/pallas"
	"gpusim/pallas/lint"
)

// Options says how a prepared plan is run.
type Options struct {
	// NewDevice makes the device of one seed.
	NewDevice func(seed uint64) (Device, error)
	Seed      uint64 // the first
	Seeds     int    // how many; 0 is 1
	Policy    Policy
	// Save names files for buffers at the end of the first seed's run.
	Save map[string]string
	// Input fills a buffer whose contents the plan leaves to the run. It is called in the
	// order of the plan's buffers, with memory that is zero.
	Input func(name string, data []byte) error
	// Output is given every buffer at the end of the first seed's run, if that is complete.
	// The memory may be kept. It may be nil.
	Output func(name string, data []byte)
	// Pallas are the choices for exported Pallas programs.
	Pallas pallas.Settings
	// Interrupt is closed when the run shall end; the devices watch it too.
	Interrupt <-chan struct{}
	// Observe is told of every launch that has ended. It may be nil.
	Observe func(seed uint64, r device.LaunchResult)
	// Starting is told of every launch that begins. It may be nil.
	Starting func(seed uint64, launch int, kernel string)
}

// Run runs the plan once for each seed and merges what that finds. The result holds
// everything so far, also with an error.
func (p *Prepared) Run(o Options) (*Result, error) {
	r := &Result{Program: p.plan.Program(), Seed: o.Seed, Seeds: max(o.Seeds, 1), Complete: true}
	for i := range r.Seeds {
		if err := p.runSeed(o, r, o.Seed+uint64(i)); err != nil {
			r.Complete = false
			r.sort()
			return r, err
		}
		if o.interrupted() {
			break
		}
	}
	r.sort()
	return r, nil
}

func (o *Options) interrupted() bool {
	select {
	case <-o.Interrupt:
		return true
	default: // also if there is no channel
		return false
	}
}

// run is one execution of the plan on one device.
type run struct {
	*Prepared
	options  Options
	device   Device
	buffers  map[string]*memory.Buffer
	programs []exec.Program // by step
	shared   []int64        // dynamic shared memory by step
	launches []device.LaunchResult
	expect   []ExpectResult
}

func (p *Prepared) runSeed(o Options, r *Result, seed uint64) (err error) {
	dev, err := o.NewDevice(seed)
	if err != nil {
		return err
	}
	defer func() {
		if e := dev.Close(); err == nil {
			err = e
		}
	}()
	x := &run{Prepared: p, options: o, device: dev, buffers: map[string]*memory.Buffer{}}
	if err := x.setUp(); err != nil {
		return err
	}
	first := len(r.Launches) == 0 && seed == o.Seed
	stopped, err := x.launch(seed)
	if stopped == "" && err == nil {
		err = x.check()
		if err == nil && first {
			x.output()
			err = x.save()
		}
	}
	if first {
		r.Launches, r.Output = x.launches, dev.Output()
	}
	if stopped != "" && r.Complete {
		r.Complete, r.Stopped = false, stopped
	}
	findings := dev.Findings()
	if first && o.Pallas.Lint && p.plan.pallas != nil {
		findings = append(findings, lint.Check(p.plan.pallas, o.Pallas.Arch)...)
	}
	r.merge(seed, o.Policy.apply(findings), x.expect)
	return err
}

// setUp allocates and fills the memory and prepares all programs, so that everything
// wrong with the input shows before anything runs.
func (x *run) setUp() error {
	c := &checker{dir: x.plan.dir}
	if err := x.module.Instantiate(x.device); err != nil {
		c.take(x.plan.programs[0].at, "program", err)
		return c.errs.err()
	}
	for _, b := range x.plan.buffers {
		mem, err := x.allocate(b)
		if err == nil {
			err = x.fill(b, mem, c)
		}
		if err != nil {
			c.add(b.at, "buffer "+b.name, "%v", err)
			continue
		}
		x.buffers[b.name] = mem
	}
	if len(c.errs) > 0 {
		return c.errs.err()
	}
	x.fillAddresses()
	x.programs = make([]exec.Program, len(x.kernels))
	x.shared = make([]int64, len(x.kernels))
	for i, k := range x.kernels {
		if k == nil {
			continue
		}
		if err := x.program(i, k); err != nil {
			c.take(x.plan.steps[i].kernel.at, "kernel "+k.Signature().Name, err)
		}
	}
	return c.errs.err()
}

// program prepares a step's kernel with its arguments. Where dynamic shared memory lies is
// known only after a first try, so pointers to it need a second one.
func (x *run) program(i int, k Kernel) error {
	s, sig := &x.plan.steps[i], k.Signature()
	if p, ok := k.(pallasModule); ok {
		p.settings = x.options.Pallas
		k = p
	}
	pack := packer{buffers: x.buffers}
	block, shared := pack.pack(sig, s)
	p, err := k.Program(block)
	if err != nil {
		return err
	}
	if shared != s.shared {
		_, pack.dynamic = dynamicShared(p)
		block, _ = pack.pack(sig, s)
		if p, err = k.Program(block); err != nil {
			return err
		}
		p, _ = dynamicShared(p)
	}
	x.programs[i], x.shared[i] = p, shared
	return nil
}

func (x *run) allocate(b *buffer) (*memory.Buffer, error) {
	if b.symbol.text == "" {
		return x.device.Alloc(b.name, b.size(), b.init.kind != initNone)
	}
	mem := x.module.Buffer(b.symbol.text)
	if mem == nil || mem.Size() != b.size() {
		return nil, fmt.Errorf("the program has no variable %q of %d bytes", b.symbol.text, b.size())
	}
	return mem, nil
}

// fill writes a buffer's initial content. A module variable without init keeps the
// program's own.
func (x *run) fill(b *buffer, mem *memory.Buffer, c *checker) error {
	switch {
	case b.init == nil || b.init.kind == initNone:
		return nil
	case b.init.kind == initGiven && x.options.Input != nil:
		return x.options.Input(b.name, mem.Data)
	case b.init.kind == initGiven:
		return errNotGiven
	}
	if b.symbol.text != "" {
		clear(mem.Data)
	}
	return b.init.write(mem.Data, b.dtype, c.path, x.options.interrupted)
}

var errNotGiven = errors.New("its contents are missing")

// output hands out all buffers that still exist.
func (x *run) output() {
	if x.options.Output == nil {
		return
	}
	for _, b := range x.plan.buffers {
		if mem := x.buffers[b.name]; !mem.Freed {
			x.options.Output(b.name, mem.Data)
		}
	}
}

func (x *run) fillAddresses() {
	pack := packer{buffers: x.buffers}
	for _, b := range x.plan.buffers {
		if b.init == nil {
			continue
		}
		for i, a := range b.init.addresses {
			b.dtype.put(x.buffers[b.name].Data[i*b.dtype.Size:], pack.address(a))
		}
	}
}

// sized is a program that knows itself how it is launched.
type sized interface {
	Extent() (grid, block kernel.Dim3)
}

// launch runs the steps until the end or until one of them does not complete, and says
// why in that case.
func (x *run) launch(seed uint64) (stopped string, err error) {
	for i, s := range x.plan.steps {
		if s.free != "" {
			x.device.Free(x.buffers[s.free])
			continue
		}
		sig := x.kernels[i].Signature()
		if x.options.Starting != nil {
			x.options.Starting(seed, len(x.launches), sig.Name)
		}
		grid, block := s.grid, s.block
		if p, ok := x.programs[i].(sized); ok {
			grid, block = p.Extent()
		}
		r := x.device.Launch(x.programs[i], device.Spec{Kernel: sig.Name, Grid: grid, Block: block,
			Cluster: kernel.Dim3{X: 1, Y: 1, Z: 1}, DynShared: x.shared[i]})
		x.launches = append(x.launches, r)
		if x.options.Observe != nil {
			x.options.Observe(seed, r)
		}
		if !r.Complete {
			stopped = fmt.Sprintf("launch %d (%s): %s", len(x.launches)-1, sig.Name, r.Stopped)
			return stopped, x.launchError(&s, r.Err)
		}
	}
	return "", nil
}

// launchError is an internal error as it is, and any other as one of the launch's input.
func (x *run) launchError(s *step, err error) error {
	var internal *device.InternalError
	if err == nil || errors.As(err, &internal) {
		return err
	}
	c := &checker{}
	c.take(s.at, "launch", err)
	return c.errs.err()
}

// save writes buffers to files.
func (x *run) save() error {
	for _, name := range slices.Sorted(maps.Keys(x.options.Save)) {
		b, path := x.plan.buffer(name), x.options.Save[name]
		f, err := os.Create(path)
		if err == nil {
			err = writeNpy(f, x.buffers[name].Data, b.dtype, b.shape)
			if e := f.Close(); err == nil {
				err = e
			}
		}
		if err != nil {
			return InputErrors{{Reading: "--save " + name, Cause: path + ": " + plainError(err).Error()}}
		}
	}
	return nil
}

// CheckSave reports buffers that cannot be saved because the plan has none of that name
// or frees it.
func (p *Plan) CheckSave(save map[string]string) (errs InputErrors) {
	for name := range save {
		if p.buffer(name) == nil {
			errs = append(errs, InputError{Reading: "--save " + name, Cause: "there is no such buffer" + nearest(name, p.bufferNames())})
		}
		for _, s := range p.steps {
			if s.free == name {
				errs = append(errs, InputError{Reading: "--save " + name, Cause: "the buffer is freed"})
			}
		}
	}
	return errs
}
