package libdevice

import (
	"math"
	"math/bits"
	"strings"

	"gpusim/ptx/alu"
)

// instruction registers a function that is one PTX instruction.
func instruction(name, sig, text string) {
	words := strings.Split(text, ".")
	op, err := alu.Lookup(words[0], words[1:])
	if err != nil {
		panic("libdevice: " + text + ": " + err.Error()) // the table is wrong: tests find it
	}
	add(name, sig, op.Fn)
}

func init() {
	for r, mode := range map[string]string{"rn": "rn", "rz": "rz", "ru": "rp", "rd": "rm"} {
		for _, t := range []struct{ letter, typ, sig string }{{"d", "f64", "d"}, {"f", "f32", "f"}} {
			s := t.sig
			for _, op := range []string{"add", "sub", "mul", "div"} {
				instruction(t.letter+op+"_"+r, s+s+s, op+"."+mode+"."+t.typ)
			}
			instruction(t.letter+"rcp_"+r, s+s, "rcp."+mode+"."+t.typ)
			instruction(t.letter+"sqrt_"+r, s+s, "sqrt."+mode+"."+t.typ)
		}
		instruction("fma_"+r, "dddd", "fma."+mode+".f64")
		instruction("fmaf_"+r, "ffff", "fma."+mode+".f32")
		instruction("fmaf_ieee_"+r, "ffff", "fma."+mode+".f32")
		instruction("double2float_"+r, "fd", "cvt."+mode+".f32.f64")
		integer := mode + "i" // the rounding modifier to integers
		for _, c := range []struct{ name, typ, sig string }{{"int", "s32", "i"}, {"uint", "u32", "i"}, {"ll", "s64", "l"}, {"ull", "u64", "l"}} {
			instruction("double2"+c.name+"_"+r, c.sig+"d", "cvt."+integer+"."+c.typ+".f64")
			instruction("float2"+c.name+"_"+r, c.sig+"f", "cvt."+integer+"."+c.typ+".f32")
			instruction(c.name+"2float_"+r, "f"+c.sig, "cvt."+mode+".f32."+c.typ)
			if c.sig == "l" || r == "rn" {
				instruction(c.name+"2double_"+r, "d"+c.sig, "cvt."+mode+".f64."+c.typ)
			}
		}
	}
	instruction("fma", "dddd", "fma.rn.f64")
	instruction("fmaf", "ffff", "fma.rn.f32")
	instruction("sqrt", "dd", "sqrt.rn.f64")
	instruction("sqrtf", "ff", "sqrt.rn.f32")
	instruction("fmax", "ddd", "max.f64")
	instruction("fmaxf", "fff", "max.f32")
	instruction("fmin", "ddd", "min.f64")
	instruction("fminf", "fff", "min.f32")
	instruction("fabs", "dd", "abs.f64")
	instruction("fabsf", "ff", "abs.f32")
	instruction("float2half_rn", "hf", "cvt.rn.f16.f32")
	instruction("half2float", "fh", "cvt.f32.f16")
	instruction("saturatef", "ff", "cvt.sat.f32.f32")
	instruction("rcp64h", "dd", "rcp.approx.ftz.f64")
	instruction("abs", "ii", "abs.s32")
	instruction("llabs", "ll", "abs.s64")
	for _, m := range []string{"max", "min"} {
		instruction(m, "iii", m+".s32")
		instruction("u"+m, "iii", m+".u32")
		instruction("ll"+m, "lll", m+".s64")
		instruction("ull"+m, "lll", m+".u64")
	}
	instruction("brev", "ii", "brev.b32")
	instruction("brevll", "ll", "brev.b64")
	instruction("clz", "ii", "clz.b32")
	instruction("clzll", "il", "clz.b64")
	instruction("popc", "ii", "popc.b32")
	instruction("popcll", "il", "popc.b64")
	instruction("byte_perm", "iiii", "prmt.b32")
	instruction("mul24", "iii", "mul24.lo.s32")
	instruction("umul24", "iii", "mul24.lo.u32")
	instruction("mulhi", "iii", "mul.hi.s32")
	instruction("umulhi", "iii", "mul.hi.u32")
	instruction("mul64hi", "lll", "mul.hi.s64")
	instruction("umul64hi", "lll", "mul.hi.u64")
	instruction("sad", "iiii", "sad.s32")
	instruction("usad", "iiii", "sad.u32")

	add("ffs", "ii", func(a, _, _, _ uint64) uint64 { return uint64((bits.TrailingZeros32(uint32(a)) + 1) % 33) })
	add("ffsll", "il", func(a, _, _, _ uint64) uint64 { return uint64((bits.TrailingZeros64(a) + 1) % 65) })
	add("hadd", "iii", func(a, b, _, _ uint64) uint64 { return low((int64(int32(a)) + int64(int32(b))) >> 1) })
	add("rhadd", "iii", func(a, b, _, _ uint64) uint64 { return low((int64(int32(a)) + int64(int32(b)) + 1) >> 1) })
	add("uhadd", "iii", func(a, b, _, _ uint64) uint64 { return (uint64(uint32(a)) + uint64(uint32(b))) >> 1 })
	add("urhadd", "iii", func(a, b, _, _ uint64) uint64 { return (uint64(uint32(a)) + uint64(uint32(b)) + 1) >> 1 })

	same := func(a, _, _, _ uint64) uint64 { return a }
	for name, sig := range map[string]string{"double_as_longlong": "ld", "longlong_as_double": "dl", "float_as_int": "if", "float_as_uint": "if",
		"int_as_float": "fi", "uint_as_float": "fi"} {
		add(name, sig, same)
	}
	add("double2hiint", "id", func(a, _, _, _ uint64) uint64 { return a >> 32 })
	add("double2loint", "id", func(a, _, _, _ uint64) uint64 { return a & 0xFFFFFFFF })
	add("hiloint2double", "dii", func(a, b, _, _ uint64) uint64 { return a<<32 | b&0xFFFFFFFF })
	add("nan", "dp", func(_, _, _, _ uint64) uint64 { return 0x7FF8000000000000 })
	add("nanf", "fp", func(_, _, _, _ uint64) uint64 { return 0x7FFFFFFF })

	add("isinfd", "id", func(a, _, _, _ uint64) uint64 { return flag(math.IsInf(f64(a), 0)) })
	add("isinff", "if", func(a, _, _, _ uint64) uint64 { return flag(math.IsInf(f32(a), 0)) })
	add("isnand", "id", func(a, _, _, _ uint64) uint64 { return flag(f64(a) != f64(a)) })
	add("isnanf", "if", func(a, _, _, _ uint64) uint64 { return flag(f32(a) != f32(a)) })
	add("isfinited", "id", func(a, _, _, _ uint64) uint64 { return flag(a>>52&0x7FF != 0x7FF) })
	add("finitef", "if", func(a, _, _, _ uint64) uint64 { return flag(a>>23&0xFF != 0xFF) })
	add("signbitd", "id", func(a, _, _, _ uint64) uint64 { return a >> 63 })
	add("signbitf", "if", func(a, _, _, _ uint64) uint64 { return a >> 31 & 1 })
	add("copysign", "ddd", func(a, b, _, _ uint64) uint64 { return a&^(1<<63) | b&(1<<63) })
	add("copysignf", "fff", func(a, b, _, _ uint64) uint64 { return a&0x7FFFFFFF | b&0x80000000 })
}

func low(x int64) uint64 { return uint64(uint32(x)) }
