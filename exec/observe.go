package exec

// EventKind is what an Event tells of.
type EventKind uint8

// The kinds of events.
const (
	Executed  EventKind = iota // a memory access, fence, or asynchronous copy, commit or wait took effect
	Synced                     // bar.warp.sync has completed for these lanes
	Arrived                    // a warp has come to the block's barrier Barrier
	Completed                  // a phase of barrier Barrier has ended; its waiting lanes may go on
	Exited                     // these lanes have ended
)

// Event is something that others may notice. A launch's events come in the order in which
// they take effect. Lanes that take effect one after the other (strong accesses, atomics)
// have an event each.
type Event struct {
	Kind        EventKind
	Launch      int
	Block       uint64 // linear
	Warp        int
	Lanes       uint32
	Instruction int // Executed, Synced, Arrived: for Program.Source
	Barrier     int
}

// Observe tells the launch's observer, if there is one, about lanes of a warp.
func (b *Block) Observe(k EventKind, w *Warp, lanes uint32, instruction, barrier int) {
	if b.Launch.Observe != nil {
		b.Launch.Observe(Event{k, b.Launch.Index, b.Linear, w.Index, lanes, instruction, barrier})
	}
}
