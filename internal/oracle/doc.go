// Package oracle decides by brute force which accesses of a short execution race, from the axioms of the PTX memory consistency model. It is what the race
// detector is tested against and shares no code with it: every relation of the model is written down as the PTX ISA words it, over all pairs of operations.
// It is exact, small and slow (quadratic and worse in the number of operations; a list of 60 takes well under a millisecond).
//
// # Use
//
//	events := oracle.Generate(seed, oracle.GenConfig{})
//	want, err := oracle.Check(oracle.Config{}, events)
//	// feed the same events to the detector and compare per byte:
//	for _, b := range want.Bytes { b.Space; b.Launch; b.Block; b.Addr; b.Severity; b.Step; b.ErrorStep }
//	// want.Pairs names every racing pair: event, lane and element of both, the shared bytes, the cause
//
// An [Event] is one warp instruction of one execution in the order of that execution; [Format] prints a list. The list carries its own barriers: [BarArrive]
// when a warp arrives, [BarComplete] when the phase completes (waiting lanes do nothing in between), [WarpSync] when all lanes of its mask have arrived.
// Blocks need no start: the first event of a block in a launch is its start. [Exit] is optional. [Checker] does the same step by step: Add returns the races
// that the new event completes and Undo takes it back. [Shrink] makes a list on which two verdicts differ short enough to read.
//
// A byte that is absent from Result.Bytes is clean. Step is the first event that completes a race on the byte, so a detector that reports a race at its later
// access reports the byte's first race there. ErrorStep is the same for races of severity error.
//
// # Where the texts leave a choice
//
// The checklist is this project's understanding of the model; section titles are those of the PTX ISA.
//
//   - Base causality runs from the first operation of a release pattern to the last operation of the acquire pattern, both included. The ISA
//     says that a pattern "only affects operations before the first instruction" (after the last), but it also closes base causality over
//     "X synchronizes with Y" for the operations themselves. So a plain write before a release is ordered before the very read that acquires, even when
//     that read overlaps it, and the releasing store is handed on like what precedes it.
//   - Fence-SC order: the ISA relates every pair of morally strong fence.sc. An order is used here only if it is forced by observation (the checklist): something
//     after the first fence in base causality order is observed by something before the second. By the axioms a coherence order of two writes, or a read of an
//     older value (the store-buffering test), would force an order too; in an execution chosen by a scheduler those are accidents, and no program relies on
//     them to publish data.
//   - "Observed" is observation order: morally strong, or through read-modify-writes. A reduction (red) passes a value on but observes nothing itself: it forms no acquire
//     pattern (ISA), and here neither forces a fence order nor begins the second clause of causality order, since it returns nothing.
//   - A read observes a write if that write was the last to touch any of its bytes and they overlap completely. A value pieced together from
//     several writes was written by none of them.
//   - A failed cas is no write, but it keeps its qualifiers: a failed cas.release and a later strong write to the same location are a release pattern.
//   - Coherence and lane order: the lanes of one instruction are unordered, but their atomics take effect in the order of Event.Lanes, and a later lane observes
//     an earlier one.
//   - ld.global.nc: any write of its bytes in the same launch is an error, also by its own thread, also when ordered.
//   - Same value: plain writes that overlap completely and write equal values. A mixed-size race voids the model (Limitations on Mixed-size Data-races), so it is an error.
//     A byte is a warning only if all its races are warnings.
//   - An exit synchronizes with nothing: what an exited thread did is ordered before the rest of its block only through earlier barriers.
//   - cp.async that was never committed completes at the end of the launch. Two copies of one thread are unordered until waited for.
package oracle
