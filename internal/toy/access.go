package toy

import (
	"math/bits"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
	"gpusim/shape"
)

// Access is a memory access of every lane, as the race detector sees it.
type Access struct {
	Line  int // where it stands; also its identity
	Write bool
	Elem  int64                  // bytes of an element
	Index func(thread int) int64 // the element that a thread of the block accesses; negative: none
	Info  race.SiteInfo          // further properties
}

// In performs an access to a buffer.
func (a Access) In(buffer func(t *Thread) *memory.Buffer) Step {
	return func(t *Thread) Result {
		l := t.Block.Launch
		b := buffer(t)
		var addr shape.Lanes
		var mask uint32
		for m := t.Lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if i := a.Index(t.Warp.Index*32 + lane); i >= 0 {
				addr[lane] = b.Base + uint64(i*a.Elem)
				mask |= 1 << lane
			}
		}
		sd, _ := b.Shadow.(*race.Shadow)
		if l.Race == nil || sd == nil || mask == 0 {
			return Next
		}
		site := t.program.site(l.Race, a)
		if a.Info.Atomic {
			for m := mask; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m)
				l.Race.Strong(t.Warp.Clock, lane, sd, int64(addr[lane]-b.Base), int(a.Elem), site, a.Write)
			}
			return Next
		}
		s := l.Shapes.Of(&addr, mask, int(a.Elem))
		l.Race.Access(t.Warp.Clock, sd, s, int64(addr[s.First]-b.Base), site)
		return Next
	}
}

// Shared chooses the block's shared variable with the given index.
func Shared(i int) func(*Thread) *memory.Buffer {
	return func(t *Thread) *memory.Buffer { return t.Block.Shared[i] }
}

// Global chooses a buffer.
func Global(b *memory.Buffer) func(*Thread) *memory.Buffer {
	return func(*Thread) *memory.Buffer { return b }
}

// site registers an access with the detector, once a program.
func (p *Program) site(d *race.Detector, a Access) race.Site {
	if s, ok := p.sites[a.Line]; ok {
		return s
	}
	if p.sites == nil {
		p.sites = map[int]race.Site{}
	}
	i := a.Info
	i.Write, i.Read, i.Elem, i.User = a.Write, !a.Write || i.Atomic, int(a.Elem), a.Line
	if i.Atomic {
		i.Sem, i.Scope = max(i.Sem, kernel.Relaxed), max(i.Scope, kernel.CTA)
	}
	s := d.AddSite(i)
	p.sites[a.Line] = s
	return s
}
