package launch

import (
	"path/filepath"

	"gpusim/compile"
	"gpusim/kernel"
	"gpusim/pallas"
)

// Plan is a launch file, or a program and its flags, as read. It says nothing yet about
// what the program's kernels want: Prepare compares the two.
type Plan struct {
	programs []scalar // in link order
	dir      string   // what relative paths in the plan are relative to
	compiler compile.Options
	arch     scalar // of compile; text "": not given
	flags    []string
	buffers  []*buffer
	steps    []step
	expects  []expectation
	pallas   *pallas.Module // an exported program, which needs no front end's Load
}

// Program is the name of the program as the user wrote it; of a list, the first.
func (p *Plan) Program() string {
	if len(p.programs) == 0 {
		return ""
	}
	return p.programs[0].text
}

// buffer is device memory: a buffer of its own or a module variable.
type buffer struct {
	name   string
	at     place
	symbol scalar // of a module variable; text "" for a buffer
	dtype  DType
	shape  []int64
	count  int64 // elements
	init   *initialiser
}

func (b *buffer) size() int64 { return b.count * int64(b.dtype.Size) }

// step is one entry of the list of launches.
type step struct {
	at     place
	free   string // a buffer's name: this step frees it and launches nothing
	kernel scalar // text "": the only entry of the program
	grid   kernel.Dim3
	block  kernel.Dim3
	// shared is the dynamic shared memory in bytes, without what {shared: N} arguments add.
	shared   int64
	sharedAt place
	blockAt  place
	args     []*argument
	argsAt   place
}

// argument is one kernel argument, or a member of a struct argument.
type argument struct {
	at      place
	text    string // as messages name it
	buffer  string // a pointer into this buffer
	offset  int64
	bytes   []byte      // a scalar, raw bytes or padding
	parts   []*argument // a struct
	shared  int64       // a pointer to that much dynamic shared memory
	isShare bool
}

// size is the argument's length in bytes.
func (a *argument) size() int {
	switch {
	case a.buffer != "" || a.isShare:
		return pointerSize
	case a.parts != nil:
		n := 0
		for _, p := range a.parts {
			n += p.size()
		}
		return n
	}
	return len(a.bytes)
}

const pointerSize = 8

// expectation is what a buffer shall hold at the end.
type expectation struct {
	at         place
	buffer     string
	want       *initialiser
	atol, rtol float64
}

// SourceDirs lists the directories in which the report looks for source files.
func (p *Plan) SourceDirs() []string {
	dirs := []string{p.dir}
	for _, s := range p.programs {
		d := filepath.Dir(s.text)
		if !filepath.IsAbs(d) {
			d = filepath.Join(p.dir, d)
		}
		if !contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	if !contains(dirs, ".") {
		dirs = append(dirs, ".")
	}
	return dirs
}
