package vm_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gpusim/device"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// copyKernel copies one access of a width from in to out for each thread, stride bytes
// apart, from a byte offset of its own.
func copyKernel(space, vec, typ, class string, elems, size int) string {
	var regs []string
	for i := range elems {
		regs = append(regs, fmt.Sprintf("%%x%d", i))
	}
	data := strings.Join(regs, ", ")
	if elems > 1 {
		data = "{" + data + "}"
	}
	return fmt.Sprintf(`.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 stride, .param .u32 first) {
	.reg .u32 %%t, %%s, %%f; .reg .u64 %%i, %%o, %%w; .reg .%[1]s %%x<4>;
	ld.param.u64 %%i, [in];
	ld.param.u64 %%o, [out];
	ld.param.u32 %%s, [stride];
	ld.param.u32 %%f, [first];
	mov.u32 %%t, %%tid.x;
	mad.lo.u32 %%s, %%t, %%s, %%f;
	cvt.u64.u32 %%w, %%s;
	add.s64 %%i, %%i, %%w;
	mul.wide.u32 %%w, %%t, %[2]d;
	add.s64 %%o, %%o, %%w;
	ld%[3]s%[4]s.%[5]s %[6]s, [%%i];
	st%[3]s%[4]s.%[5]s [%%o], %[6]s;
	ret;
}`, class, size*elems, space, vec, typ, data)
}

// Every width and vector, with consecutive, scattered, reversed and uniform addresses, in
// blocks that do and do not fill their warps.
func TestWidths(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		for _, elems := range []int{1, 2, 4} {
			if size*elems > 16 {
				continue
			}
			vec := ""
			if elems > 1 {
				vec = fmt.Sprintf(".v%d", elems)
			}
			class := fmt.Sprintf("b%d", max(8*size, 16))
			for _, space := range []string{".global", "", ".volatile.global"} {
				for _, threads := range []uint32{1, 3, 32, 33, 100} {
					for _, stride := range []int{0, size * elems, 3 * size * elems} {
						in := make([]byte, 3*100*16)
						for i := range in {
							in[i] = byte(i*7 + i>>8)
						}
						width := size * elems
						out := make([]byte, width*int(threads))
						Run{PTX: copyKernel(space, vec, fmt.Sprintf("b%d", 8*size), class, elems, size), Block: threads,
							Args: []any{in, out, uint32(stride), uint32(2 * width)}}.Clean(t)
						for i := range int(threads) {
							from := 2*width + i*stride
							if !bytes.Equal(out[i*width:(i+1)*width], in[from:from+width]) {
								t.Fatalf("ld%s%s.b%d, %d threads, stride %d: thread %d copied %v, want %v", space, vec, 8*size, threads, stride, i, out[i*width:(i+1)*width], in[from:from+width])
							}
						}
					}
				}
			}
		}
	}
}

// Single lanes that go wrong are reported and read zeros; the others carry on.
func TestBadLanes(t *testing.T) {
	for _, c := range []struct {
		vec, typ, class string
		elems, size     int
	}{{"", "b8", "b16", 1, 1}, {"", "b32", "b32", 1, 4}, {"", "b64", "b64", 1, 8}, {".v2", "b32", "b32", 2, 4}, {".v4", "b32", "b32", 4, 4}} {
		for _, space := range []string{".global", "", ".relaxed.gpu.global"} {
			width := c.size * c.elems
			run := func(stride, first int) (*Result, []byte) {
				in, out := bytes.Repeat([]byte{0xAB}, 32*width), make([]byte, 32*width)
				r := Run{PTX: copyKernel(space, c.vec, c.typ, c.class, c.elems, c.size), Args: []any{in, out, uint32(stride), uint32(first)}}.Do(t)
				return r, out
			}
			r, out := run(width, 2*width) // the last two lanes leave the buffer
			f := r.One(t, kernel.OutOfBounds, fmt.Sprintf("reads %d bytes of in at offset %d, directly behind its end (it has %d bytes)", width, 32*width, 32*width))
			if f.Count != 2 || f.Object != "in" || f.Offset != int64(32*width) || f.Size != width || f.Accesses[0].Thread.Thread.X != 30 || f.Accesses[0].Source.Line != 13 {
				t.Errorf("%+v", f)
			}
			if want := append(bytes.Repeat([]byte{0xAB}, 30*width), make([]byte, 2*width)...); !bytes.Equal(out, want) {
				t.Errorf("%s%s.%s: %v", space, c.vec, c.typ, out)
			}
			if width > 1 {
				r, _ = run(width+width/2, 0) // every other lane is misaligned, and some are beyond the end
				kinds := map[kernel.Kind]uint64{}
				for _, f := range r.Findings {
					kinds[f.Kind] += f.Count
				}
				// Lane l stands at 1.5 l elements: misaligned if l is odd and wholly within the buffer.
				if kinds[kernel.Misaligned] != 10 || kinds[kernel.OutOfBounds] != 11 {
					t.Errorf("%s%s.%s: %v:%s", space, c.vec, c.typ, kinds, r.Text())
				}
			}
		}
	}
}

