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
	sc, seen *scoped

	// soft is what would be known on top if every fence.acq_rel were a fence.sc. It only
	// turns errors into warnings.
	soft *clock
}

// scoped is what strong operations of several threads hand on, by who may use it: those of
// device scope everybody, those of block scope the threads of their block (there is no
// cluster of more than one block). Used for releases and for fence.sc.
type scoped struct {
	device *clock       // joined over all operations of device scope
	blocks []blockClock // for each block, joined over all operations of its threads
}

// blockClock is the part of one block's threads: operations of any scope, and of those
// the ones of device scope.
type blockClock struct {
	uid         uint64
	any, device *clock
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
	r := clock{uid, joinPart(a.own, b.own), joinExt(a.ext, b.ext), joinScoped(a.sc, b.sc), joinScoped(a.seen, b.seen), join(uid, a.soft, b.soft)}
	switch r {
	case *a:
		return a
	case *b:
		return b
	}
	return &r
}

func joinScoped(a, b *scoped) *scoped {
	if a == b || b == nil {
		return a
	}
	if a == nil {
		return b
	}
	var m joins
	r := &scoped{device: m.of(a.device, b.device), blocks: a.blocks}
	isA := r.device == a.device
	for _, q := range b.blocks {
		var same bool
		r.blocks, same = putBlock(r.blocks, q, &m)
		isA = isA && same
	}
	if isA {
		return a
	}
	return r
}

// joins remembers the last joins of one operation: the clocks of a block and of the device
// are often the same two objects, and stay one object if they are joined once.
type joins struct {
	a, b, r [3]*clock
	n       int
}

// of is join seen from whichever block costs nothing.
func (m *joins) of(a, b *clock) *clock {
	switch {
	case a == nil:
		return b
	case b == nil || a == b:
		return a
	}
	for i := range m.n {
		if m.a[i] == a && m.b[i] == b {
			return m.r[i]
		}
	}
	r := join(a.uid, a, b)
	if m.n < len(m.a) {
		m.a[m.n], m.b[m.n], m.r[m.n] = a, b, r
		m.n++
	}
	return r
}

// putBlock joins a block's clocks into a list; the list given is not changed. The result
// tells whether it knew them already.
func putBlock(bs []blockClock, q blockClock, m *joins) ([]blockClock, bool) {
	for i := range bs {
		if bs[i].uid != q.uid {
			continue
		}
		j := blockClock{q.uid, m.of(bs[i].any, q.any), m.of(bs[i].device, q.device)}
		if j == bs[i] {
			return bs, true
		}
		n := append([]blockClock(nil), bs...)
		n[i] = j
		return n, false
	}
	return append(bs[:len(bs):len(bs)], q), false
}

// with adds the clock of an operation of a block, and whether its scope reaches other
// blocks. The block is 0 if no operation of block scope can use it.
func (f *scoped) with(uid uint64, c *clock, device bool) *scoped {
	if c == nil {
		return f
	}
	if uid == 0 {
		return joinScoped(f, &scoped{device: c})
	}
	n := &scoped{blocks: []blockClock{{uid: uid, any: c}}}
	if device {
		n.device, n.blocks[0].device = c, c
	}
	return joinScoped(f, n)
}

// reaching joins what an operation of block uid may use: its scope and theirs include each other.
func (f *scoped) reaching(uid uint64, device bool) *clock {
	s := f.subset(uid, device)
	if s == nil {
		return nil
	}
	var c *clock
	if len(s.blocks) > 0 {
		c = s.blocks[0].any.at(uid)
	}
	return join(uid, c, s.device)
}

// subset is the operations that one of block uid may use.
func (f *scoped) subset(uid uint64, device bool) *scoped {
	if f == nil {
		return nil
	}
	n := &scoped{}
	for i := range f.blocks {
		if f.blocks[i].uid == uid {
			n.blocks, n.device = f.blocks[i:i+1:i+1], f.blocks[i].device
		}
	}
	if device {
		n.device = f.device
	}
	if n.device == nil && n.blocks == nil {
		return nil
	}
	return n
}

// prune forgets what only threads of blocks that have ended could use, here and in what
// travels with the clocks.
func (f *scoped) prune(ended func(uint64) bool) *scoped {
	if f == nil {
		return nil
	}
	n := scoped{device: f.device.prune(ended), blocks: f.blocks}
	if len(f.blocks) >= 16 {
		n.blocks = nil
		for _, b := range f.blocks {
			if !ended(b.uid) {
				n.blocks = append(n.blocks, b)
			}
		}
	}
	if n.device == f.device && len(n.blocks) == len(f.blocks) {
		return f
	}
	return &n
}

func (c *clock) prune(ended func(uint64) bool) *clock {
	if c == nil || c.sc.short() && c.seen.short() && (c.soft == nil || c.soft.sc.short() && c.soft.seen.short()) {
		return c
	}
	n := *c
	n.sc, n.seen, n.soft = c.sc.prune(ended), c.seen.prune(ended), c.soft.prune(ended)
	return &n
}

func (f *scoped) short() bool { return f == nil || len(f.blocks) < 16 }

// ofFence is a clock as the record of a fence: what travels with it is kept one level deep,
// or every fence would hold on to all fences before it.
func (c *clock) ofFence() *clock {
	n := *c
	n.sc, n.seen = c.sc.flat(), c.seen.flat()
	if c.soft != nil {
		s := *c.soft
		s.sc, s.seen = s.sc.flat(), s.seen.flat()
		n.soft = &s
	}
	return &n
}

// flat drops what the clocks of a set carry beside knowledge of accesses: the set holds
// those fences itself.
func (f *scoped) flat() *scoped {
	if f == nil {
		return nil
	}
	flat := f.device.isFlat()
	for _, b := range f.blocks {
		flat = flat && b.any.isFlat() && b.device.isFlat()
	}
	if flat {
		return f
	}
	n := &scoped{device: f.device.flat()}
	for _, b := range f.blocks {
		n.blocks = append(n.blocks, blockClock{b.uid, b.any.flat(), b.device.flat()})
	}
	return n
}

func (c *clock) isFlat() bool {
	return c == nil || c.sc == nil && c.seen == nil && (c.soft == nil || c.soft.sc == nil && c.soft.seen == nil)
}

func (c *clock) flat() *clock {
	if c.isFlat() {
		return c
	}
	n := &clock{uid: c.uid, own: c.own, ext: c.ext}
	if c.soft != nil && (c.soft.own != nil || c.soft.ext != nil) {
		n.soft = &clock{uid: c.soft.uid, own: c.soft.own, ext: c.soft.ext}
	}
	return n
}

// soften is a clock as knowledge on top, in the world where fence.acq_rel is fence.sc.
func (c *clock) soften() *clock {
	if c == nil {
		return nil
	}
	return join(c.uid, &clock{uid: c.uid, own: c.own, ext: c.ext, sc: c.sc, seen: c.seen}, c.soft)
}
