package device

import (
	"strings"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/tensor"
)

var together = []memory.Axis{memory.ThreadAxis}

// threads runs a Go function as a kernel of so many threads in each of so many blocks.
func threads(t *testing.T, blocks, n int, run func(t *Thread, out array.Ref)) (*Device, LaunchResult, []byte) {
	t.Helper()
	d := newDevice(t, Options{})
	x := newBuffer(t, d, "out", 64)
	var p *array.Program
	p = Kernel(Mesh{Grid: []int{blocks}, Threads: n}, func(site int) kernel.Source { return kernel.Source{File: "k.go", Line: site} }, func(t *Thread) {
		run(t, p.Global(t.Memory().Find(x.Base), tensor.I32, []int{16}, false).All())
	})
	grid, block := p.Extent()
	r := d.Launch(p, Spec{Kernel: "k", Grid: grid, Block: block})
	return d, r, x.Data
}

func at(r array.Ref, i int) array.Ref {
	out, err := r.At(array.Index{Start: i, Element: true})
	if err != nil {
		panic(err)
	}
	return out
}

var tile = array.Scratch{Name: "tile", Space: kernel.Shared, Type: tensor.I32, Shape: []int{16}}

func gate(arrivals int) array.Scratch {
	return array.Scratch{Name: "gate", Kind: array.BarrierKind, Shape: []int{1}, Arrivals: arrivals}
}

func TestThreadsShareCollectiveMemory(t *testing.T) {
	for _, wait := range []bool{true, false} {
		d, r, data := threads(t, 1, 2, func(t *Thread, out array.Ref) {
			t.At(1)
			t.Scoped([]array.Scratch{tile, gate(1)}, together, func(s []array.Item) {
				if t.ID == 0 {
					t.At(2)
					t.Store(at(s[0].Ref, 3), tensor.Int(tensor.I32, 42))
					t.At(3)
					t.Arrive(s[1].Barriers[0])
					return
				}
				if wait {
					t.At(4)
					t.Wait(s[1].Barriers[0])
				}
				t.At(5)
				t.Store(at(out, 0), t.Load(at(s[0].Ref, 3)))
			})
		})
		if !r.Complete {
			t.Fatal(r.Stopped, d.Findings())
		}
		if wait {
			none(t, d)
			if data[0] != 42 {
				t.Error(data[:4])
			}
			continue
		}
		for _, f := range d.Findings() {
			if f.Kind == kernel.DataRace {
				if f.Object != "tile" || f.Offset != 12 || f.Edge != kernel.NoBarrier || f.Accesses[0].Source.Line+f.Accesses[1].Source.Line != 7 {
					t.Errorf("%+v", f)
				}
				return
			}
		}
		t.Error("no race:", d.Findings())
	}
}

// What JAX's interpreter aliases silently is a finding with both places.
func TestDivergentScope(t *testing.T) {
	d, r, _ := threads(t, 1, 2, func(t *Thread, out array.Ref) {
		if t.ID == 0 {
			t.At(7)
			t.Scoped([]array.Scratch{{Name: "own", Space: kernel.Shared, Type: tensor.F32, Shape: []int{4}}}, together, func([]array.Item) {})
		}
		t.At(9)
		t.Scoped([]array.Scratch{tile}, together, func([]array.Item) {})
	})
	if r.Complete {
		t.Error("complete")
	}
	f := one(t, d, kernel.AllocationMisuse, "the threads of a block are out of step")
	if len(f.Accesses) != 2 || f.Accesses[0].Source.Line+f.Accesses[1].Source.Line != 16 {
		t.Errorf("%+v", f.Accesses)
	}
}

func TestScopeThatOneThreadNeverEnters(t *testing.T) {
	d, _, _ := threads(t, 2, 2, func(t *Thread, out array.Ref) {
		if t.ID == 0 {
			t.At(7)
			t.Scoped([]array.Scratch{tile}, together, func([]array.Item) {})
		}
	})
	one(t, d, kernel.AllocationMisuse, "thread 1 never makes it")
}

