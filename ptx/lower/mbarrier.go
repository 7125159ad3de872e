package lower

import (
	"gpusim/kernel"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// mbarrier lowers the mbarrier instructions (PTX ISA, "mbarrier"). A cluster is one block
// here, so what names an object of the cluster names one of the block.
func (b *builder) mbarrier(in *syntax.Inst) {
	args, mods := in.Args, in.Mods
	if mods[0] == "pending_count" {
		b.pendingCount(in)
		return
	}
	mb := &vm.MBar{}
	var dst *syntax.Operand
	expect, ok := false, true
	switch mods[0] {
	case "init":
		mb.Kind = vm.MInit
		ok = len(args) == 2
	case "inval":
		mb.Kind = vm.MInval
		ok = len(args) == 1
	case "arrive", "arrive_drop":
		mb.Kind, mb.Drop = vm.MArrive, mods[0] == "arrive_drop"
		ok = len(args) == 2 || len(args) == 3
	case "test_wait", "try_wait":
		mb.Kind = vm.MTest
		ok = len(args) == 3 || len(args) == 4 && mods[0] == "try_wait" // a time limit: the wait is as long as it takes
	case "expect_tx":
		mb.Kind = vm.MExpectTx
		ok = len(args) == 2
	case "complete_tx":
		mb.Kind = vm.MCompleteTx
		ok = len(args) == 2
	default:
		ok = false
	}
	for _, w := range mods[1:] {
		switch w {
		case "shared", "shared::cta", "shared::cluster", "b64", "release", "acquire", "cta", "cluster":
		case "relaxed":
			mb.Relaxed = true
		case "noComplete":
			mb.NoComplete = true
		case "parity":
			mb.Parity = true
		case "expect_tx":
			expect = true
		default:
			b.unsupported("mbarrier.%s.%s is not supported", mods[0], w)
			return
		}
	}
	if !ok || expect && (mb.Kind != vm.MArrive || len(args) != 3) || mb.Parity && mb.Kind != vm.MTest || mb.NoComplete && (mb.Kind != vm.MArrive || len(args) != 3) {
		b.unsupported("this form of mbarrier is not supported")
		return
	}
	if mb.Kind == vm.MArrive || mb.Kind == vm.MTest {
		dst, args = &args[0], args[1:]
	}
	var src [4]vm.Reg
	n := uint8(0)
	if len(args) > 1 {
		bits := 32
		if mb.Kind == vm.MTest && !mb.Parity {
			bits = 64
		}
		r := b.value(&args[1], bits, false)
		src[0], n = r, 1
		if expect {
			mb.Tx = r
		} else {
			mb.Arg = r
		}
	}
	b.emitMBar(mb, dst, &args[0], src, n)
}

func (b *builder) emitMBar(mb *vm.MBar, dst, addr *syntax.Operand, src [4]vm.Reg, n uint8) {
	mem := &vm.Mem{Space: kernel.Shared, Size: 8, MBar: mb, Write: mb.Kind != vm.MTest, Strong: true}
	b.addr(addr, mem)
	out := vm.Inst{Op: vm.MBarrier, Mem: mem, Src: src, NArgs: n}
	if dst != nil {
		d := b.reg(dst)
		if want := map[bool]vm.Class{true: vm.RP, false: vm.R64}[mb.Kind == vm.MTest]; d.Class != vm.NoReg && d.Class != want {
			b.unsupported("the destination has the wrong type")
		}
		out.D, out.DK = d.Index, d.Class
	}
	if b.failed {
		return
	}
	s := race.SiteInfo{Read: true, Write: true, Atomic: true, Sem: kernel.Relaxed, Scope: kernel.GPU, Elem: 8}
	switch mb.Kind {
	case vm.MInit, vm.MInval:
		s = race.SiteInfo{Write: true, Elem: 8}
	case vm.MTest:
		s = race.SiteInfo{Read: true, Sem: kernel.Relaxed, Scope: kernel.GPU, Elem: 8}
	}
	mem.Site = b.site(s)
	b.emit(out)
}

// cpAsyncArrive lowers cp.async.mbarrier.arrive.
func (b *builder) cpAsyncArrive(in *syntax.Inst) {
	mb := &vm.MBar{Kind: vm.MAsyncArrive}
	for _, w := range in.Mods[2:] {
		switch w {
		case "arrive", "shared", "shared::cta", "b64":
		case "noinc":
			mb.NoInc = true
		default:
			b.unsupported("cp.async.mbarrier.%s is not supported", w)
			return
		}
	}
	if len(in.Args) != 1 {
		b.unsupported("an address is expected")
		return
	}
	b.emitMBar(mb, nil, &in.Args[0], [4]vm.Reg{}, 0)
}

func (b *builder) pendingCount(in *syntax.Inst) {
	if len(in.Args) != 2 {
		b.unsupported("a count and a state are expected")
		return
	}
	d, s := b.reg(&in.Args[0]), b.value(&in.Args[1], 64, false)
	if b.failed {
		return
	}
	b.emit(vm.Inst{Op: vm.Generic, DK: d.Class, D: d.Index, Src: [4]vm.Reg{s}, NArgs: 1, Fn: vm.PendingCount})
}
