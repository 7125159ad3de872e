package table

import (
	"fmt"
	"time"
)

// target is one promise about speed or memory beside what was measured.
type target struct {
	what, limit, measured string
	met                   bool
}

const (
	oclgrindMean  = 200.0
	oclgrindLeast = 60.0
	poclMost      = 20.0
	startUpMost   = 60 * time.Millisecond
	prototypeMost = 1.5
)

// overRunMost is how many times slower than run check may be.
var overRunMost = [...]float64{Regular: 2, Gather: 4, Scatter: 8}

var className = [...]string{Regular: "regular kernels", Gather: "random gather", Scatter: "scatter and histogram"}

var memoryName = [...]string{Plain: "regular kernels", Scattered: "random scatter", Bytes: "byte elements"}

var memoryRule = [...]string{Plain: "buffers x 3 + 128 MiB", Scattered: "buffers x 8 + 256 MiB", Bytes: "buffers x 16"}

// worst finds the largest value and who has it.
type worst struct {
	value float64
	name  string
}

func (w *worst) add(value float64, name string) {
	if value > w.value {
		w.value, w.name = value, name
	}
}

func (r *Report) targets() []target {
	var list []target
	list = append(list, r.oclgrindTargets()...)
	for _, x := range r.Results {
		if v := x.underPoCL(); v > 0 && x.Name == Matmul256 {
			list = append(list, target{"check against PoCL on one compute unit, kernel time, " + x.Name,
				fmt.Sprintf("at most %gx slower", poclMost), fmt.Sprintf("%.1fx", v), v <= poclMost})
		}
	}
	list = append(list, r.overRunTargets()...)
	list = append(list, r.memoryTargets()...)
	if r.StartUp > 0 {
		list = append(list, target{"check of a small kernel, whole process", fmt.Sprintf("at most %d ms", startUpMost.Milliseconds()),
			fmt.Sprintf("%.1f ms", milliseconds(r.StartUp)), r.StartUp <= startUpMost})
	}
	var slowest worst
	for _, h := range r.Hot {
		if h.Target {
			slowest.add(ratio(h.Check, h.PrototypeCheck), h.Name)
		}
	}
	if slowest.value > 0 {
		list = append(list, target{"check against the prototype, kernel time, first three kernels", fmt.Sprintf("at most %gx slower", prototypeMost),
			fmt.Sprintf("%.2fx (%s)", slowest.value, slowest.name), slowest.value <= prototypeMost})
	}
	return list
}

func (r *Report) oclgrindTargets() []target {
	var factors []float64
	least, who := 0.0, ""
	for _, x := range r.Results {
		f := x.overOclgrind()
		factors = append(factors, f)
		if f > 0 && (who == "" || f < least) {
			least, who = f, x.Name
		}
	}
	if who == "" {
		return nil
	}
	mean := geomean(factors)
	return []target{
		{"check against Oclgrind, whole process, geometric mean", fmt.Sprintf("at least %gx faster", oclgrindMean), fmt.Sprintf("%.0fx", mean), mean >= oclgrindMean},
		{"check against Oclgrind, whole process, least", fmt.Sprintf("at least %gx faster", oclgrindLeast), fmt.Sprintf("%.0fx (%s)", least, who), least >= oclgrindLeast},
	}
}

func (r *Report) overRunTargets() []target {
	var slowest [len(overRunMost)]worst
	for _, x := range r.Results {
		if x.Class != NoTarget {
			slowest[x.Class].add(x.overRun(), x.Name)
		}
	}
	var list []target
	for class, w := range slowest {
		if limit := overRunMost[class]; w.value > 0 {
			list = append(list, target{"check against run, kernel time, " + className[class], fmt.Sprintf("at most %gx slower", limit),
				fmt.Sprintf("%.2fx (%s)", w.value, w.name), w.value <= limit})
		}
	}
	return list
}

func (r *Report) memoryTargets() []target {
	var fullest [len(memoryRule)]worst
	for _, x := range r.Results {
		fullest[x.Memory].add(float64(x.Check.RSS)/float64(x.memoryLimit()), x.Name)
	}
	var list []target
	for class, w := range fullest {
		if w.value > 0 {
			list = append(list, target{"peak memory of check, " + memoryName[class], memoryRule[class],
				fmt.Sprintf("%.0f %% of that (%s)", 100*w.value, w.name), w.value <= 1})
		}
	}
	return list
}
