package libdevice

import "gpusim/ptx/alu"

// fast registers the intrinsics of low accuracy: they are the approximate instructions that
// CUDA documents them as ("Intrinsic Functions").
func fast() {
	op := func(name string, mods ...string) alu.Fn {
		o, err := alu.Lookup(name, mods)
		if err != nil {
			panic("libdevice: " + name + ": " + err.Error()) // the table is wrong: tests find it
		}
		return o.Fn
	}
	sin, cos, lg2, ex2 := op("sin", "approx", "f32"), op("cos", "approx", "f32"), op("lg2", "approx", "f32"), op("ex2", "approx", "f32")
	div, mul := op("div", "approx", "f32"), op("mul", "rn", "f32")
	log2e, ln2, log210, log102 := b32(1.4426950408889634), b32(0.6931471805599453), b32(3.321928094887362), b32(0.30102999566398120)

	one := func(name string, fn func(x uint64) uint64) {
		add("fast_"+name, "ff", func(a, _, _, _ uint64) uint64 { return fn(a) })
	}
	one("sinf", func(x uint64) uint64 { return sin(x, 0, 0, 0) })
	one("cosf", func(x uint64) uint64 { return cos(x, 0, 0, 0) })
	one("tanf", func(x uint64) uint64 { return div(sin(x, 0, 0, 0), cos(x, 0, 0, 0), 0, 0) })
	one("expf", func(x uint64) uint64 { return ex2(mul(x, log2e, 0, 0), 0, 0, 0) })
	one("exp10f", func(x uint64) uint64 { return ex2(mul(x, log210, 0, 0), 0, 0, 0) })
	one("log2f", func(x uint64) uint64 { return lg2(x, 0, 0, 0) })
	one("logf", func(x uint64) uint64 { return mul(lg2(x, 0, 0, 0), ln2, 0, 0) })
	one("log10f", func(x uint64) uint64 { return mul(lg2(x, 0, 0, 0), log102, 0, 0) })
	add("fast_fdividef", "fff", div)
	add("fast_powf", "fff", func(x, y, _, _ uint64) uint64 { return ex2(mul(y, lg2(x, 0, 0, 0), 0, 0), 0, 0, 0) })
	add("fast_sincosf", "vfpp", nil, Output{1, Float, sin}, Output{2, Float, cos})
}
