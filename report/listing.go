package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// ListingSchema is the version of the JSON listing.
const ListingSchema = "gpusim-ptx/1"

// Listing tells what a program holds. Like that of a report, its JSON has all keys, and no
// list is null.
type Listing struct {
	Program string
	Kernels []ListedKernel
}

// ListedKernel is a kernel with all functions that it can reach.
type ListedKernel struct {
	Name            string          `json:"name"` // C++
	PTXName         string          `json:"ptx_name"`
	File            string          `json:"file"`
	Line            int             `json:"line"`
	Params          []ListedParam   `json:"params"`
	ParamBytes      int             `json:"param_bytes"`
	StaticShared    int64           `json:"static_shared"`
	DynamicShared   bool            `json:"dynamic_shared"`
	Functions       int             `json:"functions"` // device functions that it can reach
	MaxThreads      [3]int          `json:"maxntid"`
	RequiredThreads [3]int          `json:"reqntid"`
	Registers       map[string]int  `json:"registers"` // virtual ones of the kernel itself, by type
	Opcodes         []ListedOpcode  `json:"opcodes"`
	Unsupported     []ListedRefusal `json:"unsupported"`
}

// ListedParam is a parameter.
type ListedParam struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // C++; "" if unknown
	Size   int    `json:"size"`
	Align  int    `json:"align"`
	Offset int    `json:"offset"`
}

// ListedOpcode counts the instructions of an opcode, as a whole and by their modifiers.
type ListedOpcode struct {
	Name  string         `json:"opcode"`
	Count int            `json:"count"`
	Forms map[string]int `json:"forms"`
}

// ListedRefusal is something that the simulator does not support.
type ListedRefusal struct {
	File        string `json:"file"`
	Line        int    `json:"line"`
	Column      int    `json:"column"`
	Instruction string `json:"instruction"`
	Reason      string `json:"reason"`
}

// WriteJSON writes the listing as JSON.
func (l *Listing) WriteJSON(w io.Writer) error {
	return writeJSON(w, struct {
		Schema  string         `json:"schema"`
		Program string         `json:"program"`
		Kernels []ListedKernel `json:"kernels"`
	}{ListingSchema, l.Program, l.Kernels})
}

// WriteText writes the listing for people.
func (l *Listing) WriteText(w io.Writer) error {
	p := &printer{w: w}
	p.line("%s: %s", l.Program, plural(len(l.Kernels), "kernel", "kernels"))
	for _, k := range l.Kernels {
		p.line("")
		p.listed(k)
	}
	return p.err
}

func (p *printer) listed(k ListedKernel) {
	p.line("%s", k.Name)
	p.line("  %s:%d, .entry %s", k.File, k.Line, k.PTXName)
	p.line("  parameters      %s in %s", plural(k.ParamBytes, "byte", "bytes"), plural(len(k.Params), "parameter", "parameters"))
	for i, x := range k.Params {
		p.line("    %-3d %-24s %s, offset %d%s", i, x.Type, plural(x.Size, "byte", "bytes"), x.Offset, ownName(x.Name))
	}
	dynamic := "no dynamic"
	if k.DynamicShared {
		dynamic = "and dynamic"
	}
	p.line("  shared memory   %s static, %s", plural(int(k.StaticShared), "byte", "bytes"), dynamic)
	if k.MaxThreads[0] > 0 {
		p.line("  .maxntid        %s", directive(k.MaxThreads))
	}
	if k.RequiredThreads[0] > 0 {
		p.line("  .reqntid        %s", directive(k.RequiredThreads))
	}
	var words []string
	for _, t := range slices.Sorted(maps.Keys(k.Registers)) {
		words = append(words, fmt.Sprintf("%d .%s", k.Registers[t], t))
	}
	if len(words) == 0 {
		words = append(words, "none")
	}
	p.line("  registers       %s", strings.Join(words, ", "))
	total := 0
	words = nil
	for _, o := range k.Opcodes {
		total += o.Count
		words = append(words, fmt.Sprintf("%s %d", o.Name, o.Count))
	}
	with := ""
	if k.Functions > 0 {
		with = ", with " + plural(k.Functions, "device function", "device functions")
	}
	p.line("  instructions    %s%s", humanize.Comma(int64(total)), with)
	for row := range slices.Chunk(words, 8) {
		p.line("    %s", strings.Join(row, ", "))
	}
	if len(k.Unsupported) == 0 {
		p.line("  unsupported     none")
		return
	}
	p.line("  unsupported     %d: the kernel cannot run", len(k.Unsupported))
	for _, u := range k.Unsupported {
		p.line("    %s:%d:%d: %s: %s", u.File, u.Line, u.Column, u.Instruction, u.Reason)
	}
}

func ownName(name string) string {
	if name == "" {
		return ""
	}
	return ", " + name
}

// directive is an extent as a directive gives it.
func directive(d [3]int) string {
	words := []string{fmt.Sprint(d[0])}
	for _, n := range d[1:] {
		if n > 0 {
			words = append(words, fmt.Sprint(n))
		}
	}
	return strings.Join(words, ", ")
}
