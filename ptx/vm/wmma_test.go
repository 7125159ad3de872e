package vm_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// wmmaText loads a, b and c through the generic or given space, multiplies and stores d.
func wmmaText(shape, la, lb, lc, ty string, n [4]int, wide bool, strides [3]int, flags string) string {
	t := strings.Split(ty, ".")
	mul := "wmma.mma.sync.aligned"
	if strings.HasSuffix(flags, "popc") {
		mul = "wmma.mma." + flags + ".sync.aligned"
		flags = ""
	}
	mul += "." + la + "." + lb + "." + shape
	if t[1] == "f16" {
		mul += "." + t[0] + "." + t[3]
	} else {
		mul += "." + ty
	}
	if flags != "" {
		mul += "." + flags
	}
	reg := "b32"
	if wide {
		reg = "b64"
	}
	return fmt.Sprintf(`.visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c) {
	.reg .b64 %%p<4>; .reg .%[1]s %%d<%[2]d>, %%a<%[3]d>, %%b<%[4]d>, %%c<%[5]d>;
	ld.param.u64 %%p0, [d]; ld.param.u64 %%p1, [a]; ld.param.u64 %%p2, [b]; ld.param.u64 %%p3, [c];
	wmma.load.a.sync.aligned.%[6]s.%[9]s.global.%[10]s %[14]s, [%%p1], %[17]d;
	wmma.load.b.sync.aligned.%[7]s.%[9]s.%[11]s %[15]s, [%%p2], %[18]d;
	wmma.load.c.sync.aligned.%[8]s.%[9]s.global.%[12]s %[16]s, [%%p3], %[19]d;
	%[20]s %[13]s, %[14]s, %[15]s, %[16]s;
	wmma.store.d.sync.aligned.%[8]s.%[9]s.global.%[21]s [%%p0], %[13]s, %[19]d;
	ret; }`, reg, n[0], n[1], n[2], n[3], la, lb, lc, shape, t[1], t[2], t[3], names("d", n[0]), names("a", n[1]), names("b", n[2]), names("c", n[3]),
		strides[0], strides[1], strides[2], mul, t[0])
}