func TestBadPointers(t *testing.T) {
	for body, words := range map[string]string{
		"mov.u64 %rd1, 16; st.global.u32 [%rd1], %t;":                        "null pointer: the kernel writes 4 bytes at address 0x10",
		"mov.u64 %rd1, 0x7fff12345678; ld.global.u32 %r1, [%rd1];":           "wild pointer: the kernel reads 4 bytes at 0x7fff12345678",
		"ld.global.u32 %r1, [%o-4];":                                         "4 bytes before its start",
		"ld.global.v2.u32 {%r1, %r2}, [%o+8]; ld.u32 %r1, [%o+100000];":      "99984 bytes behind its end",
		"cvt.u32.u64 %r1, %o; ld.shared.u32 %r2, [%r1];":                     "null pointer",
		"ld.shared.u32 %r2, [%o];":                                           "a shared access to out, which lies in global memory",
		"ld.shared.u32 %r2, [s+16];":                                         "reads 4 bytes of s at offset 16, directly behind its end (it has 16 bytes)",
		"mov.u64 %rd1, s; ld.global.u32 %r2, [%rd1];":                        "a global access to s, which lies in shared memory",
		"mov.u64 %rd1, s; add.u64 %rd1, %rd1, -8; st.shared.u32 [%rd1], %t;": "writes 4 bytes of s at offset -8, 8 bytes before its start",
		"atom.global.add.u32 %r1, [%o+16], 1;":                               "writes 4 bytes of out at offset 16",
		"red.global.add.u64 [%o+12], %rd1;":                                  "of which 4 bytes lie behind its end",
	} {
		r := Run{PTX: ".shared .align 8 .u32 s[4];\n" + entry("mov.u64 %rd1, 0; st.shared.u32 [s], %t;\n"+body), Block: 1, Args: []any{make([]uint32, 4)}}.Do(t)
		f := r.One(t, kernel.OutOfBounds, words)
		if f.Accesses[0].Source.Line != 9 || f.Fix == "" {
			t.Errorf("%s: %+v", body, f)
		}
	}
	r := Run{PTX: entry("atom.global.add.u32 %r1, [%o+2], 1;"), Block: 1, Args: []any{make([]uint32, 4)}}.Do(t)
	r.One(t, kernel.Misaligned, "an access of 4 bytes at offset 2 of out, which is not a multiple of 4")
}

// A narrow element fills its register: with its sign or with zeros (PTX ISA, "ld").
func TestExtension(t *testing.T) {
	in := []byte{0x80, 0xFF, 0x7F, 0x01, 0xFE, 0xFF, 0xFF, 0xFF}
	for _, space := range []string{".global", "", ".volatile.global", ".local"} {
		for load, want := range map[string]uint64{
			"ld%s.s8 %%h1, [%%p]; cvt.u64.u16 %%v, %%h1;":                0xFF80,
			"ld%s.u8 %%h1, [%%p]; cvt.u64.u16 %%v, %%h1;":                0x80,
			"ld%s.b8 %%h1, [%%p+1]; cvt.u64.u16 %%v, %%h1;":              0xFF,
			"ld%s.s8 %%r1, [%%p]; cvt.u64.u32 %%v, %%r1;":                0xFFFFFF80,
			"ld%s.u8 %%r1, [%%p]; cvt.u64.u32 %%v, %%r1;":                0x80,
			"ld%s.s16 %%r1, [%%p]; cvt.u64.u32 %%v, %%r1;":               0xFFFFFF80,
			"ld%s.u16 %%r1, [%%p]; cvt.u64.u32 %%v, %%r1;":               0xFF80,
			"ld%s.s8 %%v, [%%p];":                                        0xFFFFFFFFFFFFFF80,
			"ld%s.u8 %%v, [%%p];":                                        0x80,
			"ld%s.s16 %%v, [%%p+2];":                                     0x017F,
			"ld%s.s32 %%v, [%%p+4];":                                     0xFFFFFFFFFFFFFFFE,
			"ld%s.u32 %%v, [%%p+4];":                                     0xFFFFFFFE,
			"ld%s.b32 %%v, [%%p+4];":                                     0xFFFFFFFE,
			"ld%s.v2.s8 {%%r1, %%r2}, [%%p]; mov.b64 %%v, {%%r1, %%r2};": 0xFFFFFFFFFFFFFF80,
			"ld%s.v2.u32 {_, %%r1}, [%%p]; cvt.u64.u32 %%v, %%r1;":       0xFFFFFFFE,
		} {
			inst := fmt.Sprintf(load, space)
			setup := "mov.u64 %p, %i;"
			if space == ".local" {
				setup = ".local .align 8 .b8 a[8]; ld.global.u64 %v, [%i]; st.local.u64 [a], %v; mov.u64 %p, a;"
			}
			out := []uint64{0, 0, 0}
			Run{PTX: `.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .u64 %i, %o, %p, %v, %w; .reg .b16 %h1; .reg .b32 %r1, %r2, %t;
	ld.param.u64 %i, [in];
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %w, %t, 8;
	add.s64 %o, %o, %w;
` + setup + inst + `
	st.global.u64 [%o], %v;
	ret;
}`, Block: 3, Args: []any{in, out}}.Clean(t)
			for _, v := range out {
				if v != want {
					t.Errorf("%s: %#x, want %#x", inst, v, want)
					break
				}
			}
		}
	}
}

