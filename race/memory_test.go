package race

import (
	"runtime"
	"testing"

	"gpusim/kernel"
	"gpusim/shape"
)

// grown is how many bytes f leaves on the heap.
func grown(f func() any) float64 {
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	keep := f()
	runtime.GC()
	runtime.ReadMemStats(&b)
	runtime.KeepAlive(keep)
	return float64(b.HeapAlloc) - float64(a.HeapAlloc)
}

// TestMemory bounds the shadow per byte of data for the usual ways to use a buffer.
func TestMemory(t *testing.T) {
	const size = 1 << 20
	type access func(d *Detector, w *Warp, sd *Shadow, tab *shape.Table, block, warp int, r, wr Site)
	lin := func(width int) func(l int) int { return func(l int) int { return width * l } }
	strip := func(width int, write bool) access {
		return func(d *Detector, w *Warp, sd *Shadow, tab *shape.Table, block, warp int, r, wr Site) {
			a := addr(lin(width))
			s := tab.Of(&a, shape.Full, width)
			per := int64(32 * width)
			n := int64(size) / per / 64 / 8
			for i := range n {
				id := r
				if write {
					id = wr
				}
				d.Access(w, sd, s, (int64(block*8+warp)*n+i)*per, id)
			}
		}
	}
	x := uint32(1)
	scatter := func(write bool) access {
		return func(d *Detector, w *Warp, sd *Shadow, _ *shape.Table, _, _ int, r, wr Site) {
			var off [32]int64
			for range size / 4 / 32 / 64 / 8 {
				for l := range off {
					x = x*1664525 + 1013904223
					off[l] = int64(x>>8%(size/4)) * 4
				}
				id := r
				if write {
					id = wr
				}
				d.AccessLanes(w, sd, &off, shape.Full, 4, id)
			}
		}
	}
	everyone := func(d *Detector, w *Warp, sd *Shadow, tab *shape.Table, _, warp int, r, _ Site) {
		a := addr(lin(4))
		s := tab.Of(&a, shape.Full, 4)
		for i := range int64(size / 128) {
			d.Access(w, sd, s, i*128, r)
		}
	}
	for _, c := range []struct {
		name string
		elem int
		f    access
		most float64 // bytes of shadow for a byte of data
	}{
		{"untouched", 4, func(*Detector, *Warp, *Shadow, *shape.Table, int, int, Site, Site) {}, 0.2},
		{"words read once", 4, strip(4, false), 0.8},
		{"words written once", 4, strip(4, true), 0.8},
		{"float4", 4, strip(16, true), 0.8},
		{"bytes", 1, strip(1, true), 2.5},
		{"halves", 2, strip(2, false), 2.5},
		{"words read by 512 warps of 64 blocks", 4, everyone, 4},
		{"gather", 4, scatter(false), 5.2},
		{"scatter", 4, scatter(true), 4.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := grown(func() any {
				tab := shape.NewTable()
				d := New(tab)
				sd := d.NewShadow(0, kernel.Global, size)
				r, w := d.AddSite(SiteInfo{Read: true, Elem: c.elem}), d.AddSite(SiteInfo{Write: true, Elem: c.elem})
				if err := d.BeginLaunch(64, false); err != nil {
					t.Fatal(err)
				}
				b := new(Block)
				for i := range 64 {
					d.BeginBlock(b, uint64(i), 256)
					for v := range 8 {
						c.f(d, b.Warp(v), sd, tab, i, v, r, w)
					}
					d.EndBlock(b)
				}
				return d
			})
			if got /= size; got > c.most {
				t.Errorf("%.2f bytes of shadow a byte, want at most %.2f", got, c.most)
			} else {
				t.Logf("%.2f bytes of shadow a byte", got)
			}
		})
	}
}

