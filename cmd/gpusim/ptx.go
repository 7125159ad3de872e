package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpusim/compile"
	"gpusim/launch"
	"gpusim/report"
)

func (a *app) ptxCommand() *cobra.Command {
	var format string
	var compiler compile.Options
	cmd := &cobra.Command{
		Use:   "ptx FILE",
		Short: "List the kernels of a program: parameters, memory, instructions, what is not supported",
		Long: "List the kernels of a program with what their text says: C++ names, parameters, shared memory, virtual\n" +
			"registers, the instructions of a kernel and of all functions that it can reach, and those that are not\n" +
			"supported. Nothing runs. The exit status is 0 even if a kernel cannot run.",
		Args:              oneFile,
		ValidArgsFunction: files("ptx", "cu", "cl"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usageError{fmt.Errorf("--format %s: one of text, json is expected", format)}
			}
			_, compiler.Flags = splitArgs(cmd, args)
			program, err := launch.Inspect(args[0], compiler)
			if err != nil {
				return err
			}
			l := listing(program)
			if format == "json" {
				return l.WriteJSON(a.stdout)
			}
			return l.WriteText(a.stdout)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	compilerFlags(cmd.Flags(), &compiler)
	complete(cmd, "arch", archs...)
	return cmd
}

// listing describes a program's kernels.
func listing(program *launch.Inspection) *report.Listing {
	l := &report.Listing{Program: program.File, Kernels: []report.ListedKernel{}}
	for _, k := range program.Kernels() {
		d := k.Describe()
		out := report.ListedKernel{Name: k.Full, PTXName: k.Name, File: k.Source.File, Line: k.Source.Line, ParamBytes: k.ParamBytes(),
			StaticShared: d.Static, DynamicShared: d.Dynamic, Functions: d.Functions, MaxThreads: k.MaxThreads, RequiredThreads: k.ReqThreads,
			Params: []report.ListedParam{}, Registers: map[string]int{}, Opcodes: []report.ListedOpcode{}, Unsupported: []report.ListedRefusal{}}
		types := k.Types()
		for i, p := range k.Params {
			cpp := ""
			if types != nil {
				cpp = types[i]
			}
			out.Params = append(out.Params, report.ListedParam{Name: p.Name, Type: cpp, Size: p.Size, Align: p.Align, Offset: p.Offset})
		}
		for _, r := range d.Registers {
			out.Registers[r.Type] = r.Count
		}
		for _, o := range d.Opcodes {
			x := report.ListedOpcode{Name: o.Name, Count: o.Count, Forms: map[string]int{}}
			for _, f := range o.Forms {
				x.Forms[f.Name] = f.Count
			}
			out.Opcodes = append(out.Opcodes, x)
		}
		for _, e := range program.Refused(k) {
			out.Unsupported = append(out.Unsupported, report.ListedRefusal{File: e.File, Line: e.Line, Column: e.Column, Instruction: e.Reading, Reason: e.Cause})
		}
		l.Kernels = append(l.Kernels, out)
	}
	return l
}
