//go:build ignore

// generate writes the operations in their two forms: loops in Go (loops.go) and AVX2
// assembly (lanes_amd64.s, with declarations in lanes_amd64.go; lanes_other.go for other
// processors).
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"strings"
)

// form is one operation. dst and src are operand classes: v and d registers of 32 and 64
// bits a lane, f a v that holds floats, p a mask. go is a lane's value in terms of a, b
// and c (0 or 1 for a comparison). avx are the instructions for one chunk of lanes, eight
// of 32 bits or four of 64: {a} {b} {c} are the chunk's memory operands, the result is left
// in Y0 (for a comparison as a mask in every lane).
type form struct{ name, doc, dst, src, loop, avx string }

const (
	nan  = "; VCMPPS $3, Y0, Y0, Y1; VBLENDVPS Y1, Y15, Y0, Y0" // NaNs become the canonical one
	flip = "VPXOR {a}, Y14, Y0; VPXOR {b}, Y14, Y1"             // unsigned order as signed
)

var forms = []form{
	{"Add32", "add.u32", "v", "vv", "a + b", "VMOVDQU {a}, Y0; VPADDD {b}, Y0, Y0"},
	{"Sub32", "sub.u32", "v", "vv", "a - b", "VMOVDQU {a}, Y0; VPSUBD {b}, Y0, Y0"},
	{"Mul32", "mul.lo.u32", "v", "vv", "a * b", "VMOVDQU {a}, Y0; VPMULLD {b}, Y0, Y0"},
	{"Mad32", "mad.lo.u32", "v", "vvv", "a*b + c", "VMOVDQU {a}, Y0; VPMULLD {b}, Y0, Y0; VPADDD {c}, Y0, Y0"},
	{"And32", "and.b32", "v", "vv", "a & b", "VMOVDQU {a}, Y0; VPAND {b}, Y0, Y0"},
	{"Or32", "or.b32", "v", "vv", "a | b", "VMOVDQU {a}, Y0; VPOR {b}, Y0, Y0"},
	{"Xor32", "xor.b32", "v", "vv", "a ^ b", "VMOVDQU {a}, Y0; VPXOR {b}, Y0, Y0"},
	// Go's shifts and AVX2's clamp like PTX's: a count of the width or more gives 0 (or the sign).
	{"Shl32", "shl.b32", "v", "vv", "a << b", "VMOVDQU {a}, Y0; VPSLLVD {b}, Y0, Y0"},
	{"ShrU32", "shr.u32", "v", "vv", "a >> b", "VMOVDQU {a}, Y0; VPSRLVD {b}, Y0, Y0"},
	{"ShrS32", "shr.s32", "v", "vv", "uint32(int32(a) >> b)", "VMOVDQU {a}, Y0; VPSRAVD {b}, Y0, Y0"},
	{"MinS32", "min.s32", "v", "vv", "uint32(min(int32(a), int32(b)))", "VMOVDQU {a}, Y0; VPMINSD {b}, Y0, Y0"},
	{"MaxS32", "max.s32", "v", "vv", "uint32(max(int32(a), int32(b)))", "VMOVDQU {a}, Y0; VPMAXSD {b}, Y0, Y0"},
	{"MinU32", "min.u32", "v", "vv", "min(a, b)", "VMOVDQU {a}, Y0; VPMINUD {b}, Y0, Y0"},
	{"MaxU32", "max.u32", "v", "vv", "max(a, b)", "VMOVDQU {a}, Y0; VPMAXUD {b}, Y0, Y0"},
	{"MulWideS", "mul.wide.s32", "d", "vv", "uint64(int64(int32(a)) * int64(int32(b)))", "VPMOVSXDQ {a}, Y0; VPMOVSXDQ {b}, Y1; VPMULDQ Y1, Y0, Y0"},
	{"MulWideU", "mul.wide.u32", "d", "vv", "uint64(a) * uint64(b)", "VPMOVZXDQ {a}, Y0; VPMOVZXDQ {b}, Y1; VPMULUDQ Y1, Y0, Y0"},
	{"MadWideS", "mad.wide.s32", "d", "vvd", "uint64(int64(int32(a))*int64(int32(b))) + c", "VPMOVSXDQ {a}, Y0; VPMOVSXDQ {b}, Y1; VPMULDQ Y1, Y0, Y0; VPADDQ {c}, Y0, Y0"},
	{"MadWideU", "mad.wide.u32", "d", "vvd", "uint64(a)*uint64(b) + c", "VPMOVZXDQ {a}, Y0; VPMOVZXDQ {b}, Y1; VPMULUDQ Y1, Y0, Y0; VPADDQ {c}, Y0, Y0"},
	{"Add64", "add.u64", "d", "dd", "a + b", "VMOVDQU {a}, Y0; VPADDQ {b}, Y0, Y0"},
	{"Sub64", "sub.u64", "d", "dd", "a - b", "VMOVDQU {a}, Y0; VPSUBQ {b}, Y0, Y0"},
	{"And64", "and.b64", "d", "dd", "a & b", "VMOVDQU {a}, Y0; VPAND {b}, Y0, Y0"},
	{"Or64", "or.b64", "d", "dd", "a | b", "VMOVDQU {a}, Y0; VPOR {b}, Y0, Y0"},
	{"Xor64", "xor.b64", "d", "dd", "a ^ b", "VMOVDQU {a}, Y0; VPXOR {b}, Y0, Y0"},
	{"Shl64", "shl.b64", "d", "dv", "a << b", "VMOVDQU {a}, Y0; VPMOVZXDQ {b}, Y1; VPSLLVQ Y1, Y0, Y0"},
	{"ShrU64", "shr.u64", "d", "dv", "a >> b", "VMOVDQU {a}, Y0; VPMOVZXDQ {b}, Y1; VPSRLVQ Y1, Y0, Y0"},
	{"WideS", "cvt.s64.s32", "d", "v", "uint64(int64(int32(a)))", "VPMOVSXDQ {a}, Y0"},
	{"WideU", "cvt.u64.u32", "d", "v", "uint64(a)", "VPMOVZXDQ {a}, Y0"},
	{"Narrow", "cvt.u32.u64", "v", "d", "uint32(a)", "VMOVDQU {a}, Y0; VMOVDQU {a+32}, Y1; VSHUFPS $0x88, Y1, Y0, Y0; VPERMQ $0xD8, Y0, Y0"},
	{"AddF32", "add.rn.f32", "v", "ff", "canon(a + b)", "VMOVDQU {a}, Y0; VADDPS {b}, Y0, Y0" + nan},
	{"SubF32", "sub.rn.f32", "v", "ff", "canon(a - b)", "VMOVDQU {a}, Y0; VSUBPS {b}, Y0, Y0" + nan},
	{"MulF32", "mul.rn.f32", "v", "ff", "canon(a * b)", "VMOVDQU {a}, Y0; VMULPS {b}, Y0, Y0" + nan},
	{"FmaF32", "fma.rn.f32", "v", "fff", "", "VMOVDQU {c}, Y0; VMOVDQU {a}, Y1; VFMADD231PS {b}, Y1, Y0" + nan},
	// The integer comparisons in Go subtract in 64 bits, where the sign of the difference is
	// the answer: no branch a lane.
	{"LtS32", "setp.lt.s32", "p", "vv", "uint32(uint64(int64(int32(a))-int64(int32(b))) >> 63)", "VMOVDQU {b}, Y0; VPCMPGTD {a}, Y0, Y0"},
	{"LtU32", "setp.lt.u32", "p", "vv", "uint32((uint64(a) - uint64(b)) >> 63)", flip + "; VPCMPGTD Y0, Y1, Y0"},
	{"Eq32", "setp.eq.b32", "p", "vv", "uint32((uint64(a^b) - 1) >> 63)", "VMOVDQU {a}, Y0; VPCMPEQD {b}, Y0, Y0"},
	{"LtS64", "setp.lt.s64", "p", "dd", "bit(int64(a) < int64(b))", "VMOVDQU {b}, Y0; VPCMPGTQ {a}, Y0, Y0"},
	{"LtU64", "setp.lt.u64", "p", "dd", "bit(a < b)", strings.ReplaceAll(flip, "Y14", "Y13") + "; VPCMPGTQ Y0, Y1, Y0"},
	{"Eq64", "setp.eq.b64", "p", "dd", "bit(a == b)", "VMOVDQU {a}, Y0; VPCMPEQQ {b}, Y0, Y0"},
	{"LtF32", "setp.lt.f32", "p", "ff", "bit(a < b)", "VMOVDQU {a}, Y0; VCMPPS $17, {b}, Y0, Y0"},
	{"LeF32", "setp.le.f32", "p", "ff", "bit(a <= b)", "VMOVDQU {a}, Y0; VCMPPS $18, {b}, Y0, Y0"},
	{"EqF32", "setp.eq.f32", "p", "ff", "bit(a == b)", "VMOVDQU {a}, Y0; VCMPPS $0, {b}, Y0, Y0"},
}

