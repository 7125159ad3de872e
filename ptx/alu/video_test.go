package alu

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The oracle computes in unbounded integers, from the pseudocode of the ISA.
func videoPart(v uint64, sel string, signed bool) *big.Int {
	lo, n := 0, 32
	switch {
	case strings.HasPrefix(sel, "b"):
		lo, n = 8*int(sel[1]-'0'), 8
	case strings.HasPrefix(sel, "h"):
		lo, n = 16*int(sel[1]-'0'), 16
	}
	x := new(big.Int).SetUint64(v >> lo & (1<<n - 1))
	if signed && x.Bit(n-1) == 1 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return x
}

func videoClamp(x *big.Int, n uint, signed bool) *big.Int {
	least, most := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), n)
	if signed {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	most.Sub(most, big.NewInt(1))
	if x.Cmp(least) < 0 {
		return least
	}
	if x.Cmp(most) > 0 {
		return most
	}
	return x
}

func videoOp(op string, x, y *big.Int) *big.Int {
	switch op {
	case "vadd":
		return new(big.Int).Add(x, y)
	case "vsub":
		return new(big.Int).Sub(x, y)
	case "vabsdiff":
		return new(big.Int).Abs(new(big.Int).Sub(x, y))
	case "vmin":
		if x.Cmp(y) < 0 {
			return x
		}
		return y
	case "vmax":
		if x.Cmp(y) > 0 {
			return x
		}
		return y
	}
	s := new(big.Int).Add(x, y)
	if s.Sign() >= 0 {
		s.Add(s, big.NewInt(1))
	}
	return s.Rsh(s, 1) // floor
}

// low are the lowest n bits in two's complement.
func low(x *big.Int, n uint) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), n)
	return new(big.Int).Mod(x, m).Uint64()
}

var videoValues = []uint64{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x80ff7f01, 0x12345678, 0xfedcba98}

func videoInputs(f func(a, b, c uint64)) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, a := range videoValues {
		for range 4 {
			f(a, videoValues[r.IntN(len(videoValues))], videoValues[r.IntN(len(videoValues))])
		}
	}
	for range 30 {
		f(uint64(r.Uint32()), uint64(r.Uint32()), uint64(r.Uint32()))
	}
}

