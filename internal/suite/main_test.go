// Package suite runs the whole tool, from launch files and PTX to reports, on every kernel of
// testdata and examples.
//
// `go test` takes a selection of levels, seeds and granularities that ends in a minute;
// GPUSIM_LONG=1 takes all of them, -short a smaller one.
package suite

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		levels = []string{"O0", "O2"}
	}
	goleak.VerifyTestMain(m)
}

// long asks for every combination instead of a selection.
var long = os.Getenv("GPUSIM_LONG") != ""

// seeds are 1 to 10 if everything is asked for, and else the first few of them.
func seeds(few int) []uint64 {
	n := few
	switch {
	case long:
		n = 10
	case testing.Short():
		n = 1
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i + 1)
	}
	return list
}
