package vm_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gpusim/internal/ptxtest"
)

// place is the row and column of element i of a lane.
type place func(lane, i int) (int, int)

// The layouts of mma fragments, as the ISA writes them: group and thread are groupID and
// threadID_in_group.
func isa(f func(group, thread, i int) (int, int)) place {
	return func(lane, i int) (int, int) { return f(lane>>2, lane%4, i) }
}

func when(c bool, yes, no int) int {
	if c {
		return yes
	}
	return no
}

var (
	c8  = isa(func(g, t, i int) (int, int) { return g, t*2 + i&1 })
	c16 = isa(func(g, t, i int) (int, int) { return when(i < 2, g, g+8), t*2 + i&1 })
)

// mmaCase is one shape with one kind of types: a, b and c hold as many elements a lane as their layout
// says.
type mmaCase struct {
	shape   string
	types   []string // combinations "d.a.b.c"
	m, n, k int
	a, b, c place
	flags   string
}

var mmaCases = []mmaCase{
	{"m8n8k4", []string{"f64.f64.f64.f64"}, 8, 8, 4, isa(func(g, t, _ int) (int, int) { return g, t }), isa(func(g, t, _ int) (int, int) { return t, g }), c8, ""},
	{"m16n8k4", []string{"f64.f64.f64.f64"}, 16, 8, 4, isa(func(g, t, i int) (int, int) { return when(i == 0, g, g+8), t }), isa(func(g, t, _ int) (int, int) { return t, g }), c16, ""},
	{"m16n8k8", []string{"f64.f64.f64.f64"}, 16, 8, 8, isa(func(g, t, i int) (int, int) { return when(i == 0 || i == 2, g, g+8), when(i < 2, t, t+4) }),
		isa(func(g, t, i int) (int, int) { return when(i == 0, t, t+4), g }), c16, ""},
	{"m16n8k16", []string{"f64.f64.f64.f64"}, 16, 8, 16, isa(func(g, t, i int) (int, int) { return when(i%2 == 0, g, g+8), i/2*4 + t }),
		isa(func(g, t, i int) (int, int) { return t + i*4, g }), c16, ""},
	{"m16n8k8", []string{"f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32"}, 16, 8, 8, isa(func(g, t, i int) (int, int) { return when(i < 2, g, g+8), t*2 + i&1 }),
		isa(func(g, t, i int) (int, int) { return t*2 + i&1, g }), c16, ""},
	{"m16n8k16", []string{"f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32"}, 16, 8, 16,
		isa(func(g, t, i int) (int, int) {
			return when(i < 2 || 4 <= i && i < 6, g, g+8), when(i < 4, t*2+i&1, t*2+i&1+8)
		}),
		isa(func(g, t, i int) (int, int) { return when(i < 2, t*2+i&1, t*2+i&1+8), g }), c16, ""},
	{"m16n8k4", []string{"f32.tf32.tf32.f32"}, 16, 8, 4, isa(func(g, t, i int) (int, int) { return when(i == 0, g, g+8), t }), isa(func(g, t, _ int) (int, int) { return t, g }), c16, ""},
	{"m16n8k8", []string{"f32.tf32.tf32.f32"}, 16, 8, 8, isa(func(g, t, i int) (int, int) { return when(i == 0 || i == 2, g, g+8), when(i < 2, t, t+4) }),
		isa(func(g, t, i int) (int, int) { return when(i == 0, t, t+4), g }), c16, ""},
	{"m8n8k16", []string{"s32.s8.s8.s32", "s32.u8.s8.s32", "s32.u8.u8.s32"}, 8, 8, 16, isa(func(g, t, i int) (int, int) { return g, t*4 + i }), isa(func(g, t, i int) (int, int) { return t*4 + i, g }), c8, ""},
	{"m16n8k16", []string{"s32.s8.s8.s32", "s32.s8.u8.s32", "f32.e4m3.e5m2.f32", "f16.e5m2.e4m3.f16"}, 16, 8, 16, isa(func(g, t, i int) (int, int) { return when(i < 4, g, g+8), t*4 + i&3 }),
		isa(func(g, t, i int) (int, int) { return t*4 + i, g }), c16, ""},
	{"m16n8k32", []string{"s32.u8.s8.s32", "s32.s8.s8.s32", "f32.e4m3.e4m3.f32", "f32.e5m2.e4m3.f32"}, 16, 8, 32,
		isa(func(g, t, i int) (int, int) {
			return when(i < 4 || 8 <= i && i < 12, g, g+8), when(i < 8, t*4+i&3, t*4+i&3+16)
		}),
		isa(func(g, t, i int) (int, int) { return when(i < 4, t*4+i&3, t*4+i&3+16), g }), c16, ""},
	{"m8n8k32", []string{"s32.s4.s4.s32", "s32.u4.s4.s32"}, 8, 8, 32, isa(func(g, t, i int) (int, int) { return g, t*8 + i }), isa(func(g, t, i int) (int, int) { return t*8 + i, g }), c8, ""},
	{"m16n8k32", []string{"s32.s4.s4.s32", "s32.u4.u4.s32"}, 16, 8, 32, isa(func(g, t, i int) (int, int) { return when(i < 8, g, g+8), t*8 + i&7 }),
		isa(func(g, t, i int) (int, int) { return t*8 + i, g }), c16, ""},
	{"m16n8k64", []string{"s32.s4.u4.s32", "s32.s4.s4.s32"}, 16, 8, 64, isa(func(g, t, i int) (int, int) {
		return when(i < 8 || 16 <= i && i < 24, g, g+8), when(i < 16, t*8+i&7, t*8+i&7+32)
	}), isa(func(g, t, i int) (int, int) { return when(i < 8, t*8+i&7, t*8+i&7+32), g }), c16, ""},
	{"m8n8k128", []string{"s32.b1.b1.s32"}, 8, 8, 128, isa(func(g, t, i int) (int, int) { return g, t*32 + i }), isa(func(g, t, i int) (int, int) { return t*32 + i, g }), c8, "xor.popc"},
	{"m16n8k128", []string{"s32.b1.b1.s32"}, 16, 8, 128, isa(func(g, t, i int) (int, int) { return when(i < 32, g, g+8), t*32 + i&0x1f }),
		isa(func(g, t, i int) (int, int) { return t*32 + i, g }), c16, "and.popc"},
	{"m16n8k256", []string{"s32.b1.b1.s32"}, 16, 8, 256, isa(func(g, t, i int) (int, int) {
		return when(i < 32 || 64 <= i && i < 96, g, g+8), when(i < 64, t*32+i&0x1f, t*32+i&0x1f+128)
	}), isa(func(g, t, i int) (int, int) { return when(i < 32, t*32+i&0x1f, t*32+i&0x1f+128), g }), c16, "xor.popc"},
	{"m8n8k16", []string{"s32.s8.s8.s32"}, 8, 8, 16, isa(func(g, t, i int) (int, int) { return g, t*4 + i }), isa(func(g, t, i int) (int, int) { return t*4 + i, g }), c8, "satfinite"},
}

