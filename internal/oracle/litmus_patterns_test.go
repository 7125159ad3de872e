package oracle

import "testing"

// data and flag are words of global memory; other is a second flag.
const data, flag, other = 0, 16, 32

// Message passing: the producer writes data and raises the flag, the consumer sees the flag and reads data.
func TestMessagePassing(t *testing.T) {
	const race = "error global 0..4 @"
	runLitmus(t, []litmus{
		{"release and acquire", "a release operation on M synchronizes with an acquire operation that observes it", list(
			a.st(data), a.st(flag).strong(Release, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"relaxed", "relaxed order synchronizes nothing", list(
			a.st(data), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.ld(data)), race + "3"},
		{"acquire missed the flag", "only an observed write synchronizes", list(
			x.ld(flag).strong(Acquire, GPU), a.st(data), a.st(flag).strong(Release, GPU), x.ld(data)), race + "3"},
		{"fences", "a fence and then a strong write; a strong read and then a fence", list(
			a.st(data), a.fence(FenceAcqRel, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceAcqRel, GPU), x.ld(data)), "clean"},
		{"fence.release and fence.acquire", "each in its own direction", list(
			a.st(data), a.fence(FenceRelease, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceAcquire, GPU), x.ld(data)), "clean"},
		{"fence.acquire does not release", "a release pattern begins with a release fence", list(
			a.st(data), a.fence(FenceAcquire, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceAcquire, GPU), x.ld(data)), race + "5"},
		{"fence.release does not acquire", "an acquire pattern ends with an acquire fence", list(
			a.st(data), a.fence(FenceRelease, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceRelease, GPU), x.ld(data)), race + "5"},
		{"producer's fence missing", "no release pattern", list(
			a.st(data), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceSC, GPU), x.ld(data)), race + "4"},
		{"consumer's fence missing", "no acquire pattern", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.ld(data)), race + "4"},
		{"fence before the data", "a pattern publishes only what precedes its first instruction", list(
			a.fence(FenceSC, GPU), a.st(data), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceSC, GPU), x.ld(data)), race + "5"},
		{"data read before the fence", "a pattern orders only what follows its last instruction", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.ld(data), x.fence(FenceSC, GPU)), race + "4"},
		{"release, then a relaxed write", "a release operation on M and then a strong write to M", list(
			a.st(data), a.st(flag).strong(Release, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"release elsewhere", "the release must be on M", list(
			a.st(data), a.st(other).strong(Release, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), race + "4"},
		{"data between release and write", "only what precedes the first instruction", list(
			a.st(flag).strong(Release, GPU), a.st(data), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), race + "4"},
		{"relaxed read, then acquire", "a strong read of M and then an acquire operation on M, even if that reads a later value", list(
			a.st(data), a.st(flag).strong(Release, GPU), x.ld(flag).strong(Relaxed, GPU), y.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"relaxed read, then acquire elsewhere", "the acquire must be on M", list(
			a.st(data), a.st(flag).strong(Release, GPU), x.ld(flag).strong(Relaxed, GPU),
			x.ld(other).strong(Acquire, GPU), x.ld(data)), race + "4"},
		{"plain flag", "a weak flag synchronizes nothing and races itself", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag), x.ld(flag), x.fence(FenceSC, GPU), x.ld(data)),
			"error global 0..4 @5; error global 16..20 @3"},
		{"weak read of a strong flag", "a weak read against a strong write is a race", list(
			a.st(flag).strong(Relaxed, GPU), x.ld(flag)), "error global 16..20 @1"},
		{"volatile flag without fences", "volatile is relaxed", list(
			a.st(data), a.st(flag).volatile(), x.ld(flag).volatile(), x.ld(data)), race + "3"},
		{"volatile flag with fences", "volatile is strong at system scope", list(
			a.st(data), a.fence(FenceAcqRel, GPU), a.st(flag).volatile(),
			x.ld(flag).volatile(), x.fence(FenceAcqRel, GPU), x.ld(data)), "clean"},
		{"acquire by atom", "an atom is a read and a write", list(
			a.st(data), a.atom(flag, Release, GPU), x.atom(flag, Acquire, GPU), x.ld(data)), "clean"},
		{"red then fence", "a reduction's read forms no acquire pattern", list(
			a.st(data), a.fence(FenceAcqRel, GPU), a.atom(flag, Relaxed, GPU).red(),
			x.atom(flag, Relaxed, GPU).red(), x.fence(FenceAcqRel, GPU), x.ld(data)), race + "5"},
		{"red releases", "a reduction is a strong write", list(
			a.st(data), a.atom(flag, Release, GPU).red(), x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"failed cas acquires", "a failed cas is a read", list(
			a.st(data), a.st(flag).strong(Release, GPU), x.atom(flag, Acquire, GPU).failed(), x.ld(data)), "clean"},
		{"failed cas releases nothing", "a failed cas is no write: the consumer still observes the earlier one", list(
			y.st(flag).strong(Relaxed, GPU), a.st(data), a.atom(flag, AcqRel, GPU).failed(), x.ld(flag).strong(Acquire, GPU), x.ld(data)), race + "4"},
		{"failed cas.release, then a write", "a release operation on M and then a strong write to M", list(
			a.st(data), a.atom(flag, Release, GPU).failed(), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"consumer overwrites", "write after read needs the edge as well", list(
			a.ld(data), a.st(flag).strong(Release, GPU), x.ld(flag).strong(Acquire, GPU), x.st(data)), "clean"},
		{"weak initialisation of the flag", "what precedes the release precedes the acquiring read itself", list(
			a.st(flag), a.st(flag).strong(Release, GPU), x.ld(flag).strong(Acquire, GPU)), "clean"},
		{"overwritten by another thread", "the consumer observes the last write only", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), race + "4"},
		{"acquire in a sibling lane", "program order is a thread's, not a warp's", list(
			a.st(data), a.st(flag).strong(Release, GPU), x.ld(flag).strong(Acquire, GPU), x1.ld(data)), race + "3"},
		{"release by a sibling lane", "a release publishes its own thread", list(
			a.st(data), a1.st(flag).strong(Release, GPU), x.ld(flag).strong(Acquire, GPU), x.ld(data)), race + "3"},
		{"handed on", "base causality is transitive: a third thread", list(
			a.st(data), a.st(flag).strong(Release, GPU), x.ld(flag).strong(Acquire, GPU), x.st(other).strong(Release, GPU),
			y.ld(other).strong(Acquire, GPU), y.ld(data)), "clean"},
		{"the releasing store is handed on", "the first operation of a pattern is part of base causality", list(
			a.st(flag).strong(Release, GPU), x.ld(flag).strong(Acquire, GPU), x.st(other).strong(Release, GPU),
			y.ld(other).strong(Acquire, GPU), y.st(flag)), "clean"},
	})
}

func TestScopes(t *testing.T) {
	const race = "error global 0..4 @"
	runLitmus(t, []litmus{
		{"cta scope across blocks", "each scope must include the other thread", list(
			a.st(data), a.st(flag).strong(Release, CTA), x.ld(flag).strong(Acquire, CTA), x.ld(data)),
			race + "3; error global 16..20 @2"},
		{"cta scope in a block", "it does within the block", list(
			a.st(data), a.st(flag).strong(Release, CTA), b.ld(flag).strong(Acquire, CTA), b.ld(data)), "clean"},
		{"narrow producer", "mutually: one wide scope is not enough", list(
			a.st(data), a.st(flag).strong(Release, CTA), x.ld(flag).strong(Acquire, Sys), x.ld(data)),
			race + "3; error global 16..20 @2"},
		{"different names, mutually inclusive", "decided pair by pair, not by equal names", list(
			a.st(data), a.st(flag).strong(Release, CTA), b.ld(flag).strong(Acquire, GPU), b.ld(data)), "clean"},
		{"narrow fence of the producer", "first and last operation must be morally strong", list(
			a.st(data), a.fence(FenceSC, CTA), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceSC, GPU), x.ld(data)), race + "5"},
		{"narrow fence of the consumer", "first and last operation must be morally strong", list(
			a.st(data), a.fence(FenceSC, GPU), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Relaxed, GPU), x.fence(FenceSC, CTA), x.ld(data)), race + "5"},
		{"an earlier wide fence", "any earlier fence begins a pattern, and publishes what precedes it", list(
			a.st(data), a.fence(FenceAcqRel, GPU), a.st(data+4), a.fence(FenceAcqRel, CTA), a.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data), x.ld(data+4)), "error global 4..8 @7"},
		{"atomics of narrow scope", "two atomics whose scopes do not cover each other race", list(
			a.atom(flag, Relaxed, CTA), x.atom(flag, Relaxed, GPU)), "error global 16..20 @1"},
		{"atomics of covering scope", "relaxed against relaxed is no race", list(
			a.atom(flag, Relaxed, GPU), x.atom(flag, Relaxed, Sys)), "clean"},
		{"cta edge hands on other blocks", "a scope limits who synchronizes, not what is handed on", list(
			y.st(data), y.st(flag).strong(Release, GPU), a.ld(flag).strong(Acquire, GPU), a.st(other).strong(Release, CTA),
			b.ld(other).strong(Acquire, CTA), b.ld(data)), "clean"},
	})
	runCluster := func(cfg Config, want string) {
		r, err := Check(cfg, list(a.st(data), a.st(flag).strong(Release, Cluster), x.ld(flag).strong(Acquire, Cluster), x.ld(data)))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(r); got != want {
			t.Errorf("cluster of %d blocks: %s, want %s", cfg.ClusterBlocks, got, want)
		}
	}
	runCluster(Config{ClusterBlocks: 1}, race+"3; error global 16..20 @2")
	runCluster(Config{ClusterBlocks: 2}, "clean")
}

