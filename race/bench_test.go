package race

import (
	"syscall"
	"testing"

	"gpusim/kernel"
	"gpusim/shape"
)

func addr(f func(l int) int) (a shape.Lanes) {
	for l := range a {
		a[l] = uint64(f(l))
	}
	return a
}

// cpu reports processor time: on a busy machine the wall clock tells about others.
func cpu(b *testing.B, accesses int) func() {
	now := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	t := now()
	return func() { b.ReportMetric(float64(now()-t)/float64(b.N*accesses), "cpu-ns/access") }
}

func newBlock(d *Detector, threads int) *Block {
	b := new(Block)
	if err := d.BeginLaunch(16, false); err != nil {
		panic(err)
	}
	d.BeginBlock(b, 0, threads)
	return b
}

func BenchmarkOwnCell(b *testing.B) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, kernel.Global, 1<<20)
	r, w := d.AddSite(SiteInfo{Read: true, Elem: 4}), d.AddSite(SiteInfo{Write: true, Elem: 4})
	a := addr(func(l int) int { return 4 * l })
	s := tab.Of(&a, shape.Full, 4)
	blk := newBlock(d, 256)
	b.ReportAllocs()
	defer cpu(b, 2)()
	for i := 0; b.Loop(); i++ {
		x := int64(i&1023) * 128
		d.Access(blk.Warp(i&7), sd, s, x, r)
		d.Access(blk.Warp(i&7), sd, s, x, w)
	}
}

// BenchmarkTile is the inner loop of a tiled matmul: per barrier 16 reads of each of two tiles.
func BenchmarkTile(b *testing.B) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, kernel.Shared, 4096)
	r, w := d.AddSite(SiteInfo{Read: true, Elem: 4}), d.AddSite(SiteInfo{Write: true, Elem: 4})
	lin := addr(func(l int) int { return 4 * l })
	rowA := addr(func(l int) int { return 64 * (l / 16) })
	rowB := addr(func(l int) int { return 4 * (l % 16) })
	st, sa, sb := tab.Of(&lin, shape.Full, 4), tab.Of(&rowA, shape.Full, 4), tab.Of(&rowB, shape.Full, 4)
	blk := newBlock(d, 256)
	b.ReportAllocs()
	defer cpu(b, 272)()
	for b.Loop() {
		for i := range 8 {
			d.Access(blk.Warp(i), sd, st, int64(i)*128, w)
			d.Access(blk.Warp(i), sd, st, 1024+int64(i)*128, w)
		}
		blk.BarrierAll()
		for i := range 8 {
			for k := range int64(16) {
				d.Access(blk.Warp(i), sd, sa, int64(i)*128+4*k, r)
				d.Access(blk.Warp(i), sd, sb, 1024+64*k, r)
			}
		}
		blk.BarrierAll()
	}
}

func BenchmarkWarpSynchronous(b *testing.B) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, kernel.Shared, 4096)
	r, w := d.AddSite(SiteInfo{Read: true, Elem: 4}), d.AddSite(SiteInfo{Write: true, Elem: 4})
	lin := addr(func(l int) int { return 4 * l })
	s := tab.Of(&lin, shape.Full, 4)
	blk := newBlock(d, 32)
	b.ReportAllocs()
	defer cpu(b, 2)()
	for b.Loop() {
		d.Access(blk.Warp(0), sd, s, 0, w)
		blk.Warp(0).Sync(shape.Full, shape.Full)
		d.Access(blk.Warp(0), sd, s, 4, r)
		blk.Warp(0).Sync(shape.Full, shape.Full)
	}
}

func benchScatter(b *testing.B, write bool) {
	tab := shape.NewTable()
	d := New(tab)
	const n = 1 << 20
	sd := d.NewShadow(0, kernel.Global, 4*n)
	id := d.AddSite(SiteInfo{Read: !write, Write: write, Elem: 4})
	blk := newBlock(d, 256)
	x := uint32(1)
	b.ReportAllocs()
	defer cpu(b, 1)()
	for i := 0; b.Loop(); i++ {
		if i&1023 == 0 {
			d.EndBlock(blk)
			if i&(1<<15-1) == 0 {
				if err := d.BeginLaunch(32, false); err != nil {
					b.Fatal(err)
				}
			}
			d.BeginBlock(blk, uint64(i>>10&31), 256)
		}
		var off [32]int64
		for l := range off {
			x = x*1664525 + 1013904223
			off[l] = int64(x>>12) * 4
		}
		d.AccessLanes(blk.Warp(i&7), sd, &off, shape.Full, 4, id)
	}
}

