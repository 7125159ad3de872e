package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpusim/compile"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/pallas"
	"gpusim/scheduler"
)

// inputs are the extensions of what check and run take.
var inputs = []string{"ptx", "cu", "cl", "yaml", "yml", "json"}

// files completes one FILE with one of the extensions.
func files(extensions ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// complete completes a flag's value with one of a list.
func complete(cmd *cobra.Command, flag string, values ...string) {
	mustComplete(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// mustComplete panics for a flag that does not exist: a mistake that every start shows.
func mustComplete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

// kernelNames completes --kernel with the kernels of the FILE that stands before it.
func kernelNames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	program, err := launch.Inspect(args[0], compile.Options{Timeout: time.Second})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, k := range program.Kernels() {
		names = append(names, cobra.CompletionWithDesc(k.Demangled, k.Full))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// lastOf completes the last element of a list that commas separate.
func lastOf(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, sofar string) ([]string, cobra.ShellCompDirective) {
		before := ""
		if i := strings.LastIndexByte(sofar, ','); i >= 0 {
			before = sofar[:i+1]
		}
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = before + v
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completions tells the shell what the flags of check and run take.
func completions(cmd *cobra.Command) {
	cmd.ValidArgsFunction = files(inputs...)
	mustComplete(cmd, "kernel", kernelNames)
	complete(cmd, "arch", archs...)
	complete(cmd, "schedule", schedules...)
	complete(cmd, "granularity", granularities...)
	complete(cmd, "format", formats...)
	complete(cmd, "fail-on", failures...)
	complete(cmd, "completion", pallas.Completions...)
	complete(cmd, "read-overwrite-fence", pallas.Fences...)
	var devices []string
	for _, m := range scheduler.Models {
		devices = append(devices, cobra.CompletionWithDesc(m.Name, m.Title))
	}
	complete(cmd, "device", devices...)
	kinds, policies := []string{"race", "uninit"}, []string{}
	for _, k := range kernel.Kinds {
		kinds = append(kinds, string(k))
		for _, s := range []kernel.Severity{kernel.Error, kernel.Warning, kernel.Info, kernel.Off} {
			policies = append(policies, string(k)+"="+s.String())
		}
	}
	mustComplete(cmd, "disable", lastOf(kinds))
	mustComplete(cmd, "policy", lastOf(policies))
	for _, flag := range []string{"grid", "block", "cluster", "shared", "arg", "seed", "seeds", "workers", "resident", "max-instructions", "max-memory", "metrics-addr"} {
		mustComplete(cmd, flag, cobra.NoFileCompletions)
	}
}
