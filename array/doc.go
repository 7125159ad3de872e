// Package array is what a Pallas thread can do: it allocates, loads, stores and copies
// n-dimensional regions of typed buffers, and waits on barriers, as the threads of Pallas
// Mosaic GPU kernels do. A kernel is a Go function that calls the methods of Thread; it
// runs as a coroutine inside its thread's actor. The front end for exported Pallas
// programs is one such function.
//
// The rules, and the texts of errors, are those of JAX's GPU interpret mode.
package array
