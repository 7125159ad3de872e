package lower

import (
	"slices"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// A launch has clusters of one block, so a block's shared memory is all shared memory of
// its cluster, and the block has rank 0.

// mapa lowers mapa: the address in the shared memory of block b of the cluster. Another
// rank than 0 gives an address at which nothing lies.
func (b *builder) mapa(in *syntax.Inst) {
	if len(in.Args) != 3 {
		b.unsupported("mapa has three operands")
		return
	}
	d, a, rank := b.reg(&in.Args[0]), b.value(&in.Args[1], typeBits(in), false), b.value(&in.Args[2], 32, false)
	if b.failed {
		return
	}
	if a.Class != d.Class {
		b.unsupported("the registers have different sizes")
		return
	}
	b.emit(vm.Inst{Op: vm.Generic, DK: d.Class, D: d.Index, Src: [4]vm.Reg{a, rank}, NArgs: 2, Fn: func(a, rank, _, _ uint64) uint64 {
		if rank != 0 {
			return 0
		}
		return a
	}})
}

// getctarank lowers getctarank: the rank of the block whose shared memory an address names.
func (b *builder) getctarank(in *syntax.Inst) {
	if d := b.reg(&in.Args[0]); !b.failed && d.Class == vm.R32 {
		b.move(d, b.constant(vm.R32, 0))
	}
}

// clusterBarrier lowers barrier.cluster.arrive and .wait. All threads of the cluster are
// those of the block, and every wait follows an arrive of the same thread: the wait is a
// barrier of the block. That orders more than the instruction does in one respect: what a
// thread does between its arrive and its wait is ordered before what follows the other
// threads' waits.
func (b *builder) clusterBarrier(in *syntax.Inst) {
	mods := in.Mods[1:]
	for _, m := range mods {
		if !slices.Contains([]string{"arrive", "wait", "aligned", "release", "relaxed", "acquire"}, m) {
			b.unsupported(".%s is not supported", m)
			return
		}
	}
	if !slices.Contains(mods, "wait") {
		b.nop(in)
		return
	}
	b.emit(vm.Inst{Op: vm.Collective, Coll: &vm.Coll{Kind: vm.CollBar, Bar: exec.BarOp{Aligned: slices.Contains(mods, "aligned"), Role: barrier.Sync, Text: in.Text}}})
}

// discard lowers discard.L2: the 128 bytes hold no value any more, a weak write (PTX ISA,
// "discard").
func (b *builder) discard(in *syntax.Inst) {
	if len(in.Args) != 2 || in.Args[1].Kind != syntax.OperandInt || in.Args[1].Int != vm.DiscardBytes {
		b.unsupported("no such form: discard.L2 [a], 128 is expected")
		return
	}
	mem := &vm.Mem{Write: true, Opaque: true, Size: vm.DiscardBytes}
	b.addr(&in.Args[0], mem)
	mem.Space, _ = spaceNamed(in.Mods)
	if b.failed {
		return
	}
	mem.Site = b.site(race.SiteInfo{Write: true, Elem: 4})
	b.emit(vm.Inst{Op: vm.Discard, Mem: mem})
}
