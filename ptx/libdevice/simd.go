package libdevice

import "strconv"

// The SIMD functions work on two halfwords or four bytes of an int (CUDA Math API, "SIMD
// Intrinsics"). The names end in s or u for signed and unsigned elements, ss and us for
// saturation.

// elementwise registers a function of two elements for both widths; signed tells how they
// are read.
func elementwise(name string, signed bool, fn func(a, b int64, n uint) int64) {
	for _, k := range []uint{2, 4} {
		n := 32 / k
		add("v"+name+strconv.Itoa(int(k)), "iii", func(a, b, _, _ uint64) uint64 {
			var r uint64
			for i := range k {
				r |= uint64(fn(element(a, i*n, n, signed), element(b, i*n, n, signed), n)) & (1<<n - 1) << (i * n)
			}
			return r
		})
	}
}

// unary is the same for one element, which is signed.
func unary(name string, fn func(a int64, n uint) int64) {
	elementwise(name, true, func(a, _ int64, n uint) int64 { return fn(a, n) })
	for _, k := range []string{"2", "4"} {
		f := table["__nv_v"+name+k]
		f.Args = f.Args[:1]
	}
}

func element(x uint64, at, n uint, signed bool) int64 {
	v := x >> at & (1<<n - 1)
	if signed {
		return int64(v<<(64-n)) >> (64 - n)
	}
	return int64(v)
}

func clampSigned(x int64, n uint) int64 { return min(max(x, -1<<(n-1)), 1<<(n-1)-1) }

func init() {
	unary("abs", func(a int64, _ uint) int64 { return max(a, -a) })
	unary("absss", func(a int64, n uint) int64 { return clampSigned(max(a, -a), n) })
	unary("neg", func(a int64, _ uint) int64 { return -a })
	unary("negss", func(a int64, n uint) int64 { return clampSigned(-a, n) })
	elementwise("add", false, func(a, b int64, _ uint) int64 { return a + b })
	elementwise("addss", true, func(a, b int64, n uint) int64 { return clampSigned(a+b, n) })
	elementwise("addus", false, func(a, b int64, n uint) int64 { return min(a+b, 1<<n-1) })
	elementwise("sub", false, func(a, b int64, _ uint) int64 { return a - b })
	elementwise("subss", true, func(a, b int64, n uint) int64 { return clampSigned(a-b, n) })
	elementwise("subus", false, func(a, b int64, _ uint) int64 { return max(a-b, 0) })
	elementwise("haddu", false, func(a, b int64, _ uint) int64 { return (a + b) >> 1 })
	for _, signed := range []bool{true, false} {
		s := map[bool]string{true: "s", false: "u"}[signed]
		elementwise("avg"+s, signed, average)
		elementwise("max"+s, signed, func(a, b int64, _ uint) int64 { return max(a, b) })
		elementwise("min"+s, signed, func(a, b int64, _ uint) int64 { return min(a, b) })
		elementwise("absdiff"+s, signed, func(a, b int64, _ uint) int64 { return max(a-b, b-a) })
		for _, k := range []uint{2, 4} {
			n := 32 / k
			add("vsad"+s+strconv.Itoa(int(k)), "iii", func(a, b, _, _ uint64) uint64 {
				sum := int64(0)
				for i := range k {
					d := element(a, i*n, n, signed) - element(b, i*n, n, signed)
					sum += max(d, -d)
				}
				return low(sum)
			})
		}
	}
	for name, is := range map[string]func(a, b int64) bool{
		"eq": func(a, b int64) bool { return a == b }, "ne": func(a, b int64) bool { return a != b },
		"ge": func(a, b int64) bool { return a >= b }, "gt": func(a, b int64) bool { return a > b },
		"le": func(a, b int64) bool { return a <= b }, "lt": func(a, b int64) bool { return a < b },
	} {
		compare := func(suffix string, signed bool) {
			elementwise("cmp"+name+suffix, signed, func(a, b int64, _ uint) int64 { return -int64(flag(is(a, b))) })
			elementwise("set"+name+suffix, signed, func(a, b int64, _ uint) int64 { return int64(flag(is(a, b))) })
		}
		if name == "eq" || name == "ne" {
			compare("", false)
			continue
		}
		compare("s", true)
		compare("u", false)
	}
}

// average is rounded; a tie goes away from zero (PTX ISA, "vavrg2").
func average(a, b int64, _ uint) int64 {
	s := a + b
	if s >= 0 {
		s++
	}
	return s >> 1
}
