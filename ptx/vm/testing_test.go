package vm

import (
	"math/rand/v2"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/shape"
)

// testThread is a warp of a one-block launch that is about to run the code.
func testThread(fn *Func, code []Inst) (*Thread, *frame) {
	l := &exec.Launch{Grid: kernel.Dim3{X: 1, Y: 1, Z: 1}, Block: kernel.Dim3{X: 32, Y: 1, Z: 1}, Memory: &memory.Map{}, Shapes: shape.NewTable(),
		Findings: &exec.Findings{}, Counters: &exec.Counters{}, Rand: rand.New(rand.NewPCG(1, 1)), Output: &exec.Output{}, Budget: 1 << 40, Uninit: true}
	p := &Program{Kernel: "test", Insts: code, Entry: fn}
	for range code {
		p.Sources = append(p.Sources, kernel.Source{})
	}
	p.Finish()
	b := exec.NewBlock(l, 0)
	b.Wake = func(int) {}
	th := p.Threads(b)[0].(*Thread)
	b.Begin(0)
	th.Start()
	return th, th.ws.top
}
