package lanes

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// operations are all operations that have two forms, by name.
var operations = map[string]any{
	"Add32": Add32, "Sub32": Sub32, "Mul32": Mul32, "Mad32": Mad32, "And32": And32, "Or32": Or32, "Xor32": Xor32, "Shl32": Shl32, "ShrU32": ShrU32, "ShrS32": ShrS32,
	"MinS32": MinS32, "MaxS32": MaxS32, "MinU32": MinU32, "MaxU32": MaxU32, "MulWideS": MulWideS, "MulWideU": MulWideU, "MadWideS": MadWideS, "MadWideU": MadWideU,
	"Add64": Add64, "Sub64": Sub64, "And64": And64, "Or64": Or64, "Xor64": Xor64, "Shl64": Shl64, "ShrU64": ShrU64, "WideS": WideS, "WideU": WideU, "Narrow": Narrow,
	"AddF32": AddF32, "SubF32": SubF32, "MulF32": MulF32, "FmaF32": FmaF32, "LtS32": LtS32, "LtU32": LtU32, "Eq32": Eq32, "LtS64": LtS64, "LtU64": LtU64, "Eq64": Eq64,
	"LtF32": LtF32, "LeF32": LeF32, "EqF32": EqF32, "Select32": Select32, "Select64": Select64, "Copy32": Copy32, "CopyHalf": CopyHalf, "Splat32": Splat32,
	"SplatHalf": SplatHalf, "Splat64": Splat64, "Matches": Matches,
}

var edges = []uint64{0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x3F800001, 0x7F800000,
	0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x00800000, 0x007FFFFF, 0x80000001, 0x7F7FFFFF, 1 << 32, 1 << 63, 1<<63 - 1, 1<<64 - 1}

func value(rng *rand.Rand) uint64 {
	switch rng.IntN(4) {
	case 0:
		return edges[rng.IntN(len(edges))]
	case 1: // floats of like size: sums cancel, products are midpoints
		return uint64(rng.Uint32()&0x8000_0FFF | (120+rng.Uint32N(12))<<23 | rng.Uint32N(1<<11)<<12)
	}
	return rng.Uint64()
}

// fill makes an operand of a type: pointers to lanes are filled with values.
func fill(rng *rand.Rand, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	if t.Kind() != reflect.Pointer {
		v.SetUint(value(rng) & (1<<(8*t.Size()-1)<<1 - 1))
		return v
	}
	v.Set(reflect.New(t.Elem()))
	for i := range t.Elem().Len() {
		e := v.Elem().Index(i)
		e.SetUint(value(rng) & (1<<(8*e.Type().Size()-1)<<1 - 1))
	}
	return v
}

// TestBothFormsAgree runs the assembly and the Go form of every operation on the same
// operands, also with the destination as a source.
func TestBothFormsAgree(t *testing.T) {
	if !useAssembly(true) {
		t.Skip("this processor has no AVX2, or no assembly was written for it")
	}
	defer useAssembly(true)
	rng := rand.New(rand.NewPCG(5, 6))
	for name, op := range operations {
		fn := reflect.ValueOf(op)
		for round := range 300 {
			var a, b []reflect.Value
			for i := range fn.Type().NumIn() {
				x := fill(rng, fn.Type().In(i))
				if i > 0 && round%4 == 1 && x.Type() == a[0].Type() {
					a, b = append(a, a[0]), append(b, b[0])
					continue
				}
				a, b = append(a, x), append(b, copyOf(x))
			}
			if name == "Matches" && round%2 == 0 { // mostly equal but for one lane
				addr, rel := a[0].Interface().(*D), a[1].Interface().(*D)
				for i := range rel {
					rel[i] = addr[i] - addr[0]
				}
				if round%4 == 0 {
					rel[rng.IntN(32)] ^= 1 << rng.IntN(64)
				}
				b = []reflect.Value{copyOf(a[0]), copyOf(a[1])}
			}
			useAssembly(true)
			x := fn.Call(a)
			useAssembly(false)
			y := fn.Call(b)
			for i := range a {
				if a[i].Kind() == reflect.Pointer && !reflect.DeepEqual(a[i].Elem().Interface(), b[i].Elem().Interface()) {
					t.Fatalf("%s: operand %d is %#x with assembly, %#x without", name, i, a[i].Elem().Interface(), b[i].Elem().Interface())
				}
			}
			if len(x) > 0 && x[0].Interface() != y[0].Interface() {
				t.Fatalf("%s: %v with assembly, %v without", name, x[0].Interface(), y[0].Interface())
			}
		}
	}
}

func copyOf(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	return c
}
