package oracle

import (
	"reflect"
	"slices"
	"testing"
)

func TestGenerateIsDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		if !reflect.DeepEqual(Generate(seed, GenConfig{}), Generate(seed, GenConfig{})) {
			t.Fatalf("seed %d: two lists", seed)
		}
	}
}

// Lists are executions that an engine could produce.
func TestGeneratedListsAreLegal(t *testing.T) {
	type lane struct{ block, warp, lane int }
	type phase struct{ block, barrier int }
	for seed := range uint64(1000) {
		cfg := GenConfig{}
		if seed%4 == 0 {
			cfg = GenConfig{Blocks: 3, Warps: 4, Lanes: 8, Cluster: 2, Events: 40}
		}
		events := Generate(seed, cfg)
		if _, err := Check(Config{}, events); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ended, waiting := map[lane]bool{}, map[lane]int{}
		arrived := map[phase][]int{}
		for i, e := range events {
			bad := func(what string) { t.Fatalf("seed %d, event %d: %s\n%s", seed, i, what, Format(events)) }
			if e.Op == LaunchEnd {
				if len(waiting) > 0 {
					bad("the launch ends while threads wait")
				}
				clear(ended)
				clear(arrived)
				continue
			}
			for _, l := range e.Lanes {
				if id := (lane{e.Block, e.Warp, l}); ended[id] || waiting[id] != 0 {
					bad("a thread that has ended or waits goes on")
				}
			}
			p := phase{e.Block, e.Barrier}
			switch e.Op {
			case Exit:
				for _, l := range e.Lanes {
					ended[lane{e.Block, e.Warp, l}] = true
				}
			case BarArrive:
				if slices.Contains(arrived[p], e.Warp) {
					bad("a warp arrives twice in one phase")
				}
				arrived[p] = append(arrived[p], e.Warp)
				for _, l := range e.Lanes {
					if e.Role != RoleArrive {
						waiting[lane{e.Block, e.Warp, l}] = e.Barrier + 1
					}
				}
			case BarComplete:
				if len(arrived[p]) == 0 {
					bad("a phase without arrivals completes")
				}
				delete(arrived, p)
				for l, b := range waiting {
					if l.block == e.Block && b == e.Barrier+1 {
						delete(waiting, l)
					}
				}
			}
		}
	}
}

// count is how many of the seeds' lists have an event that satisfies f.
func count(seeds int, cfg GenConfig, f func(e *Event) bool) int {
	n := 0
	for seed := range uint64(seeds) {
		if slices.ContainsFunc(Generate(seed, cfg), func(e Event) bool { return f(&e) }) {
			n++
		}
	}
	return n
}

func TestFeaturesCanBeLeftOut(t *testing.T) {
	for name, tc := range map[string]struct {
		feature Feature
		uses    func(e *Event) bool
	}{
		"copies":         {Copies, func(e *Event) bool { return e.Op == CpAsync || e.Op == CpCommit || e.Op == CpWait }},
		"named barriers": {NamedBarriers, func(e *Event) bool { return e.Barrier > 0 || e.Role == RoleArrive }},
		"read-only":      {ReadOnlyLoads, func(e *Event) bool { return e.NC }},
		"one-way fences": {OneWayFences, func(e *Event) bool { return e.Op == Fence && e.Fence >= FenceAcquire }},
		"vectors":        {Vectors, func(e *Event) bool { return e.elems() > 1 }},
		"sub-words":      {SubWords, func(e *Event) bool { return e.access() && e.Op != CpAsync && e.Size != 4 }},
		"launches":       {MoreLaunches, func(e *Event) bool { return e.Op == LaunchEnd }},
		"exits":          {Exits | MoreLaunches, func(e *Event) bool { return e.Op == Exit }},
	} {
		if n := count(300, GenConfig{}, tc.uses); n < 5 {
			t.Errorf("%s: in %d of 300 lists", name, n)
		}
		if n := count(300, GenConfig{Without: tc.feature}, tc.uses); n != 0 {
			t.Errorf("%s left out: still in %d lists", name, n)
		}
	}
}

