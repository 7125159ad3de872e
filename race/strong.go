package race

import (
	"math/bits"

	"gpusim/kernel"
)

// Strong is the strong access of one lane: ld and st with relaxed, acquire, release or
// volatile, atom and red, a vector once per element, in the order in which lanes take
// effect. wrote is false for a cas that failed.
func (d *Detector) Strong(w *Warp, lane int, sd *Shadow, off int64, size int, id Site, wrote bool) {
	if sd.shift != 0 && (size&3 != 0 || off&3 != 0) {
		d.toBytes(sd)
	}
	u := off >> sd.shift
	n := max(size>>sd.shift, 1)
	li, c := u>>5, int(u&31)
	l := sd.line(li)
	w.touched |= 1 << lane
	if d.sites[id].Read {
		w.observed |= 1 << lane
	}
	if n == 1 && d.quick(w, lane, sd, l, c, id, wrote) {
		return
	}
	if d.sites[id].Sem > kernel.Relaxed {
		d.mayUse(d.sites[id].device)
	}
	mask := uint32(1<<n-1) << c
	o := operation{
		access: at(w, sd, d.shapes.Single(lane, size), l, li, uint16(c), mask, id),
		d:      d, st: &d.sites[id], lane: lane, e: w.epoch | uint64(lane), wrote: wrote && d.sites[id].write,
	}
	o.failed = !wrote
	o.run()
}

// quick is the relaxed atomic on a unit whose last strong write it observes, while no
// fence has been executed and nothing else is known about the unit.
func (d *Detector) quick(w *Warp, lane int, sd *Shadow, l *line, c int, id Site, wrote bool) bool {
	st := &d.sites[id]
	if l.sx == 0 || l.ncx != 0 || !wrote || !st.Atomic || st.Sem != kernel.Relaxed || d.fenced {
		return false
	}
	b := w.b
	low := b.low[sd.in]
	if l.w.mask>>c&1 != 0 && l.w.e >= low && (l.nw != 1 || l.w.e-b.base >= b.span) ||
		l.r.mask>>c&1 != 0 && l.r.e >= low && (l.nr != 1 || l.r.e-b.base >= b.span) {
		return false
	}
	s := d.scs.get(l.sx)
	x := &s.c[c]
	e := w.epoch | uint64(lane)
	if s.max < low {
		d.clearStrong(s)
	}
	if x.e < low {
		if x.x != 0 {
			return false
		}
		x.e, x.site = e, id
		s.max = max(s.max, e)
		return true
	}
	uid := uidOf(x.e)
	if x.site != id && !d.alike(x.site, uid, id, b.uid, sd.in) {
		return false
	}
	if uid != b.uid && sd.in == inGlobal && !st.device {
		return false
	}
	if d.narrow && uid != b.uid {
		return false
	}
	if x.x != 0 {
		t := d.details.get(x.x)
		if t.chain != nil || t.mixed || t.obs != nil || t.reads != nil || t.rels != nil || t.pend != nil {
			return false
		}
		if st.Read { // an atom implies all of the chain
			for i := range t.older {
				if o := &t.older[i]; !o.chain || !d.implied(o.entry, entry{e: e, site: id}, sd.in) {
					return false
				}
			}
			d.dropDetail(x)
		}
	}
	if !st.Read && x.e-b.base >= b.span && (x.e^e)&^stampBits != 0 {
		d.pushRed(b, x, low)
	}
	x.e, x.site = e, id
	s.max = max(s.max, e)
	return true
}

// pushRed keeps the last write of a chain that a red continues: a red returns nothing,
// so it does not order what it observed before what its thread does next.
func (d *Detector) pushRed(b *Block, x *scell, low uint64) {
	t := d.newDetail(x)
	e, m := x.e&^31, uint32(1)<<laneOf(x.e)
	for i, k := len(t.older)-1, 0; i >= 0 && k < 8; i, k = i-1, k+1 {
		o := &t.older[i]
		if !sameWarp(o.e, e) || o.site != x.site || o.obs != nil || !o.chain {
			continue
		}
		if o.e == e {
			o.mask |= m
			return
		}
		if o.mask == m { // the same lane again
			o.e = e
			return
		}
	}
	d.addOlder(b, t, strongWrite{entry: entry{e, m, x.site}, chain: true}, low)
}

// operation is a strong access off the fast path.
type operation struct {
	access
	d     *Detector
	st    *site
	lane  int
	e     uint64 // with the lane
	wrote bool
	one   bool // one strong write left all units
	cells *scells
}