// TestNoAllocation: once lines and shapes exist, nothing allocates.
func TestNoAllocation(t *testing.T) {
	tab := shape.NewTable()
	d := New(tab)
	sd := d.NewShadow(0, kernel.Shared, 8192)
	r, w := d.AddSite(SiteInfo{Read: true, Elem: 4}), d.AddSite(SiteInfo{Write: true, Elem: 4})
	atom := d.AddSite(SiteInfo{Read: true, Write: true, Atomic: true, Elem: 4})
	red := d.AddSite(SiteInfo{Write: true, Atomic: true, Elem: 4})
	line, tile := addr(func(l int) int { return 4 * l }), addr(func(l int) int { return 64 * (l / 16) })
	s, u := tab.Of(&line, shape.Full, 4), tab.Of(&tile, shape.Full, 4)
	b := newBlock(d, 256)
	round := func() {
		for i := range 8 {
			d.Access(b.Warp(i), sd, s, int64(128*i), w)
		}
		b.BarrierAll()
		for i := range 8 {
			for k := range int64(16) {
				d.Access(b.Warp(i), sd, u, int64(128*i)+4*k, r)
				d.Access(b.Warp(i), sd, s, 64*k, r)
			}
			b.Warp(i).Sync(shape.Full, shape.Full)
		}
		b.BarrierAll()
		for i := range 8 {
			for l := range 32 {
				d.Strong(b.Warp(i), l, sd, int64(4096+l*l%61*4), 4, atom, true)
				d.Strong(b.Warp(i), l, sd, int64(6144+l*l%61*4), 4, red, true)
			}
		}
		b.BarrierAll()
	}
	for range 3 {
		round()
	}
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
	if len(d.Races()) != 0 {
		t.Error(d.Races())
	}
}

func TestUIDsRunOut(t *testing.T) {
	tab := shape.NewTable()
	d := New(tab)
	if err := d.BeginLaunch(maxUID, false); err == nil {
		t.Error("a grid with too many blocks is accepted")
	}
	sd := d.NewShadow(0, kernel.Global, 4096)
	id := d.AddSite(SiteInfo{Write: true, Elem: 4})
	b := new(Block)
	for range 3 { // each launch takes more than half of the numbers
		if err := d.BeginLaunch(maxUID/2+2, false); err != nil {
			t.Fatal(err)
		}
		for i := range uint64(2) {
			d.BeginBlock(b, i, 32)
			d.Access(b.Warp(0), sd, tab.Single(0, 4), int64(i*4), id)
			d.EndBlock(b)
		}
	}
	if r := d.Races(); len(r) != 0 {
		t.Error(r)
	}
	d.BeginBlock(b, 2, 32)
	d.Access(b.Warp(0), sd, tab.Single(0, 4), 0, id)
	if r := d.Races(); len(r) != 1 || r[0].A.Block != 0 || r[0].B.Block != 2 || r[0].Launch != 2 {
		t.Error(r)
	}
}

// TestOnlyWide: a promise that is broken is told, and one that is kept is not.
func TestOnlyWide(t *testing.T) {
	for _, c := range []struct {
		name     string
		promised bool
		sem      kernel.Sem
		scope    kernel.Scope
		fence    bool
		panics   bool
	}{
		{"fence of a block", true, kernel.AcqRel, kernel.CTA, true, true},
		{"release to a block", true, kernel.Release, kernel.CTA, false, true},
		{"acquire from a block", true, kernel.Acquire, kernel.CTA, false, true},
		{"relaxed within a block", true, kernel.Relaxed, kernel.CTA, false, false},
		{"fence of the device", true, kernel.AcqRel, kernel.GPU, true, false},
		{"release to the device", true, kernel.Release, kernel.GPU, false, false},
		{"acquire from the system", true, kernel.Acquire, kernel.Sys, false, false},
		{"no promise, fence", false, kernel.AcqRel, kernel.CTA, true, false},
		{"no promise, release", false, kernel.Release, kernel.CTA, false, false},
		{"no promise, acquire", false, kernel.Acquire, kernel.CTA, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New(shape.NewTable())
			sd := d.NewShadow(0, kernel.Global, 128)
			site := d.AddSite(SiteInfo{Read: true, Write: true, Atomic: true, Elem: 4, Sem: c.sem, Scope: c.scope})
			if err := d.BeginLaunch(1, true); err != nil {
				t.Fatal(err)
			}
			if c.promised {
				d.OnlyWide()
			}
			b := new(Block)
			d.BeginBlock(b, 0, 32)
			defer func() {
				if got := recover() != nil; got != c.panics {
					t.Errorf("panics: %v, want %v", got, c.panics)
				}
			}()
			if c.fence {
				d.Fence(b.Warp(0), 1, false, c.sem, c.scope)
			} else {
				d.Strong(b.Warp(0), 0, sd, 0, 4, site, true)
			}
		})
	}
}
