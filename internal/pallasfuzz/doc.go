// Package pallasfuzz compares what a device says of Pallas kernels with rules that are
// written down a second time: it generates random small kernels, runs them with all
// detectors on, and judges the run by the log that the kernel itself keeps.
//
// A [Program] is a list of statements for every thread of a cluster and every warp.
// [Generate] makes one of a seed; [Run] executes it through device.Kernel and records who
// did what in which order. [Judge] builds a plain graph of events from that log: program
// order, each phase's arrivals to its observers, operations and their milestones, forks and
// joins, signals. Two accesses race if no path leads from the one to the other. It also
// replays the log on memory of its own. It shares no code with race/region, array or
// barrier.
//
// What is compared: races with their sites, buffer, edge and severity, in both directions;
// reads of uninitialised memory; misuse of barriers; deadlocks, which must be such that
// nobody can go on. If a program has no race, every value that it reads, and the memory it
// leaves, is that of the replay, whatever the seed and the completion of operations.
package pallasfuzz
