package oracle

import "testing"

func TestFenceSC(t *testing.T) {
	// Thread-block reduction whose last block reads what all threads of the others stored.
	lastBlock := func(kind FenceKind, scope Scope) []Event {
		return list(
			aa.st(data).addrs(data, data+4), aa.fence(kind, scope), bb.st(data).addrs(data+8, data+12), bb.fence(kind, scope),
			syncthreads(aa, bb), a.atom(flag, Relaxed, GPU),
			x.atom(flag, Relaxed, GPU), syncthreads(xx), xx.fence(kind, scope),
			x.ld(data), x.ld(data+4), x1.ld(data+8), x1.ld(data+12))
	}
	runLitmus(t, []litmus{
		{"all threads publish, one thread signals", "a fence.sc synchronizes with a later one even if other threads carry the flag", lastBlock(FenceSC, GPU), "clean"},
		{"the same with fence.acq_rel", "the pattern's fence and write are of different threads: by the letter unordered, a warning",
			lastBlock(FenceAcqRel, GPU), "warning global 4..8 @13; warning global 8..12 @14; warning global 12..16 @15"},
		{"the same with fence.sc.cta", "fence.sc pairs must be morally strong", lastBlock(FenceSC, CTA),
			"error global 0..4 @12; error global 4..8 @13; error global 8..12 @14; error global 12..16 @15"},
		{"publish without acquiring", "the reader needs a fence.sc as well", list(
			aa.st(data).addrs(data, data+4), aa.fence(FenceSC, GPU), syncthreads(aa), a.atom(flag, Relaxed, GPU),
			x.atom(flag, Relaxed, GPU), x.ld(data), x.ld(data+4)), "error global 0..4 @6; error global 4..8 @7"},
		{"release pattern after a barrier", "one thread's fence after the barrier is cumulative", list(
			aa.st(data).addrs(data, data+4), syncthreads(aa), a.fence(FenceAcqRel, GPU), a.atom(flag, Relaxed, GPU),
			x.atom(flag, Relaxed, GPU), x.fence(FenceAcqRel, GPU), syncthreads(xx), xx.ld(data).addrs(data, data+4)), "clean"},
		{"two fences that merely ran in this order", "no observation, no order", list(
			a.st(data), a.fence(FenceSC, GPU), x.fence(FenceSC, GPU), x.ld(data)), "error global 0..4 @3"},
		{"observed before the fence", "the write must follow the first fence", list(
			a.st(flag).strong(Relaxed, GPU), a.st(data), a.fence(FenceSC, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceSC, GPU), x.ld(data)), "error global 0..4 @5"},
		{"observed after the second fence", "the read must precede the second fence", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			x.fence(FenceSC, GPU), x.ld(flag).strong(Relaxed, GPU), x.ld(data)), "error global 0..4 @5"},
		{"observed by another thread", "base causality leads from the read to the second fence", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), xx.do(WarpSync), x1.fence(FenceSC, GPU), x1.ld(data)), "clean"},
		{"mixed fences", "only pairs of fence.sc", list(
			aa.st(data).addrs(data, data+4), aa.fence(FenceSC, GPU), syncthreads(aa), a.atom(flag, Relaxed, GPU),
			x.atom(flag, Relaxed, GPU), x.fence(FenceAcqRel, GPU), x.ld(data+4)), "warning global 4..8 @7"},
		{"a chain of fences", "a forced edge brings predecessors that force further edges", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			b.ld(flag).strong(Relaxed, GPU), b.fence(FenceSC, GPU), b.st(other).strong(Relaxed, GPU),
			x.ld(other).strong(Relaxed, GPU), x.fence(FenceSC, GPU), x.ld(data)), "clean"},
		{"a chain of fences without patterns", "a later fence of narrow scope brings what forces an edge from an earlier one", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceSC, CTA), xx.do(WarpSync), x1.st(other).strong(Relaxed, GPU),
			at(1, 1, 0).ld(other).strong(Relaxed, GPU), at(1, 1, 0, 1).do(WarpSync), at(1, 1, 1).fence(FenceSC, GPU), at(1, 1, 1).ld(data)), "clean"},
		{"red before the second fence", "a reduction observes nothing", list(
			a.st(data), a.fence(FenceSC, GPU), a.atom(flag, Relaxed, GPU),
			x.atom(flag, Relaxed, GPU).red(), x.fence(FenceSC, GPU), x.ld(data)), "error global 0..4 @5"},
		{"store buffering", "an older value read forces no order here (package documentation)", list(
			a.st(data), a.fence(FenceSC, GPU), a.ld(flag).strong(Relaxed, GPU),
			x.st(flag).strong(Relaxed, GPU), x.fence(FenceSC, GPU), x.ld(data)), "error global 0..4 @5"},
	})
}

