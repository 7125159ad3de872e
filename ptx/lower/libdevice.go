package lower

import (
	"gpusim/kernel"
	"gpusim/ptx/alu"
	"gpusim/ptx/libdevice"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// library lowers a call of a function of CUDA's device library: arguments come from the
// parameter area, the function is computed like an instruction, and its results go to the
// parameter area and through its pointers.
func (b *builder) library(name string, f *libdevice.Func, args, rets []vm.CopyRange) {
	fits := len(args) == len(f.Args) && len(rets) <= 1 && (len(rets) == 0 || f.Result != libdevice.None)
	for i := 0; fits && i < len(args); i++ {
		fits = args[i].Size == f.Args[i].Size() || f.Args[i] == libdevice.Half && args[i].Size == 4
	}
	if !fits {
		b.unsupported("%s does not have these arguments and results", name)
		return
	}
	in := vm.Inst{Op: vm.Generic}
	pointers := map[int]vm.Reg{}
	for i, a := range args {
		r := b.newReg(classOfSize(a.Size))
		b.emit(vm.Inst{Op: vm.LoadParam, Mem: &vm.Mem{Space: kernel.Param, Site: -1, Size: a.Size, Extend: a.Size < 4, Mask: ^uint64(0), Regs: []vm.Reg{r}, Param: a.Caller}})
		if f.Args[i] == libdevice.Pointer {
			pointers[i] = r
			continue
		}
		in.Src[in.NArgs] = r
		in.NArgs++
	}
	if len(rets) == 1 {
		r := b.apply(in, f.Fn, rets[0].Size)
		b.emit(vm.Inst{Op: vm.StoreParam, Mem: &vm.Mem{Space: kernel.Param, Site: -1, Write: true, Size: rets[0].Size, Mask: ^uint64(0), Regs: []vm.Reg{r}, Param: rets[0].Caller}})
	}
	for _, o := range f.Out {
		r := b.apply(in, o.Fn, o.Type.Size())
		mem := &vm.Mem{Space: kernel.Generic, Write: true, Size: o.Type.Size(), Mask: ^uint64(0), Regs: []vm.Reg{r}, Base: pointers[o.Arg]}
		mem.Site = b.site(race.SiteInfo{Write: true, Elem: mem.Size})
		b.emit(vm.Inst{Op: vm.Store, Mem: mem})
	}
}

// apply computes one result in a fresh register.
func (b *builder) apply(in vm.Inst, fn alu.Fn, size int) vm.Reg {
	r := b.newReg(classOfSize(size))
	in.D, in.DK, in.Fn = r.Index, r.Class, fn
	b.emit(in)
	return r
}

func classOfSize(size int) vm.Class {
	if size == 8 {
		return vm.R64
	}
	return vm.R32
}
