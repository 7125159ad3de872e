package race

import (
	"math/bits"

	"gpusim/kernel"
)

// raceKey is what makes two races the same finding.
type raceKey struct {
	object int
	a, b   Site // a <= b
	sev    kernel.Severity
}

// party is the earlier access of a race: the thread is in the epoch.
type party struct {
	e     uint64
	site  Site
	write bool
}

// report adds a race on a unit between an earlier access and a lane of the present one.
func (d *Detector) report(a *access, u int, old party, lane int, v verdict, same bool) {
	d.reportTimes(a, u, old, lane, v, same, 1)
}

// reportTimes adds a race that so many threads of the earlier access have with the lane.
func (d *Detector) reportTimes(a *access, u int, old party, lane int, v verdict, same bool, n int) {
	sev := kernel.Error
	if v == soft || same {
		sev = kernel.Warning
	}
	d.add(a, u, old, lane, Race{Severity: sev, SameValue: same, NeedsSC: v == soft, Count: uint64(n)})
}

// reportNC adds a write of bytes that ld.global.nc reads.
func (d *Detector) reportNC(a *access, u int, old party) {
	d.add(a, u, old, bits.TrailingZeros32(a.lanes(u)), Race{Severity: kernel.Error, Edge: kernel.ReadOnly, Count: 1})
}

func (d *Detector) add(a *access, u int, old party, lane int, r Race) {
	if d.trace != nil {
		d.trace(a.sd, a.w.b, a.unitOff(u), 1<<a.sd.shift, r.Severity)
	}
	k := raceKey{a.sd.object, min(old.site, a.site), max(old.site, a.site), r.Severity}
	cross := uidOf(old.e) != a.w.b.uid || tidOf(old.e)>>5 != a.w.id
	if i, ok := d.seen(k); ok {
		d.races[i].Count += r.Count
		d.races[i].CrossWarp = d.races[i].CrossWarp || cross
		return
	}
	if r.Edge == "" {
		r.Edge = d.edge(a, old, lane)
	}
	r.CrossWarp = cross
	st, ot := &d.sites[a.site], &d.sites[old.site]
	r.Object, r.Space, r.Launch = a.sd.object, a.sd.space, d.launch
	r.Off, r.Size = d.overlap(a, u, ot)
	r.A = Party{old.site, uidOf(old.e) - d.launchUID, tidOf(old.e), old.write, ot.Atomic}
	r.B = Party{a.site, a.w.b.linear, a.w.id*32 + lane, st.write && !a.failed, st.Atomic}
	d.raceID[k] = len(d.races)
	d.races = append(d.races, r)
}

// seen looks up a race; the same few come often in a row.
func (d *Detector) seen(k raceKey) (int, bool) {
	r := &d.recent[(k.a*5+k.b)%Site(len(d.recent))]
	if r.found && r.key == k {
		return r.id, true
	}
	i, ok := d.raceID[k]
	if ok {
		*r = recentRace{k, i, true}
	}
	return i, ok
}

// recentRace remembers a key and the race it stands for.
type recentRace struct {
	key   raceKey
	id    int
	found bool
}

// overlap is the bytes that two elements share, given that both contain the unit.
func (d *Detector) overlap(a *access, u int, ot *site) (int64, int) {
	off := a.unitOff(u)
	n := max(min(d.sites[a.site].Elem, ot.Elem), 1<<a.sd.shift)
	return off &^ int64(n-1), n
}

// unitOff is the byte offset of a unit in the buffer.
func (a *access) unitOff(u int) int64 { return (a.li*32 + int64(u)) << a.sd.shift }

// sameValue reports whether the weak write of a lane leaves the value that an earlier
// weak write left, both of one element.
func (d *Detector) sameValue(a *access, u, lane int, oe uint64, os Site) bool {
	st, ot := &d.sites[a.site], &d.sites[os]
	if d.Values == nil || oe&asyncEpoch != 0 || a.e&asyncEpoch != 0 || st.strong || ot.strong || st.Elem != ot.Elem || (a.strong|a.torn)>>u&1 != 0 {
		return false
	}
	off, n := d.overlap(a, u, ot)
	for i := range int64(n) {
		if !d.Values.OldEqual(lane, off+i) {
			return false
		}
	}
	return true
}

func (d *Detector) equalLanes(a *access, u, x, y int) bool {
	if d.Values == nil {
		return false
	}
	off, n := d.overlap(a, u, &d.sites[a.site])
	for i := range int64(n) {
		if !d.Values.LanesEqual(x, y, off+i) {
			return false
		}
	}
	return true
}

// Races returns the races found so far, one for each pair of instructions, object and
// severity, in the order in which they were found.
func (d *Detector) Races() []Race { return d.races }
