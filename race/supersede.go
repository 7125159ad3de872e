package race

import "math/bits"

// supersede makes room for a new last write: what it does not imply is kept. A write is
// implied by a later one if every access that is ordered after the later one is ordered
// after it too.
func (o *operation) supersede(c *scell, chain bool) {
	d, in := o.d, o.sd.in
	low := o.w.b.low[in]
	if c.e == 0 || c.e < low {
		if t := d.detail(c); t != nil {
			o.breakChain(t)
			t.obs, t.chain = nil, nil
		}
		return
	}
	me := entry{o.e &^ 31, 1 << o.lane, o.site}
	last := entry{c.e &^ 31, 1 << laneOf(c.e), c.site}
	implied := d.implied(last, me, in)
	t := d.detail(c)
	if chain && o.st.Read && implied && (t == nil || len(t.older) == 0) {
		// the new last write has observed the one before it, and whoever observes it will have too
		if t != nil {
			t.obs = nil
		}
		return
	}
	t = d.newDetail(c)
	if !d.alike(c.site, uidOf(c.e), o.site, o.w.b.uid, in) {
		t.mixed = true
	}
	push := strongWrite{entry: last, obs: t.obs, chain: chain}
	switch {
	case chain && o.st.Read:
		o.chained(t, me, push, implied)
		t.obs = nil
		return
	case chain: // red
		if t.obs != nil {
			for i := range t.older {
				if p := &t.older[i]; p.chain {
					p.obs = append(p.obs[:len(p.obs):len(p.obs)], t.obs...)
				}
			}
		}
		if implied && o.w.order(c.e, o.lane, in) == ordered {
			// what is ordered after this one, or observes it, has the one before as well:
			// but what only observed the one before must stay with it
			t.obs = nil
			return
		}
	default:
		o.breakChain(t)
	}
	t.obs = nil
	if push.obs == nil {
		for i, k := len(t.older)-1, 0; i >= 0 && k < 8; i, k = i-1, k+1 {
			if p := &t.older[i]; p.e == push.e && p.site == push.site && p.chain == push.chain && p.obs == nil {
				p.mask |= push.mask
				return
			}
		}
	}
	d.addOlder(o.w.b, t, push, low)
}

// chained is supersede for an atom that continues a chain: it has observed all of it, so
// of the writes that are as strong only the newest of another block is kept (see implied).
func (o *operation) chained(t *detail, me entry, push strongWrite, implied bool) {
	d, in := o.d, o.sd.in
	all := t.older
	if !implied {
		all = append(all, push)
	}
	foreign := false
	k := len(all)
	for i := len(all) - 1; i >= 0; i-- {
		p := all[i]
		if p.chain {
			if d.implied(p.entry, me, in) {
				continue
			}
			if d.alike(p.site, uidOf(p.e), me.site, uidOf(me.e), in) {
				if foreign {
					continue
				}
				foreign = true
			}
			p.obs = append(append(p.obs[:len(p.obs):len(p.obs)], t.obs...), me)
		}
		k--
		all[k] = p
	}
	n := copy(all, all[k:])
	clear(all[n:])
	t.older = all[:n]
}

// breakChain ends the chain of read-modify-writes: what observed the last write stays
// with all writes of the chain.
func (o *operation) breakChain(t *detail) {
	for i := range t.older {
		if p := &t.older[i]; p.chain {
			p.chain = false
			if t.obs != nil {
				p.obs = append(p.obs[:len(p.obs):len(p.obs)], t.obs...)
			}
		}
	}
}

// addOlder appends a write to the older ones and cleans the list whenever it has doubled.
func (d *Detector) addOlder(b *Block, t *detail, n strongWrite, low uint64) {
	t.older = append(t.older, n)
	if len(t.older) < max(t.chk, d.limits.prune) {
		return
	}
	// newest first: an older write of a thread says no more than a later one that is alike
	// and that nobody observed
	k := len(t.older)
	var gone [2]bool
	for i := len(t.older) - 1; i >= 0; i-- {
		p := t.older[i]
		if p.e < low || n.chain && p.chain && !t.mixed && !d.narrow && p.e-b.base < b.span {
			continue // below the floor of the block whose write continues the chain: implied by that
		}
		for j := k; j < min(k+64, len(t.older)); j++ {
			if q := &t.older[j]; sameWarp(q.e, p.e) && stampOf(q.e) >= stampOf(p.e) && q.obs == nil && (!q.chain || p.chain) && d.sites[q.site].Elem == d.sites[p.site].Elem && d.sites[q.site].device == d.sites[p.site].device {
				p.mask &^= q.mask
			}
		}
		if p.obs == nil && p.mask != 0 && d.gone(p.e) && d.sites[p.site].device {
			g := &gone[0]
			if p.chain {
				g = &gone[1]
			}
			if *g {
				continue // one example of what nothing can be ordered after is enough
			}
			*g = true
		}
		if p.mask != 0 {
			k--
			t.older[k] = p
		}
	}
	n2 := copy(t.older, t.older[k:])
	clear(t.older[n2:])
	t.older = t.older[:n2]
	t.chk = 2 * n2
}

