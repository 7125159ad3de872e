package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gpusim/kernel"
)

// A script is commands separated by semicolons, each "thread verb operand":
//
//	r x, w x         a synchronous access to buffer x
//	u x, ua x        an atomic update of x, of parts of it
//	fence            a proxy fence
//	in x y b         a copy from x to y that arrives at barrier phase b
//	out x y          a copy from x to y that only a wait of the thread completes
//	wait             waits for all copies of the thread; waitread: for their reads
//	mma a acc, cp s t  work of the tensor core; commit b arrives when all of the thread's is done
//	st t, ld t       a store to or load from tensor memory, which settle waits for
//	arrive b, see b  an arrival in, and a wait for, phase b; with a t: ordering the tensor core
//	fork n, join n   warps
func play(script string) []Race {
	var races []Race
	d := &Detector{Report: func(r Race) { races = append(races, r) }, Ordered: true}
	groups := []*Group{d.Begin(0, 3), d.Begin(1, 3), d.Begin(2, 3), d.Begin(3, 3)}
	shadows, phases, ops := map[string]*Shadow{}, map[string]*Phase{}, map[*Thread][]*Op{}
	shadow := func(name string) *Shadow {
		if shadows[name] == nil {
			shadows[name] = &Shadow{}
		}
		return shadows[name]
	}
	all := []Run{{0, 64}}
	for line, command := range strings.Split(script, ";") {
		f := strings.Fields(command)
		var n int
		fmt.Sscan(f[0], &n)
		t := groups[n/10].Thread(n % 10)
		phase := func(name string) *Phase {
			if phases[name] == nil {
				phases[name] = &Phase{}
			}
			return phases[name]
		}
		switch f[1] {
		case "r", "w":
			t.Access(shadow(f[2]), all, f[1] == "w", 0, line)
		case "u":
			t.Atomic(shadow(f[2]), all, 0, line)
		case "ua":
			t.Atomic(shadow(f[2]), []Run{{8, 8}, {24, 4}}, 0, line)
		case "fence":
			t.ProxyFence()
		case "in":
			o := t.Issue()
			o.Access(shadow(f[2]), all, false, Generic, 0, line)
			o.Access(shadow(f[3]), all, true, Async, 0, line)
			o.Arrive(phase(f[4]))
		case "out":
			o := t.Issue()
			o.Access(shadow(f[2]), all, false, Async, 0, line)
			o.Access(shadow(f[3]), all, true, Async, 0, line)
			ops[t] = append(ops[t], o)
		case "wait", "waitread":
			for _, o := range ops[t] {
				t.AwaitRead(o)
				if f[1] == "wait" {
					t.Await(o)
				}
			}
		case "mma":
			o := t.IssueTensor(Pipe{MMA: true, Key: f[3]})
			o.Access(shadow(f[2]), all, false, Async, 0, line)
			o.Access(shadow(f[3]), all, true, Tensor, 0, line)
		case "cp":
			o := t.IssueTensor(Pipe{})
			o.Access(shadow(f[2]), all, false, Async, 0, line)
			o.Access(shadow(f[3]), all, true, Tensor, 0, line)
		case "st", "ld":
			o := t.Issue()
			o.Access(shadow(f[2]), all, f[1] == "st", Tensor, 0, line)
			ops[t] = append(ops[t], o)
		case "settle":
			for _, o := range ops[t] {
				t.Settle(o)
			}
		case "commit":
			t.Commit().Arrive(phase(f[2]))
		case "arrive", "arrivet":
			t.Arrive(phase(f[2]), f[1] == "arrivet")
		case "see", "seet":
			t.Depart(phase(f[2]), f[1] == "seet")
		case "fork", "join":
			fmt.Sscan(f[2], &n)
			if f[1] == "fork" {
				t.Fork(t.group.Thread(n))
			} else {
				t.Join(t.group.Thread(n))
			}
		}
	}
	return races
}

