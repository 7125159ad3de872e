package launch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gpusim/ptx"
)

// The placeholders of a starter file. A kernel of one dimension stays within its buffers
// for a size of 64, and one that works on square matrices does too.
const (
	starterElements = 4096
	starterNumber   = 64
	starterShared   = 4096
)

// Starter is a launch file for a kernel, with comments, and with a placeholder for
// everything that only the user can know. program is the path that the file shall give.
func (i *Inspection) Starter(k *ptx.Kernel, program string) string {
	s := &starter{kernel: k, names: map[string]bool{}}
	s.parameters()
	d := k.Describe()
	name := k.Demangled
	if same, err := i.module.Find(name); err != nil || same != k {
		name = k.Full
	}

	var b strings.Builder
	line := func(text, comment string) {
		if comment != "" {
			text = fmt.Sprintf("%-40s # %s", text, comment)
		}
		b.WriteString(text + "\n")
	}
	line("# A launch file for "+k.Full+".", "")
	line("# Sizes, values and extents are placeholders: put yours in their place.", "")
	line("program: "+yamlString(program), "")
	if len(s.buffers) > 0 {
		line("buffers:", "device memory")
		for _, x := range s.buffers {
			line("  "+x.text, x.comment)
		}
	}
	for _, text := range i.variables(d) {
		line(text, "")
	}
	line("launches:", "in order, one stream")
	line("  - kernel: "+yamlString(name), "")
	line("    grid: "+extentText(starterGrid(d)), "blocks, x first: one to three numbers")
	block, why := s.block(d)
	line("    block: "+extentText(block), why)
	if d.Dynamic {
		line(fmt.Sprintf("    shared: %d", starterShared), "bytes of dynamic shared memory")
	}
	if len(s.args) > 0 {
		line("    args:", "")
		for _, x := range s.args {
			line("      - "+x.text, x.comment)
		}
	}
	line("# What has to come out, if you know it; anything else is the finding wrong-result:", "")
	line("# expect:", "")
	line("#   "+s.result()+": {npy: want.npy, rtol: 1e-5}", "or {values: [...]}, {fill: 0}")
	return b.String()
}

// starter collects the lines for parameters.
type starter struct {
	kernel        *ptx.Kernel
	names         map[string]bool
	written       string // a buffer that the kernel writes
	buffers, args []commented
}

type commented struct{ text, comment string }

func (s *starter) parameters() {
	types := s.kernel.Types()
	uses := s.kernel.Uses()
	for i, p := range s.kernel.Params {
		var parts []ptx.Use
		for _, u := range uses {
			if u.Param == i {
				parts = append(parts, u)
			}
		}
		cpp := ""
		if types != nil {
			cpp = types[i]
		}
		about := fmt.Sprintf("parameter %d, %s", i, byteCount(p.Size))
		if cpp != "" {
			about += ": " + cpp
		}
		if len(parts) == 1 && parts[0].Size == p.Size {
			s.args = append(s.args, commented{s.value(s.name(p.Name, i), cpp, parts[0]), about})
			continue
		}
		s.args = append(s.args, commented{s.structure(s.name(p.Name, i), p.Size, parts), about + "; check the members"})
	}
}

// structure is an argument with the members that the kernel loads, and zeros between them.
func (s *starter) structure(name string, size int, parts []ptx.Use) string {
	var members []string
	at := 0
	pad := func(to int) {
		if to > at {
			members = append(members, fmt.Sprintf("{pad: %d}", to-at))
		}
	}
	for _, u := range parts {
		if u.Offset < at || u.Offset+u.Size > size {
			continue
		}
		pad(u.Offset)
		v := s.value(fmt.Sprintf("%s_%d", name, u.Offset), "", u)
		if !strings.HasPrefix(v, "{") {
			v = "{buffer: " + v + "}"
		}
		members = append(members, v)
		at = u.Offset + u.Size
	}
	pad(size)
	return "{struct: [" + strings.Join(members, ", ") + "]}"
}