// addEntry adds a read. Of a lane's reads by like instructions the last counts against
// later writes, the first (first) as an observer.
func (d *Detector) addEntry(list []entry, n entry, first bool) []entry {
	for i, k := len(list)-1, 0; i >= 0 && k < 8; i, k = i-1, k+1 {
		if p := &list[i]; sameWarp(p.e, n.e) {
			if p.e == n.e && p.site == n.site {
				p.mask |= n.mask
				return list
			}
			if first && p.mask&n.mask == n.mask {
				return list
			}
			if !first && p.mask == n.mask && p.site == n.site {
				p.e = n.e
				return list
			}
		}
	}
	if m := len(list); m >= d.limits.prune && m&(m-1) == 0 {
		list = d.pruneEntries(list, first)
	}
	return append(list, n)
}

func (d *Detector) pruneEntries(list []entry, first bool) []entry {
	k := 0
	var out []entry
	for i := range list {
		p := list[i]
		if !first { // a later read of the lane by the same instruction replaces this one
			for _, q := range list[i+1:] {
				if sameWarp(p.e, q.e) && p.site == q.site {
					p.mask &^= q.mask
				}
			}
		} else {
			for _, q := range out {
				if sameWarp(p.e, q.e) {
					p.mask &^= q.mask
				}
			}
		}
		if p.mask != 0 {
			out = append(out, p)
			k++
		}
	}
	return out
}

// overwriteStrong checks a weak write against the strong accesses of its units, which it
// then supersedes. It returns the units that had a strong write.
func (d *Detector) overwriteStrong(a *access) uint32 {
	s := d.strongOf(a.l, a.w, a.sd.in)
	if s == nil {
		return 0
	}
	d.checkStrong(a, true)
	var had uint32
	for m := a.mask; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		c := &s.c[u]
		if c.e != 0 {
			had |= 1 << u
		}
		c.e = 0
		if t := d.detail(c); t != nil {
			if len(t.older) > 0 {
				had |= 1 << u
			}
			rels, pend, reads, mixed := t.rels, t.pend, t.reads, t.mixed
			if *t = (detail{rels: rels, pend: pend, reads: reads, mixed: mixed}); rels == nil && pend == nil && reads == nil {
				d.dropDetail(c)
			}
		}
	}
	return had
}

// checkStrong reports the strong accesses that are not ordered before a weak one.
func (d *Detector) checkStrong(a *access, write bool) {
	s := d.strongOf(a.l, a.w, a.sd.in)
	if s == nil {
		return
	}
	in := a.sd.in
	for m := a.mask; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		c := &s.c[u]
		if c.e == 0 && c.x == 0 {
			continue
		}
		t := d.detail(c)
		lanes := a.lanes(u)
		one := func(e uint64, site Site, w bool, obs, more []entry) {
			worst, at := ordered, 0
			for y := lanes; y != 0; y &= y - 1 {
				lane := bits.TrailingZeros32(y)
				if v := a.w.causal(e, lane, in, obs, more); v > worst {
					worst, at = v, lane
				}
			}
			if worst != ordered {
				d.report(a, u, party{e, site, w}, at, worst, false)
			}
		}
		each := func(p entry, w bool, obs, more []entry) {
			for y := p.mask; y != 0; y &= y - 1 {
				one(p.e|uint64(bits.TrailingZeros32(y)), p.site, w, obs, more)
			}
		}
		if c.e != 0 && !a.w.sees(c.e, in) {
			one(c.e, c.site, true, t.observers(), nil)
		}
		if t == nil {
			continue
		}
		for i := range t.older {
			p := &t.older[i]
			if a.w.sees(p.e, in) {
				continue
			}
			if p.chain {
				each(p.entry, true, p.obs, t.obs)
			} else {
				each(p.entry, true, p.obs, nil)
			}
		}
		if !write {
			if c.e != 0 && a.e&asyncEpoch == 0 {
				d.readOwnRed(a, c, t, lanes)
			}
			continue
		}
		for _, p := range t.reads {
			if !a.w.sees(p.e, in) {
				each(p, false, nil, nil)
			}
		}
	}
}

// readOwnRed: a plain read of what the thread's own red has left is morally strong with
// that (program order), so it observes the writes that the red passes on. It is no
// acquire pattern, which takes a strong read, but it may force the order of fences.
func (d *Detector) readOwnRed(a *access, c *scell, t *detail, lanes uint32) {
	x := &d.sites[c.site]
	l := laneOf(c.e)
	if !x.Atomic || x.Read || x.Elem != d.sites[a.site].Elem || !sameWarp(c.e, a.e) || lanes>>l&1 == 0 {
		return
	}
	t.obs = d.addEntry(t.obs, entry{a.e, 1 << l, a.site}, true)
	if t.chain != nil {
		a.w.see(l, t.chain)
	}
}

// strongOfLaunch reports the strong writes of this launch on units that ld.global.nc reads.
func (d *Detector) strongOfLaunch(a *access) {
	s := d.strongOf(a.l, a.w, inGlobal)
	if s == nil {
		return
	}
	for m := a.mask; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		c := &s.c[u]
		if c.e >= a.w.b.low[inGlobal] {
			d.reportNC(a, u, party{c.e, c.site, true})
		}
		if t := d.detail(c); t != nil {
			for _, p := range t.older {
				d.reportNC(a, u, party{p.e | uint64(bits.TrailingZeros32(p.mask)), p.site, true})
			}
		}
	}
}
