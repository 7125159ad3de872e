package main

var mutants = []mutant{
	// order of single accesses
	{"floor includes the present stamp", "race/order.go", "} else if st < b.hi ||", "} else if st <= b.hi ||"},
	{"ghosts are below the floor", "race/order.go", "if g := b.ghosts; g != nil && g.lanes[t>>5]>>(t&31)&1 != 0 {", "if g := b.ghosts; g != nil && false {"},
	{"warps with ghosts are seen", "race/order.go", "if b.ghosts != nil && b.ghosts.lanes[v] != 0 {", "if b.ghosts != nil && false {"},
	{"own copies are complete", "race/order.go", "if own && uid == b.uid && st < w.copies.completed(l) {", "if own && uid == b.uid {"},
	{"warp floor for every warp", "race/order.go", "} else if st < b.hi || t>>5 == w.id && st < w.floor {", "} else if st < b.hi || st < w.floor {"},
	{"soft counts as ordered", "race/order.go", "		return soft\n", "		return ordered\n"},
	{"copies are in program order", "race/epoch.go", "func programOrder(a, b uint64) bool { return (a^b&^asyncEpoch)&^(stampBits|31) == 0 }", "func programOrder(a, b uint64) bool { return sameWarp(a, b) }"},

	// clocks
	{"partial sync raises the warp's floor", "race/warp.go", "	w.tick()\n	if mask == w.live {\n		w.floor = w.stamp\n	}\n}", "	w.tick()\n	w.floor = w.stamp\n}"},
	{"no new stamp at an arrival", "race/warp.go", "	w.tick()\n	w.b.dirty = true\n}\n\n// Depart", "	w.b.dirty = true\n}\n\n// Depart"},
	{"what was known before is lost at an arrival", "race/warp.go", "p.c = join(w.b.uid, p.c, w.past(mask))", "p.c = w.past(mask)"},
	{"exited lanes are not buried", "race/warp.go", "	g.lanes[w.id] |= w.leaving\n", ""},
	{"a barrier forgets what is beyond the floor", "race/block.go", "	if b.dirty {\n		b.gather()\n	}\n", ""},
	{"nobody knows about ghosts of his warp", "race/block.go", "g.known[t] = max(g.known[t], g.mates[t])", "g.known[t] = max(g.known[t], 0)"},
	{"gone blocks released nothing", "race/block.go", "	return stampOf(e) >= d.released[uid]\n", "	return true\n"},
	{"learning by one lane is learning by all", "race/warp.go", "		if mask == w.live {\n			w.exU = j\n", "		if true {\n			w.exU = j\n"},
	{"join of parts keeps the first", "race/part.go", "return min(next, int(r.hi)+1), max(stamp, r.stamp)", "return min(next, int(r.hi)+1), max(stamp, 1)"},

	// records
	{"another mask is the same record", "race/access.go", "if l.nr == 1 && r.sh == uint16(s.ID) && r.pos == pos && r.mask == mask && sameWarp(r.e, e) {", "if l.nr == 1 && r.sh == uint16(s.ID) && r.pos == pos && sameWarp(r.e, e) {"},
	{"another warp is the same record", "race/access.go", "case l.nr == 1 && r.sh == sh && r.pos == pos && r.mask == mask && sameWarp(r.e, e):", "case l.nr == 1 && r.sh == sh && r.pos == pos && r.mask == mask:"},
	{"a write replaces what it does not cover", "race/access.go", "l.nw == 1 && l.w.mask&^p.Mask == 0 && (o.e-base", "l.nw == 1 && (o.e-base"},
	{"units that gone blocks read are never forgotten", "race/access.go", "case mask&^l.lost == 0 && r.e >= low &&", "case mask&^l.lost == 0 &&"},
	{"some unit read by a gone block is enough", "race/records.go", "		if m&^lost == 0 {\n			continue\n		}\n		if d.gone", "		if m&lost != 0 {\n			continue\n		}\n		if d.gone"},
	{"an overlapping write replaces", "race/records.go", "q.mask&^mask != 0 {\n				lg[n] = q", "q.mask&mask == 0 {\n				lg[n] = q"},
	{"a smaller read replaces a larger one", "race/records.go", "if r.e >= q.e && q.mask&^r.mask == 0 {", "if r.e >= q.e {"},
	{"lanes of any affine pattern are the same", "race/access.go", "return recStart(q, sd.shift, r.pos)-int64(q.First)*k == recStart(s, sd.shift, pos)-int64(s.First)*k", "return k != 0"},
	{"quarters of a line of words are alike", "race/shadow.go", "fourfold(r.mask>>(8*q)&0xFF)", "fourfold(r.mask&0xFF)"},

	// cells
	{"writers of one value are forgotten", "race/cell.go", "	return keep && !hard\n", "	return keep && hard && false\n"},
	{"a thread races with itself", "race/cell.go", "				mask &^= lanes\n", "				_ = lanes\n"},
	{"a warp floor orders nothing for alike pairs", "race/order.go", "(warpOf(e) != w.id || st >= w.floor)", "true"},
	{"torn values compare", "race/cell.go", "				torn |= (1<<n - 1) << u\n", "				torn |= 0\n"},
	{"a lane's read replaces its warp's", "race/cell.go", "		case sameWarp(old, e) && x.mask&^lanes == 0:\n", "		case sameWarp(old, e):\n"},
	{"a second read is dropped", "race/cell.go", "	default:\n		x.site = d.newSet(*x, n)\n		x.e = max(x.e, n.e)\n", "	default:\n		x.e = max(x.e, n.e)\n"},
	{"one ordered write in a set is enough", "race/cell.go", "if len(old) > 1 || len(old) == 1 && !a.w.sees(old[0].e, a.sd.in) {", "if len(old) >= 1 && !a.w.sees(old[0].e, a.sd.in) {"},
	{"scattered reads forget the other lanes", "race/lanes.go", "	case sameWarp(old, e) && x.mask&^(1<<lane) == 0:\n", "	case sameWarp(old, e):\n"},
	{"scattered writes see no reads", "race/lanes.go", "l.r.mask>>u&1 != 0 && l.r.e >= low && (l.nr != 1 || l.r.e-b.base >= b.span) {", "false {"},
	{"lanes of a pattern that do not take part", "race/masked.go", "units := p.Mask & s.UnitsOf(sd.shift, start, mask)", "units := p.Mask | s.UnitsOf(sd.shift, start, mask)"},

	// strong accesses
	{"sizes do not matter", "race/strongcell.go", "	return x.Elem == y.Elem && (in == inShared || auid == buid || x.device && y.device)\n", "	return in == inShared || auid == buid || x.device && y.device\n"},
	{"one wide scope is enough", "race/strongcell.go", "auid == buid || x.device && y.device)", "auid == buid || x.device || y.device)"},
	{"the newest write stands for wide ones of other blocks", "race/strongcell.go", "(in == inShared || a == b || !d.narrow)", "true"},
	{"a pieced value is observed", "race/strong.go", "chain := o.st.Atomic && o.one && o.last(c)", "chain := o.st.Atomic && o.last(c)"},
	{"an acquire of block scope reaches all", "race/strong.go", "w.learn(1<<o.lane, joinScoped(rel, pend).reaching(uid, o.st.device))", "w.learn(1<<o.lane, joinScoped(rel, pend).reaching(uid, true))"},
	{"relaxed reads collect nothing", "race/strong.go", "		f.acq = joinScoped(f.acq, rel).prune(d.hasEnded)\n", "		f.acq = nil\n"},
	{"no later acquire on the location", "race/strong.go", "				t.pend = d.put(t.pend, who, t.chain.rel)\n", "				t.pend = nil\n"},
	{"no later write after a release on the location", "race/strong.go", "			t.rels = d.put(t.rels, o.who(), rel)\n", "			t.rels = nil\n"},
	{"a location has no size", "race/strong.go", "return o.e&^stampBits | uint64(o.st.Elem)<<stampSh }", "return o.e &^ stampBits }"},
	{"a chain hands on its last release only", "race/strong.go", "		m = joinMessage(t.chain, m)\n", "		_ = joinMessage(t.chain, m)\n"},
	{"narrow fences release widely", "race/strong.go", "			rel = f.rel[0].release(rel, lane, false)\n", "			rel = f.rel[0].release(rel, lane, true)\n"},
	{"observation orders nothing", "race/strong.go", "for m := r.mask; m != 0 && v != ordered; m &= m - 1 {", "for m := uint32(0); m != 0; {"},
	{"a release publishes what follows", "race/strong.go", "	if releases {\n		w.tick()\n", "	if releases {\n"},
	{"a red observes", "race/supersede.go", "	case chain && o.st.Read:\n", "	case chain:\n"},
	{"a broken chain forgets its observers", "race/supersede.go", "			p.chain = false\n			if t.obs != nil {", "			p.chain = false\n			if false {"},
	{"a weak write leaves strong ones observable", "race/supersede.go", "		c.e = 0\n", ""},
	{"failed cas writes", "race/strong.go", "o := operation{", "wrote = true\n	o := operation{"},

	// fences
	{"fences acquire nothing", "race/fence.go", "			w.learn(1<<l, f.acq.reaching(b.uid, device))\n", ""},
	{"fence.sc is fence.acq_rel", "race/fence.go", "		d.ordered(w, mask, sc, device)\n", ""},
	{"fence.acq_rel is fence.sc", "race/fence.go", "		d.ordered(w, mask, sc, device)\n", "		d.ordered(w, mask, true, device)\n"},
	{"no operation has block scope", "race/detector.go", "	if d.wide {\n", "	if true {\n"},
	{"an acquired fence.sc is not in the past", "race/fence.go", "			n.sc = n.sc.with(s.home, c, s.device)\n", "			n.sc = n.sc.with(s.home, nil, s.device)\n"},
	{"a fence publishes what follows", "race/fence.go", "	w.tick()\n	if releases {\n", "	if releases {\n"},
	{"a forced fence is not in the past", "race/fence.go", "&clock{uid: uid, sc: s})", "&clock{uid: uid})"},

	// read-only data, copies
	{"read-only for ever", "race/nc.go", "	if n.launch == d.launchUID {\n", "	if n.launch != 0 {\n"},
	{"read-only units only once", "race/nc.go", "	n.mask |= mask\n}", "	n.mask |= ^uint32(0)\n}"},
	{"wait_group waits for one group less", "race/async.go", "c.done[l] = max(c.done[l], c.back(l, g, n))", "c.done[l] = max(c.done[l], c.back(l, g, n+1))"},
	{"wait_group waits for all groups", "race/async.go", "c.done[l] = max(c.done[l], c.back(l, g, n))", "c.done[l] = max(c.done[l], g)"},
	{"copies of half a warp are those of a warp", "race/settle.go", "int(r.hi) >= maxThreads+w*32+31 {", "true {"},
}
