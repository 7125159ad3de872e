package compile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options choose the compiler. The zero value finds one on PATH.
type Options struct {
	Compiler string        // path or name of a compiler
	CUDAPath string        // a CUDA toolkit, whose headers take the place of the embedded ones
	Arch     string        // takes the place of the sources' Arch
	Flags    []string      // flags beside those of the sources
	Timeout  time.Duration // of one source; default two minutes
	// Interrupt is closed to end a compiler early.
	Interrupt <-chan struct{}
}

// Source is one file to compile.
type Source struct {
	Name  string   // as the user wrote it: so the PTX names it
	Dir   string   // what Name is relative to
	Arch  string   // sm_80 and so on; "" is DefaultArch
	Flags []string // of the compiler
}

// DefaultArch is compiled for if nothing else is said.
const DefaultArch = "sm_80"

const defaultTimeout = 2 * time.Minute

// language is what a source is written in.
type language int

const (
	cuda language = iota
	opencl
)

func (l language) String() string {
	if l == opencl {
		return "OpenCL C"
	}
	return "CUDA C++"
}

// IsSource reports whether a file is one that PTX compiles, by its extension.
func IsSource(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".cu" || ext == ".cl"
}

// PTX compiles one source. What is wrong with the source, or with the compiler, is an *Error.
func PTX(o Options, s Source) ([]byte, error) {
	lang := cuda
	if filepath.Ext(s.Name) == ".cl" {
		lang = opencl
	}
	s.Arch = cmp.Or(o.Arch, s.Arch, DefaultArch)
	if strings.ContainsAny(s.Name, "\r\n") {
		return nil, &Error{Message: "the name of a source cannot hold a line break: PTX has it in comments"}
	}
	if err := checkArch(s.Arch); err != nil {
		return nil, err
	}
	t, err := find(lang, o.Compiler, o.CUDAPath)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "gpusim-")
	if err != nil {
		return nil, &Error{Message: "no room for the compiler's output: " + err.Error()}
	}
	defer os.RemoveAll(tmp) // what a failed removal leaves is the system's to clean
	c := call{Source: s, lang: lang, tool: t, cudaPath: o.CUDAPath, extra: o.Flags, include: filepath.Join(tmp, "include"), out: filepath.Join(tmp, "out.ptx")}
	if t.family == clang {
		if err := os.CopyFS(c.include, headers); err != nil {
			return nil, &Error{Message: "the embedded headers cannot be written: " + err.Error()}
		}
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	messages, err := run(t.path, c.arguments(), s.Dir, timeout, o.Interrupt)
	if err != nil {
		return nil, c.failure(messages, err, timeout)
	}
	text, err := os.ReadFile(c.out)
	if err != nil {
		return nil, &Error{Message: t.name() + " ended without an error and without PTX: " + errors.Unwrap(err).Error()}
	}
	return sourceNames(text, c.include), nil
}

// checkArch refuses what the simulator has no rules for, before a compiler says so at length.
func checkArch(arch string) error {
	n := 0
	if _, err := fmt.Sscanf(arch, "sm_%d", &n); err != nil || n < 70 {
		return &Error{Message: fmt.Sprintf("arch %q: sm_70 to sm_90 are supported", arch)}
	}
	return nil
}

// maxMessages bounds what is kept of a compiler's messages.
const maxMessages = 1 << 20

// run runs a compiler to its end, to the timeout or to an interrupt. What it has started may outlive it and hold its output open: a
// second is waited for that.
func run(path string, args []string, dir string, timeout time.Duration, interrupt <-chan struct{}) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	go func() {
		select {
		case <-interrupt:
			cancel()
		case <-ctx.Done():
		}
	}()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var messages limited
	cmd.Stdout, cmd.Stderr = &messages, &messages
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return messages.String(), err
}

// limited keeps the first maxMessages bytes.
type limited struct{ bytes.Buffer }

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if room := maxMessages - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// here stands for the working directory in what clang writes.
const here = "gpusim-working-directory"

// sourceNames makes the names of files in PTX those that the user wrote.
func sourceNames(text []byte, include string) []byte {
	if !bytes.Contains(text, []byte(here)) && !bytes.Contains(text, []byte(include)) {
		return text
	}
	return []byte(strings.NewReplacer(`"`+here+`/./`, `"`, `"`+here+`/`, `"`, include+"/", embeddedName).Replace(string(text)))
}

// headers are the embedded headers, by the names under which sources include them.
var headers = func() fs.FS {
	sub, err := fs.Sub(embedded, "include")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}()
