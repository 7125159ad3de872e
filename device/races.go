package device

import (
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/race"
)

// raceFinding puts a race into words.
func (d *Device) raceFinding(r *race.Race) kernel.Finding {
	var l launched
	if r.Launch >= 0 && r.Launch < len(d.launches) {
		l = d.launches[r.Launch]
	}
	t := &raceText{Race: r, object: fmt.Sprintf("object %d", r.Object)}
	if r.Object >= 0 && r.Object < len(d.engine.Objects) {
		o := d.engine.Objects[r.Object]
		t.object, t.size = o.Name, o.Size
	}
	if f, ok := l.program.(exec.Flow); ok {
		a, b := d.races.Info(r.A.Site).User, d.races.Info(r.B.Site).User
		t.reversed = !f.Follows(a, b) && f.Follows(b, a)
		if r.A.Write {
			t.again = f.Follows(a, b)
		} else {
			t.again = f.Follows(b, a)
		}
	}
	for i, p := range [2]*race.Party{&r.A, &r.B} {
		t.site[i] = d.races.Info(p.Site)
		t.party[i] = *p
		t.access[i] = l.access(p, &t.site[i])
	}
	f := kernel.Finding{Kind: kernel.DataRace, Severity: r.Severity, Edge: r.Edge, Launch: r.Launch, Kernel: l.spec.Kernel,
		Space: r.Space, Object: t.object, Offset: r.Off, Size: r.Size, Count: r.Count, Accesses: t.access[:]}
	f.Message = t.message()
	f.Missing, f.Fix = t.advice()
	return f
}

func (l *launched) access(p *race.Party, site *race.SiteInfo) kernel.Access {
	a := kernel.Access{Op: "read", Atomic: p.Atomic}
	if p.Write {
		a.Op = "write"
	}
	if l.program != nil {
		a.Source = l.program.Source(site.User)
		a.Thread = kernel.ThreadID{Block: l.spec.Grid.At(p.Block), Thread: l.spec.Block.At(uint64(p.Thread))}
	}
	return a
}

// raceText is a race with what its sentences speak of; index 0 took effect first.
type raceText struct {
	*race.Race
	object string
	size   int64
	site   [2]race.SiteInfo
	party  [2]race.Party
	access [2]kernel.Access
	// reversed: without a barrier in between, a thread executes the second access before
	// the first; another thread was ahead.
	reversed bool
	// again: a thread that has written comes to the other access without a barrier.
	again bool
}

// element names the racing bytes: "tile[33]", "counter", "byte 5 of s".
func (t *raceText) element(site *race.SiteInfo) string {
	elem := int64(max(site.Elem, 1))
	switch {
	case t.size == elem && t.Off == 0:
		return t.object
	case t.Off%elem == 0:
		return fmt.Sprintf("%s[%d]", t.object, t.Off/elem)
	}
	return fmt.Sprintf("byte %d of %s", t.Off, t.object)
}

func (t *raceText) message() string {
	// The sentence is about the reader, or about the later of two writers.
	x, y := 1, 0
	if t.party[1].Write && !t.party[0].Write {
		x, y = 0, 1
	}
	other := fmt.Sprintf("thread %v", t.access[y].Thread.Thread)
	if !t.sameBlock() {
		other += fmt.Sprintf(" of block %v", t.access[y].Thread.Block)
	}
	s := fmt.Sprintf("thread %v of block %v %s %s, which %s %s; ", t.access[x].Thread.Thread, t.access[x].Thread.Block,
		t.does(x), t.element(&t.site[x]), other, t.does(y))
	switch {
	case t.Edge == kernel.ReadOnly:
		return s + "the read is ld.global.nc, so nobody may write there during the launch"
	case t.SameValue:
		return s + "nothing orders the two, though both write the same value"
	}
	return s + "nothing orders the two"
}

