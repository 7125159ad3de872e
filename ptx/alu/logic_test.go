package alu

import (
	"math/rand/v2"
	"testing"
)

func TestLogicAndShifts(t *testing.T) {
	const a, b = 0x44332211, 0x88776655
	runRows(t, []row{
		{"9.7.8 and", "and.pred", in{1, 0}, 0},
		{"9.7.8 xor", "xor.b64", in{all64, 1}, all64 - 1},
		{"9.7.8 not", "not.pred", in{1}, 0},
		{"9.7.8 not", "not.b16", in{0xff}, 0xff00},
		{"9.7.8 not", "not.b64", in{0}, all64},
		{"9.7.8 cnot", "cnot.b32", in{0}, 1},
		{"9.7.8 cnot", "cnot.b16", in{7}, 0},
		{"9.7.8 shl", "shl.b32", in{1, 31}, min32},
		{"9.7.8 shl", "shl.b32", in{all32, 32}, 0},
		{"9.7.8 shl", "shl.b32", in{all32, all32}, 0},
		{"9.7.8 shl", "shl.b16", in{0xffff, 16}, 0},
		{"9.7.8 shl", "shl.b64", in{1, 63}, min64},
		{"9.7.8 shl", "shl.b64", in{1, 64}, 0},
		{"9.7.8 shr", "shr.u32", in{min32, 31}, 1},
		{"9.7.8 shr", "shr.u32", in{all32, 32}, 0},
		{"9.7.8 shr", "shr.s32", in{min32, 32}, all32},
		{"9.7.8 shr", "shr.s32", in{min32, all32}, all32},
		{"9.7.8 shr", "shr.s32", in{max32, 40}, 0},
		{"9.7.8 shr", "shr.b32", in{min32, 31}, 1},
		{"9.7.8 shr", "shr.s16", in{0x8000, 15}, 0xffff},
		{"9.7.8 shr", "shr.s64", in{min64, 100}, all64},
		{"9.7.8 shf", "shf.l.wrap.b32", in{min32, 1, 1}, 3},
		{"9.7.8 shf", "shf.l.wrap.b32", in{a, b, 32}, b},
		{"9.7.8 shf", "shf.l.clamp.b32", in{a, b, 32}, a},
		{"9.7.8 shf", "shf.l.clamp.b32", in{a, b, all32}, a},
		{"9.7.8 shf", "shf.r.wrap.b32", in{0, 1, 1}, min32},
		{"9.7.8 shf", "shf.r.wrap.b32", in{a, b, 33}, (b<<31 | a>>1) & all32},
		{"9.7.8 shf", "shf.r.clamp.b32", in{a, b, 33}, b},
		{"9.7.9 prmt", "prmt.b32", in{a, b, 0x7531}, 0x88664422},
		{"9.7.9 prmt", "prmt.b32", in{a, b, 0xf03c}, 0xff114400},
		{"9.7.9 prmt", "prmt.b32.f4e", in{a, b, 1}, 0x55443322},
		{"9.7.9 prmt", "prmt.b32.b4e", in{a, b, 1}, 0x77881122},
		{"9.7.9 prmt", "prmt.b32.rc8", in{a, b, 2}, 0x33333333},
		{"9.7.9 prmt", "prmt.b32.ecl", in{a, b, 1}, 0x44332222},
		{"9.7.9 prmt", "prmt.b32.ecr", in{a, b, 2}, 0x33332211},
		{"9.7.9 prmt", "prmt.b32.rc16", in{a, b, 3}, 0x44334433},
		{"9.7.6 selp", "selp.f64", in{1, 2, 1}, 1},
		{"9.7.6 selp", "selp.f64", in{1, 2, 0}, 2},
		{"9.7.6 slct", "slct.u64.s32", in{1, 2, min32}, 2},
		{"9.7.6 slct", "slct.u64.s32", in{1, 2, 0}, 1},
		{"9.7.6 slct", "slct.b32.f32", in{1, 2, min32}, 1}, // -0
		{"9.7.6 slct", "slct.b32.f32", in{1, 2, 0x7fc00000}, 2},
		{"9.7.6 slct", "slct.b32.f32", in{1, 2, 0x80000001}, 2},
		{"9.7.6 slct", "slct.ftz.b32.f32", in{1, 2, 0x80000001}, 1},
	})
}

