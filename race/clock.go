package race

// clock is what a thread hands on along an edge of base causality: what it knows about
// its own block and about others, and what travels with it because of fence.sc.
// Immutable, shared by pointer; nil knows nothing.
type clock struct {
	uid uint64 // the block that own is about
	own *part
	ext *ext // other blocks; what it says about uid is contained in own

	// sc is the fence.sc operations in the causal past: a later relaxed write hands them
	// to whoever reads it. seen is those that were handed over in this way: the next
	// fence.sc of a covering scope is ordered after them ("the order is forced").
	sc, seen *fences

	// soft is what would be known on top if every fence.acq_rel were a fence.sc. It only
	// turns errors into warnings.
	soft *clock
}

// fences is a set of fences, as the join of their clocks, by whom they can be ordered with:
// a fence of gpu scope with every fence of gpu scope, and any two fences of one block.
type fences struct {
	device *clock
	blocks []blockClock
}

type blockClock struct {
	uid uint64
	c   *clock
}

func (c *clock) know(uid uint64, tid int) uint32 {
	if c == nil {
		return 0
	}
	if c.uid == uid {
		return c.own.know(tid)
	}
	return c.ext.get(uid).know(tid)
}

func (c *clock) about(uid uint64) *part {
	if c == nil {
		return nil
	}
	if c.uid == uid {
		return c.own
	}
	return c.ext.get(uid)
}

// at is the same knowledge with another block as the own one.
func (c *clock) at(uid uint64) *clock {
	if c == nil || c.uid == uid {
		return c
	}
	return &clock{uid: uid, own: c.ext.get(uid), ext: c.ext.put(c.uid, c.own), sc: c.sc, seen: c.seen, soft: c.soft.at(uid)}
}

// join is what both know, seen from block uid. It returns a or b where it can.
func join(uid uint64, a, b *clock) *clock {
	if a == b || b == nil {
		return a.at(uid)
	}
	if a == nil {
		return b.at(uid)
	}
	a, b = a.at(uid), b.at(uid)
	r := clock{uid, joinPart(a.own, b.own), joinExt(a.ext, b.ext), joinFences(a.sc, b.sc), joinFences(a.seen, b.seen), join(uid, a.soft, b.soft)}
	switch r {
	case *a:
		return a
	case *b:
		return b
	}
	return &r
}

func joinFences(a, b *fences) *fences {
	if a == b || b == nil {
		return a
	}
	if a == nil {
		return b
	}
	r := &fences{device: a.device}
	if b.device != nil {
		uid := b.device.uid
		if a.device != nil {
			uid = a.device.uid
		}
		r.device = join(uid, a.device, b.device)
	}
	isA := r.device == a.device
	r.blocks = a.blocks
	for _, q := range b.blocks {
		bs := putBlock(r.blocks, q.uid, q.c)
		isA = isA && (len(bs) == 0 || len(r.blocks) == len(bs) && &bs[0] == &r.blocks[0])
		r.blocks = bs
	}
	if isA {
		return a
	}
	return r
}

// putBlock joins a clock into a list; the list given is not changed.
func putBlock(bs []blockClock, uid uint64, c *clock) []blockClock {
	for i := range bs {
		if bs[i].uid != uid {
			continue
		}
		j := join(uid, bs[i].c, c)
		if j == bs[i].c {
			return bs
		}
		n := append([]blockClock(nil), bs...)
		n[i].c = j
		return n
	}
	return append(bs[:len(bs):len(bs)], blockClock{uid, c})
}

// with adds a fence of a block: its clock, and whether its scope reaches other blocks.
func (f *fences) with(uid uint64, c *clock, device bool) *fences {
	n := &fences{blocks: []blockClock{{uid, c}}}
	if device {
		n.device = c
	}
	return joinFences(f, n)
}

// reaching joins the fences that a fence of block uid is morally strong with.
func (f *fences) reaching(uid uint64, device bool) *clock {
	if f == nil {
		return nil
	}
	var c *clock
	for _, b := range f.blocks {
		if b.uid == uid {
			c = b.c
		}
	}
	if device {
		c = join(uid, c, f.device)
	}
	return c
}

// prune forgets what only fences of blocks that have ended could use.
func (f *fences) prune(ended func(uint64) bool) *fences {
	if f == nil || len(f.blocks) < 16 {
		return f
	}
	n := &fences{device: f.device}
	for _, b := range f.blocks {
		if !ended(b.uid) {
			n.blocks = append(n.blocks, b)
		}
	}
	return n
}