func BenchmarkGather(b *testing.B)  { benchScatter(b, false) }
func BenchmarkScatter(b *testing.B) { benchScatter(b, true) }

// benchAtomics is a shared histogram: 256 threads, random bins, a barrier now and then.
func benchAtomics(b *testing.B, read bool, space kernel.Space, bins uint32) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, space, int64(bins)*4)
	id := d.AddSite(SiteInfo{Read: read, Write: true, Atomic: true, Sem: kernel.Relaxed, Scope: kernel.GPU, Elem: 4})
	blk := newBlock(d, 256)
	x := uint32(1)
	b.ReportAllocs()
	defer cpu(b, 32)()
	for i := 0; b.Loop(); i++ {
		w := blk.Warp(i & 7)
		for l := range 32 {
			x = x*1664525 + 1013904223
			d.Strong(w, l, sd, int64(x>>8%bins)*4, 4, id, true)
		}
		if i&127 == 0 {
			blk.BarrierAll()
		}
	}
}

func BenchmarkSharedAtom(b *testing.B) { benchAtomics(b, true, kernel.Shared, 256) }
func BenchmarkSharedRed(b *testing.B)  { benchAtomics(b, false, kernel.Shared, 256) }
func BenchmarkGlobalAtom(b *testing.B) { benchAtomics(b, true, kernel.Global, 256) }
func BenchmarkGlobalRed(b *testing.B)  { benchAtomics(b, false, kernel.Global, 256) }

// BenchmarkLastBlock is the synchronisation of a last-block reduction: per block a fence of
// all threads, a barrier, an atomic, a barrier; blocks come one after another.
func BenchmarkLastBlock(b *testing.B) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, kernel.Global, 1<<12)
	id := d.AddSite(SiteInfo{Read: true, Write: true, Atomic: true, Sem: kernel.Relaxed, Scope: kernel.GPU, Elem: 4})
	blk := new(Block)
	b.ReportAllocs()
	defer cpu(b, 1)()
	const blocks = 4096
	for i := 0; b.Loop(); i++ {
		if i%blocks == 0 {
			if err := d.BeginLaunch(blocks, true); err != nil {
				b.Fatal(err)
			}
		}
		d.BeginBlock(blk, uint64(i%blocks), 256)
		for w := range 8 {
			d.Fence(blk.Warp(w), shape.Full, true, kernel.AcqRel, kernel.GPU)
		}
		blk.BarrierAll()
		d.Strong(blk.Warp(0), 0, sd, 0, 4, id, true)
		blk.BarrierAll()
		for w := range 8 {
			blk.Warp(w).Exit(shape.Full)
		}
		d.EndBlock(blk)
	}
}

// BenchmarkSpinLock is a lock that the warps of a block take in turn: cas, fence, work, fence, exchange.
func BenchmarkSpinLock(b *testing.B) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, kernel.Global, 1<<12)
	id := d.AddSite(SiteInfo{Read: true, Write: true, Atomic: true, Sem: kernel.Relaxed, Scope: kernel.GPU, Elem: 4})
	r, w := d.AddSite(SiteInfo{Read: true, Elem: 4}), d.AddSite(SiteInfo{Write: true, Elem: 4})
	blk := newBlock(d, 256)
	b.ReportAllocs()
	defer cpu(b, 1)()
	for i := 0; b.Loop(); i++ {
		v, l := blk.Warp(i&7), i>>3&31
		d.Strong(v, l, sd, 0, 4, id, true)
		d.Fence(v, 1<<l, true, kernel.AcqRel, kernel.GPU)
		d.Access(v, sd, tab.Single(l, 4), 128, r)
		d.Access(v, sd, tab.Single(l, 4), 128, w)
		d.Fence(v, 1<<l, true, kernel.AcqRel, kernel.GPU)
		d.Strong(v, l, sd, 0, 4, id, true)
	}
	if len(d.Races()) != 0 {
		b.Fatal(d.Races())
	}
}
