package launch

import "testing"

// BenchmarkFill fills 2^20 elements.
func BenchmarkFill(b *testing.B) {
	for _, spec := range []string{"f32[1048576]:range(0,1)", "f32[1048576]:random(1,0,1)", "u32[1048576]:random(1,0,4294967295)", "u32[1048576]:range(0,1)", "f32[1048576]:fill(1)"} {
		b.Run(spec, func(b *testing.B) {
			r := &flagReader{plan: &Plan{dir: "."}}
			r.arg(0, "x="+spec, 1<<30)
			x := r.plan.buffers[0]
			data := make([]byte, x.size())
			for b.Loop() {
				if err := x.init.write(data, x.dtype, r.path, never); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