var widths = map[string]int{"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64}

// real reads a finite element as an exact number.
func real(typ string, v uint64) *big.Float {
	ieee := func(exp, frac, bias int) *big.Float {
		e, f := int(v>>frac)&(1<<exp-1), int64(v&(1<<frac-1))
		if e == 0 {
			e = 1
		} else {
			f += 1 << frac
		}
		x := new(big.Float).SetPrec(300).SetMantExp(new(big.Float).SetInt64(f), e-bias-frac)
		if v>>(exp+frac)&1 != 0 {
			x.Neg(x)
		}
		return x
	}
	switch typ {
	case "f16":
		return ieee(5, 10, 15)
	case "bf16":
		return ieee(8, 7, 127)
	case "tf32":
		v &^= 0x1fff
		return ieee(8, 23, 127)
	case "f32":
		return ieee(8, 23, 127)
	case "f64":
		return ieee(11, 52, 1023)
	case "e4m3":
		return ieee(4, 3, 7)
	case "e5m2":
		return ieee(5, 2, 15)
	case "s32":
		return new(big.Float).SetInt64(int64(int32(v)))
	}
	n := widths[typ]
	x := int64(v)
	if typ[0] == 's' && v>>(n-1)&1 != 0 {
		x -= 1 << n
	}
	return new(big.Float).SetInt64(x)
}

// random makes an element whose products can be added exactly in double precision.
func random(r *rand.Rand, typ string) uint64 {
	s := r.Uint64() & 1
	switch typ {
	case "f16":
		return s<<15 | uint64(8+r.IntN(14))<<10 | r.Uint64()&0x3ff
	case "bf16":
		return s<<15 | uint64(120+r.IntN(14))<<7 | r.Uint64()&0x7f
	case "tf32":
		return s<<31 | uint64(120+r.IntN(12))<<23 | r.Uint64()&0x7fffff
	case "f32":
		return s<<31 | uint64(120+r.IntN(14))<<23 | r.Uint64()&0x7fff00
	case "f64":
		return math.Float64bits(float64(r.IntN(1<<20)-1<<19) / 64)
	case "e4m3": // no NaN
		return s<<7 | uint64(r.IntN(0x7f))
	case "e5m2": // no infinity, no NaN
		return s<<7 | uint64(r.IntN(0x7c))
	case "s32":
		return uint64(r.Uint32() >> 1)
	}
	return r.Uint64() & (1<<widths[typ] - 1)
}

// rounded is the correctly rounded value in a format.
func rounded(typ string, x *big.Float) uint64 {
	switch typ {
	case "f32":
		f, _ := x.Float32()
		return uint64(math.Float32bits(f))
	case "f64":
		f, _ := x.Float64()
		return math.Float64bits(f)
	case "f16": // normal numbers only
		y := new(big.Float).SetPrec(11).Set(x)
		f, _ := y.Float32()
		b := math.Float32bits(f)
		e := int(b>>23&0xff) - 112
		if e >= 31 {
			return uint64(b>>31<<15 | 0x7c00)
		}
		if e <= 0 {
			return 1 << 60 // the test has no oracle: it must not happen
		}
		return uint64(b>>31<<15 | uint32(e)<<10 | b>>13&0x3ff)
	}
	i, _ := x.Int64()
	return uint64(uint32(i))
}

// pack puts elements into the registers of all lanes.
func pack(m func(row, col int) uint64, at place, count, bits int) []byte {
	per := max(32/bits, 1)
	var out []byte
	for lane := range 32 {
		for r := range count / per {
			var v uint64
			for e := range per {
				row, col := at(lane, r*per+e)
				v |= m(row, col) << (e * bits)
			}
			if bits == 64 {
				out = binary.LittleEndian.AppendUint64(out, v)
			} else {
				out = binary.LittleEndian.AppendUint32(out, uint32(v))
			}
		}
	}
	return out
}

// names lists registers.
func names(prefix string, n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprintf("%%%s%d", prefix, i))
	}
	return "{" + strings.Join(s, ", ") + "}"
}

