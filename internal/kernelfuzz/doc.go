// Package kernelfuzz compares the whole tool with the axioms: it writes random small PTX kernels, runs them on a device with all detectors on, and judges
// what was reported by package oracle.
//
// A [Program] is a list of statements whose meaning the package knows without the front end: which threads execute a statement, which bytes it touches, with
// which qualifiers, in which control flow. [Program.Text] writes it as PTX. [Run] runs that text and records, through device.Options.Observe, nothing but who
// executed which line in which order. [Replay] follows every thread through the statements along this order: a thread that executes a line out of turn, a
// loaded value that differs or a final memory that differs is a bug of the executor. It also yields the list of events that the oracle judges. [Compare] holds
// the oracle's verdict against the device's findings: every reported pair must race by the axioms, at these lines, threads and bytes and with this severity, and
// every byte that races by the axioms must have a reported pair.
//
// Kernels never hang, and never leave their buffers or read uninitialised memory: any other finding is a failure too.
package kernelfuzz
