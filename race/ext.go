package race

// ext maps blocks (by uid) to what is known about them: a persistent tree with 16 ways,
// so that a chain of blocks that hand on what they know (the last-block reduction)
// shares all but the path that changes. nil is empty. A tree is as high as its keys
// need: the root covers the uids that agree with prefix above its level.
type ext struct {
	level  uint8
	prefix uint64  // uid >> (4*level + 4)
	kids   []*ext  // inner node: 16
	parts  []*part // leaf, level 0: 16
}

func (x *ext) covers(uid uint64) bool { return uid>>(4*x.level+4) == x.prefix }

func (x *ext) slot(uid uint64) int { return int(uid >> (4 * x.level) & 15) }

func (x *ext) get(uid uint64) *part {
	for x != nil && x.covers(uid) {
		if x.level == 0 {
			return x.parts[uid&15]
		}
		x = x.kids[x.slot(uid)]
	}
	return nil
}

// put returns x with the knowledge about a block joined with p.
func (x *ext) put(uid uint64, p *part) *ext {
	if p == nil {
		return x
	}
	leaf := &ext{prefix: uid >> 4, parts: make([]*part, 16)}
	leaf.parts[uid&15] = p
	return joinExt(x, leaf)
}

// raised is the tree with one level more.
func (x *ext) raised() *ext {
	n := &ext{level: x.level + 1, prefix: x.prefix >> 4, kids: make([]*ext, 16)}
	n.kids[x.prefix&15] = x
	return n
}

// joinExt is the union; it returns one of its arguments where that knows everything.
func joinExt(a, b *ext) *ext {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.level > b.level && a.prefix == b.prefix>>(4*(a.level-b.level)):
		return a.joinBelow(b)
	case b.level > a.level && b.prefix == a.prefix>>(4*(b.level-a.level)):
		return b.joinBelow(a)
	}
	for a.level < b.level {
		a = a.raised()
	}
	for b.level < a.level {
		b = b.raised()
	}
	for a.prefix != b.prefix {
		a, b = a.raised(), b.raised()
	}
	return joinLevel(a, b)
}

// joinBelow joins a lower tree into the subtree that covers its keys.
func (x *ext) joinBelow(b *ext) *ext {
	i := int(b.prefix >> (4 * (x.level - b.level - 1)) & 15)
	old := x.kids[i]
	var k *ext
	switch {
	case old == nil:
		k = b
		for k.level < x.level-1 {
			k = k.raised()
		}
	case old.level == b.level:
		k = joinLevel(old, b) // old if that knows everything
	default:
		k = old.joinBelow(b)
	}
	if k == old {
		return x
	}
	n := &ext{level: x.level, prefix: x.prefix, kids: append([]*ext(nil), x.kids...)}
	n.kids[i] = k
	return n
}

// joinLevel joins trees that cover the same keys.
func joinLevel(a, b *ext) *ext {
	n, _, _ := joinNodes(a, b)
	return n
}

// joinNodes also tells whether the union is what a knows, and what b knows: equal trees
// may be different objects.
func joinNodes(a, b *ext) (n *ext, isA, isB bool) {
	switch {
	case a == b:
		return a, true, true
	case b == nil:
		return a, true, false
	case a == nil:
		return b, false, true
	}
	isA, isB = true, true
	if a.level == 0 {
		var ps [16]*part
		for i := range ps {
			ps[i] = joinPart(a.parts[i], b.parts[i])
			isA = isA && ps[i] == a.parts[i]
			isB = isB && ps[i] == b.parts[i]
		}
		if !isA && !isB {
			n = &ext{prefix: a.prefix, parts: append([]*part(nil), ps[:]...)}
		}
	} else {
		var ks [16]*ext
		for i := range ks {
			k, inA, inB := joinNodes(a.kids[i], b.kids[i])
			ks[i], isA, isB = k, isA && inA, isB && inB
		}
		if !isA && !isB {
			n = &ext{level: a.level, prefix: a.prefix, kids: append([]*ext(nil), ks[:]...)}
		}
	}
	switch {
	case isA:
		n = a
	case isB:
		n = b
	}
	return n, isA, isB
}
