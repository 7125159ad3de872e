package array

import (
	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Completion says when asynchronous operations take effect.
type Completion uint8

// The completions.
const (
	Eager  Completion = iota // when they are issued, as in JAX's interpret mode
	Lazy                     // at the last legal moment, so that a missing wait shows in the values
	Random                   // at some legal moment, which the seed decides
)

// Program is a kernel whose threads are coroutines. A block of the engine is a cluster of
// the kernel: its threads are those of all of the cluster's blocks.
type Program struct {
	// Kernel is run by every thread.
	Kernel func(t *Thread)
	// Place resolves the sites that the kernel gives to Thread.At.
	Place func(site int) kernel.Source
	// Devices is the number of devices that run the kernel; 0 is 1.
	Devices int
	// Grid is the extent of the grid in clusters, Cluster that of a cluster in blocks; the
	// last dimension varies fastest.
	Grid, Cluster []int
	// BlockThreads is the number of threads of a block; 0 is 1.
	BlockThreads int
	// ThreadAxis: the kernel has an axis of threads, so that allocations are collective.
	ThreadAxis bool
	// Warps: threads may fork into warps.
	Warps bool
	// Communicates: clusters may wait for each other, so they have to run concurrently.
	Communicates bool
	// Races turns race detection on.
	Races bool
	// Zero: uninitialised memory holds zeros, and reading it is not reported.
	Zero bool
	// ReadOutside: reading outside of an array gives uninitialised values, and is no error.
	ReadOutside bool
	// Completion is when asynchronous operations take effect.
	Completion Completion
	// Arch names the architecture whose capacities are checked: "" is none.
	Arch string
	// ReadFence is the severity of a missing proxy fence between a read and an asynchronous
	// overwrite: "error", "off", or "" for a warning.
	ReadFence string
	// Landed is told when an asynchronous operation of a thread, issued at a site, arrives at a
	// barrier; it may be nil.
	Landed func(t *Thread, site int, b *Barrier)

	detector *region.Detector
	objects  []object // by the numbers that the detector knows
	numbers  map[object]int
	named    map[int]string // what the asynchronous operations are, by site
	globals  map[*memory.Buffer]*Buffer
	sems     map[semaphoreKey]*Semaphore
	launch   *exec.Launch
	peers    [][]*Buffer // arrays that every device has
	ends     []device    // by device
	races    bool
	started  map[uint64]bool // clusters that have started, or that another one has taken over
	canceled map[uint64]bool // those that another one has taken over
}

// SharedVars implements exec.Program: everything is allocated in scopes.
func (p *Program) SharedVars() []exec.SharedVar { return nil }

// OrdersBlocks implements exec.Program.
func (p *Program) OrdersBlocks() bool { return p.Communicates }

// AllocatesInScopes implements exec.ScopedAllocator.
func (p *Program) AllocatesInScopes() bool { return true }

// Source implements exec.Program.
func (p *Program) Source(site int) kernel.Source { return p.Place(site) }

// Extent is what to launch: the grid of all devices' clusters, and a block for each of
// them with its threads.
func (p *Program) Extent() (grid, block kernel.Dim3) {
	grid = kernel.Dim3{X: uint32(p.devices() * tensor.Count(p.Grid)), Y: 1, Z: 1}
	if p.devices() == 1 && len(p.Grid) <= 3 {
		e := [3]uint32{1, 1, 1}
		for i, n := range p.Grid {
			e[len(p.Grid)-1-i] = uint32(n)
		}
		grid = kernel.Dim3{X: e[0], Y: e[1], Z: e[2]}
	}
	return grid, kernel.Dim3{X: uint32(p.threads()), Y: uint32(tensor.Count(p.Cluster)), Z: 1}
}

func (p *Program) devices() int { return max(p.Devices, 1) }
func (p *Program) threads() int { return max(p.BlockThreads, 1) }

// Threads implements exec.Program: one for every thread of the cluster's blocks, whatever
// the granularity, then four warps for each if they may be needed.
func (p *Program) Threads(b *exec.Block) []exec.Thread {
	if p.launch != b.Launch {
		p.begin(b.Launch)
	}
	c := &cluster{program: p, block: b}
	n := p.threads() * tensor.Count(p.Cluster)
	for i := range n {
		c.threads = append(c.threads, &Thread{cluster: c, ID: i % p.threads(), blockIndex: i / p.threads(), index: i, warp: -1})
	}
	if p.Warps {
		for i := range n {
			for w := range barrier.Warps {
				c.threads = append(c.threads, &Thread{cluster: c, ID: i % p.threads(), blockIndex: i / p.threads(), index: n + barrier.Warps*i + w, warp: w})
			}
		}
	}
	list := make([]exec.Thread, len(c.threads))
	for i, t := range c.threads {
		list[i] = t
	}
	return list
}

func (p *Program) begin(l *exec.Launch) {
	p.launch = l
	p.races = p.Races && l.Race != nil
	p.detector = &region.Detector{Report: p.race, Ordered: p.Communicates}
	p.objects, p.numbers, p.named = nil, map[object]int{}, map[int]string{}
	p.globals = map[*memory.Buffer]*Buffer{}
	p.sems = map[semaphoreKey]*Semaphore{}
	p.peers, p.ends = nil, make([]device, p.devices())
	p.started, p.canceled = map[uint64]bool{}, map[uint64]bool{}
}

// object is what findings tell of a buffer. The buffers of all clusters that come from one
// allocation are one object.
type object struct {
	name  string
	space kernel.Space
	base  int64
	host  *memory.Buffer // of a buffer of the host
}

// number gives a buffer its number for the detector.
func (p *Program) number(b *Buffer, host *memory.Buffer) *Buffer {
	o := object{b.Name, b.Space, b.base, host}
	n, ok := p.numbers[o]
	if !ok {
		n = len(p.objects)
		p.objects = append(p.objects, o)
		p.numbers[o] = n
	}
	b.object = n
	return b
}

// Global is a buffer of the host as the kernel's threads see it; fresh says that the host
// has written nothing there.
func (p *Program) Global(m *memory.Buffer, d tensor.DType, shape []int, fresh bool) *Buffer {
	if b := p.globals[m]; b != nil {
		return b
	}
	b := p.number(&Buffer{Buffer: m, Type: d, Dims: shape, shadow: &region.Shadow{}}, m)
	if fresh && !p.Zero {
		tensor.Undefined(d, b.Data)
	}
	p.globals[m] = b
	return b
}

// Peers tells that a list of buffers holds one for each device: what remote references to
// one of them mean.
func (p *Program) Peers(list []*Buffer) {
	if len(list) == 0 || list[0].peers != nil { // another thread has told
		return
	}
	for i, b := range list {
		b.peers, b.device = list, i
	}
	p.peers = append(p.peers, list)
}

// cluster is the state of the cluster that a slot runs.
type cluster struct {
	program  *Program
	block    *exec.Block
	device   int
	point    uint64 // in the grid
	coords   []int
	bars     map[memory.AllocKey]*clusterBarrier
	clock    *region.Group
	threads  []*Thread // of the blocks in order, then their warps
	blocks   []*block
	pending  []*transfer // asynchronous operations that have not taken effect
	late     []late
	finished int  // threads
	skip     bool // another cluster has taken its work over
}

// block is the state of one block of a cluster.
type block struct {
	shared, tmem region.Shadow // physical memory, which scopes use again
	buffers      map[memory.AllocKey]*Buffer
	barriers     map[memory.AllocKey]*Barrier
	ended        map[memory.AllocKey]*Buffer // of clusters: buffers whose scope is over, which other blocks may still mean
	meetings     map[int]*meeting            // of the threads that enter scopes
	finished     int                         // threads
	remote       map[int]remote              // the last arrivals of other blocks' threads at its barriers
	used         struct {
		shared  int64
		columns int
	}
}

// begin takes up the block that the slot runs next.
func (c *cluster) begin() {
	p := c.program
	// Neighbours are the same cluster on other devices, which may wait for each other.
	devices := uint64(p.devices())
	c.device, c.point = int(c.block.Linear%devices), c.block.Linear/devices
	c.skip = p.canceled[c.block.Linear]
	p.started[c.block.Linear] = true
	c.coords = coordinates(int(c.point), p.Grid)
	c.clock = p.detector.Begin(c.block.Linear, len(c.threads))
	c.blocks = make([]*block, tensor.Count(p.Cluster))
	for i := range c.blocks {
		c.blocks[i] = &block{buffers: map[memory.AllocKey]*Buffer{}, barriers: map[memory.AllocKey]*Barrier{}, ended: map[memory.AllocKey]*Buffer{}, meetings: map[int]*meeting{}, remote: map[int]remote{}}
	}
	c.late, c.finished = nil, 0
	c.pending, c.bars = nil, map[memory.AllocKey]*clusterBarrier{}
}

// warpgroups is the number of threads that are not warps.
func (c *cluster) warpgroups() int { return len(c.blocks) * c.program.threads() }

// coordinates of a linear index, whose last dimension varies fastest.
func coordinates(linear int, extent []int) []int {
	c := make([]int, len(extent))
	for i := len(c) - 1; i >= 0; i-- {
		c[i] = linear % extent[i]
		linear /= extent[i]
	}
	return c
}

// linear is the inverse of coordinates.
func linear(coords, extent []int) int {
	n := 0
	for i, x := range coords {
		n = n*extent[i] + x
	}
	return n
}
