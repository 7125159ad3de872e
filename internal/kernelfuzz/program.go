package kernelfuzz

import "gpusim/internal/oracle"

// Program is a module with one kernel for each launch. All launches have the same extents.
type Program struct {
	Blocks, Threads int // of the grid, of a block
	Kernels         []Kernel
	Seed            uint64 // of the device
	Schedule        string
}

// warps is the number of warps of a block.
func (p *Program) warps() int { return (p.Threads + 31) / 32 }

// Kernel is a list of statements that every thread executes from the first to the last.
type Kernel struct {
	Stmts []Stmt
	Vars  int // 64-bit variables of a thread
}

// Set is the threads that lie in all three masks.
type Set struct{ Blocks, Warps, Lanes uint32 }

func (s Set) has(block, warp, lane int) bool {
	return s.Blocks>>block&1 != 0 && s.Warps>>warp&1 != 0 && s.Lanes>>lane&1 != 0
}

// everyone is the set of all threads.
var everyone = Set{^uint32(0), ^uint32(0), ^uint32(0)}

// Op is what a statement does.
type Op uint8

// The statements. The first group can be observed from outside of the thread.
const (
	Load Op = iota
	Store
	Atomic
	Fence
	Copy // cp.async
	Commit
	Wait
	WarpSync
	Barrier
	Exit
	Result // stores the thread's checksum where nobody else looks

	Jump // to Target, if variable Var differs from Want (Equal: if it equals)
	Set1 // Var = Want
	Less // Var = Var - 1
	Vote // vote.sync of the lanes of Mask, which orders no memory
)

// observable reports whether others may notice the statement.
func (o Op) observable() bool { return o <= Result }

// Stmt is one statement.
type Stmt struct {
	Op     Op
	Who    Set  // the threads that execute it
	Around bool // others branch around it instead of being predicated off
	Call   bool // a function does it: a load or store of one element
	Yield  bool // a branch to the next line comes before it, where the scheduler may switch

	Space    oracle.Space // of Load, Store, Atomic
	Generic  bool         // through a generic address
	At       Address      // Copy: in shared memory
	Size     int          // bytes of an element; Copy: bytes written
	Elems    int
	Sem      oracle.Sem
	Scope    oracle.Scope
	Volatile bool
	NC       bool
	Red      bool
	Operator string // of an atomic: add, min, max, inc, and, or, xor, exch, cas
	Value    Value
	Old      uint64 // cas: what it compares with
	Var      int    // Load and Atomic: what was read, one variable an element
	Sum      bool   // what was read goes into the checksum

	From    Address // Copy: in global memory
	Read    int     // Copy: bytes read
	Pending int     // Wait: groups that may be under way, -1 for wait_all

	Kind   oracle.FenceKind
	Membar bool

	Mask uint32 // WarpSync, Vote

	ID, Count int // Barrier; count 0: none is given
	Role      oracle.Role
	Loose     bool // barrier instead of bar: lanes of a warp may meet from different lines

	Target int // Jump: index of a statement
	Want   uint64
	Equal  bool
}

// Address is an offset that depends on the thread: Base + Scale * ((lane*Lane + warp*Warp + block*Block) ^ Flip & Mask).
type Address struct {
	Base              int64
	Lane, Warp, Block int
	Flip, Mask        int
	Scale             int
}

func (a Address) of(block, warp, lane int) int64 {
	return a.Base + int64(a.Scale*((lane*a.Lane+warp*a.Warp+block*a.Block^a.Flip)&a.Mask))
}

// constant reports whether all threads have the same address.
func (a Address) constant() bool { return a.Mask == 0 }

// Value is what a thread stores: Base + lane*Lane, element k adds k.
type Value struct {
	Base uint64
	Lane uint64
}

func (v Value) of(lane, elem int) uint64 { return v.Base + uint64(lane)*v.Lane + uint64(elem) }

// The memory of a program. Each kernel's first statements fill the shared part.
const (
	globalBytes = 1024
	sharedBytes = 128
)

// initial is the byte of global memory at an offset before the first launch.
func initial(off int) byte {
	if off < dataBytes {
		return byte(7 * off)
	}
	return 0 // flags, locks and counters
}

const dataBytes = 256 // of global memory: the rest is flags
