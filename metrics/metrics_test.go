package metrics

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// filled counts two launches and three findings.
func filled() *Metrics {
	m := New()
	r := device.LaunchResult{Spec: device.Spec{Kernel: "reduce"}, Complete: true, Seconds: 0.5, Counters: exec.Counters{
		ThreadInstructions: 1200, WarpInstructions: 50, LaneSlots: 1600, GlobalRequests: 10, GlobalSectors: 40, SharedRequests: 20,
		SharedBankConflicts: 31, AtomicRequests: 32, AtomicCollisions: 30, BarrierWaits: [4]uint64{8, 1, 2, 3},
		BarrierWaitTime: [4]uint64{100, 10, 20, 0}, Quanta: 9, Messages: 12, MaxReady: 4, MaxMailbox: 2, AllocRequests: 3,
		MaxAllocQueue: 2, AllocLatency: 5, BlocksDone: 6, Parks: 1}}
	m.Launched(r)
	r.Complete, r.Faulted = false, true
	m.Launched(r)
	for range 2 {
		m.Found(kernel.Finding{Kind: kernel.DataRace, Severity: kernel.Error})
	}
	m.Found(kernel.Finding{Kind: kernel.Leak, Severity: kernel.Warning})
	return m
}

// TestCompare fixes names, labels and values of all metrics.
func TestCompare(t *testing.T) {
	want, err := os.Open("testdata/filled.prom")
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	m := filled()
	if err := testutil.GatherAndCompare(m.registry, want); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "m.prom")
	if err := m.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/filled.prom")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(text) {
		t.Errorf("the file is\n%s", got)
	}
}

func TestLint(t *testing.T) {
	problems, err := testutil.GatherAndLint(filled().registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	// The linter does find something in bad metrics.
	bad := promlint.New(strings.NewReader("# TYPE gpusim_waits counter\ngpusim_waits 1\n"))
	if found, err := bad.Lint(); err != nil || len(found) == 0 {
		t.Errorf("nothing is wrong with a counter without help and _total: %v", err)
	}
}

func TestBarrierKinds(t *testing.T) {
	if barrierKinds != exec.WaitKinds {
		t.Errorf("%v, want %v", barrierKinds, exec.WaitKinds)
	}
}

// TestKernelsAreBounded launches more kernels than the label may have values.
func TestKernelsAreBounded(t *testing.T) {
	m := New()
	for i := range 3 * maxKernels {
		m.Launched(device.LaunchResult{Spec: device.Spec{Kernel: fmt.Sprint("k", i)}, Complete: true})
	}
	if n := testutil.CollectAndCount(m.launches); n != maxKernels+1 {
		t.Errorf("%d series, want %d", n, maxKernels+1)
	}
	if n := testutil.ToFloat64(m.launches.WithLabelValues(Other, "complete")); n != 2*maxKernels {
		t.Errorf("%v launches of other kernels, want %d", n, 2*maxKernels)
	}
}

func TestServe(t *testing.T) {
	m := filled()
	s, err := m.Serve("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + s.Address() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(body), `gpusim_report_findings_total{kind="data-race",severity="error"} 2`) {
		t.Errorf("%v: %s", err, body)
	}
	if _, err := m.Serve(s.Address()); err == nil {
		t.Error("two servers at one address")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := client.Get("http://" + s.Address() + "/metrics"); err == nil {
		t.Error("the server is still there")
	}
	if _, err := m.Serve("no such address"); err == nil {
		t.Error("a server at no address")
	}
}
