package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpusim/compile"
)

// compilerFlags registers the flags that choose the compiler of sources.
func compilerFlags(s *pflag.FlagSet, o *compile.Options) {
	s.StringVar(&o.Compiler, "compiler", "", "compiler for sources (default nvcc for .cu, else clang-19, a newer clang-N or clang);\n"+
		"flags for it stand behind --")
	s.StringVar(&o.Arch, "arch", "", "architecture that sources are compiled for, sm_70 to sm_90 (default "+compile.DefaultArch+", or that of the launch file)")
	s.StringVar(&o.CUDAPath, "cuda-path", "", "CUDA toolkit whose headers clang uses (default headers of our own)")
}

// archs are the architectures that --arch completes.
var archs = []string{"sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"}

// splitArgs splits arguments at a "--": FILE before it, flags for the compiler behind it.
func splitArgs(cmd *cobra.Command, args []string) (files, flags []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}
