package array

import (
	"fmt"
	"maps"
	"slices"

	"gpusim/kernel"
	"gpusim/race/region"
)

// What is wrong with the end of a scope shows later: an operation that is in flight then
// may still be waited for, before anybody uses its memory again. What is wrong with the end
// of a block shows when all of its threads have come to it: its shared memory goes with it.

// late is an operation that was in flight when the scope of its memory ended.
type late struct {
	region.InFlight
	name    string
	space   kernel.Space
	release kernel.Access
}

// inFlight notes the operations on a buffer whose scope ends.
func (t *Thread) inFlight(b *Buffer) {
	if !t.program().races {
		return
	}
	for _, x := range t.cluster.clock.Pending(b.shadow, b.base, b.base+b.Size()) {
		if b.Space == kernel.Tensor && !x.Write {
			continue // the kernel may end before a load from tensor memory does
		}
		t.cluster.late = append(t.cluster.late, late{x, b.Name, b.Space, kernel.Access{Op: "release", Source: t.source(), Thread: t.id()}})
	}
}

// remote is an arrival at a barrier of another block.
type remote struct {
	region.Moment
	barrier string
	by      *Thread
	site    int
}

// ended is called by each thread that is not a warp at its end.
func (t *Thread) ended() {
	if !t.program().races {
		return
	}
	b := t.block()
	if b.finished++; b.finished == t.program().threads() && len(t.cluster.blocks) > 1 {
		t.blockEnds(b)
	}
	if t.cluster.finished++; t.cluster.finished == t.program().threads()*len(t.cluster.blocks) {
		t.clusterEnds()
	}
}

// clusterEnds reports operations that were in flight when the scope of their memory ended. If
// somebody has waited for one since, no harm was done: whoever used the memory before that
// raced with it, and that is told as a race.
func (t *Thread) clusterEnds() {
	p := t.program()
	for _, x := range t.cluster.late {
		since, severity := "nobody waits for it after that", kernel.Error
		if t.cluster.clock.Known(x.InFlight) {
			since, severity = "it is waited for after that", kernel.Info
		}
		place := p.Place(x.Site)
		accesses := []kernel.Access{{Op: "copy", Source: place, Thread: p.threadID(x.Group, x.Thread)}}
		if x.release.Source.File != "" { // the scope of the kernel's own scratch has no place
			accesses = append(accesses, x.release)
		}
		t.report(kernel.Finding{Message: fmt.Sprintf("the scope of %s ends while the %s that %s issued at %s is in flight; %s",
			x.name, p.named[x.Site], p.who(x.Group, x.Thread), placeText(place), since), Space: x.space, Object: x.name, Edge: kernel.NoWait,
			Fix: "wait for it before the scope ends", Missing: fmt.Sprintf("a wait for the %s before the end of the scope", p.named[x.Site]),
			Accesses: accesses}, kernel.AsyncMisuse, severity, fmt.Sprint(x.name, x.Site))
	}
}

// blockEnds reports what other blocks of the cluster do with the memory of a block, and may
// do after its end (PTX ISA, "Cluster": shared memory lives as long as its block).
func (t *Thread) blockEnds(b *block) {
	p, n := t.program(), t.program().threads()
	var own []int
	for i := range n {
		own = append(own, t.blockIndex*n+i)
	}
	if p.Warps {
		for _, i := range own[:n] {
			for _, w := range t.cluster.threads[i].warps() {
				own = append(own, w.index)
			}
		}
	}
	end := t.cluster.clock.End(own)
	const fix = "let all blocks meet at a cluster barrier before they end"
	for _, x := range append(end.Late(&b.shared), end.Late(&b.tmem)...) {
		o, place, verb := p.objects[x.Object], p.Place(x.Site), "reads"
		if x.Write {
			verb = "writes"
		}
		t.report(kernel.Finding{Message: fmt.Sprintf("%s of %s %s %s (%s), and nothing orders that before the end of %s, whose memory it is",
			p.who(x.Group, x.Thread), p.blockText(x.Group, x.Thread), verb, o.name, placeText(place), p.blockText(x.Group, t.index)),
			Space: o.space, Object: o.name, Fix: fix, Missing: fmt.Sprintf("a cluster barrier between %s and the end of the other block", placeText(place)),
			Accesses: []kernel.Access{{Op: verb[:len(verb)-1], Source: place, Thread: p.threadID(x.Group, x.Thread)}}}, kernel.UseAfterFree, kernel.Error, fmt.Sprint(o.name, x.Site))
	}
	for _, i := range slices.Sorted(maps.Keys(b.remote)) {
		if x := b.remote[i]; !end.After(x.Moment) {
			t.lateArrival(x)
		}
	}
}

// lateArrival reports an arrival at a barrier of a block that may have ended.
func (t *Thread) lateArrival(x remote) {
	place := t.program().Place(x.site)
	t.report(kernel.Finding{Message: fmt.Sprintf("%s arrives at %s of %s (%s), and nothing orders that before the end of that block",
		x.by.where(), x.barrier, t.program().blockText(t.cluster.block.Linear, t.index), placeText(place)), Object: x.barrier,
		Fix: "let all blocks meet at a cluster barrier before they end", Missing: fmt.Sprintf("a wait for the arrival at %s before the end of the block", placeText(place)),
		Accesses: []kernel.Access{{Op: "arrive", Source: place, Thread: x.by.id()}}}, kernel.BarrierMisuse, kernel.Warning, fmt.Sprint(x.barrier, x.site))
}
