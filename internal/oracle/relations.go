package oracle

// Every edge of the relations below runs forward in the event list, so an operation's predecessors are final once it has been added, and
// closing a relation is one OR per edge.

// precede puts operation i (and what precedes it) before operation j in base causality order.
func (c *Checker) precede(i, j int) {
	for level := range levels {
		c.precedeAt(level, i, j)
	}
}

func (c *Checker) precedeAt(level, i, j int) {
	before := c.ops[j].before[level]
	before.add(c.ops[i].before[level])
	before.set(i)
}

// programOrder orders operation j after the latest earlier operations of thread t: those of the event that t executed last (the elements of a vector
// are one event and unordered). A thread's first operation follows the end of the previous launch (Memory synchronization,
// API synchronization: completion of a task synchronizes with the start of the next one in the stream).
func (c *Checker) programOrder(t, j int) {
	event := -1
	for i := j - 1; i >= 0; i-- {
		o := &c.ops[i]
		if o.event == c.ops[j].event && o.kind == c.ops[j].kind {
			continue // a sibling lane or element of the same instruction
		}
		if event >= 0 && o.event != event {
			return
		}
		if o.kind == kindBoundary {
			if event < 0 {
				c.precede(i, j)
			}
			return
		}
		if o.inProgramOrderOf(t) {
			c.precede(i, j)
			event = o.event
		}
	}
}

// observe computes which writes read j observes. "W precedes R in observation order if R and W are morally strong and R reads the value written by W, or, for
// some atomic operation Z, W precedes Z and Z precedes R" (Observation order). j's value is W's if the last write that touched any
// of its bytes is W; a value pieced together from several writes is nobody's.
func (c *Checker) observe(j int) {
	r := &c.ops[j]
	for i := j - 1; i >= 0; i-- {
		w := &c.ops[i]
		if !w.access || !w.writes || !w.overlaps(r) {
			continue
		}
		if c.morallyStrong(w, r) {
			r.observed.set(i)
			if w.atomic {
				r.observed.add(w.observed)
			}
		}
		return
	}
}

// acquirePatterns orders operation j after the release patterns that it synchronizes with as the last operation of an acquire pattern: an acquire
// operation on M, a strong read of M and then an acquire operation on M, or a strong read of M and then a fence. A reduction's read forms
// no acquire pattern (Release and Acquire Patterns).
func (c *Checker) acquirePatterns(j int) {
	last := &c.ops[j]
	for i := 0; i <= j; i++ {
		r := &c.ops[i]
		if !r.access || !r.reads || !r.strong || r.red || r.thread != last.thread {
			continue
		}
		if last.access && !r.sameLocation(last) {
			continue
		}
		r.observed.each(func(w int) bool {
			c.releasePatterns(w, j)
			return true
		})
	}
}

// releasePatterns orders operation j after the first operation of every release pattern whose write is w: a release operation on M, a release operation on
// M and then a strong write to M, or a fence and then a strong write to M. "X synchronizes with Y if a write in X precedes a
// read in Y in observation order, and the first operation in X and the last operation in Y are morally strong" (Memory synchronization).
func (c *Checker) releasePatterns(w, j int) {
	write := &c.ops[w]
	if !write.strong {
		return
	}
	for i := 0; i <= w; i++ {
		first := &c.ops[i]
		if !first.release || first.thread != write.thread {
			continue
		}
		if first.access && !first.sameLocation(write) {
			continue
		}
		if c.morallyStrong(first, &c.ops[j]) {
			c.precede(i, j)
		}
	}
}

// fenceSC orders fence.sc j after the earlier fence.sc operations that must precede it: those with a successor in base causality order that a
// predecessor of j observes. The opposite Fence-SC order would make that read precede, in causality order, the write it returned.
func (c *Checker) fenceSC(j int) {
	for level := range levels {
		if !c.ops[j].sc[level] {
			continue
		}
		for changed := true; changed; { // an edge gives j more predecessors, which may have observed more
			changed = false
			for i := range j {
				f := &c.ops[i]
				if f.sc[level] && !c.ops[j].before[level].has(i) && c.morallyStrong(f, &c.ops[j]) && c.forced(level, i, j) {
					c.precedeAt(level, i, j)
					changed = true
				}
			}
		}
	}
}

func (c *Checker) forced(level, i, j int) bool {
	return !c.ops[j].before[level].each(func(r int) bool {
		return c.ops[r].red || c.ops[r].observed.each(func(w int) bool {
			return !c.ops[w].before[level].has(i)
		})
	})
}

// causal: "X precedes Y in causality order if X precedes Y in base causality order, or, for some operation Z, X precedes Z in
// observation order and Z precedes Y in base causality order" (Causality order; one proxy, so all of it is proxy-preserved).
func (c *Checker) causal(level, x, y int) bool {
	before := c.ops[y].before[level]
	return before.has(x) || !before.each(func(z int) bool {
		return c.ops[z].red || !c.ops[z].observed.has(x)
	})
}