func TestBarriers(t *testing.T) {
	const race = "error global 0..4 @"
	runLitmus(t, []litmus{
		{"bar.sync", "orders all its threads", list(a.st(data), syncthreads(aa, bb), bb.ld(data)), "clean"},
		{"no barrier", "nothing orders two threads", list(a.st(data), b.ld(data)), race + "1"},
		{"write after read", "in the other direction too", list(b.ld(data), syncthreads(aa, bb), a.st(data)), "clean"},
		{"a block apart", "a barrier is its block's", list(a.st(data), syncthreads(aa), syncthreads(xx), x.ld(data)), race + "5"},
		{"between arrival and completion", "orders what precedes the arrival", list(
			bb.bar(1, RoleArrive), b.st(data), aa.bar(1, RoleSync), done(0, 1), a.ld(data)), race + "4"},
		{"arrive is a source", "bar.arrive synchronizes with bar.sync", list(
			b.st(data), bb.bar(1, RoleArrive), aa.bar(1, RoleSync), done(0, 1), a.ld(data)), "clean"},
		{"arrive is no target", "bar.sync does not synchronize with bar.arrive", list(
			a.st(data), aa.bar(1, RoleSync), bb.bar(1, RoleArrive), done(0, 1), b.ld(data)), race + "4"},
		{"bar.red", "a source and a target", list(
			aa.st(data).addrs(data, data+4), aa.bar(0, RoleRed), bb.st(data).addrs(data+8, data+12), bb.bar(0, RoleRed), done(0, 0),
			a.ld(data+8), b.ld(data)), "clean"},
		{"another barrier", "executed on the same barrier", list(
			a.st(data), aa.bar(1, RoleSync), done(0, 1), bb.bar(2, RoleSync), done(0, 2), b.ld(data)), race + "5"},
		{"another phase", "a completed phase is over", list(
			aa.bar(1, RoleSync), bb.bar(1, RoleSync), done(0, 1), a.st(data), aa.bar(1, RoleSync), done(0, 1),
			bb.bar(1, RoleSync), done(0, 1), b.ld(data)), race + "8"},
		{"exited thread", "an exit synchronizes with nothing", list(
			b.st(data), bb.do(Exit), aa.bar(0, RoleSync), done(0, 0), a.ld(data)), race + "4"},
		{"exit after a barrier", "but what the exited thread did before an earlier barrier is ordered", list(
			b.st(data), syncthreads(aa, bb), bb.do(Exit), aa.bar(0, RoleSync), done(0, 0), a.ld(data)), "clean"},
		{"bar.warp.sync", "orders the lanes of its mask", list(a.st(data), aa.do(WarpSync), a1.ld(data)), "clean"},
		{"outside the mask", "exactly the lanes of its mask", list(
			a.st(data), aa.do(WarpSync), at(0, 0, 2).ld(data)), race + "2"},
		{"lockstep", "a warp is no scope: lanes are unordered without bar.warp.sync", list(
			aa.st(data).addrs(data, data+4), aa.ld(data).addrs(data+4, data)), "error global 0..8 @1"},
		{"kernel boundary", "launches of a stream follow each other", list(
			a.st(data), Event{Op: LaunchEnd}, x.ld(data), x.st(data+4), Event{Op: LaunchEnd}, b.st(data+4)), "clean"},
		{"shared memory is a block's", "two blocks, two memories; and new in every launch", list(
			a.st(data).shared(), x.st(data).shared(), Event{Op: LaunchEnd}, b.st(data).shared()), "clean"},
		{"shared memory races", "in one block", list(a.st(data).shared(), b.st(data).shared()), "error shared 0..4 @1"},
		{"synchronizing through shared memory", "causality closes over all state spaces", list(
			a.st(data), a.st(flag).shared().strong(Release, CTA), b.ld(flag).shared().strong(Acquire, CTA), b.ld(data)), "clean"},
	})
}

