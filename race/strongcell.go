package race

import "gpusim/shape"

// scells is the strong accesses of a line's units.
type scells struct {
	max uint64 // greatest epoch
	c   [shape.LineUnits]scell
}

// scell is the last write of a unit if that was strong. A histogram needs no more: of a
// chain of atomics that each observed the one before, only the last can tell that a
// later weak access is not ordered. x is the number of a detail, 0 if there is none.
type scell struct {
	e    uint64 // with its lane; 0: none
	site Site
	x    uint32
}

// detail is the rest of what strong accesses of a unit leave.
type detail struct {
	chain *message      // what the writes up to the last hand to whoever reads it
	older []strongWrite // writes before the last that it does not imply
	obs   []entry       // reads that observed the last write
	reads []entry       // strong reads since the last weak write
	rels  []byThread    // release operations on the location, of threads that run
	pend  []byThread    // releases that relaxed reads of the location observed
	mixed bool          // operations of different sizes or scopes
	chk   int           // lengths at which lists are next cleaned
}

// strongWrite is an older strong write: lanes of one warp at one stamp.
type strongWrite struct {
	entry
	obs   []entry // reads that observed it, beside those of the chain it is in
	chain bool    // the last write continues the chain of read-modify-writes that it is in
}

type byThread struct {
	who uint64 // the thread; the size of the location in place of a stamp
	c   *scoped
}

// message is what a strong write hands to a read that observes it.
type message struct {
	rel      *scoped // releases
	sc, soft *scoped // fence.sc in the causal past of the writers; the same if fence.acq_rel counted
}

func joinMessage(a, b *message) *message {
	if a == nil || a == b {
		return b
	}
	if b == nil {
		return a
	}
	m := message{joinScoped(a.rel, b.rel), joinScoped(a.sc, b.sc), joinScoped(a.soft, b.soft)}
	switch m {
	case *a:
		return a
	case *b:
		return b
	}
	return &m
}

// prune forgets what only threads of blocks that have ended could use.
func (m *message) prune(ended func(uint64) bool) *message {
	if m == nil {
		return nil
	}
	n := message{m.rel.prune(ended), m.sc.prune(ended), m.soft.prune(ended)}
	if n == *m {
		return m
	}
	return &n
}

func find(list []byThread, who uint64) *scoped {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].who == who {
			return list[i].c
		}
	}
	return nil
}

// put joins what a thread did; entries of blocks that have ended are of no use any more.
func (d *Detector) put(list []byThread, who uint64, c *scoped) []byThread {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].who == who {
			list[i].c = joinScoped(list[i].c, c)
			return list
		}
	}
	if n := len(list); n >= 8 && n&(n-1) == 0 {
		k := 0
		for _, x := range list {
			if !d.hasEnded(uidOf(x.who)) {
				list[k] = x
				k++
			}
		}
		clear(list[k:])
		list = list[:k]
	}
	return append(list, byThread{who, c})
}

func (d *Detector) hasEnded(uid uint64) bool {
	n := uid - d.launchUID
	return uid < d.launchUID || d.ended[n>>6]>>(n&63)&1 != 0
}

// mutual reports whether two strong operations that overlap are morally strong by scope
// and size (PTX ISA, "Morally strong operations"). Naturally aligned accesses of one size
// that overlap do so completely.
func (d *Detector) mutual(a Site, auid uint64, b Site, buid uint64, in int) bool {
	x, y := &d.sites[a], &d.sites[b]
	return x.Elem == y.Elem && (in == inShared || auid == buid || x.device && y.device)
}

// alike reports whether whatever is morally strong with one is so with the other.
func (d *Detector) alike(a Site, auid uint64, b Site, buid uint64, in int) bool {
	x, y := &d.sites[a], &d.sites[b]
	return x.Elem == y.Elem && (in == inShared || x.device == y.device && (x.device || auid == buid))
}

// implied reports whether whatever is morally strong with the later of two operations is
// so with the earlier one. An operation of block scope is morally strong with a wide one
// of its own block, but not with a wide one of another.
func (d *Detector) implied(earlier, later entry, in int) bool {
	a, b := uidOf(earlier.e), uidOf(later.e)
	return d.alike(earlier.site, a, later.site, b, in) && (in == inShared || a == b || !d.narrow)
}

func (d *Detector) detail(c *scell) *detail {
	if c.x == 0 {
		return nil
	}
	return d.details.get(c.x)
}

func (d *Detector) newDetail(c *scell) *detail {
	if c.x == 0 {
		c.x = d.details.takeAsIs()
	}
	return d.details.get(c.x)
}

func (d *Detector) dropDetail(c *scell) {
	if c.x != 0 {
		d.details.get(c.x).reset()
		d.details.drop(c.x)
		c.x = 0
	}
}

// reset empties a detail but keeps the storage of its longest list.
func (t *detail) reset() {
	old := t.older
	clear(old)
	*t = detail{older: old[:0]}
}

func (d *Detector) dropStrong(l *line) {
	d.clearStrong(d.scs.get(l.sx))
	d.scs.drop(l.sx)
	l.sx = 0
}

// strongOf returns the strong cells of a line if some may still matter.
func (d *Detector) strongOf(l *line, w *Warp, in int) *scells {
	if l.sx == 0 {
		return nil
	}
	s := d.scs.get(l.sx)
	if s.max < w.b.low[in] {
		d.clearStrong(s)
		return nil
	}
	return s
}

// clearStrong forgets the strong accesses of a line.
func (d *Detector) clearStrong(s *scells) {
	if s.max == 0 {
		return
	}
	for i := range s.c {
		d.dropDetail(&s.c[i])
	}
	*s = scells{}
}

// splitStrong gives each unit of a quarter of a line of words its four bytes.
func (d *Detector) splitStrong(l, n *line, first int) {
	s := d.scs.get(l.sx)
	for k := range shape.LineUnits {
		c := &s.c[first+k/4]
		if c.e == 0 && c.x == 0 {
			continue
		}
		if n.sx == 0 {
			n.sx = d.scs.take()
			d.scs.get(n.sx).max = s.max
		}
		o := &d.scs.get(n.sx).c[k]
		o.e, o.site = c.e, c.site
		if x := d.detail(c); x != nil {
			y := d.newDetail(o)
			*y = *x
			y.older, y.obs, y.reads = append([]strongWrite(nil), x.older...), append([]entry(nil), x.obs...), append([]entry(nil), x.reads...)
			y.rels, y.pend = append([]byThread(nil), x.rels...), append([]byThread(nil), x.pend...)
		}
	}
}