func (o *operation) run() {
	d, w := o.d, o.w
	uid := w.b.uid
	if o.st.Read {
		o.observe()
	}
	d.checkWeakWrites(&o.access)
	if o.wrote {
		d.checkReads(&o.access)
		d.checkNC(&o.access)
	}
	o.cells = d.strongOf(o.l, w, o.sd.in)
	if o.cells != nil {
		for m := o.mask; m != 0; m &= m - 1 {
			o.check(bits.TrailingZeros32(m))
		}
	} else {
		if o.l.sx == 0 {
			o.l.sx = d.scs.take()
		}
		o.cells = d.scs.get(o.l.sx)
	}
	o.cells.max = max(o.cells.max, o.e)
	o.one = o.whole(o.cells)

	var rel *scoped
	releases := o.st.Sem == kernel.Release || o.st.Sem == kernel.AcqRel
	if releases {
		rel = (*scoped)(nil).with(d.home(uid), w.past(1<<o.lane), o.st.device)
	}
	for m := o.mask; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		if o.wrote {
			o.write(u, rel)
		} else {
			o.read(u)
		}
		if releases {
			t := d.newDetail(&o.cells.c[u])
			t.rels = d.put(t.rels, o.who(), rel)
		}
	}
	if releases {
		w.tick()
		w.b.dirty = true
		w.b.publishes(w.stamp, o.st.device)
	}
}

// who names the thread and the size of its access: a location is its bytes.
func (o *operation) who() uint64 { return o.e&^stampBits | uint64(o.st.Elem)<<stampSh }

// last reports whether the last write of a unit is strong and morally strong with o.
func (o *operation) last(c *scell) bool {
	return c.e != 0 && c.e >= o.w.b.low[o.sd.in] && o.d.mutual(c.site, uidOf(c.e), o.site, o.w.b.uid, o.sd.in)
}

// whole reports whether one write left all units that o accesses: a value that is pieced
// together from several writes was written by none of them.
func (o *operation) whole(s *scells) bool {
	first := &s.c[bits.TrailingZeros32(o.mask)]
	for m := o.mask; m != 0; m &= m - 1 {
		if c := &s.c[bits.TrailingZeros32(m)]; c.e != first.e || c.site != first.site {
			return false
		}
	}
	return true
}

// observe takes over what the write that this read observes hands on: an acquire
// operation what was released, a relaxed one keeps it for a later fence, or a later
// acquire operation on the location (PTX ISA, "Release and Acquire Patterns").
func (o *operation) observe() {
	d, w := o.d, o.w
	s := d.strongOf(o.l, w, o.sd.in)
	if s == nil {
		return
	}
	o.one = o.whole(s)
	uid := w.b.uid
	acquires := o.st.Sem == kernel.Acquire || o.st.Sem == kernel.AcqRel
	who := o.who()
	var rel, sc, soft, pend *scoped
	for m := o.mask; m != 0; m &= m - 1 {
		c := &s.c[bits.TrailingZeros32(m)]
		t := d.detail(c)
		if t == nil {
			continue
		}
		if acquires {
			pend = joinScoped(pend, find(t.pend, who))
		}
		if o.one && o.last(c) && t.chain != nil {
			rel, sc, soft = joinScoped(rel, t.chain.rel), joinScoped(sc, t.chain.sc), joinScoped(soft, t.chain.soft)
			if t.chain.rel != nil && !(acquires && o.st.device) {
				t.pend = d.put(t.pend, who, t.chain.rel)
			}
		}
	}
	if acquires {
		w.learn(1<<o.lane, joinScoped(rel, pend).reaching(uid, o.st.device))
	}
	if rel != nil && !(acquires && o.st.device) {
		f := &w.private().lanes[o.lane]
		f.acq = joinScoped(f.acq, rel).prune(d.hasEnded)
	}
	w.see(o.lane, &message{sc: sc, soft: soft})
}

// see notes the fence.sc that a lane has observed something after.
func (w *Warp) see(lane int, m *message) {
	if m.sc == nil && m.soft == nil {
		return
	}
	c := &clock{uid: w.b.uid, seen: m.sc}
	if m.soft != nil {
		c.soft = &clock{uid: w.b.uid, seen: m.soft}
	}
	w.learn(1<<lane, c)
}

