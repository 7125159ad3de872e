package vm

import "testing"

func BenchmarkVec(b *testing.B) {
	var x, y, z V
	var p, q, r D
	for i := range x {
		x[i], y[i] = uint32(i*77), uint32(i*3)
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
	run("add32", func() { add32(&z, &x, &y) })
	run("lts32", func() { z[0] = lts32(&x, &y) })
	run("ltu32", func() { z[0] = ltu32(&x, &y) })
	run("eq32", func() { z[0] = eq32(&x, &y) })
	run("lts64", func() { z[0] = lts64(&p, &q) })
	run("ltf32", func() { z[0] = ltf32(&x, &y) })
	run("mulWideS", func() { mulWideS(&r, &x, &y) })
	run("add64", func() { add64(&r, &p, &q) })
	run("fadd", func() { fadd(&z, &x, &y) })
	run("ffma", func() { ffma(&z, &x, &y, &z) })
	run("shl32", func() { shl32(&z, &x, &y) })
	run("copy32", func() { copy32(&z, &x) })
	run("blend32", func() { blend32(&z, &x, 0xFFFF) })
	run("selp32", func() { selp32(&z, &x, &y, 0xFFFF) })
	run("wideS", func() { wideS(&r, &x) })
	run("splat", func() { splat32(&z, 7) })
}