// special operations do not fit the pattern: their Go form stands in lanes.go.
var special = []struct{ name, doc, twin, params, args, body string }{
	{"Select32", "selp.b32: lanes of a where the predicate is set, else of b. A blend is Select32(d, s, d, mask).", "select32", "d, a, b *V, p uint32", "dabp", selectBody(4, "VPBROADCASTD", "VPCMPEQD", "VBLENDVPS")},
	{"Select64", "selp.b64.", "select64", "d, a, b *D, p uint32", "dabp", selectBody(8, "VPBROADCASTQ", "VPCMPEQQ", "VBLENDVPD")},
	{"Copy32", "mov.b32.", "copy32", "d, s *V", "ds", moveBody(4)},
	{"CopyHalf", "mov.b32 of 16 lanes.", "copyHalf", "d, s *Half", "ds", moveBody(2)},
	{"Splat32", "gives all lanes one value.", "splat32", "d *V, v uint32", "dv", "MOVL v+8(FP), AX\nMOVQ AX, X0\nVPBROADCASTD X0, Y0\n" + stores(4)},
	{"SplatHalf", "gives 16 lanes one value.", "splatHalf", "d *Half, v uint32", "dv", "MOVL v+8(FP), AX\nMOVQ AX, X0\nVPBROADCASTD X0, Y0\n" + stores(2)},
	{"Splat64", "gives all lanes one value.", "splat64", "d *D, v uint64", "dv", "VPBROADCASTQ v+8(FP), Y0\n" + stores(8)},
}

