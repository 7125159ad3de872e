// Package region is the data-race detector for programs whose threads access regions of
// buffers: Pallas threads that load and store array slices, and asynchronous copies.
//
// It is exact happens-before, like package race, with three things that the latter does
// not need: every asynchronous operation is an event of its own, whose reads and whose
// completion may become known separately; what a thread knows is kept apart for the
// generic proxy, for the async proxy, which a proxy fence connects, and for the tensor
// core; and an access is a few runs of bytes of any length. Clusters are concurrent:
// nothing but a semaphore orders two of them.
//
// It starts no goroutine, reads no clock and belongs to one goroutine.
package region
