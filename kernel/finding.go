package kernel

// Kind is the class of a finding; the set is part of the report contract.
type Kind string

// The kinds of findings.
const (
	DataRace          Kind = "data-race"
	OutOfBounds       Kind = "out-of-bounds"
	Misaligned        Kind = "misaligned"
	UninitializedRead Kind = "uninitialized-read"
	UseAfterFree      Kind = "use-after-free"
	ReadOnlyWrite     Kind = "read-only-write"
	Deadlock          Kind = "deadlock"
	Livelock          Kind = "livelock"
	BarrierDivergence Kind = "barrier-divergence"
	BarrierMisuse     Kind = "barrier-misuse"
	AllocationMisuse  Kind = "allocation-misuse"
	AsyncMisuse       Kind = "async-misuse"
	Trap              Kind = "trap"
	Assert            Kind = "assert"
	WrongResult       Kind = "wrong-result"
	Leak              Kind = "leak"
	WouldNotLower     Kind = "would-not-lower"
)

// Kinds lists every kind, in the order of the documentation.
var Kinds = []Kind{DataRace, OutOfBounds, Misaligned, UninitializedRead, UseAfterFree, ReadOnlyWrite, Deadlock, Livelock,
	BarrierDivergence, BarrierMisuse, AllocationMisuse, AsyncMisuse, Trap, Assert, WrongResult, Leak, WouldNotLower}

// Severity orders findings: off < info < warning < error.
type Severity uint8

// The severities. Off findings are dropped.
const (
	Off Severity = iota
	Info
	Warning
	Error
)

func (s Severity) String() string { return [...]string{"off", "info", "warning", "error"}[s] }

// Edge is the code of the synchronisation that a race lacks.
type Edge string

// The edges; an empty edge means that none applies.
const (
	NoBarrier  Edge = "no-barrier"
	Scoped     Edge = "scope"
	NoRelease  Edge = "no-release"
	NoAcquire  Edge = "no-acquire"
	ProxyFence Edge = "proxy-fence"
	NoWait     Edge = "wait"
	ReadOnly   Edge = "read-only"
)

// Access is one of the (at most two) accesses of a finding.
type Access struct {
	Op     string // "read" or "write"
	Atomic bool
	Thread ThreadID
	Source Source
}

// Wait tells what one thread of a deadlock or livelock waits for.
type Wait struct {
	Thread ThreadID
	Source Source
	On     string // what it waits on: "barrier 0", "shfl.sync mask 0xffffffff"
	Needs  string // who could still satisfy it, in words
}

// Finding is something wrong with the simulated program. Findings are data, never Go errors.
type Finding struct {
	Kind     Kind
	Severity Severity
	Message  string // one sentence
	Missing  string // the missing edge in words
	Edge     Edge
	Fix      string // a suggestion
	Launch   int    // index in the launch list
	Kernel   string // C++ name
	Space    Space
	Object   string // buffer or variable
	Offset   int64  // bytes in the object
	Size     int
	Count    uint64 // how often it happened
	Waits    []Wait
	Accesses []Access
}
