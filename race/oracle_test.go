package race_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"gpusim/internal/oracle"
	"gpusim/kernel"
	"gpusim/race"
	"gpusim/shape"
)

// byteID is a byte of one launch's memory, as the oracle names it.
type byteID struct {
	space         oracle.Space
	launch, block int
	addr          int64
}

// replay feeds an event list to a detector.
type replay struct {
	d      *race.Detector
	tab    *shape.Table
	events []oracle.Event
	seed   uint64

	global *race.Shadow
	blocks []*replayBlock
	sites  map[race.SiteInfo]race.Site
	lanes  uint32 // lanes that exist
	warps  int

	launch, step int
	mem          map[byteID]memByte
	first, hard  map[byteID]int
}

type memByte struct {
	v     byte
	known bool
}

type replayBlock struct {
	race.Block
	shared *race.Shadow
	live   []uint32
	alive  bool
	phases map[int]*replayPhase
	last   int // index of its last event in the launch
}

type replayPhase struct {
	race.Phase
	arrived bool // by lanes that do not wait
	waits   []replayArrival
}

type replayArrival struct {
	warp int
	mask uint32
}

func newReplay(seed uint64, events []oracle.Event) *replay {
	tab := shape.NewTable()
	r := &replay{
		d: race.New(tab), tab: tab, events: events, seed: seed,
		sites: map[race.SiteInfo]race.Site{}, mem: map[byteID]memByte{},
		first: map[byteID]int{}, hard: map[byteID]int{},
	}
	if seed%2 == 0 {
		r.d.SetLimits(2, 1+int(seed/2%3), 2)
	}
	blocks, lane := 0, 0
	for i := range events {
		e := &events[i]
		blocks, r.warps = max(blocks, e.Block+1), max(r.warps, e.Warp+1)
		for _, l := range e.Lanes {
			lane = max(lane, l)
		}
		if e.Op <= oracle.RMW || e.Op == oracle.CpAsync {
			r.site(siteInfo(e))
		}
	}
	r.lanes = shape.Full
	if seed%3 != 0 {
		r.lanes = 1<<(lane+1) - 1
	}
	r.global = r.d.NewShadow(0, kernel.Global, 1<<16)
	for i := range blocks {
		r.blocks = append(r.blocks, &replayBlock{shared: r.d.NewShadow(1+i, kernel.Shared, 1<<16)})
	}
	r.d.SetTrace(func(object int, linear uint64, off int64, n int, s kernel.Severity) {
		for k := range int64(n) {
			b := byteID{addr: off + k}
			if object > 0 {
				b = byteID{oracle.Shared, r.launch, object - 1, off + k}
			}
			if _, ok := r.first[b]; !ok {
				r.first[b] = r.step
			}
			if _, ok := r.hard[b]; !ok && s == kernel.Error {
				r.hard[b] = r.step
			}
		}
	})
	return r
}

func (r *replay) run() {
	r.begin(0)
	for i := range r.events {
		r.step = i
		e := &r.events[i]
		if e.Op == oracle.LaunchEnd {
			r.end()
			r.launch++
			r.begin(i + 1)
			continue
		}
		b := r.blocks[e.Block]
		if !b.alive {
			r.start(b, e.Block)
		}
		r.event(e, b)
		if b.last == i && r.seed%5 != 0 { // no later access of the launch can be its own
			r.d.EndBlock(&b.Block)
			b.alive = false
		}
	}
	r.end()
}

func (r *replay) begin(from int) {
	if err := r.d.BeginLaunch(uint64(len(r.blocks)), true); err != nil {
		panic(err)
	}
	wide := true
	for i := from; i < len(r.events) && r.events[i].Op != oracle.LaunchEnd; i++ {
		e := &r.events[i]
		r.blocks[e.Block].last = i
		syncs := e.Op == oracle.Fence || e.Op <= oracle.RMW && sems[e.Sem] > kernel.Relaxed
		wide = wide && !(syncs && scopes[e.Scope] < kernel.GPU)
	}
	if wide && r.seed%8 != 0 {
		r.d.OnlyWide()
	}
}

