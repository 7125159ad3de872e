package race

import "gpusim/kernel"

// SetTrace has f told every race on every unit of a shadow: the object, the block that
// makes the later access, the bytes.
func (d *Detector) SetTrace(f func(object int, linear uint64, off int64, n int, s kernel.Severity)) {
	d.trace = func(sd *Shadow, b *Block, off int64, n int, s kernel.Severity) { f(sd.object, b.linear, off, n, s) }
}

// SetLimits lowers the sizes at which lines change their form.
func (d *Detector) SetLimits(readLog, writeLog, prune int) {
	d.limits = limits{readLog, [2]int{writeLog, writeLog}, prune}
}
