package array

import (
	"errors"
	"fmt"

	"gpusim/kernel"
	"gpusim/race/region"
)

// Load is the content of a view.
func (t *Thread) Load(r Ref) Value {
	t.alive(r, "load")
	runs := r.runs()
	t.access(r, runs, false)
	t.initialised(r, runs)
	return r.read()
}

// Store changes the content of a view; a single element is stored everywhere.
func (t *Thread) Store(r Ref, v Value) {
	t.alive(r, "store")
	t.access(r, r.runs(), true)
	r.write(v)
}

// Swap changes the content of a view and returns what it was before. It is not atomic.
func (t *Thread) Swap(r Ref, v Value) Value {
	t.alive(r, "swap")
	old := r.read()
	t.access(r, r.runs(), true)
	r.write(v)
	return old
}

func (t *Thread) access(r Ref, runs []region.Run, write bool) {
	if t.state.program.races && r.Buffer.shadow != nil {
		t.clock.Access(r.Buffer.shadow, runs, write, t.site)
	}
	c := t.state.block.Launch.Counters
	if r.Buffer.Space == kernel.Global {
		c.GlobalRequests++
		for _, x := range runs {
			c.GlobalSectors += uint64((x.Off+x.Len+31)/32 - x.Off/32)
		}
	} else {
		c.SharedRequests++
	}
}

// alive reports an access to memory whose scope has ended.
func (t *Thread) alive(r Ref, op string) {
	if r.Buffer.Freed {
		t.Fail(kernel.UseAfterFree, op, fmt.Sprintf("thread %d of block %v accesses %s after the end of the scope in which it was allocated (%s)",
			t.ID, t.state.block.Index, r.Buffer.Name, placeText(r.Buffer.Source)), "use the reference inside of its scope only")
	}
}

// initialised reports a read of bytes that nobody has written.
func (t *Thread) initialised(r Ref, runs []region.Run) {
	if r.Buffer.Valid == nil || t.state.program.Zero {
		return
	}
	for _, x := range runs {
		if r.Buffer.AllValid(x.Off, x.Len) {
			continue
		}
		off, size := x.Off, r.Buffer.Type.Size()
		for r.Buffer.AllValid(off, int64(size)) {
			off += int64(size)
		}
		t.report(kernel.Finding{Message: fmt.Sprintf("thread %d of block %v reads uninitialised memory: element %d of %s", t.ID, t.state.block.Index, off/int64(size), r.Buffer.Name),
			Fix: "write it first, or wait for the copy that does", Space: r.Buffer.Space, Object: r.Buffer.Name, Offset: off, Size: size,
			Accesses: []kernel.Access{{Op: "read", Source: t.source(), Thread: t.id()}}},
			kernel.UninitializedRead, kernel.Error, r.Buffer.Name)
		return
	}
}

// Index narrows a view; an index outside of it ends the launch. doing is "read", "reading"
// or the like, as in JAX's messages.
func (t *Thread) Index(r Ref, op, doing string, indices ...Index) Ref {
	out, err := r.At(indices...)
	var bounds *BoundsError
	if errors.As(err, &bounds) {
		t.report(kernel.Finding{Message: fmt.Sprintf("Out-of-bounds %s of %s: %s %s", op, bounds.Buffer, doing, bounds), Space: r.Buffer.Space, Object: r.Buffer.Name,
			Fix:      "keep the indices within the shape",
			Accesses: []kernel.Access{{Op: op, Source: t.source(), Thread: t.id()}}}, kernel.OutOfBounds, kernel.Error, bounds.Error())
		t.state.block.Launch.Stop(string(kernel.OutOfBounds), true)
		panic(stopped{})
	}
	return out
}

func placeText(s kernel.Source) string {
	if s.File == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}