// does is the verb of an access.
func (t *raceText) does(i int) string {
	p, s := &t.party[i], &t.site[i]
	switch {
	case p.Atomic && p.Write:
		return "updates atomically"
	case p.Atomic:
		return "reads atomically"
	case p.Write && s.Volatile:
		return "writes (volatile)"
	case p.Write:
		return "writes"
	case s.Volatile:
		return "reads (volatile)"
	}
	return "reads"
}

func (t *raceText) sameBlock() bool { return t.A.Block == t.B.Block }
func (t *raceText) sameWarp() bool  { return t.sameBlock() && t.A.Thread/32 == t.B.Thread/32 }

// line is where an access stands: "k.cu:12".
func (t *raceText) line(i int) string { return exec.Place(t.access[i].Source) }

// advice names the missing edge and how to supply it.
func (t *raceText) advice() (missing, fix string) {
	if t.NeedsSC {
		return fmt.Sprintf("sequentially consistent fences between %s and %s: fence.acq_rel does not order other threads' accesses here", t.line(0), t.line(1)),
			"use fence.sc (__threadfence() is one) in place of fence.acq_rel"
	}
	switch t.Edge {
	case kernel.ReadOnly:
		return "nothing could order them: what is read by ld.global.nc must stay unchanged for the whole launch",
			fmt.Sprintf("drop const __restrict__ (or __ldg) from the pointer read at %s, or write to another buffer", t.line(t.reader()))
	case kernel.NoWait:
		before := t.line(1)
		if before == t.line(0) {
			before = "the next access there"
		}
		return fmt.Sprintf("a wait for the asynchronous copy issued at %s before %s", t.line(0), before),
			t.waitAdvice()
	case kernel.ProxyFence:
		return fmt.Sprintf("a proxy fence (fence.proxy.async) between %s and %s", t.line(0), t.line(1)),
			"put fence.proxy.async after the ordinary access and before the barrier that precedes the asynchronous one"
	case kernel.Scoped:
		if !t.strong(0) && !t.strong(1) {
			return "a scope that covers both threads: they are in different blocks, and the fence or flag between them reaches its own block only",
				"use gpu scope for the fence and the flag: __threadfence() rather than __threadfence_block(), atomicExch() rather than atomicExch_block()"
		}
		return "a scope that covers both threads: " + t.scopes(),
			"use gpu scope: atomicAdd() rather than atomicAdd_block(), __threadfence() rather than __threadfence_block(), thread_scope_device in cuda::atomic_ref"
	case kernel.NoRelease:
		return fmt.Sprintf("a release by thread %v after %s: the flag that it sets publishes nothing before it", t.access[0].Thread.Thread, t.line(0)),
			fmt.Sprintf("put __threadfence() between %s and the store that signals it, or make that store a release", t.line(0))
	case kernel.NoAcquire:
		return fmt.Sprintf("an acquire by thread %v before %s: seeing the flag alone orders nothing after it", t.access[1].Thread.Thread, t.line(1)),
			fmt.Sprintf("put __threadfence() between the load that sees the flag and %s, or make that load an acquire", t.line(1))
	}
	if !t.sameBlock() {
		return t.betweenBlocks()
	}
	return t.withinBlock()
}

func (t *raceText) waitAdvice() string {
	const wait = "wait for the copy's group (cp.async.wait_group, __pipeline_wait_prior)"
	if t.sameBlock() && t.A.Thread == t.B.Thread {
		return wait + " before this access"
	}
	return wait + ", then let the other threads pass a barrier"
}

// reader is the index of the access that does not write.
func (t *raceText) reader() int {
	if t.party[0].Write {
		return 1
	}
	return 0
}

// scopes names the scopes of the two accesses.
func (t *raceText) scopes() string {
	name := func(s *race.SiteInfo) string {
		switch {
		case s.Volatile:
			return "sys (volatile)"
		case s.Scope == kernel.NoScope:
			return "none (a plain access)"
		}
		return s.Scope.String()
	}
	where := "the same block"
	if !t.sameBlock() {
		where = "different blocks"
	}
	return fmt.Sprintf("they are in %s, and the accesses have the scopes %s and %s", where, name(&t.site[0]), name(&t.site[1]))
}

