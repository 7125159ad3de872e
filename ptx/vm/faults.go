package vm

import (
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
)

// report counts a finding at an instruction; fill writes its text the first time.
func (t *Thread) report(kind kernel.Kind, in *Inst, lane int, fill func(*kernel.Finding)) {
	t.reportAs(kind, kernel.Error, in, lane, 0, fill)
}

func (t *Thread) reportAs(kind kernel.Kind, sev kernel.Severity, in *Inst, lane, object int, fill func(*kernel.Finding)) {
	key := keyOf(t, kind, sev, int(in.Number))
	key.Object = object
	t.launch.Findings.Report(key,
		func() kernel.Finding {
			f := kernel.Finding{Kernel: t.launch.Kernel, Accesses: []kernel.Access{t.accessOf(in, lane)}}
			fill(&f)
			return f
		})
}

func keyOf(t *Thread, kind kernel.Kind, sev kernel.Severity, site int) exec.Key {
	return exec.Key{Kind: kind, Severity: sev, Launch: t.launch.Index, Site: [2]int{site, -1}}
}

// accessOf describes a lane's execution of an instruction.
func (t *Thread) accessOf(in *Inst, lane int) kernel.Access {
	op := ""
	switch {
	case in.Op < Load || in.Op > CpAsync:
	case in.Mem.Write:
		op = "write"
	default:
		op = "read"
	}
	return kernel.Access{Op: op, Atomic: in.Op == Atomic, Thread: t.block.ThreadID(t.ws.warp.Index, lane), Source: t.prog.Source(int(in.Number))}
}

// badAddress reports what is wrong with a lane's address.
func (t *Thread) badAddress(f *frame, in *Inst, l int, addr uint64, width int) {
	mem := in.Mem
	b := t.near(addr)
	verb := "reads"
	if mem.Write {
		verb = "writes"
	}
	object := 0
	if b != nil {
		object = b.ID
	}
	kind := kernel.OutOfBounds
	var fill func(fd *kernel.Finding)
	switch {
	case b != nil && b.Freed:
		kind = kernel.UseAfterFree
		fill = func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("the kernel %s %s, which was freed before the launch", verb, b.Name)
			fd.Fix = "free the buffer after the last launch that uses it"
			if b.FreedAt != "" {
				fd.Message = fmt.Sprintf("the kernel %s %s, which was freed %s", verb, b.Name, b.FreedAt)
				fd.Fix = "free the memory when no thread uses it any more: a barrier before the free, if several do"
			}
		}
	case b != nil && addr-b.Base < uint64(len(b.Data)) && uint64(len(b.Data))-(addr-b.Base) >= uint64(width) && addr&uint64(width-1) != 0:
		t.misaligned(f, in, l, addr, width)
		return
	case b != nil && mem.Write && b.ReadOnly && addr-b.Base < uint64(len(b.Data)):
		kind = kernel.ReadOnlyWrite
		fill = func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("the kernel writes %s, which is constant", b.Name)
			fd.Fix = "write to a copy in global memory"
		}
	case addr < 1<<12:
		fill = func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("null pointer: the kernel %s %d bytes at address %#x", verb, width, addr)
			fd.Fix = "check the pointer that the host passes, or the index computed from it"
		}
	case b == nil:
		fill = func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("wild pointer: the kernel %s %d bytes at %#x, where no buffer lies", verb, width, addr)
			fd.Fix = "the address was not computed from a buffer that this launch was given (an uninitialised pointer, or an index that wrapped around)"
		}
	case !inSpace(b.Space, mem.Space):
		fill = func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("a %s access to %s, which lies in %s memory", mem.Space, b.Name, b.Space)
			fd.Fix = "the pointer was converted to the wrong state space"
		}
	default:
		off := int64(addr - b.Base)
		fill = func(fd *kernel.Finding) {
			where := fmt.Sprintf("%d bytes behind its end", off-b.Size())
			switch {
			case off < 0:
				where = fmt.Sprintf("%d bytes before its start", -off)
			case off == b.Size():
				where = "directly behind its end"
			case off < b.Size():
				where = fmt.Sprintf("of which %d bytes lie behind its end", off+int64(width)-b.Size())
			}
			fd.Message = fmt.Sprintf("the kernel %s %d bytes of %s at offset %d, %s (it has %d bytes)", verb, width, b.Name, off, where, b.Size())
			fd.Fix = fmt.Sprintf("guard the index: %s has %d elements of %d bytes", b.Name, b.Size()/int64(width), width)
		}
	}
	t.reportAs(kind, kernel.Error, in, l, object, func(fd *kernel.Finding) {
		if b != nil {
			fd.Space, fd.Object, fd.Offset = b.Space, b.Name, int64(addr-b.Base)
		} else {
			fd.Space, fd.Offset = mem.Space, 0
		}
		fd.Size = width
		fill(fd)
	})
	t.zeroLane(f, in, l)
}

func inSpace(b, access kernel.Space) bool {
	return access == kernel.Generic || access == b
}

func (t *Thread) misaligned(f *frame, in *Inst, l int, addr uint64, width int) {
	b := t.near(addr)
	object := 0
	if b != nil {
		object = b.ID
	}
	t.reportAs(kernel.Misaligned, kernel.Error, in, l, object, func(fd *kernel.Finding) {
		fd.Size, fd.Space = width, in.Mem.Space
		fd.Message = fmt.Sprintf("an access of %d bytes at address %#x, which is not a multiple of %d", width, addr, width)
		if b != nil {
			fd.Space, fd.Object, fd.Offset = b.Space, b.Name, int64(addr-b.Base)
			fd.Message = fmt.Sprintf("an access of %d bytes at offset %d of %s, which is not a multiple of %d", width, fd.Offset, b.Name, width)
		}
		fd.Fix = fmt.Sprintf("align the pointer to %d bytes, or access the elements one by one", width)
	})
	t.zeroLane(f, in, l)
}

// near is the buffer that a wrong address most likely meant.
func (t *Thread) near(addr uint64) *memory.Buffer {
	// The upper half of a shared variable's slot is rather meant as the space before the next.
	const half = 1 << (memory.SharedShift - 1)
	for _, at := range [2]uint64{addr + half, addr} {
		if k := (at - memory.SharedBase) >> memory.SharedShift; at >= memory.SharedBase && k < uint64(len(t.block.Shared)) {
			return t.block.Shared[k]
		}
	}
	if addr >= memory.ParamBase && addr < memory.ParamEnd {
		return t.prog.paramBuffer
	}
	return t.launch.Memory.Near(addr)
}

// zeroLane gives a faulting load's destination a defined value, so that one error does
// not start a flood of others.
func (t *Thread) zeroLane(f *frame, in *Inst, l int) {
	if in.Mem.Write && !in.Mem.HasDst {
		return
	}
	for _, r := range in.Mem.Regs {
		f.setLane(r, l, 0)
		f.setMark(r, l, 0, markOrigin{})
	}
}
