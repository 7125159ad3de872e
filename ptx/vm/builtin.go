package vm

import (
	"bytes"
	"fmt"
	"strings"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
)

// builtin executes a call of a function of the CUDA device runtime.
func (t *Thread) builtin(in *Inst) {
	f, m := t.cur.fr, t.cur.mask
	switch in.Call.Builtin {
	case VPrintf:
		t.changes++
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			n := t.vprintf(f, in, l)
			if len(in.Call.Rets) > 0 {
				wordsSet(f.params, in.Call.Rets[0].Caller, 4, l, uint64(uint32(n)))
			}
		}
		t.cur.pc++
	case Malloc, Free:
		t.changes++
		for x := m; x != 0; x &= x - 1 {
			t.heap(f, in, firstLane(x))
		}
		t.cur.pc++
	case AssertFail:
		l := firstLane(m)
		arg := func(i int) string { return t.cString(wordsGet(f.params, in.Call.Args[i].Caller, 8, l)) }
		text, file, fn := arg(0), arg(1), arg(3)
		line := wordsGet(f.params, in.Call.Args[2].Caller, 4, l)
		t.report(kernel.Assert, in, l, func(fd *kernel.Finding) {
			fd.Accesses[0].Op = ""
			fd.Message = fmt.Sprintf("assertion `%s` failed in %s (%s:%d)", text, fn, file, line)
			fd.Fix = "the condition that the kernel's author asserted does not hold for this thread"
		})
		id := t.block.ThreadID(t.ws.warp.Index, l)
		t.launch.Output.Print(fmt.Sprintf("%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.\n", file, line, fn,
			id.Block.X, id.Block.Y, id.Block.Z, id.Thread.X, id.Thread.Y, id.Thread.Z, text))
		t.launch.Stop("an assertion failed", true)
	}
}

// heap executes one lane's malloc or free.
func (t *Thread) heap(f *frame, in *Inst, l int) {
	c, h := in.Call, t.launch.Heap
	x := wordsGet(f.params, c.Args[0].Caller, 8, l)
	by := t.accessOf(in, l)
	if c.Builtin == Free {
		t.freeRace(f, c, x, l)
		h.Free(t.launch, x, by, int(in.Number))
		return
	}
	p := h.Alloc(t.launch, x, by)
	if len(c.Rets) > 0 {
		off := c.Rets[0].Caller
		wordsSet(f.params, off, 8, l, p)
		for _, marks := range f.pmarks[min(off/4, len(f.pmarks)):min(off/4+2, len(f.pmarks))] {
			if marks != nil {
				marks[l] = 0
			}
		}
	}
}

// freeRace tells the detector that free writes all of the memory: who uses it has to be
// ordered before.
func (t *Thread) freeRace(f *frame, c *Call, addr uint64, l int) {
	b := t.launch.Memory.Find(addr)
	if t.race == nil || b == nil || b.Base != addr || b.Freed {
		return
	}
	sd, ok := b.Shadow.(*race.Shadow)
	if !ok {
		return
	}
	t.values.set(f, &Mem{}, b)
	for off := int64(0); off < b.Size(); {
		width := 16
		for int64(width) > b.Size()-off {
			width /= 2
		}
		t.race.Access(t.ws.warp.Clock, sd, t.launch.Shapes.Single(l, width), off, t.sites[c.Site])
		off += int64(width)
	}
}

// cString reads a string of the simulated program; it ends at a NUL or the buffer's end.
func (t *Thread) cString(addr uint64) string {
	b := t.find(addr, kernel.Generic)
	if b == nil {
		return fmt.Sprintf("<bad address %#x>", addr)
	}
	s := b.Data[addr-b.Base:]
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return string(s[:min(len(s), maxString)])
}

const maxString = 1 << 16

// vprintf formats one lane's call (CUDA Programming Guide, "Formatted Output"): the
// arguments lie in a buffer, each aligned to its size, small types promoted. It returns
// the number of arguments, as the device function does.
func (t *Thread) vprintf(f *frame, in *Inst, l int) int {
	format := t.cString(wordsGet(f.params, in.Call.Args[0].Caller, 8, l))
	args := wordsGet(f.params, in.Call.Args[1].Caller, 8, l)
	var out strings.Builder
	off, n := uint64(0), 0
	next := func(size uint64) (uint64, bool) {
		off = (off + size - 1) &^ (size - 1)
		v, ok := t.argument(args+off, int(size), l)
		off += size
		n++
		return v, ok
	}
	for i := 0; i < len(format) && out.Len() <= exec.DefaultOutputLimit; i++ {
		c := format[i]
		if c != '%' {
			out.WriteByte(c)
			continue
		}
		conv := parseConversion(format[i:], func() int32 {
			w, _ := next(4)
			return int32(w)
		})
		i += len(conv.text) - 1
		switch conv.verb {
		case 0:
			out.WriteString(conv.text)
			continue
		case '%':
			out.WriteByte('%')
			continue
		}
		v, ok := next(conv.size())
		if !ok {
			out.WriteString("<no argument>")
			continue
		}
		out.WriteString(conv.format(v, t.cString))
	}
	t.launch.Output.Print(out.String())
	return n
}

// argument reads one printf argument from local or global memory.
func (t *Thread) argument(addr uint64, size, l int) (uint64, bool) {
	if memory.SpaceOf(addr) == kernel.Local {
		off := int64(addr - memory.LocalBase)
		if !t.cur.fr.inFrame(off, int64(size), 1<<uint(l)) {
			return 0, false
		}
		return wordsGet(t.ws.local.words, int(off), size, l), true
	}
	b := t.find(addr, kernel.Generic)
	if b == nil || addr-b.Base+uint64(size) > uint64(len(b.Data)) {
		return 0, false
	}
	var v uint64
	for i := range size {
		v |= uint64(b.Data[addr-b.Base+uint64(i)]) << (8 * i)
	}
	return v, true
}
