package exec

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/memory"
)

// DefaultHeap is the size of a device's heap (CUDA Programming Guide, "Dynamic Global Memory
// Allocation and Operations": cudaLimitMallocHeapSize is 8 MB by default).
const DefaultHeap = 8 << 20

// Heap is the memory that device code allocates with malloc. It outlives launches. Every
// allocation is a buffer of its own, whose address is never given out again, so that the
// ends of each and its use after free are known exactly.
type Heap struct {
	Limit int64
	Make  func(name string, size int64) *memory.Buffer // makes a buffer in global memory
	Drop  func(*memory.Buffer)                         // forgets what races are found with

	used int64
	live map[uint64]*heapBlock // by address
	list []*heapBlock          // in the order of allocation
}

type heapBlock struct {
	buffer *memory.Buffer
	launch *Launch
	by     kernel.Access
	freed  bool
}

// heapUnit is the granule of the heap, and the alignment of its addresses.
const heapUnit = 16

// Alloc serves a malloc by the thread of an access. It returns 0 if the heap is exhausted.
func (h *Heap) Alloc(l *Launch, size uint64, by kernel.Access) uint64 {
	if size > uint64(h.Limit) {
		return 0
	}
	need := max((int64(size)+heapUnit-1)&^(heapUnit-1), heapUnit)
	if h.used+need > h.Limit {
		return 0
	}
	h.used += need
	b := h.Make("memory from malloc at "+Place(by.Source), int64(size))
	if h.live == nil {
		h.live = map[uint64]*heapBlock{}
	}
	x := &heapBlock{buffer: b, launch: l, by: by}
	h.live[b.Base] = x
	h.list = append(h.list, x)
	return b.Base
}

// Free serves a free by the thread of an access: of ins, for findings.
func (h *Heap) Free(l *Launch, addr uint64, by kernel.Access, ins int) {
	x := h.live[addr]
	switch {
	case addr == 0:
	case x == nil:
		h.bad(l, addr, by, ins)
	default:
		x.freed = true
		delete(h.live, addr)
		h.used -= max((x.buffer.Size()+heapUnit-1)&^(heapUnit-1), heapUnit)
		x.buffer.Freed = true
		x.buffer.FreedAt = fmt.Sprintf("by %s at %s", threadText(by.Thread), Place(by.Source))
		h.Drop(x.buffer)
		if len(h.list) > 64 && len(h.live) < len(h.list)/2 {
			h.compact()
		}
	}
}

func (h *Heap) compact() {
	keep := h.list[:0]
	for _, x := range h.list {
		if !x.freed {
			keep = append(keep, x)
		}
	}
	clear(h.list[len(keep):])
	h.list = keep
}

// bad reports a free of what malloc did not return, or of what was freed already.
func (h *Heap) bad(l *Launch, addr uint64, by kernel.Access, ins int) {
	b := l.Memory.Find(addr)
	key := Key{Kind: kernel.AllocationMisuse, Severity: kernel.Error, Launch: l.Index, Site: [2]int{ins, -1}, Detail: "free"}
	double := b != nil && b.FreedAt != "" && b.Base == addr
	if double {
		key.Kind, key.Detail = kernel.UseAfterFree, "double free"
	}
	l.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: l.Kernel, Space: kernel.Global, Accesses: []kernel.Access{by}}
		if b != nil {
			f.Object, f.Offset = b.Name, int64(addr-b.Base)
		}
		switch {
		case double:
			f.Message = fmt.Sprintf("double free: %s was freed %s already", b.Name, b.FreedAt)
			f.Fix = "free memory once, by the thread that owns it"
		case b != nil:
			f.Message = fmt.Sprintf("free of an address at offset %d of %s, which malloc did not return", addr-b.Base, b.Name)
			f.Fix = "pass free exactly the pointer that malloc returned in device code"
		default:
			f.Message = fmt.Sprintf("free of the address %#x, which malloc did not return", addr)
			f.Fix = "pass free exactly the pointer that malloc returned in device code"
		}
		return f
	})
}

// Leaks are the findings about memory that nobody has freed, one for each place that
// allocated it.
func (h *Heap) Leaks() []kernel.Finding {
	var out []kernel.Finding
	at := map[string]int{}
	bytes := map[string]int64{}
	for _, x := range h.list {
		if x.freed {
			continue
		}
		k := fmt.Sprint(x.launch.Index, x.buffer.Name)
		bytes[k] += x.buffer.Size()
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, kernel.Finding{Kind: kernel.Leak, Severity: kernel.Warning, Launch: x.launch.Index, Kernel: x.launch.Kernel, Space: kernel.Global,
				Object: x.buffer.Name, Fix: "free the memory on every path that leaves the kernel", Accesses: []kernel.Access{x.by}})
		}
		f := &out[i]
		f.Count++
		f.Message = fmt.Sprintf("%s is still allocated at the end of the run: %s, %d bytes", x.buffer.Name, plural(int(f.Count), "allocation"), bytes[k])
	}
	return out
}
