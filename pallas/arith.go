package pallas

import (
	"math"
	"math/bits"

	"gpusim/array"
)

func init() {
	for name, f := range floatUnary {
		handlers[name] = primitive{1, 0, unary(f, intUnary[name])}
	}
	for name, f := range intUnary {
		if floatUnary[name] == nil {
			handlers[name] = primitive{1, 0, unary(nil, f)}
		}
	}
	for name, b := range binaries {
		handlers[name] = primitive{2, 0, binary(b)}
	}
	for name, c := range comparisons {
		handlers[name] = primitive{2, 0, compare(c)}
	}
}

// Unary functions. Floating-point ones are computed in double precision and rounded once,
// which is exact for sqrt and correct to within a unit in the last place for others.
var floatUnary = map[string]func(float64) float64{
	"neg": func(x float64) float64 { return -x },
	"sign": func(x float64) float64 {
		if x == 0 || math.IsNaN(x) {
			return x
		}
		return math.Copysign(1, x)
	},
	"abs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
	"log": math.Log, "log1p": math.Log1p, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "tanh": math.Tanh,
	"sqrt": math.Sqrt, "erf": math.Erf,
	"rsqrt":    func(x float64) float64 { return 1 / math.Sqrt(x) },
	"logistic": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"square":   func(x float64) float64 { return x * x },
}

var intUnary = map[string]func(d array.DType, x int64) int64{
	"neg": func(d array.DType, x int64) int64 { return -x },
	"abs": func(d array.DType, x int64) int64 {
		if d.Signed() && x < 0 {
			return -x
		}
		return x
	},
	"sign": func(d array.DType, x int64) int64 {
		switch {
		case x == 0:
			return 0
		case x < 0 && d.Signed():
			return -1
		}
		return 1
	},
	"not": func(d array.DType, x int64) int64 {
		if d == array.Bool {
			return 1 - x
		}
		return ^x
	},
	"square": func(d array.DType, x int64) int64 { return x * x },
	"clz": func(d array.DType, x int64) int64 {
		n := 8 * d.Size()
		return int64(bits.LeadingZeros64(uint64(x)<<(64-n) | (1<<(64-n) - 1)))
	},
	"population_count": func(d array.DType, x int64) int64 {
		return int64(bits.OnesCount64(uint64(x) << (64 - 8*d.Size())))
	},
}

func unary(ff func(float64) float64, fi func(array.DType, int64) int64) handler {
	return func(x *interpreter, q *Eqn, f frame) {
		v := f.value(q.In[0])
		out := array.Make(v.Type, v.Shape)
		switch {
		case v.F != nil && ff != nil:
			for i, e := range v.F {
				out.F[i] = v.Type.Round(ff(e))
			}
		case v.I != nil && fi != nil:
			for i, e := range v.I {
				out.I[i] = v.Type.Wrap(fi(v.Type, e))
			}
		default:
			x.unsupported(q, v.Type)
		}
		f.set(q, out)
	}
}

type binaryOp struct {
	float func(a, b float64) float64
	int   func(d array.DType, a, b int64) int64
}

