package device

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/internal/toy"
	"gpusim/kernel"
	"gpusim/memory"
)

func dim(x uint32) kernel.Dim3 { return kernel.Dim3{X: x, Y: 1, Z: 1} }

var granularities = map[string]exec.Granularity{"warp": exec.ByWarp, "thread": exec.ByThread}

// newDevice makes a device that the test closes.
func newDevice(t *testing.T, o Options) *Device {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func newBuffer(t *testing.T, d *Device, name string, size int64) *memory.Buffer {
	t.Helper()
	b, err := d.Alloc(name, size, true)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// each runs a test with several seeds in both granularities.
func each(t *testing.T, o Options, test func(t *testing.T, d *Device)) {
	for name, g := range granularities {
		for seed := range uint64(5) {
			t.Run(fmt.Sprintf("%s-%d", name, seed), func(t *testing.T) {
				o.Seed, o.Granularity = seed, g
				test(t, newDevice(t, o))
			})
		}
	}
}

// one checks that there is exactly one finding.
func one(t *testing.T, d *Device, kind kernel.Kind, message string) kernel.Finding {
	t.Helper()
	list := d.Findings()
	if len(list) != 1 || list[0].Kind != kind || !strings.Contains(list[0].Message, message) {
		t.Fatalf("want one %s with %q, got %+v", kind, message, list)
	}
	return list[0]
}

func none(t *testing.T, d *Device) {
	t.Helper()
	if list := d.Findings(); len(list) != 0 {
		t.Fatalf("%+v", list)
	}
}

func script(steps ...toy.Step) func(*toy.Thread) []toy.Step {
	return func(*toy.Thread) []toy.Step { return steps }
}

func TestBarrierKernel(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		b := newBuffer(t, d, "x", 64)
		p := &toy.Program{Vars: []exec.SharedVar{{Name: "tile", Size: 128}}, Script: func(*toy.Thread) []toy.Step {
			return []toy.Step{toy.Run(10), toy.Add(b, 0), toy.Bar(12, 0, 0, barrier.Sync), func(*toy.Thread) toy.Result {
				if b.Data[0]%70 != 0 {
					t.Error("a thread passed the barrier before all had come", b.Data[0])
				}
				return toy.Next
			}, toy.Bar(13, 0, 0, barrier.Sync)}
		}}
		r := d.Launch(p, Spec{Kernel: "k", Grid: dim(3), Block: dim(70)})
		if !r.Complete || r.Err != nil || b.Data[0] != 210 || r.Cluster != dim(1) {
			t.Errorf("%+v %v", r, b.Data[0])
		}
		none(t, d)
	})
}

func TestDeadlockAtTwoBarriers(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		p := &toy.Program{Script: func(th *toy.Thread) []toy.Step {
			return []toy.Step{toy.Bar(10+th.Warp.Index, th.Warp.Index, 0, barrier.Sync)}
		}}
		r := d.Launch(p, Spec{Kernel: "k", Grid: dim(100), Block: dim(64)})
		if r.Complete || r.Stopped != "deadlock" || r.Err != nil {
			t.Errorf("%+v", r)
		}
		f := one(t, d, kernel.Deadlock, "warp 0 waits at barrier 0 (toy.cu:10) for warp 1, which waits at barrier 1 (toy.cu:11) for warp 0")
		if len(f.Waits) != 2 || f.Waits[1].Thread.Thread != (kernel.Dim3{X: 32}) || f.Kernel != "k" {
			t.Errorf("%+v", f)
		}
	})
}

func TestLivelock(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		flag := newBuffer(t, d, "flag", 1)
		p := &toy.Program{Mixes: true, Script: script(toy.Until(7, flag, 0, 1))}
		r := d.Launch(p, Spec{Kernel: "k", Grid: dim(3), Block: dim(32)})
		if r.Stopped != "livelock" {
			t.Errorf("%+v", r)
		}
		if f := one(t, d, kernel.Livelock, "spins at toy.cu:7 on flag at offset 0"); len(f.Waits) != 3 {
			t.Errorf("%+v", f.Waits)
		}
	})
}

// gridBarrier is a hand-made barrier of all blocks: it needs all of them resident.
func gridBarrier(counter *memory.Buffer, blocks byte) *toy.Program {
	return &toy.Program{Mixes: true, Script: func(th *toy.Thread) []toy.Step {
		if th.First() != 0 {
			return nil
		}
		return []toy.Step{func(*toy.Thread) toy.Result {
			counter.Data[0]++
			counter.Changed(0, 1)
			return toy.Next
		}, toy.Until(9, counter, 0, blocks)}
	}}
}