func TestWMMA(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, x := range []struct {
		shape, types string
		m, n, k      int
		regs         [4]int // of d, a, b, c
		flags        string
	}{
		{"m16n16k16", "f32.f16.f16.f32", 16, 16, 16, [4]int{8, 8, 8, 8}, ""},
		{"m16n16k16", "f16.f16.f16.f16", 16, 16, 16, [4]int{4, 8, 8, 4}, ""},
		{"m32n8k16", "f32.f16.f16.f32", 32, 8, 16, [4]int{8, 8, 8, 8}, ""},
		{"m8n32k16", "f32.f16.f16.f16", 8, 32, 16, [4]int{8, 8, 8, 4}, ""},
		{"m16n16k16", "f32.bf16.bf16.f32", 16, 16, 16, [4]int{8, 4, 4, 8}, ""},
		{"m32n8k16", "f32.bf16.bf16.f32", 32, 8, 16, [4]int{8, 8, 2, 8}, ""},
		{"m16n16k8", "f32.tf32.tf32.f32", 16, 16, 8, [4]int{8, 4, 4, 8}, ""},
		{"m8n8k4", "f64.f64.f64.f64", 8, 8, 4, [4]int{2, 1, 1, 2}, ""},
		{"m16n16k16", "s32.s8.s8.s32", 16, 16, 16, [4]int{8, 2, 2, 8}, ""},
		{"m8n32k16", "s32.u8.u8.s32", 8, 32, 16, [4]int{8, 1, 4, 8}, "satfinite"},
		{"m32n8k16", "s32.u8.u8.s32", 32, 8, 16, [4]int{8, 4, 1, 8}, ""},
		{"m8n8k32", "s32.s4.s4.s32", 8, 8, 32, [4]int{2, 1, 1, 2}, ""},
		{"m8n8k32", "s32.u4.u4.s32", 8, 8, 32, [4]int{2, 1, 1, 2}, ""},
		{"m8n8k128", "s32.b1.b1.s32", 8, 8, 128, [4]int{2, 1, 1, 2}, "xor.popc"},
	} {
		for _, layouts := range []string{"row.col.row", "col.row.col", "row.row.row", "col.col.row"} {
			ty, la := strings.Split(x.types, "."), strings.Split(layouts, ".")
			small := widths[ty[1]] < 8
			if small && layouts != "row.col.row" {
				continue
			}
			t.Run(x.shape+"."+x.types+"."+layouts, func(t *testing.T) {
				eachGranularity(t, func(t *testing.T, o device.Options) {
					elems := func(rows, cols int, typ string) [][]uint64 {
						m := make([][]uint64, rows)
						for i := range m {
							for range cols {
								m[i] = append(m[i], random(r, typ))
							}
						}
						return m
					}
					// Memory with a gap of 128 bits behind every run.
					layout := func(m [][]uint64, row bool, typ string) ([]byte, int) {
						bits := widths[typ]
						runs, length := len(m), len(m[0])
						if !row {
							runs, length = length, runs
						}
						stride := length + 128/bits
						out := make([]byte, runs*stride*bits/8)
						for i := range runs {
							for j := range length {
								r, c := i, j
								if !row {
									r, c = j, i
								}
								v := m[r][c]
								at := (i*stride + j) * bits
								switch {
								case bits < 8:
									out[at/8] |= byte(v << (at % 8))
								default:
									copy(out[at/8:at/8+bits/8], binary.LittleEndian.AppendUint64(nil, v))
								}
							}
						}
						return out, stride
					}
					a, b, c := elems(x.m, x.k, ty[1]), elems(x.k, x.n, ty[2]), elems(x.m, x.n, ty[3])
					want := elems(x.m, x.n, ty[0])
					for i := range x.m {
						for j := range x.n {
							sum := new(big.Float).SetPrec(400).Set(real(ty[3], c[i][j]))
							for k := range x.k {
								if ty[1] == "b1" {
									sum.Add(sum, new(big.Float).SetInt64(int64(a[i][k]^b[k][j])))
								} else {
									sum.Add(sum, new(big.Float).SetPrec(300).Mul(real(ty[1], a[i][k]), real(ty[2], b[k][j])))
								}
							}
							want[i][j] = rounded(ty[0], sum)
						}
					}
					fa, sa := layout(a, la[0] == "row", ty[1])
					fb, sb := layout(b, la[1] == "row", ty[2])
					fc, sc := layout(c, la[2] == "row", ty[3])
					fd, sd := layout(want, la[2] == "row", ty[0])
					text := wmmaText(x.shape, la[0], la[1], la[2], x.types, x.regs, ty[1] == "f64", [3]int{sa, sb, sc}, x.flags)
					if sd != sc {
						text = strings.Replace(text, fmt.Sprintf("%s, %d;\n\tret", names("d", x.regs[0]), sc), fmt.Sprintf("%s, %d;\n\tret", names("d", x.regs[0]), sd), 1)
					}
					got := make([]byte, len(fd))
					ptxtest.Run{PTX: text, Args: []any{got, fa, fb, fc}, Options: o}.Clean(t)
					if string(got) != string(fd) {
						t.Errorf("got %x\nwant %x", got, fd)
					}
				})
			})
		}
	}
}

// A tile that a warp has stored, looked at by its lanes one by one.
func tileText(between string) string {
	return `.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %i, %o, %x; .reg .b32 %t, %s, %v, %c<8>; .shared .align 32 .b8 m[1024];
	mov.u32 %t, %tid.x; ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;
	mov.u32 %s, m;
	wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%i], 16;
	wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s], {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, 16;
	` + between + `
	mul.lo.u32 %v, %t, 4; add.u32 %s, %s, %v;
	ld.shared.b32 %v, [%s]; st.global.b32 [%o], %v; ret; }`
}

func TestTileRaces(t *testing.T) {
	in, out := make([]uint32, 256), make([]uint32, 32)
	eachGranularity(t, func(t *testing.T, o device.Options) {
		run := func(between string) ptxtest.Run {
			return ptxtest.Run{PTX: tileText(between), Args: []any{in, out}, Options: o}
		}
		run("bar.warp.sync -1;").Clean(t)
		run("bar.sync 0;").Clean(t)
		run("").Do(t).One(t, kernel.DataRace)
		// The next wmma instruction of the warp is behind the store in program order.
		run("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%s], 16; bar.warp.sync -1;").Clean(t)
	})
	run := ptxtest.Run{PTX: tileText("bar.warp.sync -1;"), Args: []any{make([]uint32, 255), out}}
	run.Do(t).One(t, kernel.OutOfBounds)
	run.Args[0] = ptxtest.Uninit(1024)
	run.Do(t).One(t, kernel.UninitializedRead)
	run.PTX = strings.Replace(run.PTX, "wmma.load", "add.u64 %i, %i, %x; wmma.load", 1)
	run.Args[0] = in
	run.Do(t).One(t, kernel.BarrierMisuse, "different addresses")
}
