// Package metrics counts what simulated kernels contend for, as Prometheus metrics named
// gpusim_<subsystem>_<what>_<unit>. It observes launches under way and finished ones;
// nothing in the engine knows of it. Labels are bounded: kernels up to a limit, spaces, kinds; never a thread
// or an address.
package metrics

import (
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"gpusim/device"
	"gpusim/kernel"
)

// maxKernels bounds the values of the kernel label; launches of further kernels are
// counted under Other.
const (
	maxKernels = 200
	Other      = "(other)"
)

// barrierKinds are the values of the kind label of barrier metrics, in the order of the
// counters (exec.WaitKinds).
var barrierKinds = [...]string{"block", "named", "reduction", "warp"}

// Metrics is a registry with all metrics of a process.
type Metrics struct {
	registry *prometheus.Registry
	kernels  map[string]bool

	launches, blocks, threadInstructions, warpInstructions, laneSlots, seconds *prometheus.CounterVec
	rate, lanes                                                                *prometheus.GaugeVec
	requests, sectors, conflicts, atomics, collisions                          *prometheus.CounterVec
	barrierWaits, barrierTime                                                  *prometheus.CounterVec
	allocRequests, allocLatency                                                *prometheus.CounterVec
	allocQueue, ready, mailbox                                                 *prometheus.GaugeVec
	quanta, messages, parks                                                    *prometheus.CounterVec
	findings                                                                   *prometheus.CounterVec

	seen device.Counters // what has been counted of the launch under way
}

