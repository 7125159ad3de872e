package main

import "gpusim/bench/table"

// workload is one launch file that is measured.
type workload struct {
	name   string
	file   string // the launch file, relative to the repository
	opencl string // the .cl file with equal work, beside it; empty: no peer runs it
	class  table.Class
	memory table.MemoryClass
	// once means one run of check only, for peak memory: it takes about a minute.
	once bool
}

var suite = []workload{
	{name: "vector add 2^20", file: "bench/kernels/vector_add.yaml", opencl: "vector_add.cl"},
	{name: "tree reduction 2^20", file: "bench/kernels/reduction.yaml", opencl: "reduction.cl"},
	{name: "tiled matmul 128", file: "bench/kernels/matmul128.yaml", opencl: "matmul.cl"},
	{name: table.Matmul256, file: "bench/kernels/matmul256.yaml", opencl: "matmul.cl"},
	{name: "transpose 1024²", file: "bench/kernels/transpose.yaml", opencl: "transpose.cl"},
	{name: "histogram 2^20", file: "bench/kernels/histogram.yaml", opencl: "histogram.cl", class: table.Scatter},
	{name: "bitonic sort 2^16", file: "bench/kernels/bitonic.yaml", opencl: "bitonic.cl"},
	{name: "5-point stencil 1024²", file: "bench/kernels/stencil.yaml", opencl: "stencil.cl"},
	{name: "random gather 2^20", file: "testdata/hot/gather20.yaml", class: table.Gather},
	{name: "random scatter 2^20", file: "testdata/hot/scatter20.yaml", class: table.Scatter, memory: table.Scattered},
	{name: "bytes 2^22", file: "bench/kernels/bytes.yaml", memory: table.Bytes},
	{name: "byte scatter 2^22", file: "bench/kernels/byte_scatter.yaml", class: table.NoTarget, memory: table.Bytes},
	{name: "tiled matmul 2048", file: "bench/kernels/matmul2048.yaml", once: true},
}

// small is the launch file whose whole process shows what starting up costs.
const small = "examples/vector_add/fixed.yaml"

// hot pairs a launch file with the same kernel in the prototype that the interpreter's
// design was measured with.
type hot struct {
	name, file, prototype string
	target                bool
}

var hotKernels = []hot{
	{"tiled matmul 256", "testdata/hot/matmul256.yaml", "matmul256", true},
	{"vector add 2^20", "testdata/hot/vadd20.yaml", "vadd1048576", true},
	{"tree reduction 2^20", "testdata/hot/reduce20.yaml", "reduce1048576/-1", true},
	{"random gather 2^20", "testdata/hot/gather20.yaml", "gather1048576/false", false},
	{"random scatter 2^20", "testdata/hot/scatter20.yaml", "gather1048576/true", false},
}
