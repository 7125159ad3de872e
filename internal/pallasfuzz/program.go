package pallasfuzz

import (
	"fmt"
	"strings"

	"gpusim/kernel"
)

// side is the extent of every array of a scope, in both dimensions. Arrays of the host
// have as many rows for each point of the grid. All elements are of 32 bits.
const side = 4

// Program is a kernel: what every thread of a cluster does, in each cluster.
type Program struct {
	Seed    uint64
	Devices int
	Grid    int   // clusters
	Cluster []int // blocks of a cluster
	Threads int   // of a block
	Warps   bool
	Talks   bool // clusters wait for each other
	Zero    bool
	Scopes  []Scope  // the first one is that of the whole kernel
	Bufs    []Buf    // arrays of the host, then of scopes
	Bars    []Bar    // of scopes
	Sems    []Sem    // of scopes, or global
	Code    [][]Stmt // of the threads of a cluster
}

// Blocks is the number of blocks of a cluster.
func (p *Program) Blocks() int {
	n := 1
	for _, x := range p.Cluster {
		n *= x
	}
	return n
}

// Scope is a list of allocations, by all threads of a block or by one thread for itself.
type Scope struct {
	Own              bool
	Bufs, Bars, Sems []int
}

// Buf is an array.
type Buf struct {
	Name  string
	Host  bool
	Space kernel.Space // Local: an accumulator
}

// Bar is a barrier.
type Bar struct {
	Name     string
	Arrivals int
	Tensor   bool
	Cluster  bool // of the cluster, along Axes
	Axes     [][]int
	Leader   bool
}

// Sem is a semaphore.
type Sem struct {
	Name   string
	Global bool
}

// Slice is a part of an array.
type Slice struct {
	Buf           int
	Row, Rows     int
	Col, Cols     int
	RowBy, ColBy  int  // strides
	PerPoint      bool // of a host array: the rows of the own point
	Block, Device int  // whose; -1: the own one
}

// Op is what a statement does.
type Op uint8

// The operations. Those that wait are between Wait and Poll.
const (
	Load Op = iota
	Store
	Add
	Swap
	LoadMasked
	SwapMasked
	Atomic
	StoreAll // to the same array of all devices
	Fence
	Arrive
	Wait
	Poll
	CopyIn
	CopyOut
	Commit
	WaitOut
	WaitRead
	CopyInGroup
	WaitIn
	AsyncStore
	WGMMA
	WaitWGMMA
	LoadAcc
	StoreAcc
	MMA
	CommitArrive
	ToTMEM
	StoreT
	LoadT
	CommitT
	WaitLoadT
	Signal
	Await
	Fork
	Enter
	Exit
	End // of a thread; not a statement
	ops
)

var opNames = [ops]string{"load", "store", "add", "swap", "load masked", "swap masked", "atomic add", "store to all devices", "fence", "arrive", "wait", "poll", "copy in", "copy out",
	"commit group", "wait out", "wait read", "copy in group", "wait in", "async store", "wgmma", "wait wgmma", "load acc", "store acc", "mma", "commit arrive", "copy to tmem", "store tmem", "load tmem",
	"commit tmem", "wait load tmem", "signal", "await", "fork", "enter", "exit", "end"}

// Stmt is a statement.
type Stmt struct {
	Op     Op
	Site   int
	Only   int // the cluster that executes it, by its number in the launch; -1: all
	Dst    Slice
	Src    Slice
	Src2   Slice
	Bar    int // barrier, semaphore or scope; -1: none
	N      int // value, count, or mask
	Block  int // of AsyncStore
	Device int // of Signal
	Dims   []int
	Part   bool // PARTITIONED
	Track  bool // leader tracked
	Flag   bool // commit; accumulate; decrement; reduce; collective in CommitArrive and ToTMEM
	Both   bool // collective, of MMA
	Warps  [][]Stmt
}

