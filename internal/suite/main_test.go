// Package suite runs the whole tool, from launch files and PTX to reports, on every kernel of
// testdata and examples.
//
// `go test` takes a selection of levels, seeds and granularities that ends in a minute;
// GPUSIM_LONG=1 takes all of them.
package suite

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"gpusim/actors"
)

func TestMain(m *testing.M) {
	code := m.Run()
	actors.Shutdown()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// long asks for every combination instead of a selection.
var long = os.Getenv("GPUSIM_LONG") != ""

// seeds are 1 to 10, or the first few of them unless everything is asked for.
func seeds(few int) []uint64 {
	n := few
	if long {
		n = 10
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i + 1)
	}
	return list
}
