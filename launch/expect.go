package launch

import (
	"bytes"
	"fmt"
	"strings"

	"gpusim/kernel"
	"gpusim/memory"
)

// shownMismatches is how many mismatches a wrong-result finding lists.
const shownMismatches = 5

// check compares buffers with what they shall hold.
func (x *run) check() error {
	for i := range x.plan.expects {
		e := &x.plan.expects[i]
		b, mem := x.plan.buffer(e.buffer), x.buffers[e.buffer]
		want := make([]byte, e.period(b))
		c := &checker{dir: x.plan.dir}
		if err := e.want.write(want, b.dtype, c.path, func() bool { return false }); err != nil {
			c.add(e.want.path.at, "expect "+b.name, "%s: %v", e.want.path.text, err)
			return c.errs.err()
		}
		f := e.compare(b, mem, want)
		if f != nil {
			f.Fix = x.fixOfWrongResult()
			f.Launch = max(len(x.launches)-1, 0)
			if len(x.launches) > 0 {
				f.Kernel = x.launches[f.Launch].Kernel
			}
			x.device.Report(*f)
		}
		x.expect = append(x.expect, ExpectResult{Buffer: b.name, OK: f == nil})
	}
	return nil
}

// fillPeriod is how many bytes of a constant expectation are written out; a copy of the
// whole buffer would be a waste.
const fillPeriod = 1 << 16

// period is the number of bytes after which the expectation repeats.
func (e *expectation) period(b *buffer) int64 {
	if e.want.kind == initFill {
		return min(fillPeriod, b.size())
	}
	return b.size()
}

func (x *run) fixOfWrongResult() string {
	for _, f := range x.device.Findings() {
		if f.Severity == kernel.Error && f.Kind != kernel.WrongResult {
			return "fix the other errors first: this may follow from them"
		}
	}
	return "look at how the kernel computes the first of these elements; if all are nearly right, allow for rounding with rtol"
}

// compare returns the finding for a buffer that does not hold what it shall, or nil. want
// repeats if it is shorter than the buffer. An uninitialised element differs from every
// expectation.
func (e *expectation) compare(b *buffer, mem *memory.Buffer, want []byte) *kernel.Finding {
	if repeats(mem.Data, want) && mem.AllValid(0, mem.Size()) {
		return nil
	}
	var count uint64
	var first int64
	var shown []string
	size := int64(b.dtype.Size)
	for i := range b.count {
		off := i * size
		w := b.dtype.get(want[off%int64(len(want)):])
		written := mem.AllValid(off, size)
		g := b.dtype.get(mem.Data[off:])
		if written && equal(b.dtype, g, w, e.atol, e.rtol) {
			continue
		}
		if count++; count == 1 {
			first = off
		}
		if count <= shownMismatches {
			got := "is uninitialised"
			if written {
				got = "is " + b.dtype.format(g)
			}
			shown = append(shown, fmt.Sprintf("%s %s, expected %s", element(b, i), got, b.dtype.format(w)))
		}
	}
	if count == 0 {
		return nil
	}
	if count > shownMismatches {
		shown = append(shown, "...")
	}
	verb := "elements differ"
	if count == 1 {
		verb = "element differs"
	}
	return &kernel.Finding{
		Kind: kernel.WrongResult, Severity: kernel.Error,
		Message: fmt.Sprintf("%d of %d %s from what is expected: %s", count, b.count, verb, strings.Join(shown, "; ")),
		Space:   mem.Space, Object: b.name, Offset: first, Size: b.dtype.Size, Count: count,
	}
}

// repeats reports whether data is want over and over, the last time perhaps in part.
func repeats(data, want []byte) bool {
	for len(data) > 0 {
		n := min(len(data), len(want))
		if !bytes.Equal(data[:n], want[:n]) {
			return false
		}
		data = data[n:]
	}
	return true
}

// element names an element as c[1,2].
func element(b *buffer, i int64) string {
	index := make([]string, len(b.shape))
	for d := len(b.shape) - 1; d >= 0; d-- {
		index[d] = fmt.Sprint(i % b.shape[d])
		i /= b.shape[d]
	}
	return b.name + "[" + strings.Join(index, ",") + "]"
}