// number gives each statement its site, and calls f with it.
func (p *Program) number() {
	n := 0
	var walk func(list []Stmt)
	walk = func(list []Stmt) {
		for i := range list {
			n++
			list[i].Site = n
			if list[i].Op == Enter { // threads allocate together at one place
				list[i].Site = 9000 + list[i].Bar
			}
			for _, w := range list[i].Warps {
				walk(w)
			}
		}
	}
	for _, c := range p.Code {
		walk(c)
	}
}

// at is the statement of a site, nil for none.
func (p *Program) at(site int) (found *Stmt) {
	var walk func(list []Stmt)
	walk = func(list []Stmt) {
		for i := range list {
			if list[i].Site == site {
				found = &list[i]
			}
			for _, w := range list[i].Warps {
				walk(w)
			}
		}
	}
	for _, c := range p.Code {
		walk(c)
	}
	return found
}

// String is the program as text.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d devices, grid %d, cluster %v, %d threads, warps %v, talks %v, zero %v\n", p.Seed, p.Devices, p.Grid, p.Cluster, p.Threads, p.Warps, p.Talks, p.Zero)
	for i, s := range p.Scopes {
		fmt.Fprintf(&b, "scope %d own %v:", i, s.Own)
		for _, x := range s.Bufs {
			fmt.Fprintf(&b, " %s(%v)", p.Bufs[x].Name, p.Bufs[x].Space)
		}
		for _, x := range s.Bars {
			fmt.Fprintf(&b, " %+v", p.Bars[x])
		}
		for _, x := range s.Sems {
			fmt.Fprintf(&b, " %s", p.Sems[x].Name)
		}
		b.WriteByte('\n')
	}
	var list func(indent string, l []Stmt)
	list = func(indent string, l []Stmt) {
		for i := range l {
			fmt.Fprintf(&b, "%s%s\n", indent, p.text(&l[i]))
			for w, c := range l[i].Warps {
				if len(c) > 0 {
					fmt.Fprintf(&b, "%s  warp %d:\n", indent, w)
					list(indent+"    ", c)
				}
			}
		}
	}
	for t, c := range p.Code {
		fmt.Fprintf(&b, "thread %d of block %d:\n", t%p.Threads, t/p.Threads)
		list("  ", c)
	}
	return b.String()
}

func (p *Program) slice(s Slice) string {
	if s.Rows == 0 {
		return ""
	}
	t := fmt.Sprintf(" %s[%d:%d:%d, %d:%d:%d]", p.Bufs[s.Buf].Name, s.Row, s.Row+s.Rows*s.RowBy, s.RowBy, s.Col, s.Col+s.Cols*s.ColBy, s.ColBy)
	if s.PerPoint {
		t += " of the point"
	}
	if s.Block >= 0 {
		t += fmt.Sprintf(" of block %d", s.Block)
	}
	if s.Device >= 0 {
		t += fmt.Sprintf(" of device %d", s.Device)
	}
	return t
}

func (p *Program) text(s *Stmt) string {
	t := fmt.Sprintf("%3d %s%s", s.Site, opNames[s.Op], p.slice(s.Dst))
	if s.Src.Rows > 0 {
		t += " <-" + p.slice(s.Src) + p.slice(s.Src2)
	}
	switch s.Op {
	case Arrive, Wait, Poll, CopyIn, AsyncStore, MMA, CommitArrive:
		if s.Bar >= 0 {
			t += " at " + p.Bars[s.Bar].Name
		}
	case Signal, Await:
		t += " " + p.Sems[s.Bar].Name
	case Enter:
		t += fmt.Sprint(" ", s.Bar)
	}
	t += fmt.Sprintf(" n=%d", s.N)
	if s.Flag {
		t += " flag"
	}
	if s.Both {
		t += " collective"
	}
	if s.Op == AsyncStore {
		t += fmt.Sprint(" block ", s.Block)
	}
	if s.Op == Signal {
		t += fmt.Sprint(" device ", s.Device)
	}
	if len(s.Dims) > 0 {
		t += fmt.Sprintf(" dims %v part %v tracked %v", s.Dims, s.Part, s.Track)
	}
	if s.Only >= 0 {
		t += fmt.Sprint(" only in cluster ", s.Only)
	}
	return t
}
