// Command generate writes docs/diagnostics.md.
package main

import (
	"fmt"
	"os"

	"gpusim/internal/explain"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(explain.Document()), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
