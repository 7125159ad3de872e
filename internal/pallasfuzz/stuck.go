package pallasfuzz

import (
	"slices"
	"strings"
)

// polls reports whether a thread polls.
func (m *model) polls() bool {
	for _, t := range m.threads {
		if t.waits != nil && t.waits.Op == Poll {
			return true
		}
	}
	return false
}

// stuck checks that no thread can go on.
func (m *model) stuck() {
	for k, t := range m.threads {
		if t.ended || k.thread >= m.p.Threads*m.p.Blocks() && t.waits == nil && m.idle(k) {
			continue
		}
		if t.waits == nil {
			m.fail("a deadlock, but thread %d of cluster %d could go on", k.thread, k.group)
			continue
		}
		if t.waits.Op == Wait {
			for site, list := range m.landings {
				for _, l := range list {
					if site.group == k.group && l.bar == t.waits.Bar && (l.block == m.blockOf(k.thread) || slices.Contains(l.peers, m.blockOf(k.thread))) {
						m.fail("a deadlock, but an operation of site %d will arrive: %s", site.site, m.p.text(t.waits))
					}
				}
			}
		}
		if m.canPass(k, t) {
			m.fail("a deadlock, but thread %d of cluster %d could pass: %s", k.thread, k.group, m.p.text(t.waits))
		}
	}
	for g := range m.p.Grid * m.p.Devices {
		for t := range m.p.Threads * m.p.Blocks() {
			if m.threads[threadOf{g, t}] == nil && m.started(g) {
				m.fail("a deadlock, but thread %d of cluster %d has not begun", t, g)
			}
		}
	}
}

// idle reports whether a warp has no work: its thread does not wait for its warps.
func (m *model) idle(k threadOf) bool {
	of, _ := m.observer(k.thread)
	t := m.threads[threadOf{k.group, of}]
	return t == nil || t.waits == nil || t.waits.Op != Fork
}

func (m *model) started(group int) bool {
	for k := range m.threads {
		if k.group == group {
			return true
		}
	}
	return false
}

func (m *model) canPass(k threadOf, t *thread) bool {
	x := &doing{m, t, nil, t.waits, k.group, m.blockOf(k.thread)}
	switch s := t.waits; s.Op {
	case Wait, Poll:
		b := m.barrier(k.group, x.block, s.Bar)
		of, warp := m.observer(k.thread)
		n, _ := b.seen(of, warp)
		return n < b.phase
	case Await:
		return x.sem(s, -1).value >= s.N
	case Enter:
		return !m.p.meets(s.Bar) || len(m.entries[scopeOf{k.group, x.block, s.Bar}]) == m.p.Threads
	case Fork:
		first := m.p.Threads * m.p.Blocks()
		for w := range 4 {
			if o := m.threads[threadOf{k.group, first + 4*k.thread + w}]; o == nil || !o.ended {
				return false
			}
		}
	}
	return true
}

// justify checks that one of the errors may have ended the run.
func (m *model) justify(messages []string) {
	says := func(class string) bool {
		return class != "" && slices.ContainsFunc(messages, func(s string) bool { return strings.Contains(s, class) })
	}
	if m.fatal != "" {
		if !says(m.fatal) {
			m.fail("%s: due, reported is: %s", m.fatal, messages)
		}
		return
	}
	for k, t := range m.threads {
		if t.waits != nil && (t.waits.Op == Wait || t.waits.Op == Poll) {
			of, warp := m.observer(k.thread)
			if says(m.barrier(k.group, m.blockOf(k.thread), t.waits.Bar).misuse(of, warp)) {
				return
			}
		}
	}
	if says("arrivals pending") || says("allocated a barrier after") { // judged by reading, not here
		return
	}
	m.fail("not due: %s", messages)
}
