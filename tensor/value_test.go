package tensor

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestNamesOfTypesAreJAXs(t *testing.T) {
	for d := range dtypeCount {
		if got, ok := FindDType(d.String()); !ok || got != d {
			t.Errorf("%s: %v %v", d, got, ok)
		}
		if d.Size() < 1 || d.Size() > 8 || d.Bits() > 8*d.Size() {
			t.Errorf("%s has %d bytes and %d bits", d, d.Size(), d.Bits())
		}
	}
	if d, ok := FindDType("complex64"); ok {
		t.Error(d)
	}
	if s := DType(99).String(); s != "invalid" {
		t.Error(s)
	}
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		v    Value
		bits uint64
		num  float64
	}{
		{Int(I8, 200), 0xC8, -56},
		{Int(U8, -1), 0xFF, 255},
		{Int(I4, -1), 0xF, -1},
		{Int(I2, 2), 0x2, -2},
		{Int(U4, 17), 0x1, 1},
		{Int(Bool, 6), 1, 1},
		{Int(I64, math.MinInt64), 1 << 63, math.MinInt64},
		{Int(U64, -1), math.MaxUint64, 0x1p64},
		{Int(BF16, 3), 0x4040, 3},
		{Float(F16, 65519), 0x7BFF, 65504},
		{Float(F16, 65520), 0x7C00, math.Inf(1)},
		{Float(F16, 0x1p-24), 1, 0x1p-24},
		{Float(F16, 0x1p-25), 0, 0},
		{Float(BF16, 1+0x1p-8), 0x3F80, 1},
		{Float(BF16, 1+0x3p-8), 0x3F82, 1 + 0x1p-6},
		{Float(F8E4M3FN, 464), 0x7E, 448},
		{Float(F8E5M2, -57344), 0xFB, -57344},
		{Float(F8E8M0FNU, 1), 127, 1},
		{Float(F8E8M0FNU, 3), 129, 4},
		{Float(F4E2M1FN, -100), 0xF, -6},
		{Float(F8E4M3FNUZ, math.Copysign(0, -1)), 0, 0},
		{Float(I32, 1e20), math.MaxInt32, math.MaxInt32},
		{Float(I8, -1.9), 0xFF, -1},
		{Float(U16, -3), 0, 0},
		{Float(U64, 1e30), math.MaxUint64, 0x1p64},
		{Float(I32, math.NaN()), 0, 0},
		{Float(F32, 0x1p-149), 1, 0x1p-149},
	} {
		if c.v.bits(0) != c.bits || c.v.Float(0) != c.num || c.v.Len() != 1 || len(c.v.Shape) != 0 {
			t.Errorf("%s: bits %#x, number %v; want %#x, %v", c.v.Type, c.v.bits(0), c.v.Float(0), c.bits, c.num)
		}
	}
	if n := Int(I32, -7).Scalar(); n != -7 {
		t.Error(n)
	}
	if n := Make(I32, []int{0}).Scalar(); n != 0 {
		t.Error(n)
	}
	if n := Float(F32, -7.9).Int(0); n != -7 {
		t.Error(n)
	}
}

func TestUndefined(t *testing.T) {
	for _, c := range []struct {
		d    DType
		want string
	}{
		{Bool, "1 1"}, {I8, "127 127"}, {I64, "9.223372036854775807e+18 9.223372036854775807e+18"}, {U16, "65535 65535"}, {I4, "7 7"}, {U2, "3 3"},
		{F16, "NaN NaN"}, {BF16, "NaN NaN"}, {F32, "NaN NaN"}, {F64, "NaN NaN"}, {F8E4M3FN, "NaN NaN"}, {F8E8M0FNU, "NaN NaN"},
	} {
		v := Make(c.d, []int{2})
		Undefined(c.d, v.Data)
		got := fmt.Sprint(v.Float(0), v.Float(1))
		if c.d == I64 {
			got, c.want = fmt.Sprint(v.Int(0)), fmt.Sprint(math.MaxInt64)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.d, got, c.want)
		}
	}
}

func TestDataIsAlignedForEveryType(t *testing.T) {
	for n := range 20 {
		v := Make(U8, []int{n})
		if len(v.Data) != n || cap(v.Data) != n {
			t.Errorf("%d elements: length %d, capacity %d", n, len(v.Data), cap(v.Data))
		}
	}
	v := Make(F64, []int{3})
	As[float64](v)[2] = 1.5
	if v.Float(2) != 1.5 || len(As[uint16](v)) != 12 {
		t.Error(v)
	}
}