var binaries = map[string]binaryOp{
	"add": {func(a, b float64) float64 { return a + b }, func(d array.DType, a, b int64) int64 {
		if d == array.Bool {
			return a | b
		}
		return a + b
	}},
	"sub": {func(a, b float64) float64 { return a - b }, func(_ array.DType, a, b int64) int64 { return a - b }},
	"mul": {func(a, b float64) float64 { return a * b }, func(_ array.DType, a, b int64) int64 { return a * b }},
	"div": {func(a, b float64) float64 { return a / b }, divide},
	"rem": {math.Mod, remainder},
	"max": {math.Max, func(d array.DType, a, b int64) int64 {
		if less(d, a, b) {
			return b
		}
		return a
	}},
	"min": {math.Min, func(d array.DType, a, b int64) int64 {
		if less(d, b, a) {
			return b
		}
		return a
	}},
	"pow":   {math.Pow, nil},
	"atan2": {math.Atan2, nil},
	"and":   {nil, func(_ array.DType, a, b int64) int64 { return a & b }},
	"or":    {nil, func(_ array.DType, a, b int64) int64 { return a | b }},
	"xor":   {nil, func(_ array.DType, a, b int64) int64 { return a ^ b }},
	"shift_left": {nil, func(d array.DType, a, b int64) int64 {
		if uint64(b) >= uint64(8*d.Size()) {
			return 0
		}
		return a << uint(b)
	}},
	"shift_right_logical": {nil, func(d array.DType, a, b int64) int64 {
		n := 8 * d.Size()
		if uint64(b) >= uint64(n) {
			return 0
		}
		return int64(uint64(a) << (64 - n) >> (64 - n) >> uint(b))
	}},
	"shift_right_arithmetic": {nil, func(d array.DType, a, b int64) int64 {
		n := 8 * d.Size()
		return a << (64 - n) >> (64 - n) >> min(uint64(b), uint64(n-1))
	}},
}

// less compares integers, 64-bit ones without a sign too.
func less(d array.DType, a, b int64) bool {
	if d == array.U64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

// divide truncates; what has no result has XLA's: -1 for a division by zero.
func divide(d array.DType, a, b int64) int64 {
	switch {
	case b == 0:
		return -1
	case d == array.U64:
		return int64(uint64(a) / uint64(b))
	case b == -1:
		return -a
	}
	return a / b
}

func remainder(d array.DType, a, b int64) int64 {
	switch {
	case b == 0:
		return a
	case d == array.U64:
		return int64(uint64(a) % uint64(b))
	case b == -1:
		return 0
	}
	return a % b
}

// at is the index of an operand's element for element i of the result: a scalar goes with
// every element.
func at(v array.Value, i int) int {
	if v.Len() == 1 {
		return 0
	}
	return i
}

// longer is the shape of an elementwise result.
func longer(a, b array.Value) []int {
	if len(b.Shape) > len(a.Shape) || b.Len() > a.Len() {
		return b.Shape
	}
	return a.Shape
}

func binary(op binaryOp) handler {
	return func(x *interpreter, q *Eqn, f frame) {
		a, b := f.value(q.In[0]), f.value(q.In[1])
		out := array.Make(a.Type, longer(a, b))
		switch {
		case a.F != nil && op.float != nil:
			for i := range out.F {
				out.F[i] = a.Type.Round(op.float(a.F[at(a, i)], b.F[at(b, i)]))
			}
		case a.I != nil && op.int != nil:
			for i := range out.I {
				out.I[i] = a.Type.Wrap(op.int(a.Type, a.I[at(a, i)], b.I[at(b, i)]))
			}
		default:
			x.unsupported(q, a.Type)
		}
		f.set(q, out)
	}
}

// comparisons by whether less, equal and greater satisfy them. A NaN satisfies ne only.
var comparisons = map[string][3]bool{
	"eq": {false, true, false}, "ne": {true, false, true}, "lt": {true, false, false},
	"le": {true, true, false}, "gt": {false, false, true}, "ge": {false, true, true},
}

func compare(want [3]bool) handler {
	return func(_ *interpreter, q *Eqn, f frame) {
		a, b := f.value(q.In[0]), f.value(q.In[1])
		out := array.Make(array.Bool, longer(a, b))
		for i := range out.I {
			var ok bool
			if a.F != nil {
				x, y := a.F[at(a, i)], b.F[at(b, i)]
				ok = x < y && want[0] || x == y && want[1] || x > y && want[2] || (math.IsNaN(x) || math.IsNaN(y)) && want[0] && want[2]
			} else {
				x, y := a.I[at(a, i)], b.I[at(b, i)]
				ok = less(a.Type, x, y) && want[0] || x == y && want[1] || less(a.Type, y, x) && want[2]
			}
			if ok {
				out.I[i] = 1
			}
		}
		f.set(q, out)
	}
}
