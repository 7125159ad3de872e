package pallasfuzz

import (
	"fmt"
	"slices"

	"gpusim/kernel"
)

// model follows a log by the rules.
type model struct {
	graph
	p        *Program
	out      *Outcome
	threads  map[threadOf]*thread
	barriers map[barrierOf]*barrier
	sems     map[semOf]*semaphore
	landings map[siteOf][]*landing
	entries  map[scopeOf][]int // nodes that enter a scope
	left     map[scopeOf]int   // threads that have left it
	issued   map[pipeOf][]issue
	accesses map[place][]*access
	places   []place
	bases    []int
	memory   map[home]*contents

	flights []flight
	uninit  map[read]bool
	values  []string // loads whose values are not those of the replay
	fatal   string   // class of the error that is due
	wrong   []string
	blind   bool
}

type (
	threadOf struct{ group, thread int }
	scopeOf  struct{ group, block, scope int }
	siteOf   struct{ group, site int }
	semOf    struct{ device, point, block, sem int }
	pipeOf   struct{ group, block int }
	read     struct {
		site   int
		object string
	}
)

// thread is what a thread is doing.
type thread struct {
	node          int // its last event
	waits         *Stmt
	ended         bool
	open          []*operation
	reads, writes [][]*operation
	in            []*operation
	wgmmas        []*operation
	stores, loads []*operation
	given         []*operation // to the tensor core
	value         int
}

// issue is work of the tensor core: a product with its accumulator, or a copy.
type issue struct {
	node int // of the issue
	op   *operation
	key  string // "" for a copy
	both bool
}

// landing is an arrival that an operation owes to the barrier of a block.
type landing struct {
	block int
	peers []int // other blocks whose barriers wait for it
	bar   int
	apply func() string
}

type semaphore struct {
	value, consumed int
	signals         []signal
}

type signal struct{ total, node int }

func newModel(p *Program, out *Outcome) *model {
	m := &model{p: p, out: out, threads: map[threadOf]*thread{}, barriers: map[barrierOf]*barrier{}, sems: map[semOf]*semaphore{}, landings: map[siteOf][]*landing{},
		entries: map[scopeOf][]int{}, left: map[scopeOf]int{}, issued: map[pipeOf][]issue{}, accesses: map[place][]*access{}, memory: map[home]*contents{}, uninit: map[read]bool{},
		bases: make([]int, len(p.Bufs))}
	// Scopes lie behind what the kernel's own scope has.
	var outer [8]int
	for i, s := range p.Scopes {
		top := outer
		for _, b := range s.Bufs {
			m.bases[b] = 256 * top[p.Bufs[b].Space]
			top[p.Bufs[b].Space]++
		}
		if i == 0 {
			outer = top
		}
	}
	return m
}

func (m *model) fail(format string, args ...interface{}) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

func (m *model) due(class string) {
	if m.fatal == "" {
		m.fatal = class
	}
}

func (m *model) device(group int) int { return group % m.p.Devices }
func (m *model) point(group int) int  { return group / m.p.Devices }

// blockOf is the block of a thread or a warp.
func (m *model) blockOf(thread int) int {
	of, _ := m.observer(thread)
	return of / m.p.Threads
}

func (m *model) thread(group, index int) *thread {
	k := threadOf{group, index}
	t := m.threads[k]
	if t == nil {
		t = &thread{node: m.node()}
		m.threads[k] = t
	}
	return t
}

// step is the next event of a thread.
func (m *model) step(t *thread) int {
	n := m.node()
	m.edge(t.node, n, true)
	t.node = n
	return n
}

// follow goes through the log.
func (m *model) follow() {
	for _, e := range m.out.Events {
		if e.What == Landed {
			m.landed(e)
			continue
		}
		t := m.thread(e.Group, e.Thread)
		if m.fatal != "" {
			m.fail("%s: not reported; the next statement is %s", m.fatal, m.p.text(e.Stmt))
			return
		}
		x := &doing{m, t, e, e.Stmt, e.Group, m.blockOf(e.Thread)}
		switch e.What {
		case Began:
			t.waits = e.Stmt
			x.begin()
		case Passed:
			t.waits = nil
			x.pass()
		case WarpStarts:
			of, _ := m.observer(e.Thread)
			parent := m.thread(e.Group, of)
			m.edge(parent.node, m.step(t), true)
			t.given = append(t.given, parent.given...)
			t.value, t.ended = parent.value, false
		case WarpEnds:
			m.step(t)
			t.ended = true
			x.handOver()
		default:
			m.step(t)
			x.do()
		}
	}
}

// doing is an event that is followed.
type doing struct {
	*model
	t     *thread
	e     *Event
	s     *Stmt
	group int
	block int
}

// handOver gives what a warp has not waited for to its thread.
func (x *doing) handOver() {
	of, _ := x.observer(x.e.Thread)
	to, t := x.thread(x.group, of), x.t
	to.open, t.open = append(to.open, t.open...), nil
	to.reads, t.reads = append(to.reads, t.reads...), nil
	to.writes, t.writes = append(to.writes, t.writes...), nil
	to.in, t.in = append(to.in, t.in...), nil
	to.wgmmas, t.wgmmas = append(to.wgmmas, t.wgmmas...), nil
	to.stores, t.stores = append(to.stores, t.stores...), nil
	to.loads, t.loads = append(to.loads, t.loads...), nil
}

func (x *doing) begin() {
	n := x.step(x.t)
	if s := x.s; s.Op == Enter && !x.p.Scopes[s.Bar].Own {
		k := scopeOf{x.group, x.block, s.Bar}
		x.entries[k] = append(x.entries[k], n)
	}
}

