package alu

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// row is one evaluation: in are the operands, of which missing ones are 0.
type row struct {
	section string // of the PTX ISA
	op      string
	in      []uint64
	want    uint64
}

func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, c := range rows {
		o, err := lookup(c.op)
		if err != nil {
			t.Error(err)
			continue
		}
		var v [4]uint64
		copy(v[:], c.in)
		if got := o.Fn(v[0], v[1], v[2], v[3]); got != c.want {
			t.Errorf("%s %s(%#x) = %#x, want %#x", c.section, c.op, c.in, got, c.want)
		}
	}
}

type in = []uint64

const (
	min32 = 0x80000000
	max32 = 0x7fffffff
	all32 = 0xffffffff
	min64 = 1 << 63
	max64 = 1<<63 - 1
	all64 = 1<<64 - 1
)

func TestIntegerArithmetic(t *testing.T) {
	runRows(t, []row{
		{"9.7.1.1", "add.u16", in{0xffff, 2}, 1},
		{"9.7.1.1", "add.s32", in{max32, 1}, min32},
		{"9.7.1.1", "add.s64", in{all64, 1}, 0},
		{"9.7.1.1", "add.sat.s32", in{max32, 1}, max32},
		{"9.7.1.1", "add.sat.s32", in{min32, all32}, min32},
		{"9.7.1.1", "add.sat.s32", in{5, all32}, 4},
		{"9.7.1.1", "add.u16x2", in{0x0001ffff, 0xffff0001}, 0},
		{"9.7.1.2", "sub.u32", in{0, 1}, all32},
		{"9.7.1.2", "sub.sat.s32", in{min32, 1}, min32},
		{"9.7.1.2", "sub.sat.s32", in{0, min32}, max32},
		{"9.7.1.3", "mul.lo.u16", in{0xffff, 0xffff}, 1},
		{"9.7.1.3", "mul.hi.u16", in{0xffff, 0xffff}, 0xfffe},
		{"9.7.1.3", "mul.hi.s16", in{0xffff, 1}, 0xffff},
		{"9.7.1.3", "mul.wide.u16", in{0xffff, 0xffff}, 0xfffe0001},
		{"9.7.1.3", "mul.wide.s16", in{0x8000, 0x7fff}, 0xc0008000},
		{"9.7.1.3", "mul.lo.s32", in{0x10000, 0x10000}, 0},
		{"9.7.1.3", "mul.hi.s32", in{min32, min32}, 0x40000000},
		{"9.7.1.3", "mul.hi.u32", in{all32, all32}, 0xfffffffe},
		{"9.7.1.3", "mul.wide.s32", in{all32, 2}, all64 - 1},
		{"9.7.1.3", "mul.wide.u32", in{all32, all32}, 0xfffffffe00000001},
		{"9.7.1.3", "mul.hi.s64", in{min64, min64}, 1 << 62},
		{"9.7.1.3", "mul.hi.s64", in{all64, all64}, 0},
		{"9.7.1.3", "mul.hi.u64", in{all64, all64}, all64 - 1},
		{"9.7.1.4", "mad.lo.s32", in{all32, 3, 5}, 2},
		{"9.7.1.4", "mad.hi.u32", in{min32, 2, all32}, 0},
		{"9.7.1.4", "mad.hi.s32", in{all32, 1, 0}, all32},
		{"9.7.1.4", "mad.wide.s32", in{all32, 1, 1}, 0},
		{"9.7.1.4", "mad.wide.u32", in{all32, 1, all64}, all32 - 1},
		{"9.7.1.4", "mad.wide.u16", in{0xffff, 0xffff, all32}, 0xfffe0000},
		{"9.7.1.4", "mad.hi.sat.s32", in{min32, min32, 0x40000000}, max32},
		{"9.7.1.5", "mul24.lo.u32", in{0xff000003, 0xff000005}, 15},
		{"9.7.1.5", "mul24.lo.s32", in{0x00ffffff, 5}, all32 - 4},
		{"9.7.1.5", "mul24.hi.u32", in{0xffffff, 0xffffff}, 0xfffffe00},
		{"9.7.1.5", "mul24.hi.s32", in{0x00ffffff, 1}, all32},
		{"9.7.1.6", "mad24.lo.s32", in{0x00ffffff, 5, 5}, 0},
		{"9.7.1.6", "mad24.hi.sat.s32", in{0x7fffff, 0x7fffff, max32}, max32},
		{"9.7.1.7", "sad.u32", in{1, 5, 10}, 14},
		{"9.7.1.7", "sad.s32", in{min32, max32, 0}, all32},
		{"9.7.1.7", "sad.s16", in{0x8000, 0x7fff, 1}, 0},
		{"9.7.1.8", "div.s32", in{all32 - 6, 2}, all32 - 2},
		{"9.7.1.8", "div.s32", in{min32, all32}, min32},
		{"9.7.1.8", "div.s64", in{min64, all64}, min64},
		{"9.7.1.8", "div.s16", in{0x8000, 0xffff}, 0x8000},
		{"9.7.1.8", "div.u32", in{7, 0}, all32},
		{"9.7.1.8", "div.s32", in{7, 0}, all32},
		{"9.7.1.8", "div.u64", in{7, 0}, all64},
		{"9.7.1.9", "rem.s32", in{all32 - 6, 2}, all32},
		{"9.7.1.9", "rem.s32", in{min32, all32}, 0},
		{"9.7.1.9", "rem.u16", in{7, 0}, 0xffff},
		{"9.7.1.10", "abs.s32", in{min32}, min32},
		{"9.7.1.10", "abs.s16", in{0xfffe}, 2},
		{"9.7.1.10", "abs.s64", in{all64}, 1},
		{"9.7.1.11", "neg.s32", in{min32}, min32},
		{"9.7.1.11", "neg.s16", in{1}, 0xffff},
		{"9.7.1.12", "min.s32", in{all32, 1}, all32},
		{"9.7.1.12", "min.u32", in{all32, 1}, 1},
		{"9.7.1.12", "min.s16x2", in{0xffff0005, 0x00010003}, 0xffff0003},
		{"9.7.1.12", "min.u16x2", in{0xffff0005, 0x00010003}, 0x00010003},
		{"9.7.1.12", "min.relu.s32", in{all32, 1}, 0},
		{"9.7.1.13", "max.s64", in{all64, 1}, 1},
		{"9.7.1.13", "max.relu.s16x2", in{0xffff0005, 0xfffe0003}, 0x00000005},
		{"9.7.1.23", "dp4a.u32.u32", in{0xff010203, 0xff040506, 1}, 0xff*0xff + 4 + 10 + 18 + 1},
		{"9.7.1.23", "dp4a.s32.s32", in{0xff000000, 0xff000000, 0}, 1},
		{"9.7.1.23", "dp4a.s32.u32", in{0xff000000, 0xff000000, 0}, all32 - 254},
		{"9.7.1.24", "dp2a.lo.s32.s32", in{0xffff0002, 0x0505fe03, 0}, 2*3 + 2},
		{"9.7.1.24", "dp2a.hi.u32.u32", in{0xffff0002, 0x0305ffff, 0}, 0xffff*3 + 2*5},
		{"9.7.1.14", "popc.b64", in{all64}, 64},
		{"9.7.1.15", "clz.b32", in{0}, 32},
		{"9.7.1.15", "clz.b32", in{1}, 31},
		{"9.7.1.15", "clz.b64", in{0}, 64},
		{"9.7.1.16", "bfind.u32", in{0}, all32},
		{"9.7.1.16", "bfind.s32", in{all32}, all32},
		{"9.7.1.16", "bfind.s32", in{0xfffffff0}, 3},
		{"9.7.1.16", "bfind.u64", in{min64}, 63},
		{"9.7.1.16", "bfind.shiftamt.u32", in{1}, 31},
		{"9.7.1.16", "bfind.shiftamt.s64", in{all64}, all32},
		{"9.7.1.17", "fns.b32", in{0xaaaaaaaa, 3, 1}, 3},
		{"9.7.1.17", "fns.b32", in{0xaaaaaaaa, 3, all32}, 3},
		{"9.7.1.17", "fns.b32", in{0xaaaaaaaa, 3, 2}, 5},
		{"9.7.1.17", "fns.b32", in{0xaaaaaaaa, 3, all32 - 1}, 1},
		{"9.7.1.17", "fns.b32", in{0xaaaaaaaa, 2, 0}, all32},
		{"9.7.1.17", "fns.b32", in{0xaaaaaaaa, 3, min32}, all32},
		{"9.7.1.18", "brev.b32", in{1}, min32},
		{"9.7.1.18", "brev.b64", in{2}, 1 << 62},
		{"9.7.1.22", "bmsk.clamp.b32", in{4, 8}, 0xff0},
		{"9.7.1.22", "bmsk.clamp.b32", in{32, 8}, 0},
		{"9.7.1.22", "bmsk.clamp.b32", in{4, 100}, 0xfffffff0},
		{"9.7.1.22", "bmsk.wrap.b32", in{36, 40}, 0xff0},
		{"9.7.1.22", "bmsk.wrap.b32", in{4, 32}, 0},
		{"9.7.1.21", "szext.clamp.s32", in{0x80, 8}, 0xffffff80},
		{"9.7.1.21", "szext.clamp.u32", in{0x1ff, 8}, 0xff},
		{"9.7.1.21", "szext.clamp.s32", in{all32, 0}, 0},
		{"9.7.1.21", "szext.clamp.s32", in{0x1234, 32}, 0x1234},
		{"9.7.1.21", "szext.wrap.s32", in{0x1234, 32}, 0},
	})
}

// The bit-field instructions against loops written after the ISA's pseudo-code.
func TestBitFields(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	bit := func(v uint64, i int) uint64 { return v >> i & 1 }
	for _, typ := range []string{"u32", "s32", "u64", "s64"} {
		bfe := mustLookup(t, "bfe."+typ)
		bfi := mustLookup(t, "bfi.b"+typ[1:])
		msb := types[typ].bits() - 1
		for range 3000 {
			a, b := operand(r, types[typ].kind), operand(r, types[typ].kind)
			pos, n := r.IntN(80), r.IntN(80)
			if r.IntN(8) == 0 {
				pos, n = r.IntN(256), r.IntN(256)
			}
			// 9.7.1.19; only the low 8 bits of position and length count
			var sbit, want uint64
			if typ[0] == 's' && n != 0 {
				sbit = bit(a, min(pos+n-1, msb))
			}
			for i := range msb + 1 {
				v := sbit
				if i < n && pos+i <= msb {
					v = bit(a, pos+i)
				}
				want |= v << i
			}
			if got := bfe.Fn(a, uint64(pos)|0x100, uint64(n)|0xff00, 0); got != want {
				t.Fatalf("%s(%#x, %d, %d) = %#x, want %#x", bfe.Name, a, pos, n, got, want)
			}
			// 9.7.1.20
			want = b
			for i := 0; i < n && pos+i <= msb; i++ {
				want = want&^(1<<(pos+i)) | bit(a, i)<<(pos+i)
			}
			if got := bfi.Fn(a, b, uint64(pos)|0x100, uint64(n)|0xff00); got != want {
				t.Fatalf("%s(%#x, %#x, %d, %d) = %#x, want %#x", bfi.Name, a, b, pos, n, got, want)
			}
		}
	}
}

// Carry chains against wide arithmetic (9.7.2): three words added, subtracted and
// multiplied.
func TestCarryChains(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, size := range []int{32, 64} {
		suffix := map[int]string{32: ".u32", 64: ".u64"}[size]
		kind := types[suffix[1:]].kind
		join := func(lo, hi uint64) *big.Int {
			n := new(big.Int).SetUint64(hi)
			return n.Add(n.Lsh(n, uint(size)), new(big.Int).SetUint64(lo))
		}
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(2*size))
		for range 3000 {
			a0, a1, b0, b1 := operand(r, kind), operand(r, kind), operand(r, kind), operand(r, kind)
			for _, c := range []struct {
				first, second string
				calc          func(z, x, y *big.Int) *big.Int
			}{
				{"add.cc", "addc.cc", (*big.Int).Add}, {"sub.cc", "subc.cc", (*big.Int).Sub},
			} {
				first, second := mustLookup(t, c.first+suffix), mustLookup(t, c.second+suffix)
				if first.ReadsCC || !second.ReadsCC || first.Carry == nil {
					t.Fatalf("%s, %s: wrong carry flags", first.Name, second.Name)
				}
				lo, cc := first.Fn(a0, b0, 0, 0), first.Carry(a0, b0, 0, 0)
				hi, out := second.Fn(a1, b1, cc, 0), second.Carry(a1, b1, cc, 0)
				exact := c.calc(new(big.Int), join(a0, a1), join(b0, b1))
				overflow := exact.Sign() < 0 || exact.Cmp(modulus) >= 0
				if exact.Mod(exact, modulus).Cmp(join(lo, hi)) != 0 || overflow != (out == 1) {
					t.Fatalf("%s %s of %#x:%#x, %#x:%#x = %#x:%#x carry %d", c.first, c.second, a1, a0, b1, b0, hi, lo, out)
				}
			}
			// a0 * b0 + (a1, b1) by mad.lo.cc and madc.hi.cc
			lo := mustLookup(t, "mad.lo.cc"+suffix)
			hi := mustLookup(t, "madc.hi.cc"+suffix)
			cc := lo.Carry(a0, b0, a1, 0)
			exact := new(big.Int).Mul(join(a0, 0), join(b0, 0))
			exact.Add(exact, join(a1, b1))
			out := new(big.Int).Rsh(exact, uint(2*size)).Uint64()
			got := join(lo.Fn(a0, b0, a1, 0), hi.Fn(a0, b0, b1, cc))
			if exact.Mod(exact, modulus).Cmp(got) != 0 || out != hi.Carry(a0, b0, b1, cc) {
				t.Fatalf("mad.lo.cc madc.hi.cc%s(%#x, %#x, %#x, %#x) = %#x", suffix, a0, b0, a1, b1, got)
			}
		}
	}
}
