package barrier

import "testing"

// A phase ends when arrivals and transactions are both complete (PTX ISA, "Phase
// Completion of the mbarrier object").
func TestMBarrierPhases(t *testing.T) {
	var m MBarrier
	if m.Init(3) != MFine || m.Phase != 0 {
		t.Fatal("init")
	}
	if !m.TestParity(1) || m.TestParity(0) {
		t.Error("a fresh object is in phase 0, after a phase of parity 1")
	}
	s := m.State(5)
	if PendingOf(s) != 3 || PhaseOf(s) != 0 || ObjectOf(s) != 5 {
		t.Error("state", PendingOf(s), PhaseOf(s), ObjectOf(s))
	}
	steps := []struct {
		a     MArrival
		tx    int64 // before the arrival
		done  bool
		wrong MMisuse
		phase uint32
	}{
		{a: MArrival{Count: 1}},
		{a: MArrival{Count: 2, NoComplete: true}, wrong: MCompletes, done: true, phase: 1},
		{a: MArrival{Count: 1}, wrong: MSkipped, phase: 1},
		{a: MArrival{Count: 3}, wrong: MTooMany, done: true, phase: 2},
		{a: MArrival{Count: 0}, wrong: MBadArrive, phase: 2},
		{a: MArrival{Count: MaxMCount + 1}, wrong: MBadArrive, phase: 2},
	}
	for i, c := range steps {
		done, wrong := m.Arrive(c.a)
		if done != c.done || wrong != c.wrong || m.Phase != c.phase {
			t.Errorf("step %d: done %v wrong %v phase %d", i, done, wrong, m.Phase)
		}
	}
	if done, wrong := m.Test(1); !done || wrong != MFine {
		t.Error("the phase before the current one is complete")
	}
	if done, wrong := m.Test(0); !done || wrong != MStale {
		t.Error("older phases cannot be waited for")
	}
	if done, _ := m.Test(2); done {
		t.Error("the current phase is not complete")
	}
	if done, wrong := m.Arrive(MArrival{Count: 2, Drop: true}); done || wrong != MFine || m.Expected != 1 {
		t.Error("drop", done, wrong, m.Expected)
	}
	if done, _ := m.Arrive(MArrival{Count: 1}); !done || m.Pending != 1 {
		t.Error("the next phase expects what is left", m.Pending)
	}
}

func TestMBarrierTransactions(t *testing.T) {
	var m MBarrier
	m.Init(1)
	if done, wrong := m.CompleteTx(16); done || wrong != MFine || m.Tx != -16 {
		t.Error("completed before it was expected", done, wrong, m.Tx)
	}
	if m.ExpectTx(48) != MFine {
		t.Error("expect")
	}
	if done, _ := m.Arrive(MArrival{Count: 1}); done {
		t.Error("32 bytes are still missing")
	}
	if done, _ := m.CompleteTx(32); !done {
		t.Error("all is there")
	}
	if m.ExpectTx(MaxMCount+1) != MTxRange {
		t.Error("range")
	}
}

func TestMBarrierCounts(t *testing.T) {
	for n, want := range map[int64]MMisuse{0: MBadCount, 1: MFine, MaxMCount: MFine, MaxMCount + 1: MBadCount, -1: MBadCount} {
		var m MBarrier
		if got := m.Init(n); got != want || m.Pending < 1 {
			t.Errorf("count %d: %v", n, got)
		}
	}
	var m MBarrier
	m.Init(MaxMCount)
	if m.Raise() != MPendingExceed {
		t.Error("raised too far")
	}
	m.Init(1)
	if m.Raise() != MFine || m.Pending != 2 {
		t.Error("raise")
	}
	before := m.Word()
	m.Arrive(MArrival{Count: 1})
	if m.Word() != before {
		t.Error("an arrival alone must wake nobody")
	}
	m.Arrive(MArrival{Count: 1})
	if m.Word() == before {
		t.Error("the end of a phase is seen in memory")
	}
}
