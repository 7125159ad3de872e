// Package race is the data-race detector: exact happens-before over the PTX memory
// model for the accesses of one execution.
//
// Two promises. Every reported pair of accesses is unordered in this execution, and
// every byte that has a race in this execution gets at least one finding.
//
// The executor tells a [Detector] about blocks, warp-wide weak accesses, strong accesses
// of single lanes, fences, barriers and asynchronous copies, in the order in which they
// take effect. The detector answers with races; it never influences the execution. It
// starts no goroutine, reads no clock and belongs to one goroutine.
package race
