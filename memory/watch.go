package memory

// Watch is a parked thread's interest in a range of bytes: it is woken once when one of
// them changes.
type Watch struct {
	Off, Len int64
	Wake     func()
}

// Watched reports whether anybody waits for a change of this buffer: the only cost that
// watching adds to a store.
func (b *Buffer) Watched() bool { return len(b.watches) != 0 }

// AddWatch registers a watch.
func (b *Buffer) AddWatch(w *Watch) { b.watches = append(b.watches, w) }

// RemoveWatch forgets a watch; one that is not registered is ignored.
func (b *Buffer) RemoveWatch(w *Watch) {
	for i, x := range b.watches {
		if x == w {
			b.watches = append(b.watches[:i], b.watches[i+1:]...)
			return
		}
	}
}

// Changed tells the watchers that n bytes from off have new values. Those concerned are
// removed and woken in the order of their registration.
func (b *Buffer) Changed(off, n int64) {
	var hit []*Watch
	keep := b.watches[:0]
	for _, w := range b.watches {
		if off < w.Off+w.Len && w.Off < off+n {
			hit = append(hit, w)
		} else {
			keep = append(keep, w)
		}
	}
	b.watches = keep
	for _, w := range hit {
		w.Wake()
	}
}

// DropWatches forgets all watches, at the end of a launch.
func (b *Buffer) DropWatches() { b.watches = nil }
