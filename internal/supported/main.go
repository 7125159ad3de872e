// Command supported writes docs/supported-ptx.md: what the simulator accepts and what it
// refuses, tried out on every spelling of the syntax lines in lines.go and package alu.
package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"gpusim/ptx"
	"gpusim/ptx/alu"
)

//go:generate go run . ../../docs/supported-ptx.md

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: supported FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(document()), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// verdict is what became of the spellings of a line.
type verdict struct {
	accepted, refused int
	reason            string // of the first that was refused
}

func (v *verdict) add(err error) {
	if err == nil {
		v.accepted++
		return
	}
	if v.refused++; v.refused == 1 {
		v.reason = err.Error()
	}
}

func (l line) try() verdict {
	var v verdict
	for _, name := range alu.Expand(l.syntax) {
		v.add(lowers(name + " " + operands(name, l.operands)))
	}
	return v
}

// arithmetic tries a line of package alu.
func arithmetic(syntax string) verdict {
	var v verdict
	for _, name := range alu.Expand(syntax) {
		w := strings.Split(name, ".")
		var imm []uint64
		if w[0] == "lop3" {
			imm = []uint64{0xca}
		}
		_, err := alu.Lookup(w[0], w[1:], imm...)
		v.add(err)
	}
	return v
}

var fragments = regexp.MustCompile(`\b([AW])(\d)\b`)

// operands fills in what depends on the spelling: %x is a register of the type's width,
// A4 and W4 are vectors of four registers of 32 and 64 bits.
func operands(name, text string) string {
	x := "%r"
	if strings.HasSuffix(strings.Split(name, ".v")[0], "64") {
		x = "%d"
	}
	text = strings.ReplaceAll(text, "%x", x)
	return fragments.ReplaceAllStringFunc(text, func(s string) string {
		reg := "%r"
		if s[0] == 'W' {
			reg = "%d"
		}
		var regs []string
		for i := range int(s[1] - '0') {
			regs = append(regs, fmt.Sprintf("%s%d", reg, i+1))
		}
		return "{" + strings.Join(regs, ", ") + "}"
	})
}

// lowers loads and lowers a kernel that consists of one instruction.
func lowers(instruction string) error {
	text := `.version 8.8 .target sm_90 .address_size 64
.visible .entry k(.param .u64 x) {
.reg .b16 %h<9>; .reg .b32 %r<17>; .reg .b64 %d<9>; .reg .b128 %q<9>; .reg .pred %p<9>;
` + instruction + `;
L: ret; }`
	m, err := ptx.Load([]ptx.Source{{Name: "k.ptx", Text: []byte(text)}})
	if err != nil {
		return err
	}
	k, err := m.Find("k")
	if err != nil {
		return err
	}
	_, err = k.Program(make([]byte, k.ParamBytes()))
	return err
}

// place is the position at the start of an error, with the instruction that it repeats.
var place = regexp.MustCompile(`^k\.ptx:\d+:\d+: (?:.*?: )?`)

// short makes a reason of an error.
func (v verdict) short() string {
	reason := strings.SplitN(v.reason, "\n", 2)[0]
	return place.ReplaceAllString(reason, "")
}

func document() string {
	var b strings.Builder
	b.WriteString("# Supported PTX\n\n<!-- Made by `go generate ./internal/supported`; do not edit. -->\n\n" +
		"What gpusim accepts, by syntax line of the PTX ISA: `{a,b}` is one of a and b, `{,.a}` an optional `.a`. Every spelling of every line was lowered when this table was made, and a test does it again. " +
		"Lines under \"Refused\" are recognised and refused with the reason given; a program is refused only if a kernel that is launched can reach such an instruction.\n")
	var refused []string
	list := func(title string, lines []line, try func(line) verdict) {
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		seen := map[string]bool{}
		for _, l := range lines {
			v := try(l)
			switch {
			case seen[l.syntax]:
			case v.refused == 0:
				fmt.Fprintf(&b, "- `%s`\n", l.syntax)
			default:
				refused = append(refused, fmt.Sprintf("| `%s` | %s |\n", strings.ReplaceAll(l.syntax, "|", "\\|"), v.short()))
			}
			seen[l.syntax] = true
		}
	}
	var arith []line
	for _, s := range alu.Syntax {
		arith = append(arith, line{syntax: s})
	}
	list("Arithmetic, logic, comparison and conversion", arith, func(l line) verdict { return arithmetic(l.syntax) })
	for _, s := range sections {
		list(s.title, s.lines, line.try)
	}
	slices.Sort(refused)
	b.WriteString("\n## Refused\n\n| instruction | why |\n|---|---|\n" + strings.Join(refused, ""))
	return b.String()
}
