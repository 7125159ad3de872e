package tensor

import "testing"

func benchmark(b *testing.B, name string, p *Params, out []Type, in ...Value) {
	f, ok := Find(name)
	if !ok {
		b.Fatal(name)
	}
	if _, err := f(p, out, in); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(p, out, in); err != nil {
			b.Fatal(err)
		}
	}
}

// ramp is an array of small numbers of a type.
func ramp(d DType, shape ...int) Value {
	v := Make(F32, shape)
	for i, s := 0, As[float32](v); i < len(s); i++ {
		s[i] = float32(i%17) - 8
	}
	return convertTo(v, d)
}

func BenchmarkScalarAdd(b *testing.B) {
	benchmark(b, "add", nil, []Type{{DType: I32}}, Int(I32, 3), Int(I32, 4))
}

func BenchmarkScalarLess(b *testing.B) {
	benchmark(b, "lt", nil, []Type{{DType: Bool}}, Int(I32, 3), Int(I32, 4))
}

func BenchmarkScalarSelect(b *testing.B) {
	benchmark(b, "select_n", nil, []Type{{DType: I32}}, Int(Bool, 1), Int(I32, 3), Int(I32, 4))
}

func BenchmarkScalarConvert(b *testing.B) {
	benchmark(b, "convert_element_type", nil, []Type{{DType: F32}}, Int(I32, 3))
}

func BenchmarkScalarBF16(b *testing.B) {
	benchmark(b, "mul", nil, []Type{{DType: BF16}}, Float(BF16, 3), Float(BF16, 4))
}

func benchmarkArray(b *testing.B, name string, d, out DType) {
	x := ramp(d, 64, 64)
	benchmark(b, name, nil, []Type{{out, x.Shape}}, x, x)
}

func BenchmarkAddF32(b *testing.B)  { benchmarkArray(b, "add", F32, F32) }
func BenchmarkAddBF16(b *testing.B) { benchmarkArray(b, "add", BF16, BF16) }
func BenchmarkAddF16(b *testing.B)  { benchmarkArray(b, "add", F16, F16) }
func BenchmarkMaxF32(b *testing.B)  { benchmarkArray(b, "max", F32, F32) }
func BenchmarkMulI32(b *testing.B)  { benchmarkArray(b, "mul", I32, I32) }
func BenchmarkLessF32(b *testing.B) { benchmarkArray(b, "lt", F32, Bool) }

func BenchmarkAddScalarF32(b *testing.B) {
	x := ramp(F32, 64, 64)
	benchmark(b, "add", nil, []Type{{F32, x.Shape}}, x, Float(F32, 2))
}

func benchmarkConvert(b *testing.B, from, to DType) {
	x := ramp(from, 64, 64)
	benchmark(b, "convert_element_type", nil, []Type{{to, x.Shape}}, x)
}

func BenchmarkConvertF32BF16(b *testing.B) { benchmarkConvert(b, F32, BF16) }
func BenchmarkConvertF16F32(b *testing.B)  { benchmarkConvert(b, F16, F32) }
func BenchmarkConvertF32F16(b *testing.B)  { benchmarkConvert(b, F32, F16) }
func BenchmarkConvertF32E4M3(b *testing.B) { benchmarkConvert(b, F32, F8E4M3FN) }
func BenchmarkConvertF32I32(b *testing.B)  { benchmarkConvert(b, F32, I32) }

func benchmarkFunction(b *testing.B, name string) {
	x := ramp(F32, 64, 64)
	benchmark(b, name, nil, []Type{{F32, x.Shape}}, x)
}

func BenchmarkExpF32(b *testing.B)  { benchmarkFunction(b, "exp") }
func BenchmarkExp2F32(b *testing.B) { benchmarkFunction(b, "exp2") }
func BenchmarkTanhF32(b *testing.B) { benchmarkFunction(b, "tanh") }
func BenchmarkLogF32(b *testing.B)  { benchmarkFunction(b, "log") }

func BenchmarkTransposeBF16(b *testing.B) {
	x := ramp(BF16, 128, 128)
	benchmark(b, "transpose", &Params{Axes: []int{1, 0}}, []Type{{BF16, x.Shape}}, x)
}

func BenchmarkBroadcastRows(b *testing.B) {
	x := ramp(F32, 64)
	benchmark(b, "broadcast_in_dim", &Params{Axes: []int{0}}, []Type{{F32, []int{64, 64}}}, x)
}

func BenchmarkReduceSumRows(b *testing.B) {
	x := ramp(F32, 64, 64)
	benchmark(b, "reduce_sum", &Params{Axes: []int{1}}, []Type{{F32, []int{64}}}, x)
}

func BenchmarkReduceMaxColumns(b *testing.B) {
	x := ramp(F32, 64, 64)
	benchmark(b, "reduce_max", &Params{Axes: []int{0}}, []Type{{F32, []int{64}}}, x)
}

func benchmarkMatMul(b *testing.B, d, out DType, n int) {
	x := ramp(d, n, n)
	acc := Make(out, []int{n, n})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := MatMul(&acc, x, x, out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatMulBF16(b *testing.B)    { benchmarkMatMul(b, BF16, F32, 128) }
func BenchmarkMatMulF16F16(b *testing.B)  { benchmarkMatMul(b, F16, F16, 128) }
func BenchmarkMatMulE4M3(b *testing.B)    { benchmarkMatMul(b, F8E4M3FN, F32, 128) }
func BenchmarkMatMulI8(b *testing.B)      { benchmarkMatMul(b, I8, I32, 128) }
func BenchmarkMatMulBF16_64(b *testing.B) { benchmarkMatMul(b, BF16, F32, 64) }
