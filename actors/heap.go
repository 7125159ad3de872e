package actors

import (
	"gpusim/kernel"
	"gpusim/memory"
)

// heapIDs is where the ids of the device heap's buffers begin: one for each place that
// allocates, so that findings about it are merged.
const heapIDs = 1 << 30

// HeapBuffer makes a buffer for device code that allocates as it runs.
func (e *Engine) HeapBuffer(name string, size int64, track bool) *memory.Buffer {
	if e.heap == nil {
		e.heap = map[string]int{}
	}
	object, ok := e.heap[name]
	if !ok {
		object = e.object(name, kernel.Global, size)
		e.heap[name] = object
	}
	b := e.Memory.Add(heapIDs+object, name, size, track)
	if e.Race != nil {
		b.Shadow = e.Race.NewShadow(object, kernel.Global, size)
	}
	return b
}

// DropHeapBuffer ends its race detection.
func (e *Engine) DropHeapBuffer(b *memory.Buffer) { e.dropShadow(b) }