// mmaText is a kernel that loads the fragments of a lane from three buffers, multiplies,
// and stores the fourth.
func mmaText(instruction string, bytes [4]int, wide [4]bool) string {
	var b strings.Builder
	b.WriteString(".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c) {\n.reg .b64 %p<9>; .reg .b32 %t, %i<4>;\nmov.u32 %t, %tid.x;\n")
	n := [4]int{}
	for i, name := range []string{"d", "a", "b", "c"} {
		typ, size := "b32", 4
		if wide[i] {
			typ, size = "b64", 8
		}
		n[i] = bytes[i] / size
		fmt.Fprintf(&b, ".reg .%s %%%s<%d>;\nld.param.u64 %%p%d, [%s];\nmul.lo.u32 %%i%d, %%t, %d;\ncvt.u64.u32 %%p%d, %%i%d;\nadd.u64 %%p%d, %%p%d, %%p%d;\n",
			typ, name, n[i], 2*i, name, i, bytes[i], 2*i+1, i, 2*i, 2*i, 2*i+1)
		if i > 0 {
			for k := range n[i] {
				fmt.Fprintf(&b, "ld.global.%s %%%s%d, [%%p%d+%d];\n", typ, name, k, 2*i, k*size)
			}
		}
	}
	fmt.Fprintf(&b, "%s %s, %s, %s, %s;\n", instruction, names("d", n[0]), names("a", n[1]), names("b", n[2]), names("c", n[3]))
	for k := range n[0] {
		typ, size := "b32", 4
		if wide[0] {
			typ, size = "b64", 8
		}
		fmt.Fprintf(&b, "st.global.%s [%%p0+%d], %%d%d;\n", typ, k*size, k)
	}
	b.WriteString("ret; }")
	return b.String()
}

func TestMMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, x := range mmaCases {
		for _, types := range x.types {
			ty := strings.Split(types, ".")
			var flags string
			if x.flags != "" {
				flags = "." + x.flags
			}
			text := "mma.sync.aligned." + x.shape + ".row.col" + flags + "." + types
			t.Run(text, func(t *testing.T) {
				fill := func(rows, cols int, typ string) [][]uint64 {
					m := make([][]uint64, rows)
					for i := range m {
						for range cols {
							m[i] = append(m[i], random(r, typ))
						}
					}
					return m
				}
				a, b, c := fill(x.m, x.k, ty[1]), fill(x.k, x.n, ty[2]), fill(x.m, x.n, ty[3])
				if x.flags == "satfinite" {
					c[0][0], c[1][1], a[1][0], b[0][1] = 0x7fffffff, 0x80000000, 0x80, 0x7f
				}
				want := func(row, col int) uint64 {
					sum := new(big.Float).SetPrec(400).Set(real(ty[3], c[row][col]))
					for k := range x.k {
						p, q := a[row][k], b[k][col]
						switch x.flags {
						case "xor.popc":
							sum.Add(sum, new(big.Float).SetInt64(int64(p^q)))
						case "and.popc":
							sum.Add(sum, new(big.Float).SetInt64(int64(p&q)))
						default:
							sum.Add(sum, new(big.Float).SetPrec(300).Mul(real(ty[1], p), real(ty[2], q)))
						}
					}
					if x.flags == "satfinite" {
						i, _ := sum.Int64()
						return uint64(uint32(max(math.MinInt32, min(i, math.MaxInt32))))
					}
					return rounded(ty[0], sum)
				}
				frag := func(m [][]uint64, at place, rows, cols int, typ string) []byte {
					return pack(func(row, col int) uint64 { return m[row][col] }, at, rows*cols/32, widths[typ])
				}
				fa, fb, fc := frag(a, x.a, x.m, x.k, ty[1]), frag(b, x.b, x.k, x.n, ty[2]), frag(c, x.c, x.m, x.n, ty[3])
				fd := pack(want, x.c, x.m*x.n/32, widths[ty[0]])
				got := make([]byte, len(fd))
				wide := ty[1] == "f64"
				ptxtest.Run{PTX: mmaText(text, [4]int{len(fd) / 32, len(fa) / 32, len(fb) / 32, len(fc) / 32}, [4]bool{wide, wide, wide, wide}),
					Args: []any{got, fa, fb, fc}}.Clean(t)
				if string(got) != string(fd) {
					for i := 0; i < len(got); i += 4 {
						if g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(fd[i:]); g != w {
							t.Fatalf("word %d: %#x, want %#x", i/4, g, w)
						}
					}
				}
			})
		}
	}
}

