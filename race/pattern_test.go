package race

import (
	"fmt"
	"strings"
	"testing"

	"gpusim/kernel"
	"gpusim/shape"
)

// world is a few blocks of one launch, with one global and a shared buffer each.
type world struct {
	t      *testing.T
	d      *Detector
	tab    *shape.Table
	global *Shadow
	blocks []*worldBlock
	sites  map[SiteInfo]Site
}

type worldBlock struct {
	Block
	shared *Shadow
	sim    *world
}

func newWorld(t *testing.T, blocks, threads int) *world {
	tab := shape.NewTable()
	s := &world{t: t, d: New(tab), tab: tab, sites: map[SiteInfo]Site{}}
	for _, scope := range []kernel.Scope{kernel.CTA, kernel.GPU} { // sites are known before a launch
		for _, sem := range []kernel.Sem{kernel.Relaxed, kernel.Acquire, kernel.Release, kernel.AcqRel} {
			for _, elem := range []int{4, 8} {
				s.site(SiteInfo{Read: true, Write: true, Atomic: true, Sem: sem, Scope: scope, Elem: elem})
			}
		}
	}
	s.global = s.d.NewShadow(0, kernel.Global, 1<<16)
	s.launch(blocks, threads)
	return s
}

func (s *world) launch(blocks, threads int) {
	if err := s.d.BeginLaunch(uint64(blocks), true); err != nil {
		s.t.Fatal(err)
	}
	s.blocks = nil
	for i := range blocks {
		b := &worldBlock{sim: s, shared: s.d.NewShadow(1+i, kernel.Shared, 1<<15)}
		s.d.BeginBlock(&b.Block, uint64(i), threads)
		s.blocks = append(s.blocks, b)
	}
}

func (s *world) site(i SiteInfo) Site {
	id, ok := s.sites[i]
	if !ok {
		id = s.d.AddSite(i)
		s.sites[i] = id
	}
	return id
}

// weak is a plain access of 4 bytes by the lanes of mask at f(lane) words.
func (b *worldBlock) weak(sd *Shadow, warp int, mask uint32, write bool, f func(l int) int) {
	var a shape.Lanes
	for l := range a {
		a[l] = uint64(4 * f(l))
	}
	sh := b.sim.tab.Of(&a, mask, 4)
	b.sim.d.Access(b.Warp(warp), sd, sh, int64(a[sh.First]), b.sim.site(SiteInfo{Read: !write, Write: write, Elem: 4}))
}

func (b *worldBlock) ld(sd *Shadow, thread, word int) {
	b.weak(sd, thread/32, 1<<(thread%32), false, func(int) int { return word })
}

func (b *worldBlock) st(sd *Shadow, thread, word int) {
	b.weak(sd, thread/32, 1<<(thread%32), true, func(int) int { return word })
}

// strong is a strong access of one thread: ld, st, atom, red or a failed cas.
func (b *worldBlock) strong(what string, thread, word int, sem kernel.Sem, scope kernel.Scope) {
	b.strongAt(b.sim.global, what, thread, word, sem, scope, 4)
}

func (b *worldBlock) strongAt(sd *Shadow, what string, thread, word int, sem kernel.Sem, scope kernel.Scope, size int) {
	i := SiteInfo{Read: what != "st" && what != "red", Write: what != "ld", Atomic: what != "ld" && what != "st", Sem: sem, Scope: scope, Elem: size}
	b.sim.d.Strong(b.Warp(thread/32), thread%32, sd, int64(4*word), size, b.sim.site(i), what != "ld" && what != "cas")
}

func (b *worldBlock) fence(thread int, sc bool, scope kernel.Scope) {
	b.sim.d.Fence(b.Warp(thread/32), 1<<(thread%32), sc, kernel.AcqRel, scope)
}

// fenceAll is a fence of every thread of the block.
func (b *worldBlock) fenceAll(sc bool, scope kernel.Scope) {
	for i := range b.warps {
		b.sim.d.Fence(b.Warp(i), shape.Full, sc, kernel.AcqRel, scope)
	}
}