func (r *replay) end() {
	for _, b := range r.blocks {
		if b.alive {
			r.d.EndBlock(&b.Block)
			b.alive = false
		}
	}
	r.d.EndLaunch()
}

func (r *replay) start(b *replayBlock, linear int) {
	b.alive, b.phases = true, map[int]*replayPhase{}
	r.d.BeginBlock(&b.Block, uint64(linear), r.warps*32)
	b.live = make([]uint32, r.warps)
	for w := range b.live {
		b.live[w] = r.lanes
		if r.lanes != shape.Full {
			b.Warp(w).Exit(^r.lanes)
		}
	}
}

func maskOf(lanes []int) (m uint32) {
	for _, l := range lanes {
		m |= 1 << l
	}
	return m
}

var (
	sems   = [...]kernel.Sem{kernel.Weak, kernel.Relaxed, kernel.Acquire, kernel.Release, kernel.AcqRel}
	scopes = [...]kernel.Scope{kernel.CTA, kernel.Cluster, kernel.GPU, kernel.Sys}
)

func (r *replay) event(e *oracle.Event, b *replayBlock) {
	mask := maskOf(e.Lanes)
	switch e.Op {
	case oracle.Read, oracle.Write, oracle.RMW:
		r.access(e, b, mask)
	case oracle.Fence:
		sem := [...]kernel.Sem{kernel.AcqRel, kernel.AcqRel, kernel.Acquire, kernel.Release}[e.Fence]
		r.d.Fence(b.Warp(e.Warp), mask, e.Fence == oracle.FenceSC, sem, scopes[e.Scope])
	case oracle.WarpSync:
		b.Warp(e.Warp).Sync(mask, b.live[e.Warp])
	case oracle.BarArrive:
		p := b.phases[e.Barrier]
		if p == nil {
			p = &replayPhase{}
			b.phases[e.Barrier] = p
		}
		if e.Role == oracle.RoleArrive {
			b.Warp(e.Warp).Arrive(&p.Phase, mask)
			p.arrived = true
		} else {
			p.waits = append(p.waits, replayArrival{e.Warp, mask})
		}
	case oracle.BarComplete:
		r.complete(b, b.phases[e.Barrier])
		delete(b.phases, e.Barrier)
	case oracle.CpAsync:
		id := r.site(siteInfo(e))
		for k, l := range e.Lanes {
			r.d.AsyncCopy(b.Warp(e.Warp), l, b.shared, e.Addr[k], r.global, e.Src[k], e.Size, e.SrcSize, id)
			for i := range int64(e.Size) {
				r.mem[byteID{oracle.Shared, r.launch, e.Block, e.Addr[k] + i}] = memByte{}
			}
		}
	case oracle.CpCommit:
		b.Warp(e.Warp).AsyncCommit(mask)
	case oracle.CpWait:
		b.Warp(e.Warp).AsyncWait(mask, e.Pending)
	case oracle.Exit:
		b.live[e.Warp] &^= mask
		b.Warp(e.Warp).Exit(mask)
	}
}

// complete is a block barrier where it is one, else a phase of a named barrier.
func (r *replay) complete(b *replayBlock, p *replayPhase) {
	if p == nil {
		return
	}
	in := make([]uint32, r.warps)
	for _, a := range p.waits {
		in[a.warp] |= a.mask
	}
	if !p.arrived && slices.Equal(in, b.live) {
		b.BarrierAll()
		return
	}
	for _, a := range p.waits {
		b.Warp(a.warp).Arrive(&p.Phase, a.mask)
	}
	for _, a := range p.waits {
		b.Warp(a.warp).Depart(&p.Phase, a.mask)
	}
}

func (r *replay) site(i race.SiteInfo) race.Site {
	s, ok := r.sites[i]
	if !ok {
		s = r.d.AddSite(i)
		r.sites[i] = s
	}
	return s
}

func (r *replay) at(e *oracle.Event, addr int64) byteID {
	if e.Space == oracle.Global {
		return byteID{addr: addr}
	}
	return byteID{oracle.Shared, r.launch, e.Block, addr}
}

