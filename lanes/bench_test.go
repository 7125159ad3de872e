package lanes

import "testing"

func BenchmarkLanes(b *testing.B) {
	var x, y, z V
	var p, q, r D
	for i := range x {
		x[i], y[i] = uint32(0x3F800000+i*77), uint32(0x3F800000+i*3)
	}
	for _, form := range []bool{true, false} {
		useAssembly(form)
		name := map[bool]string{true: "avx2", false: "go"}[form]
		for op, f := range map[string]func(){"Add32": func() { Add32(&z, &x, &y) }, "FmaF32": func() { FmaF32(&z, &x, &y, &z) }, "MulWideS": func() { MulWideS(&r, &x, &y) },
			"LtS32": func() { LtS32(&x, &y) }, "Matches": func() { Matches(&p, &q) }, "Copy32": func() { Copy32(&z, &x) }} {
			b.Run(op+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
	useAssembly(true)
}