func tid(l int) int { return l }

// found describes the races: severity, edge, what the two sides are.
func (s *world) found() string {
	var out []string
	for _, r := range s.d.Races() {
		op := func(p Party) string {
			k := "read"
			if p.Write {
				k = "write"
			}
			return fmt.Sprintf("%s %d/%d", k, p.Block, p.Thread)
		}
		x := fmt.Sprintf("%v %s %s, %s at %d", r.Severity, r.Edge, op(r.A), op(r.B), r.Off)
		if r.SameValue {
			x += " same value"
		}
		if r.NeedsSC {
			x += " needs sc"
		}
		out = append(out, x)
	}
	return strings.Join(out, "\n")
}

// sameValues says that all stores write one value.
type sameValues struct{}

func (sameValues) OldEqual(int, int64) bool        { return true }
func (sameValues) LanesEqual(int, int, int64) bool { return true }

// TestAlikePairs: pairs that are counted together are the pairs counted one by one. Three
// lanes write one value, and after they met, a fourth writes another: nothing new but
// what a lane of another warp did.
func TestAlikePairs(t *testing.T) {
	s := newWorld(t, 1, 64)
	b := s.blocks[0]
	s.d.Values = sameValues{}
	for lane := range 3 {
		b.st(b.shared, lane, 0)
	}
	b.st(b.shared, 32, 0)
	b.Warp(0).Sync(shape.Full, shape.Full)
	if r := s.d.Races(); len(r) != 1 || r[0].Count != 3+3 {
		t.Fatalf("before the lanes met: %+v", r)
	}
	s.d.Values = nil
	b.st(b.shared, 3, 0)
	if r := s.d.Races(); len(r) != 2 || r[1].Count != 1 || r[1].A.Thread != 32 || r[1].B.Thread != 3 {
		t.Fatalf("after the lanes met: %+v", r)
	}
}