func TestConflicts(t *testing.T) {
	runLitmus(t, []litmus{
		{"reads", "two reads do not conflict", list(a.ld(data), x.ld(data)), "clean"},
		{"neighbouring bytes", "a byte is the unit of storage", list(
			a.st(data).bytes(1), x.st(data+1).bytes(1), b.st(data+2).bytes(2)), "clean"},
		{"byte against word", "any shared byte is a conflict", list(a.st(data), x.st(data+3).bytes(1)), "error global 3..4 @1"},
		{"atomics of different size", "not morally strong without complete overlap", list(
			a.atom(data, Relaxed, GPU), x.atom(data, Relaxed, GPU).bytes(8)), "error global 0..4 @1"},
		{"mixed sizes synchronize nothing", "observation needs moral strength", list(
			a.st(data), a.st(flag).strong(Release, GPU).bytes(8), x.ld(flag).strong(Acquire, GPU), x.ld(data)),
			"error global 0..4 @3; error global 16..20 @2"},
		{"vector atomics", "one operation per element: complete overlap element by element", list(
			a.atom(data, Relaxed, GPU).red().vector(2), x.atom(data+4, Relaxed, GPU).red().vector(2)), "clean"},
		{"vector store", "one operation per element", list(
			a.st(data).vector(4), x.ld(data+8)), "error global 8..12 @1"},
		{"plain against atomic", "weak against strong is a race", list(a.atom(data, Relaxed, GPU), x.st(data)), "error global 0..4 @1"},
		{"volatile against volatile", "both strong: no race by the model", list(a.st(data).volatile(), a1.ld(data).volatile()), "clean"},
		{"failed cas against plain read", "a failed cas is no write", list(a.atom(data, Relaxed, GPU).failed(), x.ld(data)), "clean"},
		{"failed cas against plain write", "but a read", list(a.atom(data, Relaxed, GPU).failed(), x.st(data)), "error global 0..4 @1"},
		{"same value by siblings", "two lanes of one st to one address race: a warning if the value is the same", list(
			aa.st(data).values(7, 7)), "warning global 0..4 @0"},
		{"different values by siblings", "an error otherwise", list(aa.st(data).values(7, 8)), "error global 0..4 @0"},
		{"same value by blocks", "plain writes of one value", list(a.st(data).values(7), x.st(data).values(7)), "warning global 0..4 @1"},
		{"same value and a reader", "with no other unordered access", list(
			a.st(data).values(7), x.st(data).values(7), x.ld(data)), "error global 0..4 @1"},
		{"same value, one strong", "plain writes only", list(
			a.st(data).values(7), x.st(data).values(7).strong(Relaxed, GPU)), "error global 0..4 @1"},
		{"same value, mixed size", "a mixed-size race voids the model", list(
			a.st(data).values(0), x.st(data).values(0).bytes(1)), "error global 0..1 @1"},
		{"ld.global.nc and a write before a barrier", "read-only for the whole launch", list(
			a.st(data), syncthreads(aa, bb), b.ld(data).nc()), "error global 0..4 @4"},
		{"ld.global.nc and a later write of its own", "by any thread", list(a.ld(data).nc(), a.st(data)), "error global 0..4 @1"},
		{"ld.global.nc in the next launch", "of the same launch", list(a.st(data), Event{Op: LaunchEnd}, b.ld(data).nc()), "clean"},
	})
}