func (t *raceText) betweenBlocks() (missing, fix string) {
	missing = fmt.Sprintf("an order between the blocks for %s and %s: a barrier does not reach other blocks", t.line(0), t.line(1))
	if t.line(0) == t.line(1) {
		missing = fmt.Sprintf("an order between the blocks for %s: a barrier does not reach other blocks", t.line(0))
	}
	switch {
	case t.strong(0) && t.strong(1):
		return "nothing orders two atomic accesses of different sizes", "access the location with one size everywhere"
	case t.strong(0) != t.strong(1) && t.party[t.plain()].Write:
		fix = fmt.Sprintf("split the work into separate launches: what %s writes must be there before the atomic accesses", t.line(t.plain()))
	case t.strong(0) != t.strong(1):
		fix = fmt.Sprintf("make the access at %s atomic as well, or split the work into separate launches", t.line(t.plain()))
	case t.party[0].Write && t.party[1].Write:
		fix = "use an atomic operation, let every block write to addresses of its own, or split the work into separate launches"
	default:
		fix = "signal with an atomic at gpu scope: __threadfence() after the writes and before the flag, and again after the flag was seen; or split the work into separate launches"
	}
	return missing, fix
}

// plain is the index of the access that is not atomic.
func (t *raceText) plain() int {
	if t.strong(0) {
		return 1
	}
	return 0
}

// withinBlock words the advice for two accesses of one block. No block barrier lies
// between them, or they would be ordered: so the one that a thread comes to first without
// passing a barrier is the one behind which the barrier is missing.
func (t *raceText) withinBlock() (missing, fix string) {
	barrier, call := "a barrier (__syncthreads, bar.sync)", "__syncthreads()"
	if t.sameWarp() && !t.CrossWarp {
		barrier, call = "a barrier (__syncthreads, or __syncwarp: both threads are of one warp)", "__syncthreads() or __syncwarp()"
	}
	x, y := 0, 1
	if t.reversed {
		x, y = 1, 0
	}
	first, second := t.access[x].Source, t.access[y].Source
	switch {
	case t.strong(0) && t.strong(1):
		return "nothing orders two atomic accesses of different sizes", "access the location with one size everywhere"
	case t.line(0) == t.line(1) && t.party[0].Write && t.party[1].Write:
		missing = fmt.Sprintf("%s between the two executions of %s", barrier, t.line(0))
		fix = "let every thread write to an element of its own, use an atomic operation, or put " + call + " between the writes"
	case t.line(0) == t.line(1) && t.again:
		missing = fmt.Sprintf("%s between two passes of the loop through %s", barrier, t.line(0))
		fix = fmt.Sprintf("put %s at the end of the loop's body, where all threads of the block come by; if several threads update one element in one pass, use an atomic operation", call)
	case t.line(0) == t.line(1):
		missing = fmt.Sprintf("%s between one thread's write and the other's read at %s", barrier, t.line(0))
		fix = fmt.Sprintf("if several threads update one element, use an atomic operation (atomicAdd); otherwise split the statement at %s: read, %s, then write", t.line(0), call)
	case first.File == second.File && first.Line > second.Line:
		missing = fmt.Sprintf("%s between %s and the next pass through %s", barrier, t.line(x), t.line(y))
		fix = fmt.Sprintf("put %s after line %d, before line %d runs again, where all threads of the block come by", call, first.Line, second.Line)
	default:
		missing = fmt.Sprintf("%s between %s and %s", barrier, t.line(x), t.line(y))
		fix = fmt.Sprintf("put %s after line %d, where all threads of the block come by", call, first.Line)
	}
	if t.strong(0) != t.strong(1) && !t.party[t.plain()].Write {
		fix += fmt.Sprintf(", or make the access at %s atomic as well", t.line(t.plain()))
	}
	return missing, fix
}

// strong reports whether an access is an atomic, relaxed, acquire, release or volatile one.
func (t *raceText) strong(i int) bool {
	s := &t.site[i]
	return s.Atomic || s.Sem != kernel.Weak || s.Volatile
}