func moveBody(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "VMOVDQU %d(SI), Y%d\n", 32*i, i)
	}
	for i := range n {
		fmt.Fprintf(&b, "VMOVDQU Y%d, %d(DI)\n", i, 32*i)
	}
	return b.String()
}

func stores(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "VMOVDQU Y0, %d(DI)\n", 32*i)
	}
	return b.String()
}

func selectBody(n int, broadcast, compare, blend string) string {
	var b strings.Builder
	table := "·bits32"
	if n == 8 {
		table = "·bits64"
	}
	fmt.Fprintf(&b, "MOVL p+24(FP), AX\nMOVQ AX, X2\n%s X2, Y2\nLEAQ %s(SB), BX\n", broadcast, table)
	for i := range n {
		fmt.Fprintf(&b, "VPAND %d(BX), Y2, Y3\n%s %d(BX), Y3, Y3\nVMOVDQU %d(CX), Y1\n%s Y3, %d(SI), Y1, Y0\nVMOVDQU Y0, %d(DI)\n",
			32*i, compare, 32*i, 32*i, blend, 32*i, 32*i)
	}
	return b.String()
}

func main() {
	var loops, decl, asm, other bytes.Buffer
	head := "// Code generated by generate.go; DO NOT EDIT.\n\n"
	loops.WriteString(head + "package lanes\n")
	decl.WriteString(head + "package lanes\n\nimport \"golang.org/x/sys/cpu\"\n\n// avx2 selects the assembly. The tests switch it off to compare.\nvar avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA\n")
	other.WriteString(head + "//go:build !amd64\n\npackage lanes\n")
	asm.WriteString(head + "#include \"textflag.h\"\n\n")
	constants(&asm)
	for _, f := range forms {
		f.writeLoop(&loops)
		params, result := f.params()
		declare(&decl, &other, f.name, f.doc, twin(f.name), params, result)
		f.writeAsm(&asm)
	}
	for _, s := range special {
		declare(&decl, &other, s.name, s.doc, s.twin, s.params, "")
		size := 8 * len(s.args)
		if strings.HasSuffix(s.params, "uint32") {
			size -= 4
		}
		start(&asm, s.name, s.twin, size)
		for i, c := range s.args {
			if reg, ok := map[rune]string{'d': "DI", 's': "SI", 'a': "SI", 'b': "CX"}[c]; ok {
				fmt.Fprintf(&asm, "MOVQ %c+%d(FP), %s\n", c, 8*i, reg)
			}
		}
		asm.WriteString(s.body + "VZEROUPPER\nRET\n")
	}
	declare(&decl, &other, "Matches", "reports whether all lanes of a lie at rel from the first lane.", "matches", "a, rel *D", "(ok bool)")
	start(&asm, "Matches", "matches", 17)
	asm.WriteString("MOVQ a+0(FP), SI\nMOVQ rel+8(FP), CX\nVPBROADCASTQ (SI), Y1\nVPXOR Y2, Y2, Y2\n")
	for i := range 8 {
		fmt.Fprintf(&asm, "VMOVDQU %d(SI), Y0\nVPSUBQ Y1, Y0, Y0\nVPXOR %d(CX), Y0, Y0\nVPOR Y0, Y2, Y2\n", 32*i, 32*i)
	}
	asm.WriteString("VPTEST Y2, Y2\nSETEQ ok+16(FP)\nVZEROUPPER\nRET\n")
	for name, b := range map[string]*bytes.Buffer{"loops.go": &loops, "lanes_amd64.go": &decl, "lanes_other.go": &other} {
		text, err := format.Source(b.Bytes())
		if err != nil {
			log.Fatal(name, ": ", err)
		}
		write(name, text)
	}
	write("lanes_amd64.s", asm.Bytes())
}