// mma.m8n8k4 of .f16: four products by the lanes of a quarter of each half of the warp.
func TestVoltaMMA(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	low := func(lane int) int { return when(lane < 16, lane%4, lane%4+4) }
	layouts := map[string]place{
		"a.row": func(lane, i int) (int, int) { return low(lane), i },
		"a.col": func(lane, i int) (int, int) { return when(lane < 16, i, i+4), lane % 4 },
		"b.row": func(lane, i int) (int, int) { return lane % 4, when(lane < 16, i, i+4) },
		"b.col": func(lane, i int) (int, int) { return i, low(lane) },
		"f16":   func(lane, i int) (int, int) { return low(lane), i },
		"f32": func(lane, i int) (int, int) {
			x := lane&0b1 + i&0b10
			return when(lane < 16, x, x+4), i&0b100 + lane&0b10 + i&0b1
		},
	}
	for _, form := range []string{"row.col.f32.f16.f16.f32", "col.row.f32.f16.f16.f32", "row.row.f16.f16.f16.f16", "col.col.f32.f16.f16.f16"} {
		t.Run(form, func(t *testing.T) {
			w := strings.Split(form, ".")
			var a, b, c [4][8][8]uint64
			for q := range 4 {
				for i := range 64 {
					a[q][i/8][i%8], b[q][i/8][i%8], c[q][i/8][i%8] = random(r, "f16"), random(r, "f16"), random(r, w[5])
				}
			}
			quad := func(lane int) int { return lane % 16 / 4 }
			frag := func(m *[4][8][8]uint64, at place, n, bits int) []byte {
				var out []byte
				for lane := range 32 {
					for i := range n {
						row, col := at(lane, i)
						v := m[quad(lane)][row][col]
						if bits == 16 {
							out = binary.LittleEndian.AppendUint16(out, uint16(v))
						} else {
							out = binary.LittleEndian.AppendUint32(out, uint32(v))
						}
					}
				}
				return out
			}
			var d [4][8][8]uint64
			for q := range 4 {
				for i := range 64 {
					sum := new(big.Float).SetPrec(300).Set(real(w[5], c[q][i/8][i%8]))
					for k := range 4 {
						sum.Add(sum, new(big.Float).SetPrec(300).Mul(real("f16", a[q][i/8][k]), real("f16", b[q][k][i%8])))
					}
					d[q][i/8][i%8] = rounded(w[2], sum)
				}
			}
			fa, fb, fc := frag(&a, layouts["a."+w[0]], 4, 16), frag(&b, layouts["b."+w[1]], 4, 16), frag(&c, layouts[w[5]], 8, widths[w[5]])
			fd := frag(&d, layouts[w[2]], 8, widths[w[2]])
			for _, o := range both {
				got := make([]byte, len(fd))
				ptxtest.Run{PTX: mmaText("mma.sync.aligned.m8n8k4."+form, [4]int{len(fd) / 32, 8, 8, len(fc) / 32}, [4]bool{}), Args: []any{got, fa, fb, fc}, Options: o}.Clean(t)
				if string(got) != string(fd) {
					t.Errorf("got %x want %x", got, fd)
				}
			}
		})
	}
}

// What the exact sum of the other test does not reach.
func TestMMAEdges(t *testing.T) {
	for _, x := range []struct {
		types   string
		a, b, c uint64 // in every place
		want    uint32
	}{
		{"f32.f16.f16.f32", 0x7c00, 0, 0, 0x7fffffff},               // infinity times zero
		{"f32.f16.f16.f32", 0x7c00, 0x3c00, 0xff800000, 0x7fffffff}, // infinity minus infinity
		{"f32.f16.f16.f32", 0x7c00, 0xbc00, 0, 0xff800000},
		{"f32.f16.f16.f32", 0x0001, 0x0001, 0, 0x29800000},          // subnormals count: 16 * 2^-48
		{"f32.f16.f16.f32", 0x8000, 0x3c00, 0x80000000, 0x80000000}, // -0 * 1 - 0
		{"f32.f16.f16.f32", 0x0000, 0x3c00, 0x80000000, 0},
		{"f32.f16.f16.f32", 0x7e00, 0x3c00, 0, 0x7fffffff},
		{"f32.bf16.bf16.f32", 0x7f7f, 0x7f7f, 0, 0x7f800000}, // too large
		{"f32.bf16.bf16.f32", 0x0001, 0x3f80, 1, 0x00100001}, // 16 * 2^-133 + 2^-149
		{"f16.f16.f16.f16", 0x7bff, 0x3c00, 0, 0x7c007c00},
	} {
		n := 4
		if x.types[1:3] == "16" {
			n = 2
			x.c |= x.c << 16
		}
		fill := func(v uint64, n int) []uint32 {
			s := make([]uint32, 32*n)
			for i := range s {
				s[i] = uint32(v)
			}
			return s
		}
		d := make([]uint32, 32*n)
		ptxtest.Run{PTX: mmaText("mma.sync.aligned.m16n8k16.row.col."+x.types, [4]int{4 * n, 16, 8, 4 * n}, [4]bool{}),
			Args: []any{d, fill(x.a|x.a<<16, 4), fill(x.b|x.b<<16, 2), fill(x.c, n)}}.Clean(t)
		for _, v := range d {
			if v != x.want {
				t.Errorf("%s of %#x, %#x, %#x: %#x, want %#x", x.types, x.a, x.b, x.c, v, x.want)
				break
			}
		}
	}
}
