package race

// An epoch is when and by whom an access was made, in one word whose integer order is
// useful: everything that a block barrier orders is smaller than the barrier's floor.
//
//	bit 63      asynchronous: the access of a cp.async; the stamp is the group of its thread
//	bits 62-38  running number of the block over all launches (uid), never reused
//	bits 37-10  stamp: grows with every synchronisation of the block
//	bits 9-0    thread of the block (warp, lane); records of whole warps have lane 0
//
// Because the uid is never reused, the shadow of shared memory is not cleared when a
// resident slot takes its next block: older epochs are below every floor of the new one.
const (
	warpSh     = 5
	stampSh    = 10
	uidSh      = 38
	maxStamp   = 1<<28 - 1
	maxUID     = 1<<25 - 1
	stampBits  = uint64(maxStamp) << stampSh
	asyncEpoch = uint64(1) << 63
	maxThreads = 1024
)

func tidOf(e uint64) int      { return int(e & (maxThreads - 1)) }
func laneOf(e uint64) int     { return int(e & 31) }
func warpOf(e uint64) int     { return int(e>>warpSh) & 31 }
func stampOf(e uint64) uint32 { return uint32(e>>stampSh) & maxStamp }
func uidOf(e uint64) uint64   { return e >> uidSh & maxUID }

// sameWarp reports whether two epochs differ in their stamps at most.
func sameWarp(a, b uint64) bool { return (a^b)&^(stampBits|31) == 0 }

// programOrder reports whether accesses by equal lanes in both epochs are ordered by the
// program: the same warp, and the earlier one is not in flight.
func programOrder(a, b uint64) bool { return (a^b&^asyncEpoch)&^(stampBits|31) == 0 }
