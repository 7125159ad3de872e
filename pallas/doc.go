// Package pallas is the front end for Pallas Mosaic GPU kernels that the Python package
// gpusim_jax has exported: it reads a program (docs/pallas-program.md) and interprets its
// jaxpr, one coroutine for each thread.
package pallas