// The cases of JAX's own race tests, and those that its clocks get wrong (M2, M3, M4).
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name, script string
		edge         kernel.Edge // "ok": no race
	}{
		{"one thread", "0 w x; 0 r x; 0 w x", "ok"},
		{"two threads", "0 w x; 1 r x", kernel.NoBarrier},
		{"read, then write", "0 r x; 1 w x", kernel.NoBarrier},
		{"two readers", "0 r x; 1 r x", "ok"},
		{"barrier", "0 w x; 0 arrive b; 1 see b; 1 r x", "ok"},
		{"written after the arrival", "0 arrive b; 0 w x; 1 see b; 1 r x", kernel.NoBarrier},
		{"handed on", "0 w x; 0 arrive b; 1 see b; 1 arrive c; 2 see c; 2 w x", "ok"},
		{"copy, waited for", "0 in g s b; 0 see b; 0 r s", "ok"},
		{"copy, not waited for", "0 in g s b; 0 r s", kernel.NoWait},
		{"copy, another thread waits", "0 in g s b; 1 see b; 1 r s", "ok"},
		{"copy over a written tile", "0 w s; 0 in g s b; 0 see b", kernel.ProxyFence},
		{"copy over a written tile, fence", "0 w s; 0 fence; 0 in g s b; 0 see b", "ok"},
		{"fence too late", "0 w s; 0 in g s b; 0 fence; 0 see b", kernel.ProxyFence},
		{"fence by the reader", "0 w s; 0 arrive b; 1 see b; 1 fence; 1 in g s c; 1 see c", "ok"},
		{"no fence on the way", "0 w s; 0 arrive b; 1 see b; 1 in g s c; 1 see c", kernel.ProxyFence},
		{"copy out without a fence", "0 w s; 0 out s g; 0 wait", kernel.ProxyFence},
		{"copy out", "0 w s; 0 fence; 0 out s g; 0 wait; 0 r g; 0 w s", "ok"},
		{"copy out, read-only wait", "0 w s; 0 fence; 0 out s g; 0 waitread; 0 w s", "ok"},
		{"copy out, read-only wait, result used", "0 w s; 0 fence; 0 out s g; 0 waitread; 0 r g", kernel.NoWait},
		{"another thread's wait does not help", "0 out s g; 0 arrive b; 1 see b; 1 wait; 1 w s", kernel.NoWait},
		{"two copies into one tile", "0 in g s b; 0 in g s b; 0 see b", kernel.NoWait},
		{"two copies, with a wait", "0 in g s b; 0 see b; 0 in g s c; 0 see c", "ok"},
		{"M2: many copies between", "0 in g s b; 0 in g a b; 0 fence; 0 in g c b; 0 fence; 0 in g d b; 0 fence; 0 in g e b; 0 fence; 0 in g s b", kernel.NoWait},
		{"M3: the next phase is another one", "0 arrive b0; 0 w x; 0 arrive b1; 1 see b0; 1 r x", kernel.NoBarrier},
		{"M4: blocks", "0 w x; 10 r x", kernel.NoBarrier},
		{"M4: blocks, later reader", "0 r y; 0 r y; 0 w x; 10 w x", kernel.NoBarrier},
		{"M4: a barrier of each block", "0 w x; 0 arrive b; 1 see b; 10 r y; 11 r x", kernel.NoBarrier},
		{"semaphore between blocks", "0 w x; 0 arrive s; 10 see s; 10 r x", "ok"},
		{"semaphores of all readers but one", "10 r x; 20 r x; 30 r x; 10 arrive s; 20 arrive s; 0 see s; 0 w x", kernel.NoBarrier},
		{"semaphores of all readers", "10 r x; 20 r x; 30 r x; 10 arrive s; 20 arrive s; 30 arrive s; 0 see s; 0 w x", "ok"},
		{"semaphore, handed on", "0 w x; 0 arrive s; 10 see s; 10 arrive b; 11 see b; 11 w x; 11 arrive s; 1 see s; 1 r x", "ok"},
		{"semaphore, written after the signal", "0 arrive s; 0 w x; 10 see s; 10 r x", kernel.NoBarrier},
		{"semaphore, copy not waited for", "0 out s g; 0 arrive b; 10 see b; 10 r g", kernel.NoWait},
		{"no semaphore, copy not waited for", "0 out s g; 10 r g", kernel.NoBarrier},
		{"semaphore, copy waited for", "0 out s g; 0 wait; 0 arrive b; 10 see b; 10 r g", "ok"},
		{"semaphore, proxy fence", "0 w s; 0 arrive b; 10 see b; 10 out s g; 10 wait", kernel.ProxyFence},
		{"semaphore, proxy fence there", "0 w s; 0 arrive b; 10 see b; 10 fence; 10 out s g; 10 wait", "ok"},
		{"atomics", "0 u x; 1 u x; 2 u x", "ok"},
		{"atomics, then a read", "0 u x; 1 u x; 1 r x", kernel.NoBarrier},
		{"a read, then an atomic", "0 r x; 1 u x", kernel.NoBarrier},
		{"atomics and a barrier", "0 u x; 1 u x; 0 arrive b; 1 arrive b; 2 see b; 2 r x", "ok"},
		{"atomics and one barrier", "0 u x; 1 u x; 1 arrive b; 2 see b; 2 w x", kernel.NoBarrier},
		{"atomics side by side", "0 u x; 1 ua x; 1 arrive b; 2 see b; 2 w x", kernel.NoBarrier},
		{"a read, an atomic of the same thread, then another's", "0 r x; 0 u x; 1 u x", kernel.NoBarrier},
		{"a write, an atomic of the same thread, then another's", "0 w x; 0 u x; 1 u x", kernel.NoBarrier},
		{"a write, an ordered atomic, then another's and a read", "0 w x; 0 arrive b; 1 see b; 1 u x; 1 arrive c; 2 see c; 2 u x; 2 r x", "ok"},
		{"two atomics, a read after the one, a read after the other", "0 u x; 1 u x; 0 ua y; 0 r y; 1 arrive b; 2 see b; 2 r x", kernel.NoBarrier},
		{"warps inherit", "0 w x; 0 fork 1; 1 r x; 1 w y; 0 join 1; 0 r y", "ok"},
		{"warps are concurrent", "0 fork 1; 0 fork 2; 1 w x; 2 r x", kernel.NoBarrier},
		{"a copy in one warp, a write in another", "0 fork 1; 0 fork 2; 2 out s g; 1 w s", kernel.NoWait},
		{"no join", "0 fork 1; 1 w x; 0 r x", kernel.NoBarrier},
		{"mma, mma", "0 mma a t; 0 mma b t", "ok"},
		{"mma over an operand", "0 mma a t; 0 w a", kernel.NoWait},
		{"mma over an operand, waited for", "0 mma a t; 0 commit b; 0 seet b; 0 w a", "ok"},
		{"F1: commit covers earlier mmas", "0 mma a t; 0 mma a u; 0 commit b; 0 seet b; 0 ld t", "ok"},
		{"commit tracks only earlier mmas", "0 mma a t; 0 commit b; 0 mma a u; 0 seet b; 0 ld u", kernel.NoWait},
		{"another thread's commit is vacuous", "0 mma a t; 0 arrivet c; 1 seet c; 1 commit b; 1 seet b; 1 ld t", kernel.NoWait},
		{"pipelined across threads", "0 mma a t; 0 arrivet b; 1 seet b; 1 mma a t", "ok"},
		{"M5: not across a plain barrier", "0 mma a t; 0 arrive b; 1 see b; 1 mma a t", kernel.NoWait},
		{"M5: settled, plain barrier", "0 st t; 0 settle; 0 arrive b; 1 see b; 1 ld t", kernel.ProxyFence},
		{"settled, ordering barrier", "0 st t; 0 settle; 0 arrivet b; 1 seet b; 1 ld t", "ok"},
		{"not after the later one", "0 mma a t; 0 arrivet b; 0 mma c t; 1 seet b; 1 mma d u; 1 commit e; 1 seet e; 1 w c", kernel.NoWait},
		{"two parents", "0 mma a t; 0 arrivet b; 1 seet b; 1 mma a t; 0 mma a t", kernel.NoWait},
		{"copy, mma", "0 cp s t; 0 mma a t", "ok"},
		{"F2: copy in the warpgroup, mma in its warp", "0 cp s t; 0 fork 1; 1 mma a t", "ok"},
		{"F2: commit in the warpgroup covers its warps", "0 fork 1; 1 mma a t; 0 join 1; 0 commit b; 0 seet b; 0 ld t", "ok"},
		{"copy, copy", "0 cp s t; 0 cp s t", kernel.NoWait},
		{"mma, copy", "0 mma a t; 0 cp s t", kernel.NoWait},
		{"copies of two threads, one mma", "0 cp s t; 1 cp s u; 0 arrivet b; 1 arrivet b; 2 seet b; 2 mma t u", "ok"},
		{"store, store", "0 st t; 0 st t", kernel.NoWait},
		{"store, commit, mma", "0 st t; 0 settle; 0 mma a t", "ok"},
		{"store, mma", "0 st t; 0 mma a t", kernel.NoWait},
		{"load, load", "0 ld t; 0 ld t", "ok"},
		{"mma reads what was written without a fence", "0 w a; 0 mma a t", kernel.ProxyFence},
	} {
		t.Run(c.name, func(t *testing.T) {
			races := play(c.script)
			if c.edge == "ok" {
				if len(races) > 0 {
					t.Errorf("%+v", races)
				}
				return
			}
			if len(races) == 0 {
				t.Fatal("no race")
			}
			if races[0].Edge != c.edge {
				t.Errorf("%q: %+v", races[0].Edge, races[0])
			}
		})
	}
}

