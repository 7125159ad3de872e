package alu

import "math"

// Approximations: PTX ISA 9.7.3.8 and 9.7.3.13 to 9.7.3.22, 9.7.4.9, 9.7.4.10.
// All are computed in double precision and rounded, which is more precise than the
// ISA promises; special values follow its tables.

// divApprox is div.approx.f32 and div.full.f32. The former is a * (1/b): for
// 2^126 < |b| < 2^128 it gives 0, or NaN if a is infinite.
func divApprox(n numeric, reciprocal bool) Fn {
	return n.wide32(func(a, b, _ float64) float64 {
		if m := math.Abs(b); reciprocal && m > 0x1p126 && m < 0x1p128 {
			return a * math.Copysign(0, b)
		}
		return a / b
	})
}

func buildRsqrt(f *form) *Op {
	f.need("approx")
	n := numeric{ftz: f.flag("ftz")}
	t := f.typ("f32", "f64")
	switch {
	case t.family == single:
		return same(t, 1, n.wide32(func(a, _, _ float64) float64 { return 1 / math.Sqrt(a) }))
	case n.ftz:
		return same(t, 1, func(a, _, _, _ uint64) uint64 {
			return upperWord64(1 / math.Sqrt(f64(upperWordFlushed(a))))
		})
	}
	return same(t, 1, func(a, _, _, _ uint64) uint64 { return bits64(1/math.Sqrt(f64(a)), a, 0, 0) })
}

// rcpApproxFTZ64 is rcp.approx.ftz.f64 (9.7.3.14): like rsqrt.approx.ftz.f64 it
// looks at the upper word of its operand only, flushes subnormals, clears the lower
// word of the result and has a canonical NaN of its own.
func rcpApproxFTZ64(a, _, _, _ uint64) uint64 {
	return upperWord64(1 / f64(upperWordFlushed(a)))
}

func upperWordFlushed(a uint64) uint64 { return binary64.flush(a &^ 0xffffffff) }

func upperWord64(x float64) uint64 {
	if x != x {
		return 0x7fffffff00000000
	}
	return binary64.flush(math.Float64bits(x)) &^ 0xffffffff
}

// buildTranscendental recognises sin, cos, lg2, ex2 and tanh.
func buildTranscendental(f *form) *Op {
	f.need("approx")
	ftz := f.flag("ftz")
	allowed := []string{"f32"}
	switch f.op {
	case "tanh":
		allowed = []string{"f32", "f16", "f16x2", "bf16", "bf16x2"}
	case "ex2":
		allowed = []string{"f32", "f16", "f16x2"}
		if ftz {
			allowed = []string{"f32", "bf16", "bf16x2"}
		}
	}
	if ftz && f.op == "tanh" {
		f.fail("tanh has no .ftz")
	}
	t := f.typ(allowed...)
	n := numeric{ftz: ftz}
	fn := transcendental(f.op)
	op := func(a, _, _ float64) float64 { return fn(a) }
	if t.family == single {
		return same(t, 1, n.wide32(op))
	}
	return same(t, 1, halfLane(n, t, op))
}

func transcendental(op string) func(float64) float64 {
	switch op {
	case "sin":
		return math.Sin
	case "cos":
		return math.Cos
	case "lg2":
		return math.Log2
	case "tanh":
		return math.Tanh
	}
	return math.Exp2
}
