package actors

import (
	"fmt"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"

	"gpusim/scheduler"
)

// loop serves the mailboxes of one device. Everything happens on the goroutine that
// calls run, and only actors that it serves (or that goroutine) may post.
type loop struct {
	policy  scheduler.Policy
	boxes   []*mailbox
	free    []int32
	alive   int // actors that have been started and have not stopped
	failure *Panic
	steps   uint64 // messages served
	posted  uint64 // user messages

	maxReady, maxQueue int
	observe            func(mailbox int32) // tests: every choice of the policy
}

// Panic is a bug of ours that surfaced in an actor.
type Panic struct {
	Actor string // what it ran
	Value any
	Stack []byte
	owner any
}

func (p *Panic) Error() string { return fmt.Sprintf("panic in %s: %v", p.Actor, p.Value) }

// mailbox is a queue of messages that reports to the loop when it has something to do.
type mailbox struct {
	loop      *loop
	id        int32
	owner     any // the actor, for the report of a panic
	invoker   actor.MessageInvoker
	system    queue
	user      queue
	queued    bool // known to the policy
	dead      bool
	suspended bool
}

// queue is a first-in first-out list that keeps its storage.
type queue struct {
	list []any
	head int
}

func (q *queue) empty() bool { return q.head == len(q.list) }
func (q *queue) len() int    { return len(q.list) - q.head }
func (q *queue) push(m any)  { q.list = append(q.list, m) }

func (q *queue) pop() any {
	m := q.list[q.head]
	q.list[q.head] = nil
	if q.head++; q.head == len(q.list) {
		q.list, q.head = q.list[:0], 0
	}
	return m
}

// boxed is an actor that knows its mailbox.
type boxed interface {
	actor.Actor
	attach(*mailbox)
}

// base is the part that all actors share.
type base struct{ box *mailbox }

func (b *base) attach(m *mailbox) { b.box = m }

// props describes an actor of this loop.
func (l *loop) props(a boxed) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return a },
		actor.WithMailbox(func() actor.Mailbox { return l.mailbox(a) }),
		actor.WithSupervisor(stop))
}

// rootProps describes an actor without a parent.
func (l *loop) rootProps(a boxed) *actor.Props {
	return l.props(a).Configure(actor.WithGuardian(stop))
}

func (l *loop) mailbox(owner boxed) *mailbox {
	m := &mailbox{loop: l, owner: owner}
	owner.attach(m)
	l.alive++
	if n := len(l.free); n > 0 {
		m.id, l.free = l.free[n-1], l.free[:n-1]
		l.boxes[m.id] = m
	} else {
		m.id = int32(len(l.boxes))
		l.boxes = append(l.boxes, m)
	}
	return m
}

// run serves messages until no mailbox is ready, an actor has panicked or poll, called
// now and then, says so. Nothing ready is exact quiescence: nobody is left who could
// send a message.
func (l *loop) run(poll func() (end bool)) {
	for l.policy.Len() > 0 && l.failure == nil {
		if n := l.policy.Len(); n > l.maxReady {
			l.maxReady = n
		}
		if l.steps&7 == 0 && poll() {
			return
		}
		l.steps++
		id := l.policy.Pop()
		if l.observe != nil {
			l.observe(id)
		}
		l.boxes[id].step()
	}
}

// PostUserMessage implements actor.Mailbox.
func (m *mailbox) PostUserMessage(x any) {
	m.user.push(x)
	m.loop.posted++
	if n := m.user.len(); n > m.loop.maxQueue {
		m.loop.maxQueue = n
	}
	m.enqueue()
}

// PostSystemMessage implements actor.Mailbox.
func (m *mailbox) PostSystemMessage(x any) {
	m.system.push(x)
	m.enqueue()
}

// RegisterHandlers implements actor.Mailbox.
func (m *mailbox) RegisterHandlers(i actor.MessageInvoker, _ actor.Dispatcher) { m.invoker = i }

// Start implements actor.Mailbox.
func (m *mailbox) Start() {}

// UserMessageCount implements actor.Mailbox.
func (m *mailbox) UserMessageCount() int { return m.user.len() }

func (m *mailbox) enqueue() {
	if m.queued || m.dead || m.system.empty() && (m.suspended || m.user.empty()) {
		return
	}
	m.queued = true
	m.loop.policy.Push(m.id)
}

// step serves one message, system messages first.
func (m *mailbox) step() {
	m.queued = false
	switch {
	case !m.system.empty():
		m.invokeSystem(m.system.pop())
	case !m.suspended && !m.user.empty():
		m.invoke(m.user.pop())
	}
	m.enqueue()
}

func (m *mailbox) invoke(x any) {
	defer m.recover(x)
	m.invoker.InvokeUserMessage(x)
}

func (m *mailbox) invokeSystem(x any) {
	defer m.recover(x)
	switch x.(type) {
	case *actor.SuspendMailbox:
		m.suspended = true
	case *actor.ResumeMailbox:
		m.suspended = false
	default:
		m.invoker.InvokeSystemMessage(x)
	}
}

// recover turns a panic into the loop's failure and lets the supervisor stop the actor.
func (m *mailbox) recover(message any) {
	v := recover()
	if v == nil {
		return
	}
	if m.loop.failure == nil {
		m.loop.failure = &Panic{Actor: fmt.Sprint(m.owner), Value: v, Stack: debug.Stack(), owner: m.owner}
	}
	m.invoker.EscalateFailure(v, message)
}

// ended gives the mailbox's number back; its actor calls it when it has stopped.
func (m *mailbox) ended() {
	m.dead = true
	m.loop.alive--
	m.loop.boxes[m.id] = nil
	m.loop.free = append(m.loop.free, m.id)
}