func TestReadModifyWriteChains(t *testing.T) {
	const race = "error global 0..4 @"
	runLitmus(t, []litmus{
		{"relaxed atom between", "observation passes through read-modify-writes of other threads", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.atom(flag, Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"two atoms between", "through a sequence of them", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.atom(flag, Relaxed, GPU), b.atom(flag, Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"red between", "a reduction is an atomic operation", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.atom(flag, Relaxed, GPU).red(),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"store between", "a plain write ends the sequence", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.st(flag).strong(Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), race + "4"},
		{"narrow link", "every link must be morally strong", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.atom(flag, Relaxed, CTA), y.atom(flag, Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "error global 0..4 @5; error global 16..20 @2"},
		{"narrow link in one block", "program order makes a link morally strong, too", list(
			a.st(data), a.st(flag).strong(Release, GPU), b.atom(flag, Relaxed, CTA), b.atom(flag, Relaxed, GPU),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "error global 16..20 @4"},
		{"failed cas between", "a failed cas leaves the earlier write in place", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.atom(flag, Relaxed, GPU).failed(),
			x.ld(flag).strong(Acquire, GPU), x.ld(data)), "clean"},
		{"the middle thread learns nothing", "a relaxed link does not acquire", list(
			a.st(data), a.st(flag).strong(Release, GPU), y.atom(flag, Relaxed, GPU), y.ld(data)), race + "3"},
		{"lanes of one instruction", "sibling lanes of an atomic take effect one after the other", list(
			a.st(data), aa.atom(flag, AcqRel, GPU), a1.ld(data)), "clean"},
		{"lanes of one instruction in the other order", "the order of effect counts, not the lane number", list(
			a.st(data), at(0, 0, 1, 0).atom(flag, AcqRel, GPU), a1.ld(data)), race + "2"},
		{"lock", "unlock is a release, lock an acquire; the unlock of a lock is observed by the next", list(
			a.atom(flag, Acquire, GPU), a.ld(data), a.st(data), a.atom(flag, Release, GPU),
			x.atom(flag, Acquire, GPU).failed(), x.atom(flag, Acquire, GPU), x.ld(data), x.st(data), x.st(flag).strong(Release, GPU)), "clean"},
		{"lock without release", "a relaxed unlock publishes nothing", list(
			a.atom(flag, Acquire, GPU), a.st(data), a.atom(flag, Relaxed, GPU),
			x.atom(flag, Acquire, GPU), x.st(data)), race + "4"},
	})
}

// Causality is base causality, or observation followed by base causality.
func TestObservation(t *testing.T) {
	runLitmus(t, []litmus{
		{"observed, then plain read", "an observed write precedes everything after the read, even relaxed", list(
			a.st(flag).strong(Relaxed, GPU), x.ld(flag).strong(Relaxed, GPU), x.ld(flag)), "clean"},
		{"observed, then plain write", "also a write", list(
			a.st(flag).strong(Relaxed, GPU), x.ld(flag).strong(Relaxed, GPU), x.st(flag)), "clean"},
		{"one thread spins, all read after a barrier", "observation followed by base causality through bar.sync", list(
			x.atom(flag, Relaxed, GPU), a.atom(flag, Relaxed, GPU).failed(), syncthreads(aa, bb), aa.ld(flag), bb.ld(flag)), "clean"},
		{"all read without a barrier", "observation is the observing thread's", list(
			x.atom(flag, Relaxed, GPU), a.atom(flag, Relaxed, GPU).failed(), b.ld(flag)), "error global 16..20 @2"},
		{"through an atom of the reader", "observation passes through read-modify-writes", list(
			x.atom(flag, Relaxed, GPU), a.atom(flag, Relaxed, GPU), syncthreads(aa, bb), b.ld(flag)), "clean"},
		{"only that write", "nothing that precedes the observed write", list(
			x.st(data), x.st(flag).strong(Relaxed, GPU), a.ld(flag).strong(Relaxed, GPU), a.ld(data)), "error global 0..4 @3"},
		{"overwritten before it was read", "only the write that was observed", list(
			x.st(flag).strong(Relaxed, GPU), y.st(flag).strong(Relaxed, GPU), a.ld(flag).strong(Relaxed, GPU), a.ld(flag)), "error global 16..20 @3"},
		{"not transitive", "observation is the first step of causality only", list(
			x.st(flag).strong(Relaxed, GPU), a.ld(flag).strong(Relaxed, GPU), a.st(other).strong(Relaxed, GPU),
			y.ld(other).strong(Relaxed, GPU), y.ld(flag)), "error global 16..20 @4"},
		{"red returns nothing", "a reduction observes nothing", list(
			x.atom(flag, Relaxed, GPU), a.atom(flag, Relaxed, GPU).red(), a.ld(flag)), "error global 16..20 @2"},
		{"narrow scope", "observation needs moral strength", list(
			x.st(flag).strong(Relaxed, CTA), a.ld(flag).strong(Relaxed, GPU), a.ld(flag)), "error global 16..20 @1"},
		{"partial overlap", "observation needs complete overlap", list(
			x.st(flag).strong(Relaxed, GPU), a.ld(flag).bytes(2).strong(Relaxed, GPU), a.ld(flag)),
			"error global 16..18 @1; error global 18..20 @2"},
	})
}
