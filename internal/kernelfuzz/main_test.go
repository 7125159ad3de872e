package kernelfuzz

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
