package race

// run says of the threads lo to hi that what they did with a stamp below is known.
// Threads from maxThreads on stand for the cp.async groups of thread number - maxThreads.
type run struct {
	lo, hi uint16
	stamp  uint32
}

// part is what is known about one block: stamps below floor of every thread, and more
// of some threads. Sorted, disjoint, immutable, shared by pointer; nil knows nothing.
// The floor says nothing about cp.async groups.
type part struct {
	floor uint32
	runs  []run
}

const maxRun = 2 * maxThreads

func (p *part) find(t int) (run, bool) {
	lo, hi := 0, len(p.runs)
	for lo < hi {
		m := (lo + hi) / 2
		if int(p.runs[m].hi) < t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(p.runs) && int(p.runs[lo].lo) <= t {
		return p.runs[lo], true
	}
	return run{}, false
}

// know is the stamp below which everything of thread t is known.
func (p *part) know(t int) uint32 {
	if p == nil {
		return 0
	}
	k := p.floor
	if t >= maxThreads {
		k = 0
	}
	if r, ok := p.find(t); ok && r.stamp > k {
		k = r.stamp
	}
	return k
}

// knowWarp is know for all threads of a warp at once: the least that one run or the
// floor tells about all of them.
func (p *part) knowWarp(w int) uint32 {
	if p == nil {
		return 0
	}
	if r, ok := p.find(w * 32); ok && int(r.hi) >= w*32+31 && r.stamp > p.floor {
		return r.stamp
	}
	return p.floor
}

// covers reports whether p knows everything that q knows.
func (p *part) covers(q *part) bool {
	if q == nil || p == q {
		return true
	}
	if p == nil || p.floor < q.floor {
		return false
	}
	i := 0
	for _, r := range q.runs {
		for pos := int(r.lo); pos <= int(r.hi); {
			for i < len(p.runs) && int(p.runs[i].hi) < pos {
				i++
			}
			k, next := uint32(0), maxRun
			if pos < maxThreads {
				k, next = p.floor, maxThreads
			}
			if i < len(p.runs) {
				if int(p.runs[i].lo) <= pos {
					k, next = max(k, p.runs[i].stamp), int(p.runs[i].hi)+1
				} else {
					next = min(next, int(p.runs[i].lo))
				}
			}
			if k < r.stamp {
				return false
			}
			pos = next
		}
	}
	return true
}

// joinPart is the knowledge of both. It returns one of them where it can.
func joinPart(a, b *part) *part {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.floor == b.floor && len(a.runs) == len(b.runs):
		if r := joinRuns(a, b); r != nil {
			return r
		}
	}
	if a.covers(b) {
		return a
	}
	if b.covers(a) {
		return b
	}
	r := &part{floor: max(a.floor, b.floor), runs: make([]run, 0, len(a.runs)+len(b.runs))}
	i, j := 0, 0
	for pos := 0; pos < maxRun; {
		for i < len(a.runs) && int(a.runs[i].hi) < pos {
			i++
		}
		for j < len(b.runs) && int(b.runs[j].hi) < pos {
			j++
		}
		if i == len(a.runs) && j == len(b.runs) {
			break
		}
		next, stamp := maxRun, uint32(0)
		if i < len(a.runs) {
			next, stamp = segment(a.runs[i], pos, next, stamp)
		}
		if j < len(b.runs) {
			next, stamp = segment(b.runs[j], pos, next, stamp)
		}
		if pos < maxThreads && next > maxThreads {
			next = maxThreads // the floor ends here
		}
		if stamp > r.floor || pos >= maxThreads && stamp > 0 {
			r.add(pos, next-1, stamp)
		}
		pos = next
	}
	return r
}

// joinRuns is joinPart for parts about the same runs of threads, nil for others. It is the
// usual case where many threads hand on what each knows.
func joinRuns(a, b *part) *part {
	as, bs := a.runs, b.runs[:len(a.runs)]
	isA, isB := true, true
	for i := range as {
		x, y := &as[i], &bs[i]
		if x.lo != y.lo || x.hi != y.hi {
			return nil
		}
		isA = isA && x.stamp >= y.stamp
		isB = isB && x.stamp <= y.stamp
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	r := &part{floor: a.floor, runs: make([]run, 0, len(as))}
	for i := range as {
		r.add(int(as[i].lo), int(as[i].hi), max(as[i].stamp, bs[i].stamp))
	}
	return r
}

// segment narrows the stretch that starts at pos by one run.
func segment(r run, pos, next int, stamp uint32) (int, uint32) {
	if int(r.lo) > pos {
		return min(next, int(r.lo)), stamp
	}
	return min(next, int(r.hi)+1), max(stamp, r.stamp)
}

// add appends a run while a part is being built, merging neighbours.
func (p *part) add(lo, hi int, stamp uint32) {
	if n := len(p.runs); n > 0 && int(p.runs[n-1].hi)+1 == lo && p.runs[n-1].stamp == stamp && lo != maxThreads {
		p.runs[n-1].hi = uint16(hi)
		return
	}
	p.runs = append(p.runs, run{uint16(lo), uint16(hi), stamp})
}

// addLanes adds the lanes of a warp: those of mask up to a stamp, the others up to another.
func (p *part) addLanes(warp int, mask, in, out uint32) {
	for l := 0; l < 32; {
		bit, h := mask>>l&1, l
		for h < 32 && mask>>h&1 == bit {
			h++
		}
		s := out
		if bit != 0 {
			s = in
		}
		if s > p.floor {
			p.add(warp*32+l, warp*32+h-1, s)
		}
		l = h
	}
}