// value is an argument for a scalar or a pointer; a pointer gets a buffer.
func (s *starter) value(name, cpp string, u ptx.Use) string {
	t := guessType(cpp, u)
	switch {
	case t.shared:
		return fmt.Sprintf("{shared: %d}", starterShared)
	case !t.pointer:
		return fmt.Sprintf("{%s: %s}", t.dtype.Name, t.number())
	}
	in := "zeros"
	if t.input {
		in = fmt.Sprintf("{random: {seed: 1, low: 0, high: %d}}", starterNumber)
		if t.dtype.class == floating {
			in = "{random: {seed: 1, low: -1, high: 1}}"
		}
	}
	about := cpp
	if about == "" {
		about = "pointer"
	}
	switch {
	case u.Read && u.Written:
		about += ", read and written"
	case u.Read:
		about += ", read"
	case u.Written:
		about += ", written"
	}
	if t.guess {
		about += "; the type is a guess"
	}
	if !t.input && s.written == "" {
		s.written = name
	}
	s.buffers = append(s.buffers, commented{fmt.Sprintf("%s: {dtype: %s, shape: [%d], init: %s}", name, t.dtype.Name, starterElements*t.lanes, in), about})
	return name
}

// result is the buffer that the hint on expectations names.
func (s *starter) result() string {
	if s.written != "" {
		return s.written
	}
	return "out"
}

var (
	compilerName = regexp.MustCompile(`(^|_)param_(\d+)$`)
	notWord      = regexp.MustCompile(`[^A-Za-z0-9_]`)
	identifier   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$`)
	plainYAML    = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./-]*$`)
)

// name is a buffer's name for a parameter: its own, unless a compiler made it up.
func (s *starter) name(param string, i int) string {
	name := strings.TrimPrefix(param, s.kernel.Name+"_")
	if compilerName.MatchString(name) {
		name = fmt.Sprintf("arg%d", i)
	}
	name = notWord.ReplaceAllString(name, "_")
	if !identifier.MatchString(name) || s.names[name] || yamlWord(name) {
		name = fmt.Sprintf("arg%d_%s", i, name)
	}
	s.names[name] = true
	return name
}

// yamlWord reports whether YAML or a launch file takes a word for something else.
func yamlWord(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return looksNumeric(scalar{text: s})
}

// yamlString writes a string so that YAML reads it as one.
func yamlString(s string) string {
	if plainYAML.MatchString(s) && !yamlWord(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// block is the shape of a block that the kernel accepts, and what to say about it.
func (s *starter) block(d ptx.Description) (extent []int, comment string) {
	k := s.kernel
	if k.ReqThreads[0] > 0 {
		return []int{k.ReqThreads[0], max(k.ReqThreads[1], 1), max(k.ReqThreads[2], 1)}, "threads of a block, x first: the kernel requires this (.reqntid)"
	}
	extent = [][]int{{256}, {16, 16}, {8, 8, 4}}[d.BlockDims-1]
	most := k.MaxThreads[0] * max(k.MaxThreads[1], 1) * max(k.MaxThreads[2], 1)
	if most == 0 {
		return extent, "threads of a block, x first: at most 1,024"
	}
	n := 1
	for _, x := range extent {
		n *= x
	}
	if n > most {
		extent = []int{most}
	}
	return extent, fmt.Sprintf("threads of a block, x first: at most %d (.maxntid)", most)
}

// starterGrid is two blocks in each dimension that the kernel looks at.
func starterGrid(d ptx.Description) []int { return []int{2, 2, 2}[:d.GridDims] }

// extentText writes an extent without ones at its end.
func extentText(e []int) string {
	for len(e) > 1 && e[len(e)-1] == 1 {
		e = e[:len(e)-1]
	}
	return strings.Join(strings.Fields(fmt.Sprint(e)), ", ")
}

// variables are commented lines for the module variables that a user may want to set.
func (i *Inspection) variables(d ptx.Description) (lines []string) {
	const most = 20
	for _, v := range i.module.Variables() {
		if v.Extern || v.Size == 0 || !identifier.MatchString(v.Demangled) || !slices.Contains(d.Variables, v.Demangled) {
			continue
		}
		if len(lines) == 0 {
			lines = append(lines, "# Module variables keep what the program says, unless they stand among the buffers:")
		}
		if len(lines) > most {
			return append(lines, "#   ...")
		}
		lines = append(lines, fmt.Sprintf("#   %s: {symbol: %s, dtype: u8, shape: [%d], init: zeros}",
			notWord.ReplaceAllString(v.Demangled, "_"), yamlString(v.Demangled), v.Size))
	}
	return lines
}
