package oracle

import "testing"

// The same axioms written a second time, as relations closed to a fixed point without any regard to the order of the list. It shows that the forward
// pass of the Checker, which closes as it goes, computes the same base causality, Fence-SC and causality orders.

type relation [][]bool

func newRelation(n int) relation {
	r := make(relation, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	return r
}

func (r relation) close() {
	for k := range r {
		for i := range r {
			if r[i][k] {
				for j := range r {
					r[i][j] = r[i][j] || r[k][j]
				}
			}
		}
	}
}

// naive computes causality order at one level from the checker's operations, using none of its relations.
func naive(c *Checker, level int) relation {
	n := len(c.ops)
	ops := c.ops
	rf, observation, base := newRelation(n), newRelation(n), newRelation(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			w, r := &ops[i], &ops[j]
			if !w.access || !r.access || !w.writes || !r.reads || r.nc || !w.overlaps(r) || !c.morallyStrong(w, r) {
				continue
			}
			last := true // no write in between touches the bytes read
			for k := i + 1; k < j; k++ {
				last = last && !(ops[k].access && ops[k].writes && ops[k].overlaps(r))
			}
			rf[i][j] = last
		}
	}
	for i := range n { // W, then atomic writes, then R
		for j := range n {
			observation[i][j] = rf[i][j]
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range n {
			for z := range n {
				if !observation[i][z] || !ops[z].atomic || !ops[z].writes {
					continue
				}
				for j := range n {
					if rf[z][j] && !observation[i][j] {
						observation[i][j], changed = true, true
					}
				}
			}
		}
	}
	threads := func(o *operation) []int {
		if o.thread != noThread {
			return []int{o.thread}
		}
		return o.members
	}
	common := func(x, y *operation) bool {
		for _, t := range threads(x) {
			for _, u := range threads(y) {
				if t == u {
					return true
				}
			}
		}
		return false
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			x, y := &ops[i], &ops[j]
			switch {
			case x.kind == kindBoundary || y.kind == kindBoundary:
				base[i][j] = true
			case x.async && y.async:
				base[i][j] = x.event == y.event && x.lane == y.lane // one copy: read, then write
			case x.async && y.kind == kindWait && x.thread == y.thread:
				before, after := 0, 0 // commits before the copy and before the wait
				for k := range j {
					if ops[k].kind == kindCommit && ops[k].thread == x.thread {
						after++
						if k < i {
							before++
						}
					}
				}
				base[i][j] = before < after-y.pending
			case x.async:
			case x.event != y.event && common(x, y):
				base[i][j] = true
			case x.kind == kindArrival && y.kind == kindComplete && x.launch == y.launch && x.block == y.block && x.barrier == y.barrier:
				open := true
				for k := i + 1; k < j; k++ {
					o := &ops[k]
					open = open && !(o.kind == kindComplete && o.launch == x.launch && o.block == x.block && o.barrier == x.barrier)
				}
				base[i][j] = open
			}
		}
	}
	inThread := func(i, j int) bool { return i < j && ops[i].thread == ops[j].thread && ops[i].event != ops[j].event }
	fenceOrAt := func(f, m *operation) bool { return f.kind == kindFence || f.access && f.sameLocation(m) }
	for w := range n {
		for r := range n {
			if !observation[w][r] || !ops[w].strong || !ops[r].strong || ops[r].red {
				continue
			}
			for f := range n {
				if !ops[f].release || f != w && !(inThread(f, w) && fenceOrAt(&ops[f], &ops[w])) {
					continue
				}
				for l := range n {
					if ops[l].acquire && (l == r || inThread(r, l) && fenceOrAt(&ops[l], &ops[r])) && c.morallyStrong(&ops[f], &ops[l]) {
						base[f][l] = true
					}
				}
			}
		}
	}
	base.close()
	for changed := true; changed; {
		changed = false
		for f := range n {
			for g := range n {
				if f == g || !ops[f].sc[level] || !ops[g].sc[level] || base[f][g] || !c.morallyStrong(&ops[f], &ops[g]) {
					continue
				}
				for w := range n {
					for r := range n {
						if base[f][w] && observation[w][r] && !ops[r].red && base[r][g] && !base[f][g] {
							base[f][g], changed = true, true
						}
					}
				}
			}
		}
		base.close()
	}
	causality := newRelation(n)
	for i := range n {
		for j := range n {
			causality[i][j] = base[i][j]
			for z := range n {
				causality[i][j] = causality[i][j] || observation[i][z] && !ops[z].red && base[z][j]
			}
		}
	}
	return causality
}

func TestForwardPassAgreesWithRelations(t *testing.T) {
	for seed := range uint64(400) {
		events := Generate(seed, GenConfig{})
		c := NewChecker(Config{})
		for _, e := range events {
			if _, err := c.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		if len(c.ops) > 90 {
			continue
		}
		for level := range levels {
			want := naive(c, level)
			for i := range c.ops {
				for j := i + 1; j < len(c.ops); j++ {
					if got := c.causal(level, i, j); got != want[i][j] {
						t.Fatalf("seed %d, level %d, operation %d of event %d before %d of %d: got %t, want %t\n%s", seed, level,
							i, c.ops[i].event, j, c.ops[j].event, got, want[i][j], Format(events))
					}
				}
				for j := range i {
					if want[i][j] {
						t.Fatalf("seed %d: an edge runs backward, from event %d to %d\n%s", seed, c.ops[i].event, c.ops[j].event, Format(events))
					}
				}
			}
		}
	}
}