// A generic read before an asynchronous overwrite lacks a fence that production code omits.
func TestReadBeforeCopyIsAWarning(t *testing.T) {
	races := play("0 r s; 0 in g s b; 0 see b")
	if len(races) != 1 || races[0].Severity != kernel.Warning || races[0].Edge != kernel.ProxyFence {
		t.Errorf("%+v", races)
	}
}

// Spans against a byte-wise model: who wrote and read each byte last.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var races []Race
		d := &Detector{Report: func(x Race) { races = append(races, x) }}
		b := d.Begin(0, 3)
		sd := &Shadow{}
		type cell struct {
			write int
			reads []int
		}
		var model [48]cell
		for i := range model {
			model[i].write = -1
		}
		for step := range 40 {
			th, write := r.IntN(3), r.IntN(2) == 0
			var runs []Run
			for off := r.IntN(40); off < 48 && len(runs) < 3; off += 1 + r.IntN(8) {
				n := 1 + r.IntN(min(8, 48-off))
				runs = append(runs, Run{int64(off), int64(n)})
				off += n
			}
			want := map[int]bool{}
			for _, run := range runs {
				for i := int(run.Off); i < int(run.Off+run.Len); i++ {
					c := &model[i]
					if c.write >= 0 && c.write != th {
						want[i] = true
					}
					if !write {
						if !slices.Contains(c.reads, th) {
							c.reads = append(c.reads, th)
						}
						continue
					}
					for _, x := range c.reads {
						want[i] = want[i] || x != th
					}
					c.write, c.reads = th, nil
				}
			}
			races = nil
			b.Thread(th).Access(sd, runs, write, 0, step)
			got := map[int]bool{}
			for _, x := range races {
				for i := x.Off; i < x.Off+x.Len; i++ {
					got[int(i)] = true
				}
			}
			for i := range model {
				if got[i] != want[i] {
					t.Fatalf("step %d, byte %d: race %v, want %v", step, i, got[i], want[i])
				}
			}
			for i := 1; i < len(sd.spans); i++ {
				if sd.spans[i-1].hi > sd.spans[i].lo || sd.spans[i].lo >= sd.spans[i].hi {
					t.Fatalf("spans out of order: %+v", sd.spans)
				}
			}
		}
	}
}