// values answers for the store of the present event.
type values struct {
	r *replay
	e *oracle.Event
}

// byteOf is the byte that a lane stores at an address.
func (v *values) byteOf(lane int, off int64) memByte {
	e, elems := v.e, max(v.e.Elems, 1)
	k := slices.Index(e.Lanes, lane)
	i := off - e.Addr[k]
	if len(e.Value) == 0 || i < 0 || i >= int64(e.Size*elems) {
		return memByte{}
	}
	el := i / int64(e.Size)
	return memByte{byte(e.Value[k*elems+int(el)] >> (8 * (i % int64(e.Size)))), true}
}

func (v *values) OldEqual(lane int, off int64) bool {
	m := v.r.mem[v.r.at(v.e, off)]
	return m.known && m == v.byteOf(lane, off)
}

func (v *values) LanesEqual(a, b int, off int64) bool {
	x := v.byteOf(a, off)
	return x.known && x == v.byteOf(b, off)
}

func siteInfo(e *oracle.Event) race.SiteInfo {
	i := race.SiteInfo{
		Read: e.Op == oracle.Read || e.Op == oracle.RMW && !e.Red, Write: e.Op != oracle.Read, Atomic: e.Op == oracle.RMW,
		Sem: sems[e.Sem], Volatile: e.Volatile, NonCoherent: e.NC, Elem: e.Size,
	}
	if e.Sem != oracle.Weak {
		i.Scope = scopes[e.Scope]
	}
	if e.Op == oracle.CpAsync {
		i = race.SiteInfo{Read: true, Write: true, Elem: e.Size}
	}
	return i
}

func (r *replay) access(e *oracle.Event, b *replayBlock, mask uint32) {
	elems := max(e.Elems, 1)
	sd, w := r.global, b.Warp(e.Warp)
	if e.Space == oracle.Shared {
		sd = b.shared
	}
	v := &values{r, e}
	r.d.Values = v
	id := r.site(siteInfo(e))
	if e.Sem == oracle.Weak && !e.Volatile {
		var a shape.Lanes
		var off [32]int64
		for k, l := range e.Lanes {
			a[l], off[l] = uint64(e.Addr[k]), e.Addr[k]
		}
		if width := e.Size * elems; r.step%3 == 0 {
			r.d.AccessLanes(w, sd, &off, mask, width, id)
		} else {
			s := r.tab.Of(&a, mask, width)
			r.d.Access(w, sd, s, off[s.First], id)
		}
	} else {
		for k, l := range e.Lanes {
			for el := range elems {
				r.d.Strong(w, l, sd, e.Addr[k]+int64(el*e.Size), e.Size, id, e.Op != oracle.RMW || e.Failed>>l&1 == 0)
			}
		}
	}
	for k, l := range e.Lanes {
		if e.Op == oracle.Read || e.Op == oracle.RMW && e.Failed>>l&1 != 0 {
			continue
		}
		for i := range int64(e.Size * elems) {
			m := memByte{}
			if e.Op == oracle.Write {
				m = v.byteOf(l, e.Addr[k]+i)
			}
			r.mem[r.at(e, e.Addr[k]+i)] = m
		}
	}
}

// compare returns what the detector got wrong, "" if nothing.
func (r *replay) compare(want oracle.Result) (int, string) {
	seen := map[byteID]bool{}
	step, text := len(r.events), ""
	note := func(at int, f string, a ...any) {
		if at < step || text == "" {
			step, text = at, fmt.Sprintf(f, a...)
		}
	}
	for _, b := range want.Bytes {
		id := byteID{b.Space, b.Launch, b.Block, b.Addr}
		if b.Space == oracle.Global {
			id.launch, id.block = 0, 0
		}
		seen[id] = true
		if got, ok := r.first[id]; !ok || got != b.Step {
			note(min(b.Step, cmp.Or(got, b.Step)), "byte %v: first race at event %d, detector says %d (%v)", id, b.Step, got, ok)
			continue
		}
		got, ok := r.hard[id]
		switch {
		case b.ErrorStep < 0 && ok && !r.torn(b, got):
			note(got, "byte %v: a warning only, detector says error at event %d", id, got)
		case b.ErrorStep >= 0 && (!ok || got != b.ErrorStep) && !hidden(want, b, got, ok):
			note(b.ErrorStep, "byte %v: first error at event %d, detector says %d (%v)", id, b.ErrorStep, got, ok)
		}
	}
	for id, st := range r.first {
		if !seen[id] {
			note(st, "byte %v: false alarm at event %d", id, st)
		}
	}
	return step, text
}

