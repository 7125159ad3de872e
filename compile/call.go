package compile

import (
	"os"
	"path/filepath"
	"strings"
)

// call is one run of a compiler.
type call struct {
	Source
	lang     language
	tool     tool
	cudaPath string
	extra    []string
	include  string // the embedded headers
	out      string
}

// arguments is the compiler's command line. The user's flags come last, so that they win.
func (c call) arguments() []string {
	var args []string
	switch {
	case c.tool.family == nvcc:
		args = []string{"-ptx", "-lineinfo", "-arch=" + c.Arch}
	case c.lang == opencl:
		args = c.openCL()
	default:
		args = c.cuda()
	}
	args = append(args, c.Flags...)
	args = append(args, c.extra...)
	name := c.Name
	if strings.HasPrefix(name, "-") {
		name = "./" + name // a file, and no flag
	}
	return append(args, "-o", c.out, name)
}

// common are clang's flags for either language: line numbers, and names of files that do not depend on the machine.
func (c call) common() []string {
	return []string{"-S", "-O2", "-fno-strict-aliasing", "-gline-tables-only", "-fdebug-compilation-dir=" + here, "-fno-color-diagnostics", "-ferror-limit=20"}
}

// ptxVersion is the PTX ISA that clang is told to write: it knows all of sm_90 that is supported.
const ptxVersion = "80"

// cuda are clang's flags for CUDA C++.
func (c call) cuda() []string {
	args := append([]string{"-x", "cuda", "-std=c++17", "--cuda-device-only", "--cuda-gpu-arch=" + c.Arch}, c.common()...)
	if c.cudaPath != "" {
		args = append(args, "--cuda-path="+c.cudaPath, "-Wno-unknown-cuda-version")
		if _, err := os.Stat(filepath.Join(c.cudaPath, "nvvm", "libdevice")); err != nil {
			args = append(args, "-nocudalib") // math stays calls, which the simulator answers
		}
		return args
	}
	return append(args, "--cuda-feature=+ptx"+ptxVersion, "-nocudainc", "-nocudalib", "-isystem", c.include, "-include", "gpusim/runtime.h")
}

// openCL are clang's flags for OpenCL C.
func (c call) openCL() []string {
	args := []string{"-x", "cl", "-cl-std=CL2.0", "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang", c.Arch,
		"-Xclang", "-target-feature", "-Xclang", "+ptx" + ptxVersion, "-gdwarf-2", "-Xclang", "-debug-info-kind=line-directives-only"}
	return append(append(args, c.common()...), "-isystem", c.include, "-include", "gpusim/opencl.h")
}