// New makes an empty registry.
func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), kernels: map[string]bool{}}
	counter := func(subsystem, name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "gpusim", Subsystem: subsystem, Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	gauge := func(subsystem, name, help string, labels ...string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "gpusim", Subsystem: subsystem, Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	const k = "kernel"
	m.launches = counter("launch", "kernels_total", "Kernel launches, by how they ended: complete, faulted or stopped.", k, "end")
	m.blocks = counter("launch", "blocks_total", "Blocks that ran to their end.", k)
	m.threadInstructions = counter("launch", "thread_instructions_total", "Instructions executed by threads.", k)
	m.warpInstructions = counter("launch", "warp_instructions_total", "Instructions executed by warps or parts of warps.", k)
	m.laneSlots = counter("launch", "lane_slots_total", "Lanes that the executed warp instructions had room for.", k)
	m.seconds = counter("launch", "duration_seconds_total", "Wall-clock time of launches.", k)
	m.rate = gauge("launch", "instructions_per_second", "Thread instructions per second of wall-clock time in the last launch.", k)
	m.lanes = gauge("launch", "active_lanes_ratio", "Share of lanes that were active per warp instruction of the last launch; less than 1 is divergence.", k)

	m.requests = counter("memory", "requests_total", "Memory accesses of warps.", k, "space")
	m.sectors = counter("memory", "global_sectors_total", "Sectors of 32 bytes that global accesses touched; divided by requests: coalescing.", k)
	m.conflicts = counter("memory", "shared_bank_conflicts_total", "Extra passes of shared accesses because lanes hit one bank.", k)
	m.atomics = counter("memory", "atomic_operations_total", "Atomic operations of lanes.", k)
	m.collisions = counter("memory", "atomic_collisions_total", "Atomic operations that hit an address of another lane of the instruction.", k)

	m.barrierWaits = counter("barrier", "waits_total", "Waits of warps at barriers and collectives, by kind.", k, "kind")
	m.barrierTime = counter("barrier", "wait_instructions_total", "Simulated time, in warp instructions, between arrival and release.", k, "kind")

	m.allocRequests = counter("allocation", "requests_total", "Requests to the shared-memory actor.", k)
	m.allocQueue = gauge("allocation", "queue_requests", "Longest queue of the shared-memory actor in the last launch.", k)
	m.allocLatency = counter("allocation", "wait_messages_total", "Messages that the device served between requests and their turn.", k)

	m.ready = gauge("scheduler", "ready_actors", "Longest list of actors ready to run in the last launch.", k)
	m.mailbox = gauge("scheduler", "mailbox_messages", "Deepest mailbox in the last launch.", k)
	m.quanta = counter("scheduler", "quanta_total", "Turns of actors.", k)
	m.messages = counter("scheduler", "messages_total", "Messages between actors.", k)
	m.parks = counter("scheduler", "parks_total", "Spin loops that were put to sleep until the bytes they read change.", k)

	m.findings = counter("report", "findings_total", "Findings, by kind and severity.", "kind", "severity")
	return m
}

// kernel bounds the values of the kernel label.
func (m *Metrics) kernel(name string) string {
	if !m.kernels[name] {
		if len(m.kernels) >= maxKernels {
			return Other
		}
		m.kernels[name] = true
	}
	return name
}

// Running counts what a launch under way has done since the last call.
func (m *Metrics) Running(kernelName string, c device.Counters) {
	m.count(m.kernel(kernelName), c)
	m.seen = c
}

// Launched counts a launch that has ended.
func (m *Metrics) Launched(r device.LaunchResult) {
	k, c := m.kernel(r.Kernel), r.Counters
	end := "stopped"
	switch {
	case r.Complete:
		end = "complete"
	case r.Faulted:
		end = "faulted"
	}
	m.launches.WithLabelValues(k, end).Inc()
	m.seconds.WithLabelValues(k).Add(r.Seconds)
	if r.Seconds > 0 {
		m.rate.WithLabelValues(k).Set(float64(c.ThreadInstructions) / r.Seconds)
	}
	m.count(k, c)
	m.seen = device.Counters{}
}

// count adds what the counters say beyond what has been seen of the launch.
func (m *Metrics) count(k string, c device.Counters) {
	s := &m.seen
	add := func(v *prometheus.CounterVec, now, before uint64, labels ...string) {
		v.WithLabelValues(append([]string{k}, labels...)...).Add(float64(now - before))
	}
	set := func(v *prometheus.GaugeVec, x float64) { v.WithLabelValues(k).Set(x) }
	add(m.blocks, c.BlocksDone, s.BlocksDone)
	add(m.threadInstructions, c.ThreadInstructions, s.ThreadInstructions)
	add(m.warpInstructions, c.WarpInstructions, s.WarpInstructions)
	add(m.laneSlots, c.LaneSlots, s.LaneSlots)
	if c.LaneSlots > 0 {
		set(m.lanes, float64(c.ThreadInstructions)/float64(c.LaneSlots))
	}
	add(m.requests, c.GlobalRequests, s.GlobalRequests, kernel.Global.String())
	add(m.requests, c.SharedRequests, s.SharedRequests, kernel.Shared.String())
	add(m.sectors, c.GlobalSectors, s.GlobalSectors)
	add(m.conflicts, c.SharedBankConflicts, s.SharedBankConflicts)
	add(m.atomics, c.AtomicRequests, s.AtomicRequests)
	add(m.collisions, c.AtomicCollisions, s.AtomicCollisions)
	for i, kind := range barrierKinds {
		add(m.barrierWaits, c.BarrierWaits[i], s.BarrierWaits[i], kind)
		add(m.barrierTime, c.BarrierWaitTime[i], s.BarrierWaitTime[i], kind)
	}
	add(m.allocRequests, c.AllocRequests, s.AllocRequests)
	add(m.allocLatency, c.AllocLatency, s.AllocLatency)
	set(m.allocQueue, float64(c.MaxAllocQueue))
	set(m.ready, float64(c.MaxReady))
	set(m.mailbox, float64(c.MaxMailbox))
	add(m.quanta, c.Quanta, s.Quanta)
	add(m.messages, c.Messages, s.Messages)
	add(m.parks, c.Parks, s.Parks)
}

// Found counts a finding.
func (m *Metrics) Found(f kernel.Finding) {
	m.findings.WithLabelValues(string(f.Kind), f.Severity.String()).Inc()
}

// WriteFile writes all metrics in the Prometheus text format.
func (m *Metrics) WriteFile(path string) error {
	families, err := m.registry.Gather()
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(f, family); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}
