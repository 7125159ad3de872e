package region

// Clock is what somebody knows to have happened: in the own group exactly, in other groups
// as far as a semaphore has told.
type Clock struct {
	view
	group   uint64
	foreign map[uint64]*view
}

// view is what is known of one group: by thread, the last stamp that is known, and the
// events of asynchronous operations. Each proxy has its own.
type view struct {
	generic []uint32   // accesses of the generic proxy
	async   []uint32   // those that the async proxy sees too: a proxy fence was passed
	tensor  []uint32   // those before which operations of the tensor core were issued
	ops     milestones // operations whose source was read, or that are complete
	tmem    milestones // those of which the tensor core knows that, too
}

func newView(threads int) view {
	stamps := make([]uint32, 3*threads)
	return view{generic: stamps[:threads:threads], async: stamps[threads : 2*threads : 2*threads], tensor: stamps[2*threads:]}
}

func (v *view) clone() view {
	n := newView(len(v.generic))
	copy(n.generic, v.generic)
	copy(n.async, v.async)
	copy(n.tensor, v.tensor)
	n.ops, n.tmem = v.ops.clone(), v.tmem.clone()
	return n
}

// join adds what another view of the same group knows; of the tensor core only if tensor.
func (v *view) join(o *view, tensor bool) {
	raise(v.generic, o.generic)
	raise(v.async, o.async)
	v.ops.join(&o.ops)
	if tensor {
		raise(v.tensor, o.tensor)
		v.tmem.join(&o.tmem)
	}
}

// raise sets every stamp to the later one.
func raise(to, from []uint32) {
	for i, s := range from {
		to[i] = max(to[i], s)
	}
}

// empty reports whether nothing has been joined to a clock of nobody's.
func (c *Clock) empty() bool { return c.generic == nil }

func (c *Clock) clone() Clock {
	n := Clock{view: c.view.clone(), group: c.group}
	for g, v := range c.foreign {
		n.learn(g, v, true)
	}
	return n
}

// join adds what another clock knows.
func (c *Clock) join(o *Clock, tensor bool) {
	switch {
	case o.empty():
		return
	case c.empty():
		c.group, c.view = o.group, newView(len(o.generic))
	}
	if c.group == o.group {
		c.view.join(&o.view, tensor)
	} else {
		c.learn(o.group, &o.view, tensor)
	}
	for g, v := range o.foreign {
		if g == c.group {
			c.view.join(v, tensor)
		} else {
			c.learn(g, v, tensor)
		}
	}
}

// learn adds what is known of another group.
func (c *Clock) learn(group uint64, v *view, tensor bool) {
	if c.foreign == nil {
		c.foreign = map[uint64]*view{}
	}
	mine := c.foreign[group]
	if mine == nil {
		n := newView(len(v.generic))
		mine = &n
		c.foreign[group] = mine
	}
	mine.join(v, tensor)
}

// of is what is known of a group, nil for nothing.
func (c *Clock) of(group uint64) *view {
	if group == c.group {
		return &c.view
	}
	return c.foreign[group]
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

// both adds both events of an operation.
func (m *milestones) both(op uint64) {
	m.add(2 * op)
	m.add(2*op + 1)
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