// A wide register is cut to the element that is stored.
func TestNarrowStores(t *testing.T) {
	out := bytes.Repeat([]byte{0x11}, 32)
	Run{PTX: entry(`mov.u64 %rd1, 0x8877665544332211; add.u64 %rd1, %rd1, 0x0102030405060708;
	cvt.u32.u64 %r1, %rd1; cvt.u16.u64 %h1, %rd1;
	st.global.u8 [%o], %rd1; st.global.u16 [%o+2], %rd1; st.global.u32 [%o+4], %rd1; st.global.u8 [%o+8], %r1;
	st.global.u16 [%o+10], %r1; st.global.u8 [%o+12], %h1; st.global.v2.u16 [%o+16], {%r1, %rd1}; st.u64 [%o+24], -2;`),
		Block: 1, Args: []any{out}}.Clean(t)
	want := []byte{0x19, 0x11, 0x19, 0x29, 0x19, 0x29, 0x39, 0x49, 0x19, 0x11, 0x19, 0x29, 0x19, 0x11, 0x11, 0x11,
		0x19, 0x29, 0x19, 0x29, 0x11, 0x11, 0x11, 0x11, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	if !bytes.Equal(out, want) {
		t.Errorf("%x, want %x", out, want)
	}
}

// What a block is shaped like: indices, counts, lane masks of every thread.
func TestSpecialRegisters(t *testing.T) {
	for _, shape := range []kernel.Dim3{{X: 1, Y: 1, Z: 1}, {X: 33, Y: 1, Z: 1}, {X: 100, Y: 1, Z: 1}, {X: 1024, Y: 1, Z: 1}, {X: 5, Y: 7, Z: 3}} {
		n := int(shape.Count())
		out := make([]uint32, 16*n)
		Run{PTX: `.visible .entry k(.param .u64 out) {
	.reg .u32 %x, %y, %z, %i, %r<16>; .reg .u64 %o, %w; .reg .pred %p;
	ld.param.u64 %o, [out];
	mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %z, %tid.z;
	mov.u32 %r1, %ntid.x; mov.u32 %r2, %ntid.y;
	mad.lo.u32 %i, %z, %r2, %y;
	mad.lo.u32 %i, %i, %r1, %x;
	mul.wide.u32 %w, %i, 64;
	add.s64 %o, %o, %w;
	st.global.v4.u32 [%o], {%x, %y, %z, %i};
	mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.u32 %r3, %nwarpid; mov.u32 %r4, %ntid.z;
	st.global.v4.u32 [%o+16], {%r1, %r2, %r3, %r4};
	mov.u32 %r1, %lanemask_eq; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_ge; activemask.b32 %r4;
	st.global.v4.u32 [%o+32], {%r1, %r2, %r3, %r4};
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, WARP_SZ; mov.u32 %r4, %tid.w;
	st.global.v4.u32 [%o+48], {%r1, %r2, %r3, %r4};
	ret;
}`, Shape: shape, Args: []any{out}, Options: device.Options{Seed: 3}}.Clean(t)
		for i := range n {
			at := shape.At(uint64(i))
			lane := i % 32
			live := ^uint32(0)
			if n-i+lane < 32 {
				live = 1<<(n-i+lane) - 1
			}
			want := []uint32{at.X, at.Y, at.Z, uint32(i), uint32(lane), uint32(i / 32), uint32((n + 31) / 32), shape.Z,
				1 << lane, 1<<lane - 1, ^uint32(0) << lane, live, 0, 1, 32, 0}
			for k, w := range want {
				if out[16*i+k] != w {
					t.Fatalf("block %v, thread %d: word %d is %#x, want %#x", shape, i, k, out[16*i+k], w)
				}
			}
		}
	}
}