// hidden reports whether every error on a byte up to the detector's is between plain
// writes of different values where the older one had been overwritten by a write of the
// same value that races as well. The shadow remembers the last write of a byte only, so
// the detector calls that a warning.
func hidden(want oracle.Result, b oracle.Byte, got int, found bool) bool {
	for _, p := range want.Pairs {
		if p.Space != b.Space || p.Space == oracle.Shared && (p.Launch != b.Launch || p.Block != b.Block) || b.Addr < p.Lo || b.Addr >= p.Hi {
			continue
		}
		if p.Cause.Severity() != oracle.Error || found && p.Second.Event >= got {
			continue
		}
		if !p.First.Write || !p.Second.Write || !slices.ContainsFunc(want.Pairs, func(q oracle.Pair) bool {
			return q.Second == p.Second && q.Cause == oracle.SameValue && q.Space == p.Space && b.Addr >= q.Lo && b.Addr < q.Hi && q.First.Event > p.First.Event
		}) {
			return false
		}
	}
	return true
}

// torn reports whether part of the element that the store at event got overwrites had
// been overwritten by an access of another size: then the values that two stores wrote can
// no longer be compared, and the detector calls their race an error.
func (r *replay) torn(b oracle.Byte, got int) bool {
	size := r.events[got].Size
	first := b.Addr &^ int64(size-1)
	for _, e := range r.events[:got] {
		if e.Op != oracle.Write && e.Op != oracle.RMW || e.Size == size || e.Space != b.Space {
			continue
		}
		for _, at := range e.Addr {
			if at < first+int64(size) && first < at+int64(e.Size*max(e.Elems, 1)) {
				return true
			}
		}
	}
	return false
}

// widen raises all scopes to the device: no list of some length is so by chance.
func widen(events []oracle.Event) {
	for i := range events {
		events[i].Scope = max(events[i].Scope, oracle.GPU)
	}
}

// TestOracle compares detector and axioms on random event lists: which bytes race, at
// which event first, and whether it is an error. RACE_ORACLE sets how many lists.
func TestOracle(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 2000
	}
	if x, err := strconv.Atoi(os.Getenv("RACE_ORACLE")); err == nil {
		n = x
	}
	from := 0
	if x, err := strconv.Atoi(os.Getenv("RACE_FROM")); err == nil {
		from = x
	}
	var cfg oracle.GenConfig
	if x, err := strconv.Atoi(os.Getenv("RACE_WITHOUT")); err == nil {
		cfg.Without = oracle.Feature(x)
	}
	bad, racy := 0, 0
	worst, shortest := "", 1<<30
	for seed := from; seed < from+n; seed++ {
		if cfg.Blocks, cfg.Warps, cfg.Lanes = 2, 2, 2; seed%4 == 3 {
			cfg.Blocks, cfg.Warps, cfg.Lanes = 3, 3, 5
		}
		events := oracle.Generate(uint64(seed), cfg)
		if seed%3 == 1 {
			widen(events)
		}
		want, err := oracle.Check(oracle.Config{}, events)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Bytes) > 0 {
			racy++
		}
		r := newReplay(uint64(seed), events)
		r.run()
		if step, text := r.compare(want); text != "" {
			if bad++; step < shortest {
				shortest, worst = step, fmt.Sprintf("seed %d: %s\n%s", seed, text, oracle.Format(events[:min(step+1, len(events))]))
			}
		}
	}
	if bad > 0 {
		t.Fatalf("%d of %d lists differ; the shortest: %s", bad, n, worst)
	}
	t.Logf("%d lists, %d racy", n, racy)
}
