package vm

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"gpusim/kernel"
	"gpusim/memory"
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
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' {
			out.WriteByte(c)
			continue
		}
		spec, verb, size, used := parseSpec(format[i:])
		i += used - 1
		if verb == '%' {
			out.WriteByte('%')
			continue
		}
		for strings.Contains(spec, "*") {
			w, _ := next(4)
			spec = strings.Replace(spec, "*", fmt.Sprint(int32(w)), 1)
		}
		if verb == 0 {
			out.WriteString(spec)
			continue
		}
		v, ok := next(size)
		if !ok {
			out.WriteString("<no argument>")
			continue
		}
		out.WriteString(formatArg(t, spec, verb, size, v))
	}
	t.launch.Output.Print(out.String())
	return n
}

// parseSpec splits a conversion: flags, width and precision (with the %), the verb, the
// argument's size, and how many characters it took.
func parseSpec(s string) (spec string, verb byte, size uint64, used int) {
	i := 1
	for i < len(s) && strings.IndexByte("-+ #0123456789.*", s[i]) >= 0 {
		i++
	}
	spec, size = s[:i], 4
	for i < len(s) && strings.IndexByte("hlLqjzt", s[i]) >= 0 {
		if s[i] == 'l' || s[i] == 'j' || s[i] == 'z' || s[i] == 't' || s[i] == 'q' {
			size = 8
		}
		i++
	}
	if i >= len(s) {
		return s, 0, 0, len(s)
	}
	verb = s[i]
	switch verb {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'c':
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A', 's', 'p':
		size = 8
	case '%':
	default:
		return s[:i+1], 0, 0, i + 1
	}
	return spec, verb, size, i + 1
}

func formatArg(t *Thread, spec string, verb byte, size, v uint64) string {
	switch verb {
	case 'd', 'i':
		if size == 4 {
			return fmt.Sprintf(spec+"d", int32(v))
		}
		return fmt.Sprintf(spec+"d", int64(v))
	case 'u':
		return fmt.Sprintf(spec+"d", v)
	case 'x', 'X', 'o':
		return fmt.Sprintf(spec+string(verb), v)
	case 'c':
		return fmt.Sprintf(spec+"c", rune(byte(v)))
	case 's':
		return fmt.Sprintf(spec+"s", t.cString(v))
	case 'p':
		return fmt.Sprintf("%#x", v)
	case 'a', 'A':
		return fmt.Sprintf(spec+string(rune(verb)-'a'+'x'), math.Float64frombits(v))
	}
	return formatFloat(spec, verb, math.Float64frombits(v))
}

// formatFloat differs from Go's only in the names of the special values.
func formatFloat(spec string, verb byte, x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		s := "nan"
		if math.IsInf(x, 1) {
			s = "inf"
		} else if math.IsInf(x, -1) {
			s = "-inf"
		}
		return s
	}
	if verb == 'g' || verb == 'G' {
		if !strings.Contains(spec, ".") {
			spec += ".6"
		}
	}
	return fmt.Sprintf(spec+string(rune(verb)), x)
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