func TestGridBarrier(t *testing.T) {
	each(t, Options{Resident: 8}, func(t *testing.T, d *Device) {
		counter := newBuffer(t, d, "counter", 1)
		if r := d.Launch(gridBarrier(counter, 8), Spec{Kernel: "k", Grid: dim(8), Block: dim(32)}); !r.Complete {
			t.Fatal(r, d.Findings())
		}
		none(t, d)
		counter.Data[0] = 0
		if r := d.Launch(gridBarrier(counter, 10), Spec{Kernel: "k", Grid: dim(10), Block: dim(32)}); r.Stopped != "deadlock" {
			t.Fatal(r)
		}
		f := one(t, d, kernel.Deadlock, "2 blocks can never start, because the device holds at most 8 blocks of this launch at once")
		if f.Launch != 1 || f.Fix != "launch at most 8 blocks, or do not wait for blocks that may not have started" {
			t.Errorf("%+v", f)
		}
	})
}

func TestExitedThreadsAreNotWaitedFor(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		p := &toy.Program{Script: func(th *toy.Thread) []toy.Step {
			if th.Warp.Index == 1 {
				return []toy.Step{toy.Run(50), toy.Return()}
			}
			return []toy.Step{toy.Bar(4, 0, 0, barrier.Sync), toy.Bar(5, 0, 0, barrier.Sync)}
		}}
		if r := d.Launch(p, Spec{Kernel: "k", Grid: dim(2), Block: dim(96)}); !r.Complete {
			t.Fatal(r, d.Findings())
		}
		none(t, d)
	})
}

func TestBarrierMisuse(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		p := &toy.Program{Script: func(th *toy.Thread) []toy.Step {
			if th.Warp.Index == 0 {
				return []toy.Step{toy.Bar(4, 1, 96, barrier.Arrive)}
			}
			return nil
		}}
		d.Launch(p, Spec{Kernel: "k", Grid: dim(3), Block: dim(96)})
		if f := one(t, d, kernel.BarrierMisuse, "unmatched arrive: warp 0 arrived at barrier 1"); f.Count != 3 {
			t.Error("three blocks, one finding:", f.Count)
		}
	})
}

func TestExplicitCountReleasedByExits(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		p := &toy.Program{Script: func(th *toy.Thread) []toy.Step {
			if th.Warp.Index == 0 {
				return nil
			}
			return []toy.Step{toy.Bar(4, 1, 96, barrier.Sync)}
		}}
		if r := d.Launch(p, Spec{Kernel: "k", Grid: dim(1), Block: dim(96)}); !r.Complete {
			t.Error(r)
		}
		if f := one(t, d, kernel.BarrierMisuse, "the others have exited"); f.Severity != kernel.Warning {
			t.Error(f)
		}
	})
}

func TestBudgetTrapAndPanic(t *testing.T) {
	each(t, Options{MaxInstructions: 1000}, func(t *testing.T, d *Device) {
		spec := Spec{Kernel: "k", Grid: dim(4), Block: dim(32)}
		endless := &toy.Program{Script: script(func(*toy.Thread) toy.Result { return toy.Again })}
		r := d.Launch(endless, spec)
		if r.Complete || r.Faulted || r.Stopped != "instruction budget used up" || r.Err != nil || r.Counters.ThreadInstructions > 1000 {
			t.Errorf("%+v", r)
		}
		none(t, d) // no verdict comes from a budget
		if r := d.Launch(&toy.Program{Script: script(toy.Trap("trap"))}, spec); r.Complete || !r.Faulted || r.Stopped != "trap" {
			t.Errorf("%+v", r)
		}
		r = d.Launch(&toy.Program{Script: script(toy.Panic("oops"))}, spec)
		var internal *InternalError
		if r.Complete || !errors.As(r.Err, &internal) || internal.Panic != "oops" || internal.Instruction != "step 0" || len(internal.Stack) == 0 {
			t.Errorf("%+v", r)
		}
		if r := d.Launch(endless, spec); r.Err == nil {
			t.Error("a device that has failed runs nothing more")
		}
	})
}