// TestLop3 tries every table (9.7.8 lop3): bit 4a+2b+c of the immediate.
func TestLop3(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for lut := range uint64(256) {
		plain, err := Lookup("lop3", []string{"b32"}, lut)
		if err != nil {
			t.Fatal(err)
		}
		withOr, _ := Lookup("lop3", []string{"or", "b32"}, lut)
		withAnd, _ := Lookup("lop3", []string{"and", "b32"}, lut)
		a, b, c, q := uint64(r.Uint32()), uint64(r.Uint32()), uint64(r.Uint32()), r.Uint64()&1
		if lut%16 == 0 {
			a, b, c = 0, 0, 0
		}
		var want uint64
		for i := range 32 {
			want |= lut >> (a>>i&1<<2 | b>>i&1<<1 | c>>i&1) & 1 << i
		}
		nonzero := truth(want != 0)
		if got := plain.Fn(a, b, c, 0); got != want {
			t.Errorf("lop3 %#x(%#x, %#x, %#x) = %#x, want %#x", lut, a, b, c, got, want)
		}
		if got := withOr.Fn(a, b, c, q); got != want|(nonzero|q)<<32 {
			t.Errorf("lop3.or %#x = %#x", lut, got)
		}
		if got := withAnd.Fn(a, b, c, q); got != want|(nonzero&q)<<32 {
			t.Errorf("lop3.and %#x = %#x", lut, got)
		}
	}
}

func TestIntegerComparison(t *testing.T) {
	runRows(t, []row{ // 1: p, 2: q
		{"9.7.6 setp", "setp.lt.s32", in{all32, 0}, 1},
		{"9.7.6 setp", "setp.lt.u32", in{all32, 0}, 2},
		{"9.7.6 setp", "setp.hi.u64", in{all64, 0}, 1},
		{"9.7.6 setp", "setp.ge.s16", in{0x8000, 0x7fff}, 2},
		{"9.7.6 setp", "setp.ls.u16", in{7, 7}, 1},
		{"9.7.6 setp", "setp.ne.b64", in{1 << 32, 0}, 1},
		{"9.7.6 setp", "setp.eq.and.s32", in{1, 1, 1}, 1},
		{"9.7.6 setp", "setp.eq.and.s32", in{1, 1, 0}, 0},
		{"9.7.6 setp", "setp.eq.or.s32", in{1, 2, 1}, 3},
		{"9.7.6 setp", "setp.eq.xor.s32", in{1, 1, 1}, 2},
		{"9.7.6 setp", "setp.eq.xor.s32", in{1, 2, 0}, 2},
		{"9.7.6 set", "set.lt.u32.s32", in{all32, 0}, all32},
		{"9.7.6 set", "set.lt.f32.s32", in{all32, 0}, 0x3f800000},
		{"9.7.6 set", "set.lt.f32.s32", in{1, 0}, 0},
		{"9.7.6 set", "set.gt.or.s32.u64", in{0, 1, 1}, all32},
	})
}

// TestValid: uninitialised bytes (mask bits 0) travel exactly.
func TestValid(t *testing.T) {
	for _, c := range []struct {
		op   string
		v    in
		m    []uint8
		want uint8
	}{
		{"and.b32", in{0, 0x00ff00ff}, []uint8{0x0, 0xf}, 0b1010}, // a known 0 decides
		{"or.b32", in{0, 0x00ff00ff}, []uint8{0x0, 0xf}, 0b0101},  // a known ff decides
		{"xor.b64", in{1, 2}, []uint8{0x7f, 0xfe}, 0x7e},
		{"not.b32", in{1}, []uint8{0x3}, 0x3},
		{"lop3.b32", in{0xff, 5, 6}, []uint8{0xf, 0x0, 0xf}, 0b1110}, // a ? b : c takes b in byte 0 only
		{"shl.b32", in{1, 8}, []uint8{0x1, 0xf}, 0b0011},
		{"shl.b32", in{1, 4}, []uint8{0x1, 0xf}, 0b0001},
		{"shl.b32", in{1, 8}, []uint8{0xf, 0xe}, 0},
		{"shr.s32", in{0, 24}, []uint8{0x7, 0xf}, 0},
		{"shr.u32", in{0, 24}, []uint8{0x7, 0xf}, 0xe},
		{"prmt.b32", in{0, 0, 0x3240}, []uint8{0x4, 0x1, 0xf}, 0b0110},
		{"selp.b32", in{0, 0, 1}, []uint8{0x3, 0x0, 1}, 0x3},
		{"selp.b32", in{0, 0, 1}, []uint8{0xf, 0xf, 0}, 0},
		{"cvt.u64.u32", in{0}, []uint8{0x1}, 0xf1},
		{"cvt.s64.s32", in{0}, []uint8{0x7}, 0x07},
		{"cvt.u8.u32", in{0}, []uint8{0x1}, 0x1},
		{"cvt.sat.u8.u32", in{0}, []uint8{0x1}, 0},
		{"bfe.u32", in{0, 16, 8}, []uint8{0x4, 0xf, 0xf}, 0xf},
		{"bfi.b32", in{0, 0, 8, 8}, []uint8{0x1, 0xd, 0xf, 0xf}, 0xf},
		{"add.s32", in{1, 1}, []uint8{0x3, 0x7}, 0x3},
		{"mul.lo.s32", in{1, 1}, []uint8{0xe, 0xf}, 0},
		{"mul.hi.s32", in{1, 1}, []uint8{0x7, 0xf}, 0},
		{"add.rn.f32", in{1, 1}, []uint8{0x7, 0xf}, 0},
		{"neg.f32", in{1}, []uint8{0x7}, 0x7},
		{"add.f16x2", in{1, 1}, []uint8{0x7, 0xf}, 0x3},
		{"fma.rn.f16x2", in{1, 1, 1}, []uint8{0xf, 0xf, 0xc}, 0xc},
		{"cvt.rn.f16x2.f32", in{1, 1}, []uint8{0x7, 0xf}, 0x3},
		{"cvt.rn.f16x2.f32", in{1, 1}, []uint8{0xf, 0x7}, 0xc},
		{"setp.eq.s32", in{1, 1}, []uint8{0xf, 0x7}, 0},
		{"setp.eq.s32", in{1, 1}, []uint8{0xf, 0xf}, 1},
		{"popc.b32", in{1}, []uint8{0xf}, 0xf},
	} {
		var v [4]uint64
		var m [4]uint8
		copy(v[:], c.v)
		copy(m[:], c.m)
		if got := validBytes(mustLookup(t, c.op), &v, &m); got != c.want {
			t.Errorf("%s(%#x) with valid bytes %04b: %04b, want %04b", c.op, c.v, c.m, got, c.want)
		}
	}
}

// TestValidIsSound flips uninitialised bits at random: result bits called
// initialised must not change.
func TestValidIsSound(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, pattern := range Syntax {
		names := Expand(pattern)
		o := mustLookup(t, names[r.IntN(len(names))])
		for range 200 {
			var v, w [4]uint64
			var inv [4]uint64
			for i, k := range o.Args {
				v[i] = operand(r, k)
				if r.IntN(2) == 0 {
					inv[i] = r.Uint64() & r.Uint64() & k.Mask()
				}
				w[i] = v[i]&^inv[i] | r.Uint64()&inv[i]
			}
			valid := ^o.Invalid(&v, &inv) & o.Result.Mask()
			x, y := o.Fn(v[0], v[1], v[2], v[3]), o.Fn(w[0], w[1], w[2], w[3])
			if (x^y)&valid != 0 {
				t.Fatalf("%s: %#x gives %#x, %#x gives %#x, differing in initialised bits %#x", o.Name, v, x, w, y, valid)
			}
		}
	}
}

// validBytes is Invalid for whole bytes: m are the initialised bytes of the operands, the
// result those of the result.
func validBytes(o *Op, v *[4]uint64, m *[4]uint8) (out uint8) {
	var inv [4]uint64
	for i, k := range o.Args {
		for b := range k.Bytes() {
			if m[i]>>b&1 == 0 {
				inv[i] |= 0xFF << (8 * b) & k.Mask()
			}
		}
	}
	r := o.Invalid(v, &inv)
	for b := range o.Result.Bytes() {
		if r>>(8*b)&0xFF == 0 {
			out |= 1 << b
		}
	}
	return out
}
