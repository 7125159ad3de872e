package region

// Clock is what somebody in a block knows to have happened.
type Clock struct {
	// By thread, the last stamp that is known: to accesses of the generic proxy, and to
	// those of the async proxy. The second never exceeds the first.
	generic, async []uint32
	ops            milestones
}

func newClock(threads int) Clock {
	return Clock{generic: make([]uint32, threads), async: make([]uint32, threads)}
}

func (c *Clock) clone() Clock {
	return Clock{append([]uint32(nil), c.generic...), append([]uint32(nil), c.async...), c.ops.clone()}
}

// join adds what another clock knows.
func (c *Clock) join(o *Clock) {
	if o.generic == nil {
		return
	}
	if c.generic == nil {
		*c = o.clone()
		return
	}
	for i, s := range o.generic {
		c.generic[i] = max(c.generic[i], s)
		c.async[i] = max(c.async[i], o.async[i])
	}
	c.ops.join(&o.ops)
}

// milestones is a set of events of asynchronous operations, two for each: 2n is that
// operation n has read its source, 2n+1 that it is complete. Those below base are all in.
type milestones struct {
	base  uint64 // a multiple of 64
	words []uint64
}

func (m *milestones) has(n uint64) bool {
	if n < m.base {
		return true
	}
	i := (n - m.base) / 64
	return i < uint64(len(m.words)) && m.words[i]>>(n%64)&1 != 0
}

func (m *milestones) add(n uint64) {
	if n < m.base {
		return
	}
	i := int((n - m.base) / 64)
	for len(m.words) <= i {
		m.words = append(m.words, 0)
	}
	m.words[i] |= 1 << (n % 64)
	m.trim()
}

// trim moves the base over full words, so that a long run of operations that have all
// been waited for takes no space.
func (m *milestones) trim() {
	for len(m.words) > 0 && m.words[0] == ^uint64(0) {
		m.words = m.words[1:]
		m.base += 64
	}
}

func (m *milestones) clone() milestones {
	return milestones{m.base, append([]uint64(nil), m.words...)}
}

func (m *milestones) join(o *milestones) {
	if o.base > m.base {
		skip := int((o.base - m.base) / 64)
		m.words = m.words[min(skip, len(m.words)):]
		m.base = o.base
	}
	for i, w := range o.words {
		at := o.base + uint64(i)*64
		if at < m.base || w == 0 {
			continue
		}
		k := int((at - m.base) / 64)
		for len(m.words) <= k {
			m.words = append(m.words, 0)
		}
		m.words[k] |= w
	}
	m.trim()
}