func TestPanicOutsideOfActors(t *testing.T) {
	d := newDevice(t, Options{})
	r := d.Launch(nil, Spec{Kernel: "k", Grid: dim(4), Block: dim(32)})
	var internal *InternalError
	if !errors.As(r.Err, &internal) || r.Complete {
		t.Errorf("%+v", r)
	}
}

func TestBadLaunches(t *testing.T) {
	d := newDevice(t, Options{})
	p := &toy.Program{Script: script()}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Kernel: "k", Grid: dim(0), Block: dim(1)}, "kernel k: grid (0,1,1): every dimension must be at least 1"},
		{Spec{Kernel: "k", Grid: dim(1), Block: kernel.Dim3{X: 8, Y: 8, Z: 65}}, "kernel k: block (8,8,65): at most (1024,1024,64) is possible"},
		{Spec{Kernel: "k", Grid: kernel.Dim3{X: 1, Y: 65536, Z: 1}, Block: dim(1)}, "kernel k: grid (1,65536,1): at most (2147483647,65535,65535) is possible"},
		{Spec{Kernel: "k", Grid: dim(1), Block: kernel.Dim3{X: 1024, Y: 2, Z: 1}}, "kernel k: block (1024,2,1) has 2048 threads: at most 1024 are possible"},
		{Spec{Kernel: "k", Grid: dim(1), Block: dim(1), DynShared: -1}, "kernel k: -1 bytes of dynamic shared memory"},
	} {
		if r := d.Launch(p, c.spec); r.Complete || r.Err == nil || r.Err.Error() != c.want {
			t.Errorf("got %v, want %s", r.Err, c.want)
		}
	}
}

func TestSharedMemoryThatNoDeviceHas(t *testing.T) {
	d := newDevice(t, Options{Model: "v100"})
	p := &toy.Program{Vars: []exec.SharedVar{{Name: "tile", Dynamic: true, Source: kernel.Source{File: "toy.cu", Line: 2}}, {Name: "s", Size: 16}}, Script: script()}
	r := d.Launch(p, Spec{Kernel: "k", Grid: dim(1), Block: dim(32), DynShared: 96 << 10})
	if r.Complete || r.Err != nil {
		t.Errorf("%+v", r)
	}
	f := one(t, d, kernel.AllocationMisuse, "a block of k needs 96.02 KiB of shared memory (96 KiB the largest variable, tile), but the device V100 (sm_70) gives a block at most 96 KiB")
	if f.Object != "tile" || f.Accesses[0].Source.Line != 2 {
		t.Errorf("%+v", f)
	}
	if r := d.Launch(p, Spec{Kernel: "k", Grid: dim(1), Block: dim(32), DynShared: 64 << 10}); !r.Complete {
		t.Errorf("%+v", r)
	}
}

func TestOneSeedOneReport(t *testing.T) {
	report := func(seed uint64, g exec.Granularity) []kernel.Finding {
		d := newDevice(t, Options{Seed: seed, Granularity: g})
		p := racyTile(false)
		d.Launch(p, Spec{Kernel: "k", Grid: dim(3), Block: dim(96)})
		d.Launch(&toy.Program{Script: func(th *toy.Thread) []toy.Step {
			return []toy.Step{toy.Bar(10+th.Warp.Index, th.Warp.Index, 0, barrier.Sync)}
		}}, Spec{Kernel: "k", Grid: dim(100), Block: dim(64)})
		return d.Findings()
	}
	for _, g := range granularities {
		a := report(3, g)
		if len(a) < 2 || !reflect.DeepEqual(a, report(3, g)) {
			t.Errorf("%+v", a)
		}
	}
}

// TestProgress looks at what a launch tells on its way.
func TestProgress(t *testing.T) {
	var steps []Progress
	d := newDevice(t, Options{Progress: func(p Progress) { steps = append(steps, p) }})
	d.Launch(&toy.Program{Script: script(toy.Run(100), toy.Run(100))}, Spec{Kernel: "k", Grid: dim(2000), Block: dim(64)})
	if len(steps) < 3 {
		t.Fatalf("told %d times", len(steps))
	}
	last := Progress{}
	for _, p := range steps {
		if p.Total != 2000 || p.Done < last.Done || p.Done > p.Total || p.Counters.ThreadInstructions < last.Counters.ThreadInstructions {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	if last.Done == 0 || last.Counters.ThreadInstructions == 0 {
		t.Errorf("ends with %+v", last)
	}
}
