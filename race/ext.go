package race

// ext maps blocks (by uid) to what is known about them: a persistent tree with 16 ways,
// so that a chain of blocks that hand on what they know (the last-block reduction)
// shares all but the path that changes. nil is empty. All trees have depth levels.
type ext struct {
	kids  []*ext  // inner node: 16
	parts []*part // leaf: 16
}

const extDepth = 7 // 16^7 > maxUID

func (x *ext) get(uid uint64) *part {
	for d := extDepth - 1; x != nil; d-- {
		i := uid >> (4 * d) & 15
		if d == 0 {
			return x.parts[i]
		}
		x = x.kids[i]
	}
	return nil
}

// put returns x with the knowledge about a block joined with p.
func (x *ext) put(uid uint64, p *part) *ext {
	if p == nil {
		return x
	}
	return x.putAt(uid, p, extDepth-1)
}

func (x *ext) putAt(uid uint64, p *part, d int) *ext {
	i := uid >> (4 * d) & 15
	if d == 0 {
		var old *part
		if x != nil {
			old = x.parts[i]
		}
		j := joinPart(old, p)
		if x != nil && j == old {
			return x
		}
		n := &ext{parts: make([]*part, 16)}
		if x != nil {
			copy(n.parts, x.parts)
		}
		n.parts[i] = j
		return n
	}
	var old *ext
	if x != nil {
		old = x.kids[i]
	}
	k := old.putAt(uid, p, d-1)
	if x != nil && k == old {
		return x
	}
	n := &ext{kids: make([]*ext, 16)}
	if x != nil {
		copy(n.kids, x.kids)
	}
	n.kids[i] = k
	return n
}

// joinExt is the union; it returns one of its arguments where that knows everything.
func joinExt(a, b *ext) *ext {
	if a == b || b == nil {
		return a
	}
	if a == nil {
		return b
	}
	isA, isB := true, true
	if a.parts != nil {
		var ps [16]*part
		for i := range ps {
			ps[i] = joinPart(a.parts[i], b.parts[i])
			isA = isA && ps[i] == a.parts[i]
			isB = isB && ps[i] == b.parts[i]
		}
		switch {
		case isA:
			return a
		case isB:
			return b
		}
		return &ext{parts: append([]*part(nil), ps[:]...)}
	}
	var ks [16]*ext
	for i := range ks {
		ks[i] = joinExt(a.kids[i], b.kids[i])
		isA = isA && ks[i] == a.kids[i]
		isB = isB && ks[i] == b.kids[i]
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return &ext{kids: append([]*ext(nil), ks[:]...)}
}
