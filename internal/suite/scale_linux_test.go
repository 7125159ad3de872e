package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const (
	mebi       = 1 << 20
	shadowLine = 72 // bytes; a line of package race
)

// TestMillionThreads: a million threads in 4,096 blocks take less than 1 GiB in both granularities.
func TestMillionThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("a million threads")
	}
	tool := buildTool(t)
	for _, g := range granularities {
		peak := peakMemory(t, tool, "check", "--granularity", granularityFlag(g), filepath.Join(root, "testdata", "hot", "vadd20.yaml"))
		if peak < 12*mebi { // its buffers
			t.Fatalf("a peak of %d bytes: it was not measured", peak)
		}
		if peak >= 1<<30 {
			t.Errorf("%s granularity: a peak of %d MiB, want less than 1 GiB", granularityFlag(g), peak/mebi)
		}
	}
}

// TestMemoryFollowsBuffers: ten times the threads take no more memory beside buffers and shadow.
func TestMemoryFollowsBuffers(t *testing.T) {
	if !long {
		t.Skip("ten million threads: set GPUSIM_LONG=1")
	}
	tool := buildTool(t)
	var rest [2]int64
	for i, n := range []int64{1_000_000, 10_000_000} {
		// Three buffers of 4-byte elements, a bit a byte for the validity of the one that starts
		// uninitialised, and a line of shadow for each 128 bytes.
		buffers := 3 * 4 * n
		known := buffers + 4*n/8 + buffers/128*shadowLine
		rest[i] = peakMemory(t, tool, "check", vectorAdd(t, n)) - known
	}
	t.Logf("beside buffers and shadow: %d KiB for 10^6 threads, %d KiB for 10^7", rest[0]>>10, rest[1]>>10)
	// The Go runtime's own tables are about 2 % of the heap: all that may come on top of a tenth.
	if rest[0] <= 0 || rest[1] > rest[0]+rest[0]/10+4*mebi {
		t.Error("memory grows with the number of threads")
	}
}

// vectorAdd writes a launch file for n threads.
func vectorAdd(t *testing.T, n int64) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, "testdata", "hot", "vadd.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "vadd.yaml")
	text := fmt.Sprintf(`program: %s
buffers:
  a: {dtype: f32, shape: [%d], init: {range: {start: 0, step: 1}}}
  b: {dtype: f32, shape: [%[2]d], init: {range: {start: 0, step: -1}}}
  c: {dtype: f32, shape: [%[2]d], init: none}
launches:
  - {kernel: vadd, grid: [%d], block: [256], args: [a, b, c, {i32: %[2]d}]}
`, program, n, (n+255)/256)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// measureEnv holds the command that TestPeakMemoryHelper measures.
const measureEnv = "GPUSIM_SUITE_MEASURE"

// peakMemory runs a command that must succeed and returns its greatest resident size in bytes.
//
// Linux counts what a process was before exec as its own, so that a child of this process would seem
// as large as the tests are by now. A small process in between avoids that.
func peakMemory(t *testing.T, command ...string) int64 {
	t.Helper()
	helper := exec.Command(os.Args[0], "-test.run=^TestPeakMemoryHelper$", "-test.v")
	helper.Env = append(os.Environ(), measureEnv+"="+strings.Join(command, "\n"))
	out, err := helper.CombinedOutput()
	_, rest, found := strings.Cut(string(out), "peak: ")
	if err != nil || !found {
		t.Fatalf("%q: %v\n%s", command, err, out)
	}
	word, _, _ := strings.Cut(rest, " ")
	peak, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return peak
}

// TestPeakMemoryHelper is not a test of its own: peakMemory runs it in another process.
func TestPeakMemoryHelper(t *testing.T) {
	command := os.Getenv(measureEnv)
	if command == "" {
		t.Skip("run by other tests")
	}
	words := strings.Split(command, "\n")
	cmd := exec.Command(words[0], words[1:]...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system reports no resource usage")
	}
	fmt.Printf("peak: %d bytes\n", usage.Maxrss<<10)
}
