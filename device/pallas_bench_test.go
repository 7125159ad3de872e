package device

import (
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// benchKernel runs a Pallas kernel once per iteration, on a device of its own.
func benchKernel(b *testing.B, m Mesh, run func(t *Thread, out array.Ref)) {
	for b.Loop() {
		d, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		x, err := d.Alloc("out", 1<<16, true)
		if err != nil {
			b.Fatal(err)
		}
		var p *array.Program
		p = Kernel(m, func(site int) kernel.Source { return kernel.Source{File: "k.go", Line: site} }, func(t *Thread) {
			run(t, p.Global(t.Memory().Find(x.Base), tensor.I32, []int{1 << 14}, false).All())
		})
		grid, block := p.Extent()
		if r := d.Launch(p, Spec{Kernel: "k", Grid: grid, Block: block}); !r.Complete {
			b.Fatal(r.Stopped, d.Findings())
		}
		if n := len(d.Findings()); n > 0 {
			b.Fatal(d.Findings()[0])
		}
		d.Close()
	}
}

func BenchmarkPallasEmpty(b *testing.B) {
	benchKernel(b, Mesh{}, func(t *Thread, out array.Ref) {})
}

func BenchmarkPallasAccesses(b *testing.B) { // 4,000 to one buffer
	v := tensor.Int(tensor.I32, 1)
	benchKernel(b, Mesh{}, func(t *Thread, out array.Ref) {
		for i := range 2000 {
			t.At(1)
			r, _ := out.At(array.Index{Start: i, Element: true})
			t.Store(r, v)
			t.At(2)
			t.Load(r)
		}
	})
}

func BenchmarkPallasRing(b *testing.B) { // 1,000 rounds between two threads
	benchKernel(b, Mesh{Threads: 2}, func(t *Thread, out array.Ref) {
		s := []array.Scratch{tile, {Name: "full", Kind: array.BarrierKind, Arrivals: 1}, {Name: "empty", Kind: array.BarrierKind, Arrivals: 1}}
		t.Scoped(s, together, func(s []array.Item) {
			full, empty := s[1].Barriers[0], s[2].Barriers[0]
			for i := range 1000 {
				t.At(1)
				if t.ID == 0 {
					if i > 0 {
						t.Wait(empty)
					}
					t.Store(s[0].Ref, tensor.Int(tensor.I32, 1))
					t.Arrive(full)
					continue
				}
				t.Wait(full)
				t.Load(s[0].Ref)
				if i < 999 {
					t.Arrive(empty)
				}
			}
		})
	})
}

func BenchmarkPallasGrid(b *testing.B) { // 1,024 points
	benchKernel(b, Mesh{Grid: []int{1024}}, func(t *Thread, out array.Ref) {
		t.At(1)
		r, _ := out.At(array.Index{Start: 16 * t.Point()[0], Size: 16, Stride: 1})
		t.Store(r, tensor.Int(tensor.I32, 1))
	})
}

func BenchmarkPallasCopies(b *testing.B) { // 1,000 of 8 kB, each waited for
	s := []array.Scratch{{Name: "s", Kind: array.Array, Space: kernel.Shared, Type: tensor.I32, Shape: []int{2048}}, {Name: "full", Kind: array.BarrierKind, Arrivals: 1}}
	benchKernel(b, Mesh{Threads: 1}, func(t *Thread, out array.Ref) {
		t.Scoped(s, together, func(s []array.Item) {
			src, _ := out.At(array.Index{Start: 0, Size: 2048, Stride: 1})
			for range 1000 {
				t.At(1)
				t.FenceAsync()
				t.CopyIn(src, s[0].Ref, s[1].Barriers[0], array.CopyIn{})
				t.Wait(s[1].Barriers[0])
				t.Load(s[0].Ref)
			}
		})
	})
}
