package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"gpusim/compile"
)

// Input is what the command line says.
type Input struct {
	File string
	// The flags of a program; a launch file takes none of them. Extents are "8,8".
	Kernel, Grid, Block, Cluster, Shared string
	Args                                 []string // --arg, in the kernel's order
	Compile                              compile.Options
}

// pallasKey is the top key of an exported Pallas program.
const pallasKey = `"gpusim-pallas"`

// Extensions is the help for a FILE of an unknown kind.
const Extensions = "FILE is PTX (.ptx), a launch file (.yaml .yml .json), an exported Pallas program (.json), or a source (.cu .cl)"

// Read reads a launch file, or a program with its flags, and everything that they name
// but the program itself. All buffers together may take maxMemory bytes. The plan is
// never nil.
func Read(in Input, maxMemory int64) (*Plan, InputErrors) {
	info, err := os.Stat(in.File)
	switch {
	case err != nil:
		return &Plan{}, InputErrors{{File: in.File, Reading: "FILE", Cause: plainError(err).Error()}}
	case info.IsDir():
		return &Plan{}, InputErrors{{File: in.File, Reading: "FILE", Cause: "it is a directory; " + Extensions}}
	}
	switch ext := filepath.Ext(in.File); ext {
	case ".ptx", ".cu", ".cl":
		plan, errs := readFlags(in, maxMemory)
		plan.compiler = in.Compile
		return plan, errs
	case ".yaml", ".yml", ".json":
		text, err := os.ReadFile(in.File)
		if err != nil {
			return &Plan{}, InputErrors{{File: in.File, Reading: "FILE", Cause: plainError(err).Error()}}
		}
		if head := text[:min(len(text), 4096)]; ext == ".json" && bytes.Contains(head, []byte(pallasKey)) {
			plan, errs := readPallas(in.File, filepath.Dir(in.File), text, maxMemory)
			return plan, append(errs, in.refuseFlags()...)
		}
		plan, errs := decodeFile(in.File, filepath.Dir(in.File), text, maxMemory)
		plan.compiler = in.Compile
		return plan, append(errs, in.refuseFlags()...)
	case "":
		return &Plan{}, InputErrors{{File: in.File, Reading: "FILE", Cause: "it has no extension; " + Extensions}}
	default:
		return &Plan{}, InputErrors{{File: in.File, Reading: "FILE", Cause: "unknown extension " + ext + "; " + Extensions}}
	}
}

// refuseFlags reports the flags that only a program takes.
func (in Input) refuseFlags() (errs InputErrors) {
	for _, f := range []struct{ name, value string }{{"--kernel", in.Kernel}, {"--grid", in.Grid}, {"--block", in.Block},
		{"--cluster", in.Cluster}, {"--shared", in.Shared}, {"--arg", strings.Join(in.Args, " ")}} {
		if f.value != "" {
			errs = append(errs, InputError{Reading: f.name, Cause: "it goes with a program; the launch file " + in.File + " says how to launch"})
		}
	}
	return errs
}

// checkPrograms reports programs that are not there or of a kind that cannot be run.
func (c *checker) checkPrograms(list []scalar) {
	for _, s := range list {
		const what = "program"
		switch ext := filepath.Ext(s.text); ext {
		case ".ptx", ".cu", ".cl":
			if info, err := os.Stat(c.path(s.text)); err != nil {
				c.add(s.at, what, "%s: %v", s.text, plainError(err))
			} else if info.IsDir() {
				c.add(s.at, what, "%s is a directory", s.text)
			}
		case ".json":
			c.add(s.at, what, "%s: a Pallas program says itself how it is launched: give it to gpusim in place of the launch file", s.text)
		default:
			c.add(s.at, what, "%s: unknown extension %q; a program is PTX (.ptx) or a source (.cu .cl)", s.text, ext)
		}
	}
}