// What has been waited for takes no space.
func TestMilestonesStaySmall(t *testing.T) {
	d := &Detector{Report: func(Race) {}}
	b := d.Begin(0, 1)
	for range 10_000 {
		var p Phase
		b.Thread(0).Issue().Arrive(&p)
		b.Thread(0).Depart(&p, false)
	}
	if n := len(b.Thread(0).clock.ops.words); n > 1 {
		t.Errorf("%d words", n)
	}
}

// An MMA executes after those of its accumulator that its issuer knows of, also if there is
// a later one that he does not know of, and races with that.
func TestEarlierParent(t *testing.T) {
	races := play("0 mma a t; 0 arrivet b; 0 mma c t; 1 seet b; 1 mma d t; 1 commit e; 1 seet e; 1 w a")
	if len(races) != 1 || races[0].A.Site != 2 || races[0].B.Site != 4 {
		t.Error(races)
	}
}

// Work of one tensor core does not wait for that of another.
func TestUnitsOfTensorCores(t *testing.T) {
	for _, unit := range []string{"0", "1"} {
		n := 0
		d := &Detector{Report: func(Race) { n++ }}
		th, sd := d.Begin(0, 1).Thread(0), &Shadow{}
		for _, p := range []Pipe{{Unit: "0"}, {MMA: true, Key: "x", Unit: unit}} {
			th.IssueTensor(p).Access(sd, []Run{{0, 8}}, true, Tensor, 0, 0)
		}
		if (n > 0) != (unit != "0") {
			t.Error(unit, n)
		}
	}
}

// However long a thread gives work to the tensor core, what is kept of it depends on the
// others that may know of a part of it only.
func TestWorkOfTensorCoreIsForgotten(t *testing.T) {
	th := (&Detector{}).Begin(0, 2).Thread(0)
	for i := range 100 {
		th.IssueTensor(Pipe{MMA: true, Key: "x"})
		th.IssueTensor(Pipe{})
		if i == 50 {
			th.Arrive(&Phase{}, true)
		}
	}
	for name, list := range th.mmas.lines {
		if len(list) != 2 {
			t.Error(name, len(list))
		}
	}
}