// meets reports whether the threads of a block wait for each other at the entry of a scope.
func (p *Program) meets(scope int) bool {
	s := &p.Scopes[scope]
	return p.Threads > 1 && !s.Own && len(s.Bufs)+len(s.Bars)+len(s.Sems) > 0
}

func (x *doing) pass() {
	n, s := x.step(x.t), x.s
	switch s.Op {
	case Wait, Poll:
		b := x.barrier(x.group, x.block, s.Bar)
		of, warp := x.observer(x.e.Thread)
		phase, _ := b.seen(of, warp)
		if c := b.misuse(of, warp); c != "" {
			x.fail("%s: not reported: %s", c, x.p.text(s))
		}
		if phase >= b.phase {
			x.fail("it goes on before phase %d is complete: %s", phase, x.p.text(s))
		}
		for _, from := range b.sources[phase] {
			x.edge(from.node, n, from.tensor)
		}
		b.observe(of, warp)
	case Await:
		q := x.sem(s, -1)
		if q.value < s.N {
			x.fail("it goes on with %d of %d signals: %s", q.value, s.N, x.p.text(s))
		}
		for _, from := range q.signals {
			if s.N <= 0 {
				break
			}
			x.edge(from.node, n, false)
			if from.total >= q.consumed+s.N {
				break
			}
		}
		if s.Flag {
			q.value -= s.N
			q.consumed += s.N
		}
	case Enter:
		if x.p.meets(s.Bar) {
			list := x.entries[scopeOf{x.group, x.block, s.Bar}]
			if len(list) < x.p.Threads {
				x.fail("it enters before all others come: %s", x.p.text(s))
			}
			for _, from := range list {
				x.edge(from, n, false)
			}
		}
	case Fork:
		first := x.p.Threads * x.p.Blocks()
		for w := range 4 {
			t := x.thread(x.group, first+4*x.e.Thread+w)
			if !t.ended {
				x.fail("warp %d has not come to its end: %s", w, x.p.text(s))
			}
			x.edge(t.node, n, true)
			x.t.given = append(x.t.given, t.given...)
		}
	}
}

// sem is the semaphore of a statement, on a device or the own one (-1).
func (x *doing) sem(s *Stmt, device int) *semaphore {
	k := semOf{x.device(x.group), x.point(x.group), x.block, s.Bar}
	if x.p.Sems[s.Bar].Global {
		k.point, k.block = -1, -1
	}
	if device >= 0 {
		k.device = device
	}
	q := x.sems[k]
	if q == nil {
		q = &semaphore{}
		x.sems[k] = q
	}
	return q
}

// owe notes that an operation will arrive.
func (x *doing) owe(block int, apply func() string, peers ...int) {
	k := siteOf{x.group, x.s.Site}
	x.landings[k] = append(x.landings[k], &landing{block, peers, x.s.Bar, apply})
}

func (m *model) landed(e *Event) {
	k := siteOf{e.Group, e.Stmt.Site}
	list := m.landings[k]
	if len(list) == 0 {
		m.fail("an operation of site %d arrives twice", e.Stmt.Site)
		return
	}
	i := 0
	if at, ok := m.out.Barriers[e.Target]; ok {
		i = max(slices.IndexFunc(list, func(l *landing) bool { return l.block == at.block }), 0)
	}
	l := list[i]
	m.landings[k] = slices.Delete(slices.Clone(list), i, i+1)
	if c := l.apply(); c != "" {
		m.due(c)
	}
}

// issue starts an operation.
func (x *doing) issue(after ...*operation) *operation {
	o := &operation{x.t.node, x.node(), x.node(), x.node()}
	x.edge(x.t.node, o.start, true)
	x.edge(o.start, o.read, true)
	x.edge(o.read, o.complete, true)
	for _, p := range after {
		x.edge(p.complete, o.start, true)
	}
	return o
}

// settle orders the thread after operations.
func (x *doing) settle(list []*operation, readOnly, tensor bool) {
	for _, o := range list {
		from := o.complete
		if readOnly {
			from = o.read
		}
		x.edge(from, x.t.node, tensor)
	}
}

// end is whether the run may have come to its end.
func (m *model) end() {
	stopped := m.out.Result.Stopped
	var fatal []string
	deadlock := false
	for i := range m.out.Findings {
		f := &m.out.Findings[i]
		switch f.Kind {
		case kernel.Deadlock, kernel.Livelock:
			deadlock = true
		case kernel.BarrierMisuse, kernel.AsyncMisuse, kernel.UseAfterFree, kernel.AllocationMisuse:
			if f.Severity == kernel.Error && stopped == string(f.Kind) {
				fatal = append(fatal, f.Message)
			}
		}
	}
	switch {
	case m.out.Result.Err != nil:
		m.fail("%v", m.out.Result.Err)
	case m.out.Result.Complete:
		if m.fatal != "" {
			m.fail("%s: not reported", m.fatal)
		}
		if deadlock {
			m.fail("a deadlock is reported of a run that is complete")
		}
		for g := range m.p.Grid * m.p.Devices {
			for t := range m.p.Threads * m.p.Blocks() {
				if !m.thread(g, t).ended {
					m.fail("the run is complete, but thread %d of cluster %d is not", t, g)
				}
			}
		}
	case fatal != nil:
		m.justify(fatal)
	case deadlock:
		m.stuck()
	default:
		if stopped != "instruction budget used up" || !m.polls() {
			m.fail("it stopped: %s", stopped)
		}
		m.stuck()
	}
}