// check reports the strong accesses of a unit that are neither morally strong with o nor
// ordered before it.
func (o *operation) check(u int) {
	c := &o.cells.c[u]
	t := o.d.detail(c)
	uid := o.w.b.uid
	if c.e != 0 && !o.last(c) {
		o.race(u, c.e, c.site, true, o.causal(c.e, t.observers(), nil))
	}
	if t == nil {
		return
	}
	if !t.mixed && o.last(c) && o.d.alike(c.site, uidOf(c.e), o.site, uid, o.sd.in) {
		return // all are as strong as the last one
	}
	for i := range t.older {
		p := &t.older[i]
		if o.d.mutual(p.site, uidOf(p.e), o.site, uid, o.sd.in) {
			continue
		}
		var more []entry
		if p.chain {
			more = t.obs
		}
		o.each(p.entry, func(e uint64) { o.race(u, e, p.site, true, o.causal(e, p.obs, more)) })
	}
	if o.wrote {
		for _, p := range t.reads {
			if !o.d.mutual(p.site, uidOf(p.e), o.site, uid, o.sd.in) {
				o.each(p, func(e uint64) { o.race(u, e, p.site, false, o.w.order(e, o.lane, o.sd.in)) })
			}
		}
	}
}

func (t *detail) observers() []entry {
	if t == nil {
		return nil
	}
	return t.obs
}

func (o *operation) each(p entry, f func(e uint64)) {
	for m := p.mask; m != 0; m &= m - 1 {
		f(p.e | uint64(bits.TrailingZeros32(m)))
	}
}

func (o *operation) race(u int, e uint64, site Site, write bool, v verdict) {
	if v != ordered {
		o.d.report(&o.access, u, party{e, site, write}, o.lane, v, false)
	}
}

func (o *operation) causal(e uint64, obs, more []entry) verdict {
	return o.w.causal(e, o.lane, o.sd.in, obs, more)
}

// causal is order for a strong write: it is also ordered after it what is ordered after
// a read that observed it (PTX ISA, "Causality order", second clause).
func (w *Warp) causal(e uint64, lane, in int, obs, more []entry) verdict {
	v := w.order(e, lane, in)
	for _, list := range [2][]entry{obs, more} {
		for _, r := range list {
			for m := r.mask; m != 0 && v != ordered; m &= m - 1 {
				v = min(v, w.order(r.e|uint64(bits.TrailingZeros32(m)), lane, in))
			}
		}
	}
	return v
}

// read records a strong read of a unit.
func (o *operation) read(u int) {
	d := o.d
	c := &o.cells.c[u]
	t := d.newDetail(c)
	n := entry{o.e &^ 31, 1 << o.lane, o.site}
	t.mixed = t.mixed || c.e != 0 && !d.alike(c.site, uidOf(c.e), o.site, o.w.b.uid, o.sd.in) ||
		len(t.reads) > 0 && !d.alike(t.reads[0].site, uidOf(t.reads[0].e), o.site, o.w.b.uid, o.sd.in)
	t.reads = d.addEntry(t.reads, n, false)
	if o.one && o.last(c) && o.st.Read {
		t.obs = d.addEntry(t.obs, n, true)
	}
}

// write records a strong write of a unit. rel is what the operation itself releases.
func (o *operation) write(u int, rel *scoped) {
	d := o.d
	c := &o.cells.c[u]
	chain := o.st.Atomic && o.one && o.last(c)
	m := o.message(c, rel)
	if t := d.detail(c); t != nil && chain {
		m = joinMessage(t.chain, m)
	}
	m = m.prune(d.hasEnded)
	o.supersede(c, chain)
	c.e, c.site = o.e, o.site
	if t := d.detail(c); t != nil || m != nil {
		t = d.newDetail(c)
		t.chain = m
		if len(t.reads) > 0 && !d.alike(t.reads[0].site, uidOf(t.reads[0].e), o.site, o.w.b.uid, o.sd.in) {
			t.mixed = true
		}
	}
}

// message is what this write hands on by itself: its own release, the thread's earlier
// release operations on the location, its fences, and the fence.sc in its past.
func (o *operation) message(c *scell, rel *scoped) *message {
	w := o.w
	if t := o.d.detail(c); t != nil && t.rels != nil {
		rel = joinScoped(rel, find(t.rels, o.who()))
	}
	var sc, soft *scoped
	if o.d.fenced {
		lane := uint32(1) << o.lane
		if p := w.mine; p != nil {
			f := &p.lanes[o.lane]
			rel = f.rel[0].release(rel, lane, false)
			rel = f.rel[1].release(rel, lane, true)
		}
		k := join(w.b.uid, w.b.shared, w.exOf(o.lane))
		if k == nil {
			k = &clock{uid: w.b.uid}
		}
		if w.mine != nil {
			k = w.withFences(k, lane)
		}
		if sc = k.sc; k.soft != nil {
			soft = k.soft.sc
		}
	}
	if rel == nil && sc == nil && soft == nil {
		return nil
	}
	return &message{rel, sc, soft}
}