func TestScopeRules(t *testing.T) {
	for _, c := range []struct {
		axes []memory.Axis
		want memory.RuleError
	}{
		{nil, memory.ErrNotThreadAxis},
		{[]memory.Axis{memory.ThreadAxis, memory.ClusterAxis}, memory.ErrClusterAxis},
	} {
		d, _, _ := threads(t, 1, 1, func(t *Thread, out array.Ref) {
			t.Scoped([]array.Scratch{tile}, c.axes, func([]array.Item) {})
		})
		one(t, d, kernel.AllocationMisuse, string(c.want))
	}
}

func TestUseAfterScope(t *testing.T) {
	d, _, _ := threads(t, 1, 1, func(t *Thread, out array.Ref) {
		var kept array.Ref
		t.Scoped([]array.Scratch{tile}, together, func(s []array.Item) { kept = s[0].Ref })
		t.At(4)
		t.Load(kept)
	})
	one(t, d, kernel.UseAfterFree, "after the end of the scope")
}

func TestDeadlockOfThreads(t *testing.T) {
	d, r, _ := threads(t, 2, 3, func(t *Thread, out array.Ref) {
		t.Scoped([]array.Scratch{gate(2)}, together, func(s []array.Item) {
			if t.ID == 0 {
				t.At(5)
				t.Arrive(s[0].Barriers[0])
			}
			t.At(6)
			t.Wait(s[0].Barriers[0])
		})
	})
	if r.Complete {
		t.Error("complete")
	}
	f := one(t, d, kernel.Deadlock, "thread 2 waits at phase 0 of barrier gate (k.go:6) for 1 more of its 2 arrivals")
	if len(f.Waits) < 3 || !strings.Contains(f.Waits[0].Needs, "so far those of thread 0") {
		t.Errorf("%+v", f.Waits)
	}
}

// A phase hands on what its own arrivals covered, whatever later phases collect.
func TestClockOfEachPhase(t *testing.T) {
	d, _, _ := threads(t, 1, 3, func(t *Thread, out array.Ref) {
		t.Scoped([]array.Scratch{tile, gate(2)}, together, func(s []array.Item) {
			b := s[1].Barriers[0]
			switch t.ID {
			case 0:
				t.Arrive(b)
				t.Wait(b)
				t.At(2)
				t.Store(at(s[0].Ref, 0), tensor.Int(tensor.I32, 1))
				t.Arrive(b) // in the next phase
			case 1:
				t.Arrive(b)
			case 2:
				t.Wait(b)
				t.At(3)
				t.Store(at(out, 0), t.Load(at(s[0].Ref, 0)))
			}
		})
	})
	for _, f := range d.Findings() {
		if f.Kind == kernel.DataRace && f.Object == "tile" {
			return
		}
	}
	t.Error("no race:", d.Findings())
}

// Scratch in global memory counts against the limit on memory, as long as its scope lasts.
func TestScratchInGlobalMemoryIsLimited(t *testing.T) {
	for rounds, want := range map[int]string{3: "", 1: "more than the"} {
		d := newDevice(t, Options{MaxMemory: 10_000})
		s := array.Scratch{Name: "big", Space: kernel.Global, Type: tensor.I8, Shape: []int{4_000}}
		list := []array.Scratch{s}
		if rounds == 1 {
			list = []array.Scratch{s, s, s}
		}
		p := Kernel(Mesh{}, func(int) kernel.Source { return kernel.Source{File: "k.go", Line: 1} }, func(t *Thread) {
			for range rounds {
				t.Scoped(list, together, func([]array.Item) {})
			}
		})
		grid, block := p.Extent()
		r := d.Launch(p, Spec{Kernel: "k", Grid: grid, Block: block})
		if r.Complete != (want == "") {
			t.Error(rounds, r.Stopped, d.Findings())
		}
		if want != "" {
			one(t, d, kernel.AllocationMisuse, want)
		}
	}
}
