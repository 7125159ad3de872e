// Package lint finds what a Pallas program does that interprets, and that the Mosaic GPU
// compiler of JAX would reject. It looks at the program only and runs nothing, and it says
// nothing where the answer depends on how the compiler lays arrays out in registers.
package lint