func write(name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		log.Fatal(err)
	}
}

func twin(name string) string {
	if name == "FmaF32" {
		return "fma32"
	}
	return strings.ToLower(name[:1]) + name[1:]
}

func declare(decl, other *bytes.Buffer, name, doc, twin, params, result string) {
	verb := ""
	if !strings.HasPrefix(doc, "gives") && !strings.HasPrefix(doc, "reports") {
		verb = "is "
	}
	doc = strings.TrimSuffix(doc, ".")
	fmt.Fprintf(decl, "\n// %s %s%s.\n//\n//go:noescape\nfunc %s(%s) %s\n", name, verb, doc, name, params, result)
	var names []string
	for _, p := range strings.Split(params, ", ") {
		names = append(names, strings.Fields(p)[0])
	}
	ret := ""
	if result != "" {
		ret = "return "
	}
	fmt.Fprintf(other, "\n// %s %s%s.\nfunc %s(%s) %s { %s%s(%s) }\n", name, verb, doc, name, params, result, ret, twin, strings.Join(names, ", "))
}

// start begins an assembly function, which hands over to its Go twin without AVX2.
func start(asm *bytes.Buffer, name, twin string, size int) {
	fmt.Fprintf(asm, "\nTEXT ·%s(SB), NOSPLIT, $0-%d\nCMPB ·avx2(SB), $0\nJNE fast\nJMP ·%s(SB)\nfast:\n", name, size, twin)
}

func constants(asm *bytes.Buffer) {
	for i := range 8 {
		fmt.Fprintf(asm, "DATA ·nan32+%d(SB)/4, $0x7FFFFFFF\nDATA ·sign32+%d(SB)/4, $0x80000000\n", 4*i, 4*i)
	}
	for i := range 4 {
		fmt.Fprintf(asm, "DATA ·sign64+%d(SB)/8, $0x8000000000000000\n", 8*i)
	}
	for i := range 32 {
		fmt.Fprintf(asm, "DATA ·bits32+%d(SB)/4, $%#x\nDATA ·bits64+%d(SB)/8, $%#x\n", 4*i, uint32(1)<<i, 8*i, uint64(1)<<i)
	}
	for _, c := range []struct {
		name string
		size int
	}{{"nan32", 32}, {"sign32", 32}, {"sign64", 32}, {"bits32", 128}, {"bits64", 256}} {
		fmt.Fprintf(asm, "GLOBL ·%s(SB), RODATA|NOPTR, $%d\n", c.name, c.size)
	}
}

func (f form) params() (params, result string) {
	types := map[byte]string{'v': "*V", 'd': "*D", 'f': "*V"}
	var list []string
	if f.dst != "p" {
		list = append(list, "d "+types[f.dst[0]])
	}
	for i := range f.src {
		list = append(list, fmt.Sprintf("%c %s", "abc"[i], types[f.src[i]]))
	}
	if f.dst == "p" {
		result = "(m uint32)"
	}
	return strings.Join(list, ", "), result
}