// Every part of the model decides some verdicts: a list without it, or with something else in its place, gets another verdict often enough for 10^4 lists
// to tell. (A detector that ignored the part would agree with the oracle on the changed list.)
func TestGeneratorHasPower(t *testing.T) {
	drop := func(f func(e *Event) bool) func([]Event) []Event {
		return func(events []Event) []Event { return slices.DeleteFunc(events, func(e Event) bool { return f(&e) }) }
	}
	edit := func(f func(e *Event)) func([]Event) []Event {
		return func(events []Event) []Event {
			for i := range events {
				f(&events[i])
			}
			return events
		}
	}
	const lists = 1500
	type part struct {
		name   string
		least  int // lists that must change
		change func([]Event) []Event
	}
	parts := []part{
		{"fences", 50, drop(func(e *Event) bool { return e.Op == Fence })},
		{"fence.sc against fence.acq_rel", 2, edit(func(e *Event) {
			if e.Op == Fence && e.Fence == FenceSC {
				e.Fence = FenceAcqRel
			}
		})},
		{"fence.acq_rel against fence.sc", 2, edit(func(e *Event) {
			if e.Op == Fence && e.Fence == FenceAcqRel {
				e.Fence = FenceSC
			}
		})},
		{"one-way fences", 1, edit(func(e *Event) {
			if e.Fence >= FenceAcquire {
				e.Fence = FenceAcqRel
			}
		})},
		{"scopes of accesses", 50, edit(func(e *Event) {
			if e.Op != Fence {
				e.Scope = Sys
			}
		})},
		{"scopes of fences", 2, edit(func(e *Event) {
			if e.Op == Fence {
				e.Scope = Sys
			}
		})},
		{"release", 50, edit(func(e *Event) {
			if e.Sem == Release {
				e.Sem = Relaxed
			}
		})},
		{"acquire", 50, edit(func(e *Event) {
			if e.Sem == Acquire {
				e.Sem = Relaxed
			}
		})},
		{"failed cas", 15, edit(func(e *Event) { e.Failed = 0 })},
		{"red", 5, edit(func(e *Event) { e.Red = false })},
		{"bar.sync", 50, drop(func(e *Event) bool { return e.Op == BarArrive || e.Op == BarComplete })},
		{"bar.arrive", 5, edit(func(e *Event) { e.Role = RoleSync })},
		{"barrier ids", 3, edit(func(e *Event) { e.Barrier = 0 })},
		{"bar.warp.sync", 50, drop(func(e *Event) bool { return e.Op == WarpSync })},
		{"wait_group", 10, edit(func(e *Event) { e.Pending = 0 })},
		{"commit_group", 5, drop(func(e *Event) bool { return e.Op == CpCommit })},
		{"ld.global.nc", 5, edit(func(e *Event) { e.NC = false })},
		{"values", 20, edit(func(e *Event) { e.Value = nil })},
		{"launches", 20, drop(func(e *Event) bool { return e.Op == LaunchEnd })},
		{"order of lanes", 2, edit(func(e *Event) { *e = reversed(*e) })},
	}
	changed := make([]int, len(parts))
	clean := 0
	for seed := range uint64(lists) {
		want := severities(t, Generate(seed, GenConfig{}))
		if len(want) == 0 {
			clean++
		}
		for k, p := range parts {
			if !reflect.DeepEqual(severities(t, p.change(Generate(seed, GenConfig{}))), want) {
				changed[k]++
			}
		}
	}
	for k, p := range parts {
		t.Logf("%-32s changes %d of %d lists", p.name, changed[k], lists)
		if changed[k] < p.least {
			t.Errorf("%s: changes %d of %d lists, want at least %d", p.name, changed[k], lists, p.least)
		}
	}
	if clean < lists/5 || clean > lists*4/5 {
		t.Errorf("%d of %d lists are clean", clean, lists)
	}
}

// reversed reverses the order in which the lanes take effect.
func reversed(e Event) Event {
	var order []int
	for k := range e.Lanes {
		order = append([]int{k}, order...)
	}
	return permuted(e, order)
}

type severity struct {
	space         Space
	launch, block int
	addr          int64
	severity      Severity
}

// severities are the verdicts without steps, which a dropped event would shift.
func severities(t *testing.T, events []Event) []severity {
	t.Helper()
	r, err := Check(Config{}, events)
	if err != nil {
		t.Fatal(err)
	}
	var out []severity
	for _, b := range r.Bytes {
		out = append(out, severity{b.Space, b.Launch, b.Block, b.Addr, b.Severity})
	}
	return out
}
