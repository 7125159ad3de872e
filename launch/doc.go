// Package launch reads what a user wants to run - a launch file, or a program with its
// arguments on the command line - into a Plan, and runs the plan on simulated devices.
//
// Whatever is wrong with the input is collected, so that one call shows all of it; what
// is wrong with the simulated program is a finding, never an error.
package launch
