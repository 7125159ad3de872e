package device

import (
	"gpusim/array"
	"gpusim/exec"
	"gpusim/kernel"
)

// Thread is a Pallas thread: what a kernel that is a Go function works with.
type Thread = array.Thread

// Kernel makes a program of a Go function, which every thread of every block runs as a
// coroutine. Launch it with one Block.X for each thread. place resolves the sites that the
// function gives to Thread.At.
func Kernel(place func(site int) kernel.Source, run func(t *Thread)) exec.Program {
	return &array.Program{Kernel: run, Place: place, ThreadAxis: true, Races: true}
}