func TestPatterns(t *testing.T) {
	relaxed, acquire, release := kernel.Relaxed, kernel.Acquire, kernel.Release
	cta, gpu := kernel.CTA, kernel.GPU
	// publish: thread 5 of block 0 writes word 0 and sets a flag; thread 7 of another
	// block reads the flag, then the word.
	publish := func(before, after func(b *worldBlock), how, see string, sem, see2 kernel.Sem, scope, scope2 kernel.Scope) func(s *world) {
		return func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.st(s.global, 5, 0)
			if before != nil {
				before(a)
			}
			a.strong(how, 5, 40, sem, scope)
			b.strong(see, 7, 40, see2, scope2)
			if after != nil {
				after(b)
			}
			b.ld(s.global, 7, 0)
		}
	}
	// lastBlock: all threads of two blocks write, fence, and thread 0 counts; the last block reads everything.
	lastBlock := func(sc bool) func(s *world) {
		return func(s *world) {
			for i, b := range s.blocks {
				for w := range 2 {
					b.weak(s.global, w, shape.Full, true, func(l int) int { return 64*i + 32*w + l })
				}
				b.fenceAll(sc, gpu)
				b.BarrierAll()
				b.strong("atom", 0, 1000, relaxed, gpu)
				b.BarrierAll()
			}
			b := s.blocks[1]
			b.fenceAll(sc, gpu)
			for w := range 2 {
				b.weak(s.global, w, shape.Full, false, func(l int) int { return 32*w + l })
			}
		}
	}
	for _, c := range []struct {
		name string
		run  func(s *world)
		want string
	}{
		{"readers, barrier, writer", func(s *world) {
			b := s.blocks[0]
			for w := range 2 {
				b.weak(b.shared, w, shape.Full, false, func(int) int { return 0 })
			}
			b.BarrierAll()
			b.st(b.shared, 3, 0)
		}, ""},
		{"readers, no barrier, writer", func(s *world) {
			b := s.blocks[0]
			b.weak(b.shared, 1, 1<<9, false, func(int) int { return 0 })
			b.st(b.shared, 3, 0)
		}, "error no-barrier read 0/41, write 0/3 at 0"},
		{"neighbour in the warp", func(s *world) {
			b := s.blocks[0]
			b.weak(b.shared, 0, shape.Full, true, tid)
			b.weak(b.shared, 0, shape.Full>>1, false, func(l int) int { return l + 1 })
		}, "error no-barrier write 0/1, read 0/0 at 4"},
		{"neighbour in the warp, __syncwarp", func(s *world) {
			b := s.blocks[0]
			for range 3 {
				b.weak(b.shared, 0, shape.Full, true, tid)
				b.Warp(0).Sync(shape.Full, shape.Full)
				b.weak(b.shared, 0, shape.Full>>1, false, func(l int) int { return l + 1 })
				b.Warp(0).Sync(shape.Full, shape.Full)
			}
		}, ""},
		{"partial __syncwarp leaves lane 31 out", func(s *world) {
			b := s.blocks[0]
			b.weak(b.shared, 0, shape.Full, true, tid)
			b.Warp(0).Sync(shape.Full>>1, shape.Full)
			b.weak(b.shared, 0, 1<<30, false, func(l int) int { return l + 1 })
		}, "error no-barrier write 0/31, read 0/30 at 124"},
		{"lanes of one store, one value", func(s *world) {
			b := s.blocks[0]
			s.d.Values = sameValues{}
			b.weak(b.shared, 0, 6, true, func(int) int { return 8 })
		}, "warning no-barrier write 0/1, write 0/2 at 32 same value"},
		{"lanes of one store", func(s *world) {
			b := s.blocks[0]
			b.weak(b.shared, 0, 6, true, func(int) int { return 8 })
		}, "error no-barrier write 0/1, write 0/2 at 32"},
		{"one value, then a reader meets the other writer", func(s *world) {
			b := s.blocks[0]
			s.d.Values = sameValues{}
			b.weak(b.shared, 0, 6, true, func(int) int { return 8 })
			b.ld(b.shared, 2, 8)
		}, "warning no-barrier write 0/1, write 0/2 at 32 same value\nerror no-barrier write 0/1, read 0/2 at 32"},
		{"next block of a slot", func(s *world) {
			b := s.blocks[0]
			b.weak(b.shared, 0, shape.Full, true, tid)
			s.d.EndBlock(&b.Block)
			s.d.BeginBlock(&b.Block, 3, 64)
			b.weak(b.shared, 1, shape.Full, false, tid)
		}, ""},
		{"blocks share a word", func(s *world) {
			s.blocks[0].st(s.global, 1, 0)
			s.d.EndBlock(&s.blocks[0].Block)
			s.blocks[1].ld(s.global, 2, 0)
		}, "error no-barrier write 0/1, read 1/2 at 0"},
		{"a second read after one of a block that ended and released", func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.ld(s.global, 5, 0)
			a.strong("st", 5, 40, release, gpu)
			s.d.EndBlock(&a.Block)
			b.strong("ld", 7, 40, acquire, gpu)
			b.ld(s.global, 33, 0)
			b.st(s.global, 7, 0)
		}, "error no-barrier read 1/33, write 1/7 at 0"},
		{"reads of a block that ended are of one launch", func(s *world) {
			for i := range 16 {
				s.blocks[0].ld(s.global, i, i)
			}
			s.d.EndBlock(&s.blocks[0].Block)
			for i := range 32 { // now there are more than a line keeps as records
				s.blocks[1].ld(s.global, i, 16+i/2)
			}
			s.launch(1, 64)
			s.blocks[0].ld(s.global, 1, 0)
			s.blocks[0].st(s.global, 2, 0)
		}, "error no-barrier read 0/1, write 0/2 at 0"},
		{"fewer lanes read again", func(s *world) {
			b := s.blocks[0]
			row := func(warp int, mask uint32) {
				var off [32]int64
				for l := range off {
					off[l] = int64(4 * l)
				}
				s.d.AccessLanes(b.Warp(warp), b.shared, &off, mask, 4, s.site(SiteInfo{Read: true, Elem: 4}))
			}
			row(0, 0xFF)
			for i := range 20 { // until the log is cleaned
				row(1, 3<<i)
				row(0, 0x0F)
			}
			b.st(b.shared, 33, 7)
		}, "error no-barrier read 0/7, write 0/33 at 28"},
		{"next launch", func(s *world) {
			s.blocks[0].st(s.global, 1, 0)
			s.launch(1, 64)
			s.blocks[0].st(s.global, 2, 0)
		}, ""},
		{"release, acquire", publish(nil, nil, "st", "ld", release, acquire, gpu, gpu), ""},
		{"fences around relaxed", publish(func(b *worldBlock) { b.fence(5, false, gpu) }, func(b *worldBlock) { b.fence(7, false, gpu) }, "st", "ld", relaxed, relaxed, gpu, gpu), ""},
		{"release through a red", func(s *world) {
			s.blocks[0].st(s.global, 5, 0)
			s.blocks[0].strong("st", 5, 40, release, gpu)
			s.blocks[1].strong("red", 9, 40, relaxed, gpu)
			s.blocks[1].strong("ld", 7, 40, acquire, gpu)
			s.blocks[1].ld(s.global, 7, 0)
		}, ""},
		{"no release", publish(nil, nil, "st", "ld", relaxed, acquire, gpu, gpu), "error no-release write 0/5, read 1/7 at 0"},
		{"no acquire", publish(nil, nil, "st", "ld", release, relaxed, gpu, gpu), "error no-acquire write 0/5, read 1/7 at 0"},
		{"a plain store between breaks the chain", func(s *world) {
			s.blocks[0].st(s.global, 5, 0)
			s.blocks[0].strong("st", 5, 40, release, gpu)
			s.blocks[1].strong("st", 9, 40, relaxed, gpu)
			s.blocks[1].strong("ld", 7, 40, acquire, gpu)
			s.blocks[1].ld(s.global, 7, 0)
		}, "error no-acquire write 0/5, read 1/7 at 0"},
		{"fence of block scope", publish(func(b *worldBlock) { b.fence(5, false, cta) }, func(b *worldBlock) { b.fence(7, false, gpu) }, "st", "ld", relaxed, relaxed, gpu, gpu), "error scope write 0/5, read 1/7 at 0"},
		{"atomics of block scope", func(s *world) {
			s.blocks[0].strong("atom", 1, 40, relaxed, cta)
			s.blocks[1].strong("atom", 2, 40, relaxed, gpu)
		}, "error scope write 0/1, write 1/2 at 160"},
		{"an atomic on a value of two writes continues no chain", func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.st(s.global, 5, 0)
			a.strongAt(s.global, "st", 5, 40, release, gpu, 8)
			b.strongAt(s.global, "ld", 9, 40, acquire, gpu, 8)
			b.strongAt(s.global, "st", 9, 41, relaxed, gpu, 4)
			b.strongAt(s.global, "atom", 9, 40, relaxed, gpu, 8)
			b.strongAt(s.global, "ld", 7, 40, acquire, gpu, 8)
			b.ld(s.global, 7, 0)
		}, "error no-barrier write 1/9, read 1/7 at 164\nerror no-acquire write 0/5, read 1/7 at 0"},
		{"atomics of two sizes", func(s *world) {
			b := s.blocks[0]
			b.strongAt(b.shared, "atom", 1, 40, relaxed, gpu, 8)
			b.strongAt(b.shared, "atom", 2, 41, relaxed, gpu, 4)
		}, "error no-barrier write 0/1, write 0/2 at 164"},
		{"plain read of an atomic", func(s *world) {
			s.blocks[0].strong("red", 1, 40, relaxed, gpu)
			s.blocks[0].ld(s.global, 2, 40)
		}, "error no-barrier write 0/1, read 0/2 at 160"},
		{"failed cas is a read", func(s *world) {
			s.blocks[0].strong("cas", 1, 40, relaxed, gpu)
			s.blocks[1].ld(s.global, 2, 40)
			s.blocks[1].st(s.global, 2, 40)
		}, "error no-barrier read 0/1, write 1/2 at 160"},
		{"observed, then a barrier", func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.strong("st", 5, 40, relaxed, gpu)
			b.strong("atom", 0, 40, relaxed, gpu)
			b.BarrierAll()
			b.weak(s.global, 1, shape.Full, false, func(int) int { return 40 })
		}, ""},
		{"observed by another thread", func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.strong("st", 5, 40, relaxed, gpu)
			b.strong("ld", 0, 40, relaxed, gpu)
			b.ld(s.global, 9, 40)
		}, "error no-barrier write 0/5, read 1/9 at 160"},
		{"last block", lastBlock(true), ""},
		{"last block with fence.acq_rel", lastBlock(false), "warning no-acquire write 0/1, read 1/1 at 4 needs sc"},
		{"a fence.sc orders through one of block scope", func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.st(s.global, 1, 0)
			a.fence(1, true, gpu)
			a.strong("st", 1, 40, release, gpu)
			a.strong("ld", 2, 40, acquire, gpu)
			a.strong("st", 2, 41, relaxed, gpu) // after the fence, and releases nothing
			a.strong("ld", 40, 41, relaxed, gpu)
			a.fence(40, true, cta) // so the wide fence is forced before this one
			a.strong("st", 40, 42, relaxed, gpu)
			b.strong("ld", 7, 42, relaxed, gpu)
			b.fence(7, true, gpu) // and so before this one
			b.ld(s.global, 7, 0)
		}, ""},
		{"two fence.sc that just ran in this order", func(s *world) {
			a, b := s.blocks[0], s.blocks[1]
			a.st(s.global, 1, 0)
			a.fence(1, true, gpu)
			b.fence(2, true, gpu)
			b.ld(s.global, 2, 0)
		}, "error no-acquire write 0/1, read 1/2 at 0"},
		{"an exited thread is not in the barrier", func(s *world) {
			b := s.blocks[0]
			b.st(b.shared, 40, 0)
			b.Warp(1).Exit(shape.Full)
			b.BarrierAll()
			b.ld(b.shared, 2, 0)
		}, "error no-barrier write 0/40, read 0/2 at 0"},
		{"an exited thread that did nothing since the last one", func(s *world) {
			b := s.blocks[0]
			b.st(b.shared, 40, 0)
			b.BarrierAll()
			b.Warp(1).Exit(shape.Full)
			b.BarrierAll()
			b.ld(b.shared, 2, 0)
		}, ""},
		{"live threads of a block with an exited one", func(s *world) {
			b := s.blocks[0]
			b.st(b.shared, 40, 0)
			b.Warp(1).Exit(1 << 8)
			for range 3 {
				b.weak(b.shared, 1, 0xFF, true, func(l int) int { return 32 + l })
				b.BarrierAll()
				b.weak(b.shared, 0, 0xFF, false, func(l int) int { return 32 + l })
				b.BarrierAll()
			}
		}, ""},
		{"named barrier: arrive is no target", func(s *world) {
			b := s.blocks[0]
			var p Phase
			b.st(b.shared, 3, 0)
			b.Warp(0).Arrive(&p, shape.Full)
			b.st(b.shared, 40, 1)
			b.Warp(1).Arrive(&p, shape.Full)
			b.Warp(1).Depart(&p, shape.Full)
			b.ld(b.shared, 41, 0)
			b.ld(b.shared, 4, 1)
		}, "error no-barrier write 0/40, read 0/4 at 4"},
		{"ld.global.nc of what the launch writes", func(s *world) {
			b := s.blocks[0]
			b.st(s.global, 1, 0)
			b.BarrierAll()
			var a shape.Lanes
			s.d.Access(b.Warp(1), s.global, s.tab.Of(&a, 1, 4), 0, s.site(SiteInfo{Read: true, NonCoherent: true, Elem: 4}))
		}, "error read-only write 0/1, read 0/32 at 0"},
		{"write of what ld.global.nc has read", func(s *world) {
			b := s.blocks[0]
			var a shape.Lanes
			s.d.Access(b.Warp(1), s.global, s.tab.Of(&a, 1, 4), 0, s.site(SiteInfo{Read: true, NonCoherent: true, Elem: 4}))
			b.BarrierAll()
			b.st(s.global, 32, 0)
		}, "error read-only read 0/32, write 0/32 at 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newWorld(t, 4, 64)
			for i := range 2 { // blocks 2 and 3 only lend their numbers
				s.d.EndBlock(&s.blocks[2+i].Block)
			}
			c.run(s)
			got := s.found()
			if got != c.want {
				t.Errorf("found\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestCopiesOfHalfAWarp: some lanes of one instruction have waited, the others have not.
func TestCopiesOfHalfAWarp(t *testing.T) {
	s := newWorld(t, 1, 64)
	b := s.blocks[0]
	a := addr(func(l int) int { return 16 * l })
	sh := s.tab.Of(&a, shape.Full, 16)
	w := b.Warp(0)
	s.d.AsyncCopies(w, b.shared, sh, 0, s.global, sh, 0, s.site(SiteInfo{Read: true, Write: true, Elem: 16}))
	w.AsyncCommit(shape.Full)
	w.AsyncWait(0xFFFF, 0)
	b.BarrierAll()
	b.ld(b.shared, 40, 4*3)
	if got := s.found(); got != "" {
		t.Errorf("a copy that was waited for: %s", got)
	}
	b.ld(b.shared, 40, 4*20)
	if got, want := s.found(), "error wait write 0/20, read 0/40 at 320"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestCopies(t *testing.T) {
	for _, c := range []struct {
		name                  string
		wait, barrier, source bool
		reader                int
		want                  string
	}{
		{"own, waited", true, false, false, 3, ""},
		{"own, not waited", false, false, false, 3, "error wait write 0/3, read 0/3 at 48"},
		{"other, waited, barrier", true, true, false, 40, ""},
		{"other, waited", true, false, false, 40, "error no-barrier write 0/3, read 0/40 at 48"},
		{"other, barrier before the wait", false, true, false, 40, "error wait write 0/3, read 0/40 at 48"},
		{"source overwritten", false, false, true, 3, "error wait read 0/3, write 0/3 at 48"},
		{"source overwritten later", true, true, true, 40, ""},
	} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, whole), func(t *testing.T) {
				s := newWorld(t, 1, 64)
				b := s.blocks[0]
				id := s.site(SiteInfo{Read: true, Write: true, Elem: 16})
				w := b.Warp(0)
				if whole {
					var a shape.Lanes
					for l := range a {
						a[l] = uint64(16 * l)
					}
					sh := s.tab.Of(&a, shape.Full, 16)
					s.d.AsyncCopies(w, b.shared, sh, 0, s.global, sh, 0, id)
				} else {
					for l := range 32 {
						s.d.AsyncCopy(w, l, b.shared, int64(16*l), s.global, int64(16*l), 16, 16, id)
					}
				}
				w.AsyncCommit(shape.Full)
				if c.wait {
					w.AsyncWait(shape.Full, 0)
				}
				if c.barrier {
					b.BarrierAll()
				}
				if c.source {
					b.st(s.global, c.reader, 12)
				} else {
					b.ld(b.shared, c.reader, 12)
				}
				if got := s.found(); got != c.want {
					t.Errorf("found\n%s\nwant\n%s", got, c.want)
				}
			})
		}
	}
}