// writeLoop writes the Go form, four lanes a turn, which takes 40 % less time than a
// plain loop.
func (f form) writeLoop(out *bytes.Buffer) {
	if f.loop == "" {
		return
	}
	params, result := f.params()
	fmt.Fprintf(out, "\nfunc %s(%s) %s {\n", twin(f.name), params, result)
	names := make([]string, len(f.src))
	for i := range f.src {
		names[i] = string("abc"[i])
		if f.src[i] == 'f' {
			names[i] = string("xyz"[i])
			fmt.Fprintf(out, "%s := f32v(%c)\n", names[i], "abc"[i])
		}
	}
	fmt.Fprintf(out, "for i := 0; i < 32; i += 4 {\n")
	var lanes []string
	for k := range 4 {
		lanes = append(lanes, "("+lane(f.loop, names, k)+")")
	}
	if f.dst == "p" {
		fmt.Fprintf(out, "m |= (%s | %s<<1 | %s<<2 | %s<<3) << uint(i)\n}\nreturn m\n}\n", lanes[0], lanes[1], lanes[2], lanes[3])
		return
	}
	fmt.Fprintf(out, "p, q, r, s := %s\nd[i], d[i+1], d[i+2], d[i+3] = p, q, r, s\n}\n}\n", strings.Join(lanes, ", "))
}

// lane replaces the operands a, b and c of an expression by lane i+k of their vectors.
func lane(expr string, names []string, k int) string {
	index := "[i]"
	if k > 0 {
		index = fmt.Sprintf("[i+%d]", k)
	}
	var out strings.Builder
	for i := range len(expr) {
		c := expr[i]
		word := func(j int) bool {
			return j >= 0 && j < len(expr) && (expr[j] >= 'a' && expr[j] <= 'z' || expr[j] >= '0' && expr[j] <= '9')
		}
		if c >= 'a' && c <= 'c' && !word(i-1) && !word(i+1) {
			out.WriteString(names[c-'a'] + index)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// writeAsm writes the AVX2 form.
func (f form) writeAsm(asm *bytes.Buffer) {
	size := 8 * len(f.src)
	if f.dst == "p" {
		size += 4
	} else {
		size += 8
	}
	start(asm, f.name, twin(f.name), size)
	at := 0
	if f.dst != "p" {
		asm.WriteString("MOVQ d+0(FP), DI\n")
		at = 8
	}
	regs := []string{"SI", "CX", "DX"}
	for i := range f.src {
		fmt.Fprintf(asm, "MOVQ %c+%d(FP), %s\n", "abc"[i], at+8*i, regs[i])
	}
	for _, c := range [][2]string{{"Y15", "nan32"}, {"Y14", "sign32"}, {"Y13", "sign64"}} {
		if strings.Contains(f.avx, c[0]) {
			fmt.Fprintf(asm, "VMOVDQU ·%s(SB), %s\n", c[1], c[0])
		}
	}
	per := 8 // lanes a chunk
	if f.dst == "d" || f.dst == "p" && f.src[0] == 'd' {
		per = 4
	}
	if f.dst == "p" {
		asm.WriteString("XORL AX, AX\n")
	}
	for k := range 32 / per {
		line := f.avx
		for i := range f.src {
			w := 4
			if f.src[i] == 'd' {
				w = 8
			}
			o := k * per * w
			line = strings.ReplaceAll(line, fmt.Sprintf("{%c}", "abc"[i]), fmt.Sprintf("%d(%s)", o, regs[i]))
			line = strings.ReplaceAll(line, fmt.Sprintf("{%c+32}", "abc"[i]), fmt.Sprintf("%d(%s)", o+32, regs[i]))
		}
		for _, l := range strings.Split(line, ";") {
			asm.WriteString(strings.TrimSpace(l) + "\n")
		}
		if f.dst == "p" {
			move := "VMOVMSKPS"
			if per == 4 {
				move = "VMOVMSKPD"
			}
			fmt.Fprintf(asm, "%s Y0, BX\n", move)
			if k > 0 {
				fmt.Fprintf(asm, "SHLL $%d, BX\n", k*per)
			}
			asm.WriteString("ORL BX, AX\n")
			continue
		}
		w := 4
		if f.dst == "d" {
			w = 8
		}
		fmt.Fprintf(asm, "VMOVDQU Y0, %d(DI)\n", k*per*w)
	}
	if f.dst == "p" {
		fmt.Fprintf(asm, "MOVL AX, m+%d(FP)\n", 8*len(f.src))
	}
	asm.WriteString("VZEROUPPER\nRET\n")
}
