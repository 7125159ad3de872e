package device

import (
	"gpusim/array"
	"gpusim/kernel"
)

// Thread is a Pallas thread: what a kernel that is a Go function works with.
type Thread = array.Thread

// Mesh is the shape of a Pallas kernel: how many devices run it, the grid in clusters, a
// cluster in blocks, the threads of a block. Nothing is one of each; the last dimension
// varies fastest.
type Mesh struct {
	Devices       int
	Grid, Cluster []int
	Threads       int
	Warps         bool // its threads fork into warps
	Communicates  bool // its clusters wait for each other
}

// Kernel makes a program of a Go function, which every thread of every block runs as a
// coroutine. place resolves the sites that the function gives to Thread.At. Launch it with
// the extent that the program tells.
func Kernel(m Mesh, place func(site int) kernel.Source, run func(t *Thread)) *array.Program {
	return &array.Program{Kernel: run, Place: place, Devices: m.Devices, Grid: m.Grid, Cluster: m.Cluster, BlockThreads: m.Threads,
		Warps: m.Warps, Communicates: m.Communicates, ThreadAxis: true, Races: true}
}
