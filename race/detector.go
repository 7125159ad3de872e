package race

import (
	"errors"
	"fmt"

	"gpusim/kernel"
	"gpusim/shape"
)

// ErrStamps is the error of a block that synchronised more often than epochs can count.
var ErrStamps = errors.New("race detection: a block synchronised more than 268 million times")

// ErrBlocks is the error of a grid with more blocks than epochs can name.
var ErrBlocks = errors.New("race detection: too many blocks")

// site is a SiteInfo as the hot path wants it.
type site struct {
	SiteInfo
	strong bool
	device bool // scope reaches other blocks
	write  bool
}

// Detector is the race detector of a device, for all its launches.
type Detector struct {
	// Values tells about the store that is being reported; set it before write accesses.
	// nil: no two writes are known to be of one value.
	Values Values

	shapes *shape.Table
	sites  []site
	narrow bool // some strong access has block scope
	wide   bool // no operation of the launch synchronises in block scope only
	err    error

	uid       uint64 // last one given to a launch
	launchUID uint64 // of block 0 of the launch
	launch    int
	fenced    bool              // some fence has been executed in the launch
	ended     []uint64          // blocks of the launch that have ended, one bit each
	alive     map[uint64]*Block // blocks that run
	released  map[uint64]uint32 // of those: stamps below may be known elsewhere

	shadows map[*Shadow]struct{}
	recs    lists[rec]
	ents    lists[entry]
	sets    arena[set]
	wcs     arena[wcells]
	rcs     arena[rcells]
	scs     arena[scells]
	ncs     arena[ncLine]
	details arena[detail]

	races  []Race
	raceID map[raceKey]int
	limits limits

	whole   *shape.Shape    // of the last access of a full warp without overlaps
	rows    [5]*shape.Shape // consecutive elements of 1 to 16 bytes
	touched uint32          // keeps the compiler from dropping the loads of ahead

	// trace is told every race on every unit, before equal ones are merged; for tests.
	trace func(sd *Shadow, b *Block, off int64, n int, s kernel.Severity)

	recent [32]recentRace // some of raceID; last, so that the rest stays close together
}

// limits are the sizes at which a line changes its form. Tests lower them.
type limits struct {
	readLog  int
	writeLog [2]int // in global and in shared memory
	prune    int
}

// New returns a detector that shares the executor's table of shapes.
func New(shapes *shape.Table) *Detector {
	return &Detector{
		shapes: shapes, launch: -1,
		sites:    []site{{}},
		alive:    map[uint64]*Block{},
		released: map[uint64]uint32{},
		shadows:  map[*Shadow]struct{}{},
		raceID:   map[raceKey]int{},
		limits:   limits{readLog: 32, writeLog: [2]int{4, 16}, prune: 8},
	}
}

// AddSite registers a memory instruction. All sites of a launch must be known when it begins.
func (d *Detector) AddSite(i SiteInfo) Site {
	s := site{SiteInfo: i, write: i.Write}
	if i.Volatile { // relaxed at system scope
		s.Sem, s.Scope = kernel.Relaxed, kernel.Sys
	}
	s.strong = i.Atomic || s.Sem != kernel.Weak
	if i.Atomic && s.Sem == kernel.Weak {
		s.Sem, s.Scope = kernel.Relaxed, max(s.Scope, kernel.GPU) // atom without qualifiers
	}
	s.device = s.Scope >= kernel.GPU
	d.narrow = d.narrow || s.strong && !s.device
	d.sites = append(d.sites, s)
	return Site(len(d.sites) - 1)
}

// OnlyWide promises that all fences, acquire and release operations of the launch that has
// just begun reach other blocks. Then nobody can ask what the threads of one block have released,
// and the detector need not keep it, which costs as much again for every block. Breaking the
// promise panics: going on would mean false alarms.
func (d *Detector) OnlyWide() { d.wide = true }

// mayUse panics if an operation that reaches other blocks or not breaks what OnlyWide promised.
func (d *Detector) mayUse(device bool) {
	if d.wide && !device {
		panic("race: an operation of block scope after OnlyWide")
	}
}

// home is the block that operations of one of its threads are kept apart for, 0 for none.
func (d *Detector) home(uid uint64) uint64 {
	if d.wide {
		return 0
	}
	return uid
}

// Info returns what AddSite was told.
func (d *Detector) Info(s Site) SiteInfo { return d.sites[s].SiteInfo }

// BeginLaunch starts a launch; everything before is ordered before it. ordersBlocks says
// that some instruction of the launch can order blocks; the detector finds out by itself
// what was released to other blocks, so it needs no promise.
func (d *Detector) BeginLaunch(blocks uint64, ordersBlocks bool) error {
	if blocks >= maxUID {
		return fmt.Errorf("%w: grid of %d, at most %d", ErrBlocks, blocks, maxUID-1)
	}
	if d.uid+blocks > maxUID { // numbers are used up: all that was is ordered, so forget it
		for sd := range d.shadows {
			d.wipe(sd)
		}
		d.uid = 0
	}
	d.launchUID = d.uid + 1
	d.uid += blocks
	d.launch++
	d.fenced, d.wide = false, false
	n := int(blocks+63) / 64
	if cap(d.ended) < n {
		d.ended = make([]uint64, n)
	}
	d.ended = d.ended[:n]
	clear(d.ended)
	clear(d.released)
	clear(d.alive)
	return nil
}

// EndLaunch ends a launch.
func (d *Detector) EndLaunch() {}

// Err is an error that makes what follows incomplete.
func (d *Detector) Err() error { return d.err }

func (d *Detector) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}
