package actors

import (
	"testing"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/scheduler"
	"gpusim/shape"
)

// empty is a program whose threads do nothing: what remains is the actors' own cost.
type empty struct{ vars []exec.SharedVar }

func (p *empty) SharedVars() []exec.SharedVar { return p.vars }
func (p *empty) OrdersBlocks() bool           { return false }
func (p *empty) Source(int) kernel.Source     { return kernel.Source{} }
func (p *empty) Threads(b *exec.Block) []exec.Thread {
	list := make([]exec.Thread, len(b.Warps))
	for i := range list {
		list[i] = &emptyThread{b, &b.Warps[i]}
	}
	return list
}

type emptyThread struct {
	block *exec.Block
	warp  *exec.Warp
}

func (t *emptyThread) Start()             {}
func (t *emptyThread) Waits() []exec.Wait { return nil }
func (t *emptyThread) Step(int) exec.Outcome {
	t.block.Exited(t.warp, t.warp.Live)
	return exec.Done
}

func BenchmarkBlock(b *testing.B) {
	for name, vars := range map[string][]exec.SharedVar{"plain": nil, "shared": {{Name: "tile", Size: 2048}}} {
		b.Run(name, func(b *testing.B) {
			e := NewEngine(Config{Policy: scheduler.NewRandom(1)})
			defer e.Close()
			l := &exec.Launch{Program: &empty{vars}, Grid: kernel.Dim3{X: uint32(b.N), Y: 1, Z: 1}, Block: kernel.Dim3{X: 256, Y: 1, Z: 1},
				Memory: &memory.Map{}, Shapes: shape.NewTable(), Findings: &exec.Findings{}, Counters: &exec.Counters{}}
			b.ReportAllocs()
			b.ResetTimer()
			if err := e.Run(l, 10); err != nil {
				b.Fatal(err)
			}
		})
	}
}
