package device

import (
	"testing"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/internal/toy"
	"gpusim/kernel"
)

func dim(x uint32) kernel.Dim3 { return kernel.Dim3{X: x, Y: 1, Z: 1} }

func TestFirst(t *testing.T) {
	for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
		d, err := New(Options{Seed: 1, Granularity: g})
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc("x", 64, true)
		if err != nil {
			t.Fatal(err)
		}
		p := &toy.Program{Vars: []exec.SharedVar{{Name: "tile", Size: 128}}, Script: func(th *toy.Thread) []toy.Step {
			return []toy.Step{toy.Run(10), toy.Add(b, 0), toy.Bar(12, 0, 0, barrier.Sync), toy.Add(b, 1)}
		}}
		r := d.Launch(p, Spec{Kernel: "k", Grid: dim(3), Block: dim(70)})
		if !r.Complete || b.Data[0] != 210 || b.Data[1] != 210 {
			t.Errorf("%+v %v %v", r, b.Data[:2], d.Findings())
		}
		t.Logf("%+v", r)
		d.Close()
	}
}