// call is a primitive applied, its elements as numbers.
func call(t *testing.T, name string, p *Params, out Type, in ...Value) []float64 {
	t.Helper()
	f, ok := Find(name)
	if !ok {
		t.Fatal(name)
	}
	vs, err := f(p, []Type{out}, in)
	if err != nil {
		t.Fatal(err)
	}
	s := make([]float64, vs[0].Len())
	for i := range s {
		s[i] = vs[0].Float(i)
	}
	return s
}

func floats(d DType, x ...float64) Value {
	v := Make(d, []int{len(x)})
	for i, e := range x {
		v.setBits(i, d.encode(e))
	}
	return v
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
}

// XLA on a CPU would make zeros of these.
func TestSubnormalNumbersCount(t *testing.T) {
	const tiny = 0x1p-149
	for _, c := range []struct {
		name string
		d    DType
		a, b float64
		want float64
	}{
		{"add", F32, tiny, tiny, 2 * tiny},
		{"mul", F32, 0x1p-100, 0x1p-40, 0x1p-140},
		{"div", F32, 0x1p-140, 2, 0x1p-141},
		{"sub", F64, 0x3p-1074, 0x1p-1074, 0x2p-1074},
		{"add", BF16, 0x1p-133, 0x1p-133, 0x1p-132},
		{"max", F32, tiny, 0, tiny},
		{"mul", F16, 0x1p-12, 0x1p-12, 0x1p-24},
	} {
		if got := call(t, c.name, nil, Type{DType: c.d}, Float(c.d, c.a), Float(c.d, c.b)); got[0] != c.want {
			t.Errorf("%s of %s %g and %g: %g, want %g", c.name, c.d, c.a, c.b, got[0], c.want)
		}
	}
	if got := call(t, "gt", nil, Type{DType: Bool}, Float(F32, tiny), Float(F32, 0)); got[0] != 1 {
		t.Error("a subnormal number is not greater than zero")
	}
}

func TestScalarsGoWithArrays(t *testing.T) {
	const n = chunk + 3 // more than is done at a time
	for _, d := range []DType{F32, BF16, I32, I4, U8, F8E5M2, F64} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i % 3)
		}
		a, two := floats(d, x...), Int(d, 2)
		out := Type{d, []int{n}}
		sum, less := call(t, "add", nil, out, a, two), call(t, "sub", nil, out, two, a)
		lt := call(t, "lt", nil, Type{Bool, out.Shape}, a, two)
		for i := range x {
			if sum[i] != x[i]+2 && d != F8E5M2 || less[i] != 2-x[i] || lt[i] != float64(truth(x[i] < 2)) {
				t.Fatalf("%s, element %d: %v %v %v of %v", d, i, sum[i], less[i], lt[i], x[i])
			}
		}
		both := call(t, "mul", nil, out, two, two)
		if both[n-1] != 4 {
			t.Errorf("%s: two scalars give %v", d, both[n-1])
		}
	}
}

func TestOperandsAreNotChanged(t *testing.T) {
	for i, c := range readCases(t) {
		f, _ := Find(c.Prim)
		var in []Value
		var before [][]byte
		for _, a := range c.In {
			in, before = append(in, a.Value), append(before, slices.Clone(a.Data))
		}
		var out []Type
		for _, a := range c.Out {
			out = append(out, Type{a.Type, a.Shape})
		}
		if _, err := f(&c.Params, out, in); err != nil {
			t.Fatal(err)
		}
		for j := range in {
			if !slices.Equal(in[j].Data, before[j]) {
				t.Errorf("case %d: %s changed operand %d", i, c.Prim, j)
			}
		}
	}
}

func TestTheLastOfSeveralUpdatesStays(t *testing.T) {
	p := &Params{Gather: &Indexing{Collapsed: []int{0}, Map: []int{0}, Mode: "drop"}}
	i := convertTo(floats(F32, 1, 1, 5, 2), I32).WithShape([]int{4, 1})
	got := call(t, "scatter", p, Type{F32, []int{3}}, floats(F32, 0, 0, 0), i, floats(F32, 7, 8, 9, 10))
	if !same(got, []float64{0, 8, 10}) {
		t.Error(got)
	}
	got = call(t, "scatter-add", p, Type{F32, []int{3}}, floats(F32, 0, 1, 0), i, floats(F32, 7, 8, 9, 10))
	if !same(got, []float64{0, 16, 10}) {
		t.Error(got)
	}
}
