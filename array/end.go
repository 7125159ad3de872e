package array

import (
	"fmt"
	"maps"
	"slices"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/race/region"
	"gpusim/tensor"
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
		if x.Object != b.object {
			continue // it is in flight since an earlier scope, of which that is told
		}
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
	if t.cluster.finished++; t.cluster.finished == t.cluster.warpgroups() {
		t.clusterEnds()
		if t.program().devices() > 1 {
			t.deviceEnds()
		}
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
			x.name, p.named[x.Site], p.who(x.Group, x.Thread), exec.Place(place), since), Space: x.space, Object: x.name, Edge: kernel.NoWait,
			Fix: "wait for it before the scope ends", Missing: fmt.Sprintf("a wait for the %s before the end of the scope", p.named[x.Site]),
			Accesses: accesses}, kernel.AsyncMisuse, severity, fmt.Sprint(x.name, x.Site))
	}
}

// blockEnds reports what other blocks of the cluster do with the memory of a block, and may
// do after its end (PTX ISA, "Cluster": shared memory lives as long as its block).
func (t *Thread) blockEnds(b *block) {
	p, n := t.program(), t.program().threads()
	first := t.blockIndex * n
	var end region.End
	for _, o := range t.cluster.threads[first : first+n] {
		end.Add(o.clock) // its warps have joined it
	}
	others := func(_ uint64, thread int) bool {
		of := t.cluster.threads[thread].warpgroup().index
		return of < first || of >= first+n
	}
	const fix = "let all blocks meet at a cluster barrier before they end"
	for _, x := range append(end.Late(&b.shared, others), end.Late(&b.tmem, others)...) {
		if x.Async && !t.cluster.clock.Known(x) {
			continue // nobody has waited for it at all, which is told elsewhere
		}
		o, place, verb := p.objects[x.Object], p.Place(x.Site), "reads"
		if x.Write {
			verb = "writes"
		}
		t.report(kernel.Finding{Message: fmt.Sprintf("%s of %s %s %s (%s), and nothing orders that before the end of %s, whose memory it is",
			p.who(x.Group, x.Thread), p.blockText(x.Group, x.Thread), verb, o.name, exec.Place(place), p.blockText(x.Group, t.index)),
			Space: o.space, Object: o.name, Fix: fix, Missing: fmt.Sprintf("a cluster barrier between %s and the end of the other block", exec.Place(place)),
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
		x.by.where(), x.barrier, t.program().blockText(t.cluster.block.Linear, t.index), exec.Place(place)), Object: x.barrier,
		Fix: "let all blocks meet at a cluster barrier before they end", Missing: fmt.Sprintf("a wait for the arrival at %s before the end of the block", exec.Place(place)),
		Accesses: []kernel.Access{{Op: "arrive", Source: place, Thread: x.by.id()}}}, kernel.BarrierMisuse, kernel.Warning, fmt.Sprint(x.barrier, x.site))
}

// device is what the clusters of a device have come to.
type device struct {
	clusters uint64 // that have ended
	end      region.End
}

// deviceEnds is called at the end of each cluster. The end of a device's last one is that of
// its program, whose arrays are the results: what other devices write there has to come before.
func (t *Thread) deviceEnds() {
	p := t.program()
	d := &p.ends[t.cluster.device]
	for _, o := range t.cluster.threads {
		d.end.Add(o.clock)
	}
	if d.clusters++; d.clusters < uint64(tensor.Count(p.Grid)) {
		return
	}
	mine := uint64(t.cluster.device)
	for _, list := range p.peers {
		b := list[mine]
		for _, x := range d.end.Late(b.shadow, func(group uint64, _ int) bool { return group%uint64(p.devices()) != mine }) {
			if x.Write {
				t.lateWrite(b, x.Party)
			}
		}
	}
}

// afterEnd reports a write to the memory of a device whose program has ended.
func (t *Thread) afterEnd(r *Ref, write, async bool) {
	p, b := t.program(), r.Buffer
	if write && b.peers != nil && b.device != t.cluster.device && p.races && p.ends[b.device].clusters == uint64(tensor.Count(p.Grid)) {
		t.lateWrite(b, region.Party{Group: t.cluster.block.Linear, Thread: t.index, Async: async, Write: true, Site: t.site})
	}
}

// lateWrite reports a write to the memory of a device whose program may have ended.
func (t *Thread) lateWrite(b *Buffer, x region.Party) {
	p := t.program()
	place := p.Place(x.Site)
	what := p.who(x.Group, x.Thread) + " of " + p.blockText(x.Group, x.Thread)
	if x.Async {
		what = fmt.Sprintf("the %s issued by %s", p.named[x.Site], what)
	}
	t.report(kernel.Finding{Message: fmt.Sprintf("%s writes %s of device %d (%s), and nothing orders that before the end of the kernel there",
		what, b.Name, b.device, exec.Place(place)), Space: b.Space, Object: b.Name, Edge: kernel.NoBarrier,
		Missing:  fmt.Sprintf("a wait on device %d for a semaphore that is signalled after %s", b.device, exec.Place(place)),
		Fix:      "signal a semaphore of the other device after the write (and after waiting for it, if it is asynchronous), and wait for it there before the kernel ends",
		Accesses: []kernel.Access{{Op: "write", Source: place, Thread: p.threadID(x.Group, x.Thread)}}}, kernel.DataRace, kernel.Error, fmt.Sprint(b.Name, x.Site))
}