func lookupVideo(t *testing.T, form string, sel [3]string, args int) *Op {
	t.Helper()
	w := strings.Split(form, ".")
	op, err := LookupVideo(w[0], w[1:], sel, args)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func TestScalarVideo(t *testing.T) {
	selectors := []string{"", "b0", "b1", "b2", "b3", "h0", "h1"}
	r := rand.New(rand.NewPCG(9, 10))
	for _, form := range Expand("{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}{,.add,.min,.max}") {
		for range 4 {
			w := strings.Split(form, ".")
			sel := [3]string{selectors[r.IntN(7)], selectors[r.IntN(7)], selectors[r.IntN(7)]}
			sat, second := slices.Contains(w, "sat"), ""
			if m := w[len(w)-1]; m == "add" || m == "min" || m == "max" {
				second, sel[0] = m, ""
			}
			args := 2
			if second != "" || sel[0] != "" {
				args = 3
			}
			d := w[1] == "s32"
			op := lookupVideo(t, form, sel, args)
			videoInputs(func(a, b, c uint64) {
				x := videoOp(w[0], videoPart(a, sel[1], w[2] == "s32"), videoPart(b, sel[2], w[3] == "s32"))
				n, at := uint(32), uint(0)
				if sel[0] != "" {
					n = map[byte]uint{'b': 8, 'h': 16}[sel[0][0]]
					at = uint(sel[0][1]-'0') * n
				}
				if sat {
					x = videoClamp(x, n, d)
				}
				y := videoPart(c, "", d)
				switch second {
				case "add":
					x = new(big.Int).Add(x, y)
				case "min":
					x = videoOp("vmin", videoPart(low(x, 32), "", d), y)
				case "max":
					x = videoOp("vmax", videoPart(low(x, 32), "", d), y)
				}
				want := low(x, n)
				if sel[0] != "" {
					want = want<<at | c&^((1<<n-1)<<at)
				}
				if got := op.Fn(a, b, c, 0); got != want {
					t.Fatalf("%s%v of %#x, %#x, %#x: %#x, want %#x", form, sel, a, b, c, got, want)
				}
			})
		}
	}
}

func TestVideoTable(t *testing.T) {
	for _, x := range []struct {
		form    string
		sel     [3]string
		a, b, c uint64
		want    uint64
	}{
		{"vset.u32.u32.lt", [3]string{}, 1, 2, 0, 1},
		{"vset.s32.u32.lt", [3]string{}, 0xffffffff, 0, 0, 1},
		{"vset.u32.u32.ge", [3]string{"h1", "b0", "b1"}, 0x0005, 0x0400, 0xaaaabbbb, 0x0001bbbb},
		{"vset.s32.s32.ne.add", [3]string{}, 3, 4, 41, 42},
		{"vshl.u32.u32.u32.clamp", [3]string{}, 1, 40, 0, 0},
		{"vshl.u32.u32.u32.wrap", [3]string{}, 1, 40, 0, 0x100},
		{"vshl.u32.u32.u32.sat.clamp", [3]string{}, 3, 31, 0, 0xffffffff},
		{"vshl.s32.s32.u32.sat.clamp", [3]string{}, 0xfffffffd, 31, 0, 0x80000000},
		{"vshr.s32.s32.u32.clamp", [3]string{}, 0x80000000, 99, 0, 0xffffffff},
		{"vshr.u32.u32.u32.clamp.add", [3]string{"", "b3", ""}, 0x80000000, 3, 5, 21},
		{"vmad.s32.s32.s32", [3]string{"", "h0", "h1"}, 0xfffe, 0x30000, 10, 4},
		{"vmad.u32.u32.u32.sat", [3]string{}, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
		{"vmad.u32.u32.u32.po", [3]string{}, 3, 5, 1, 17},
		{"vmad.u32.u32.u32.shr7", [3]string{}, 256, 3, 128, 7},
		{"vmad.s32.s32.s32.sat.shr15", [3]string{}, 0x7fffffff, 0x80000000, 0, 0x80000000},
	} {
		w := strings.Split(x.form, ".")
		args := 2
		if x.sel[0] != "" || w[0] == "vmad" || w[len(w)-1] == "add" {
			args = 3
		}
		if got := lookupVideo(t, x.form, x.sel, args).Fn(x.a, x.b, x.c, 0); got != x.want {
			t.Errorf("%s%v of %#x, %#x, %#x: %#x, want %#x", x.form, x.sel, x.a, x.b, x.c, got, x.want)
		}
	}
}

func TestSIMDVideo(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, form := range Expand("{vadd,vsub,vavrg,vabsdiff,vmin,vmax}{2,4}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}{,.add}") {
		w := strings.Split(form, ".")
		n := int(w[0][len(w[0])-1] - '0')
		letter, bits := "h", uint(16)
		if n == 4 {
			letter, bits = "b", 8
		}
		for range 3 {
			// Explicit selectors half of the time.
			var sel [3]string
			mask := r.Uint32N(1<<n-1) + 1
			pa, pb := make([]int, n), make([]int, n)
			for i := range n {
				pa[i], pb[i] = i, n+i
			}
			if r.IntN(2) == 0 {
				mask = 1<<n - 1
			} else {
				sel = [3]string{letter, letter, letter}
				for i := n - 1; i >= 0; i-- {
					pa[i], pb[i] = r.IntN(2*n), r.IntN(2*n)
					if mask>>i&1 != 0 {
						sel[0] += string(rune('0' + i))
					}
					sel[1] += string(rune('0' + pa[i]))
					sel[2] += string(rune('0' + pb[i]))
				}
			}
			op := lookupVideo(t, form, sel, 3)
			d := w[1] == "s32"
			videoInputs(func(a, b, c uint64) {
				part := func(i int, signed bool) *big.Int {
					v := (a | b<<32) >> (uint(i) * bits)
					return videoPart(v, letter+"0", signed)
				}
				var want uint64
				sum := new(big.Int).SetUint64(c)
				for i := range n {
					x := videoOp(w[0][:len(w[0])-1], part(pa[i], w[2] == "s32"), part(pb[i], w[3] == "s32"))
					if slices.Contains(w, "sat") {
						x = videoClamp(x, bits, d)
					}
					if mask>>i&1 == 0 {
						want |= c & ((1<<bits - 1) << (uint(i) * bits))
						continue
					}
					sum.Add(sum, x)
					want |= low(x, bits) << (uint(i) * bits)
				}
				if w[len(w)-1] == "add" {
					want = low(sum, 32)
				}
				if got := op.Fn(a, b, c, 0); got != want {
					t.Fatalf("%s%v of %#x, %#x, %#x: %#x, want %#x", form, sel, a, b, c, got, want)
				}
			})
		}
	}
	if got := lookupVideo(t, "vset4.u32.u32.lt", [3]string{}, 3).Fn(0x01020304, 0x02020202, 0, 0); got != 0x01000000 {
		t.Errorf("vset4: %#x", got)
	}
	if got := lookupVideo(t, "vset2.s32.s32.lt.add", [3]string{}, 3).Fn(0xffff0001, 0x00000002, 5, 0); got != 7 {
		t.Errorf("vset2: %#x", got)
	}
}

func TestVideoRefusals(t *testing.T) {
	for _, x := range []struct {
		form string
		sel  [3]string
		args int
	}{
		{"vadd.u32.u32", [3]string{}, 2}, {"vadd.u32.u32.u32.add", [3]string{}, 2}, {"vadd.u32.u32.u32.add", [3]string{"b0", "", ""}, 3},
		{"vadd.u32.u32.u32", [3]string{"", "h2", ""}, 2}, {"vadd2.u32.u32.u32", [3]string{"h01", "", ""}, 3}, {"vadd2.u32.u32.u32", [3]string{"", "h4", ""}, 3},
		{"vadd4.u32.u32.u32", [3]string{"", "h10", ""}, 3}, {"vshl.u32.u32.s32.clamp", [3]string{}, 2}, {"vshl.u32.u32.u32", [3]string{}, 2}, {"vset.u32.u32.lo", [3]string{}, 2},
	} {
		w := strings.Split(x.form, ".")
		if _, err := LookupVideo(w[0], w[1:], x.sel, x.args); err == nil {
			t.Errorf("%s%v with %d operands is accepted", x.form, x.sel, x.args)
		}
	}
	for op, is := range map[string]bool{"vadd": true, "vadd2": true, "vavrg": false, "vavrg4": true, "vmad": true, "vmad2": false, "vote": false, "vshl4": false, "add": false} {
		if IsVideo(op) != is {
			t.Errorf("IsVideo(%s) = %v", op, !is)
		}
	}
}
