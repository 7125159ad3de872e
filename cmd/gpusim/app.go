package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/report"
)

// app is one call of the command.
type app struct {
	stdout, stderr io.Writer
	status         int
}

// usageError is a mistake on the command line, before any input was read.
type usageError struct{ error }

// Main runs the command and returns its exit status. A panic is a bug of ours: status 3.
func Main(args []string, stdout, stderr io.Writer) (status int) {
	a := &app{stdout: stdout, stderr: stderr}
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(stderr, "%s", debug.Stack())
			status = a.fail(args, report.StatusInternal, fmt.Errorf("internal error: %v", v))
		}
	}()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		return a.fail(args, report.StatusInput, err)
	}
	return a.status
}

// fail reports an error that came before the flags could be used: on standard error, and
// as a report where one in JSON was asked for.
func (a *app) fail(args []string, status int, err error) int {
	a.complain(err)
	if format := wantedFormat(args); format != "" {
		r := &report.Report{Seeds: 1, FailOn: kernel.Error, Internal: status == report.StatusInternal,
			Errors: []report.Error{{Message: err.Error()}}}
		if err := write(a.stdout, format, r, report.Text{}); err != nil {
			fmt.Fprintf(a.stderr, "gpusim: report: %v\n", err)
		}
	}
	return status
}

// complain writes an error to standard error, mistakes in the input with their places.
func (a *app) complain(err error) {
	var input launch.InputErrors
	if errors.As(err, &input) {
		text := report.Text{Color: colour(a.stderr)}
		if text.WriteErrors(a.stderr, input.Report()) == nil {
			return
		}
	}
	fmt.Fprintf(a.stderr, "gpusim: %v\n", err)
}

// wantedFormat looks for --format in arguments that could not be parsed as a whole. Of a
// text report nothing would be left: "" stands for it.
func wantedFormat(args []string) string {
	if len(args) == 0 || args[0] != "check" && args[0] != "run" {
		return ""
	}
	for i, arg := range args {
		value, ok := strings.CutPrefix(arg, "--format=")
		if !ok && arg == "--format" && i+1 < len(args) {
			value = args[i+1]
		}
		if value != "text" && slices.Contains(formats, value) {
			return value
		}
	}
	return ""
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "gpusim",
		Short: "Run GPU kernels on the CPU, and find what is wrong with them",
		Long: "gpusim runs GPU kernels on the CPU, without a GPU, and reports data races, deadlocks,\n" +
			"barrier misuse, memory errors and wrong results. One seed gives one report.\n\n" +
			"Exit status: 0 clean, 1 findings, 2 bad usage or input, 3 internal error, 4 incomplete.",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return usageError{errors.New("a command is missing: check, run, init, ptx, explain, schema or version (gpusim --help)")}
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
			err = fmt.Errorf("--%s %s: %s is expected", invalid.GetFlag().Name, invalid.GetValue(), valueName(invalid.GetFlag().Value.Type()))
		}
		return usageError{fmt.Errorf("%w (%s --help)", err, cmd.CommandPath())}
	})
	root.AddCommand(a.checkCommand(), a.runCommand(), a.initCommand(), a.ptxCommand(), a.explainCommand(), a.schemaCommand(), a.versionCommand(), a.serveCommand())
	refuseUnknown(root)
	return root
}

// valueName says what a flag of a type takes.
func valueName(flagType string) string {
	switch flagType {
	case "uint64":
		return "a whole number from 0 on"
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	}
	return "a list with commas" // with a quotation mark that does not end
}

// refuseUnknown makes an unknown word behind help or completion bad usage, where the library shows a help text.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(cmd *cobra.Command, args []string) error {
				if _, _, err := root.Find(args); err != nil {
					return usageError{err}
				}
				return nil
			}
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				return usageError{errors.New("a shell is missing: bash, zsh, fish or powershell")}
			}
		}
	}
}

// oneFile refuses anything but one FILE before the compiler's flags.
func oneFile(cmd *cobra.Command, args []string) error {
	args, _ = splitArgs(cmd, args)
	switch len(args) {
	case 1:
		return nil
	case 0:
		return usageError{fmt.Errorf("FILE is missing; usage: %s", cmd.UseLine())}
	}
	return usageError{fmt.Errorf("one FILE is expected, not %s; usage: %s", strings.Join(args, " "), cmd.UseLine())}
}