func TestAsyncCopies(t *testing.T) {
	const race = "error shared 0..4 @"
	runLitmus(t, []litmus{
		{"waited for", "a completed group is visible to the thread that waited", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.wait(0), a.ld(data).shared()), "clean"},
		{"not waited for", "later instructions are not ordered after the copy", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.ld(data).shared()), race + "2"},
		{"commit missing", "a copy that was not committed belongs to no group", list(
			a.cp(data, 64, 4), a.wait(0), a.ld(data).shared()), race + "2"},
		{"commit after wait", "the wait saw no group", list(
			a.cp(data, 64, 4), a.wait(0), a.do(CpCommit), a.ld(data).shared()), race + "3"},
		{"wait count off by one", "wait_group N leaves the latest N in flight", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.cp(data+4, 68, 4), a.do(CpCommit), a.wait(1), a.ld(data).shared(), a.ld(data+4).shared()),
			"error shared 4..8 @6"},
		{"empty groups count", "a commit without copies is a group", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.do(CpCommit), a.wait(1), a.ld(data).shared()), "clean"},
		{"other thread without barrier", "commit and wait are a thread's own", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.wait(0), b.ld(data).shared()), race + "3"},
		{"other thread with barrier", "the barrier hands it on", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.wait(0), syncthreads(aa, bb), b.ld(data).shared()), "clean"},
		{"barrier before the wait", "a barrier covers no copy in flight", list(
			a.cp(data, 64, 4), a.do(CpCommit), syncthreads(aa, bb), a.wait(0), b.ld(data).shared()), race + "6"},
		{"another thread's wait", "groups are per thread", list(
			a.cp(data, 64, 4), a.do(CpCommit), a1.wait(0), aa.do(WarpSync), a1.ld(data).shared()), race + "4"},
		{"after earlier instructions", "a copy is ordered after the issuer's earlier instructions", list(
			a.st(data).shared(), a.st(64), a.cp(data, 64, 4)), "clean"},
		{"two copies to one place", "copies of one thread are unordered", list(
			a.cp(data, 64, 4), a.cp(data, 68, 4)), race + "1"},
		{"source overwritten", "the read of the source is in flight as well", list(
			a.cp(data, 64, 4), a.do(CpCommit), a.st(64)), "error global 64..68 @2"},
		{"16 bytes", "all bytes of the copy", list(
			a.cp(data, 64, 16), b.ld(data+12).shared()), "error shared 12..16 @1"},
		{"zero fill reads nothing", "the source size may be 0; the destination is written", list(
			func() Event { e := a.cp(data, 64, 4); e.SrcSize = 0; return e }(), a.st(64), a.ld(data).shared()), race + "2"},
		{"end of the launch", "kernel boundaries order everything", list(
			a.cp(data, 64, 4), Event{Op: LaunchEnd}, a.st(64)), "clean"},
	})
}

func TestUndo(t *testing.T) {
	c := NewChecker(Config{})
	want := "error global 0..4 @1"
	events := list(a.st(data), x.ld(data), syncthreads(aa), x.fence(FenceSC, GPU), Event{Op: LaunchEnd}, x.ld(data))
	for range 2 {
		for i, e := range events {
			c.Add(b.st(data)) // taken back at once
			c.Undo()
			pairs, err := c.Add(e)
			if err != nil || (len(pairs) == 1) != (i == 1) {
				t.Fatalf("event %d: pairs %v, error %v", i, pairs, err)
			}
		}
		if got := text(c.Result()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for range events {
			c.Undo()
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, e := range []Event{
		{Op: Read, Size: 4, Addr: []int64{0}},
		at(0, 0, 1, 1).ld(0),
		at(0, 0, 32).ld(0),
		at(-1, 0, 0).ld(0),
		at(0, 64, 0).ld(0),
		aa.ld(0).addrs(0),
		a.ld(0).bytes(0),
		a.atom(0, Weak, GPU),
		a.do(LaunchEnd + 1),
		a.fence(FenceSC, Sys+1),
		a.st(0).values(1, 2),
		a.access(CpAsync, 0),
	} {
		if r, err := Check(Config{}, []Event{e}); err == nil {
			t.Errorf("%+v: accepted, %v", e, r)
		}
	}
}
