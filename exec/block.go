package exec

import (
	"math/bits"

	"gpusim/barrier"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
)

// Block is a resident slot and the block that it runs at present. The slot's threads are
// made once; identity (index, clocks, ids) belongs to the run of a block.
type Block struct {
	Launch *Launch
	Slot   int
	Linear uint64
	Index  kernel.Dim3
	Shared []*memory.Buffer // by SharedVar
	Clock  race.Block
	Warps  []Warp
	Live   int // threads that have not exited
	Wake   func(thread int)

	// Alloc and Release are requests of single threads to the device's shared-memory actor,
	// for programs that are ScopedAllocators. The answer comes with a Wake.
	Alloc   func(thread int, r memory.Request, answer func(*memory.Allocation, error))
	Release func(memory.AllocKey)

	bars      barriers
	mbars     map[MAddress]*mbarrier // live objects
	mbarCount uint64
}

// Warp is the state that the lanes of one warp share, whoever runs them.
type Warp struct {
	Index    int
	Clock    *race.Warp
	Lanes    uint32 // lanes that exist
	Live     uint32 // lanes that have not exited
	Released uint32 // lanes whose wait is over; their thread clears them as it takes them up
	Result   [32]uint64
	Meet     barrier.Rendezvous
}

// NewBlock makes a slot for blocks of the launch.
func NewBlock(l *Launch, slot int) *Block {
	n := int(l.Block.Count())
	b := &Block{Launch: l, Slot: slot, Warps: make([]Warp, (n+31)/32)}
	for i := range b.Warps {
		w := &b.Warps[i]
		w.Index = i
		w.Lanes = uint32(1<<min(uint(n-32*i), 32) - 1)
	}
	return b
}

// Begin makes the slot run the block with the given linear index.
func (b *Block) Begin(linear uint64) {
	l := b.Launch
	b.Linear, b.Index, b.Live = linear, l.Grid.At(linear), int(l.Block.Count())
	if l.Race != nil {
		l.Race.BeginBlock(&b.Clock, linear, b.Live)
	}
	for i := range b.Warps {
		w := &b.Warps[i]
		w.Live, w.Released = w.Lanes, 0
		w.Meet.Reset()
		if l.Race != nil {
			w.Clock = b.Clock.Warp(i)
		}
	}
	b.bars.reset(len(b.Warps))
}

// WakeLanes lets lanes of a warp go on: their waits are over.
func (b *Block) WakeLanes(w *Warp, lanes uint32) {
	w.Released |= lanes
	if b.Launch.Granularity == ByWarp {
		b.Wake(w.Index)
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		b.Wake(w.Index*32 + bits.TrailingZeros32(m))
	}
}

// ThreadIndex is the three-dimensional index of a lane's thread in its block.
func (b *Block) ThreadIndex(warp, lane int) kernel.Dim3 {
	return b.Launch.Block.At(uint64(warp*32 + lane))
}

// ThreadID names a lane's thread.
func (b *Block) ThreadID(warp, lane int) kernel.ThreadID {
	return kernel.ThreadID{Block: b.Index, Thread: b.ThreadIndex(warp, lane)}
}
