// Command gpusim runs GPU kernels on the CPU and says what is wrong with them.
package main

import (
	"os"
)

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }
