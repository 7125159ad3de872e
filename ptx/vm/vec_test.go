package vm

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gpusim/ptx/alu"
)

// edge32 and edge64 are the values that instruction semantics differ on.
var edge32 = []uint32{0, 1, 2, 3, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE,
	0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x00800000, 0x007FFFFF, 0x00000001, 0x80000000, 0x7F7FFFFF}

var edge64 = []uint64{0, 1, 2, 31, 63, 64, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64,
	0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001, 0x0010000000000000, 0x000FFFFFFFFFFFFF}

// TestVectorFormsAgree runs every vector form on edge values and random ones beside the
// scalar function of the same instruction.
func TestVectorFormsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, op := range Fast {
		checkForm(t, rng, name, op, false)
	}
	for name, op := range FastSwapped {
		checkForm(t, rng, name, op, true)
	}
}

func checkForm(t *testing.T, rng *rand.Rand, name string, op Op, swapped bool) {
	parts := strings.Split(name, ".")
	form, err := alu.Lookup(parts[0], parts[1:])
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	classes := map[alu.Kind]Class{alu.Pred: RP, alu.B32: R32, alu.B64: R64}
	in := Inst{Op: op, Guard: NoGuard, D: 4, DK: classes[form.Result], Fn: form.Fn, Alu: form, NArgs: uint8(len(form.Args))}
	for i, k := range form.Args {
		if classes[k] == NoReg {
			t.Errorf("%s: operand %d has no register class", name, i)
			return
		}
		in.Src[i] = Reg{uint16(1 + i), classes[k]}
	}
	in.A, in.B, in.C = 1, 2, 3
	if swapped {
		in.A, in.B = 2, 1
	}
	fn := &Func{N32: 5, N64: 5, NP: 5}
	th, fr := testThread(fn, []Inst{in, {Op: Exit, Guard: NoGuard}})
	for round := range 200 {
		for i, s := range in.Src[:in.NArgs] {
			for l := range 32 {
				v := rng.Uint64()
				if rng.IntN(2) == 0 {
					if s.Class == R64 {
						v = edge64[rng.IntN(len(edge64))]
					} else {
						v = uint64(edge32[rng.IntN(len(edge32))])
					}
				}
				if s.Class == R64 && rng.IntN(8) == 0 {
					v = edge64[(round+i+l)%len(edge64)]
				}
				fr.setLane(s, l, v)
			}
		}
		mask := uint32(Full)
		if round&1 != 0 {
			mask = rng.Uint32() | 0xFF // many lanes: the blended form
		}
		before := *fr
		before.r32, before.r64, before.pred = append([]V(nil), fr.r32...), append([]D(nil), fr.r64...), append([]uint32(nil), fr.pred...)
		th.cur = group{pc: 0, mask: mask, fr: fr}
		th.straight(noLimit)
		for l := range 32 {
			var x [4]uint64
			for i, s := range in.Src[:in.NArgs] {
				x[i] = before.lane(s, l)
			}
			want := form.Fn(x[0], x[1], x[2], x[3])
			if form.Result == alu.Pred {
				want &= 1
			}
			if mask>>l&1 == 0 {
				want = before.lane(Reg{4, in.DK}, l)
			}
			if got := fr.lane(Reg{4, in.DK}, l); got != want {
				t.Errorf("%s(%#x, %#x, %#x) = %#x, alu says %#x (mask %#x, lane %d)", name, x[0], x[1], x[2], got, want, mask, l)
				return
			}
		}
	}
}
