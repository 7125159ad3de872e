package device

import (
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

func TestPallasCapacity(t *testing.T) {
	on := func(arch string) func(*array.Program) { return func(p *array.Program) { p.Arch = arch } }
	allocates := func(name, arch, want string, list ...array.Scratch) program {
		return program{name: arch + ": " + name, set: on(arch), want: func(int) string { return want }, run: func(k *kit) {
			k.scope(func([]array.Item) {}, list...)
		}}
	}
	checkAll(t, []program{
		allocates("as much shared memory as there is", "sm_90", "", smem("tile", tensor.U8, 227<<10)),
		allocates("one byte more", "sm_90", "allocation-misuse more...the block needs 232449 bytes of shared memory with more, sm_90 has 232448", smem("tile", tensor.U8, 227<<10), smem("more", tensor.U8, 1)),
		allocates("one byte more", "sm_100", "allocation-misuse more...sm_100 has 232448", smem("tile", tensor.U8, 227<<10), smem("more", tensor.U8, 1)),
		allocates("no architecture", "", "", smem("tile", tensor.U8, 500<<10), tmem("acc", tensor.F32, 128, 1024)),
		allocates("elements of four bits", "sm_90", "", smem("tile", tensor.I4, 454<<10)),
		allocates("tensor memory", "sm_90", "allocation-misuse acc...acc lies in tensor memory, which sm_90 does not have", tmem("acc", tensor.F32, 128, 128)),
		allocates("tensor memory", "sm_100", "", tmem("acc", tensor.F32, 128, 512)),
		allocates("too much tensor memory", "sm_100", "allocation-misuse lhs...the block needs 576 columns of tensor memory with lhs, sm_100 has 512", tmem("acc", tensor.F32, 128, 512), tmem("lhs", tensor.F16, 128, 64)),
		allocates("packed elements share columns", "sm_100", "", tmem("acc", tensor.F32, 128, 480), array.Scratch{Name: "lhs", Space: tmem("", 0).Space, Type: tensor.F16, Shape: []int{128, 64}, Packed: true}),
		allocates("a union", "sm_100", "", array.Scratch{Name: "u", Space: tmem("", 0).Space, Bytes: 512 * 512}),
		allocates("a union with one byte more", "sm_100", "allocation-misuse u...the block needs 513 columns", array.Scratch{Name: "u", Space: tmem("", 0).Space, Bytes: 512*512 + 1}),
		allocates("several accumulators in one array", "sm_100", "allocation-misuse accs...the block needs 1024 columns", tmem("accs", tensor.F32, 4, 128, 256)),
		{name: "scopes one after another", set: on("sm_100"), run: func(k *kit) {
			for range 3 {
				k.scope(func([]array.Item) {}, smem("tile", tensor.U8, 200<<10), tmem("acc", tensor.F32, 128, 512))
			}
		}},
		{name: "scopes in each other", set: on("sm_90"), bad: "allocation-misuse inner", run: func(k *kit) {
			outer := func() { k.scope(func([]array.Item) {}, smem("outer", tensor.U8, 200<<10)) }
			if k.bug() {
				outer = func() {
					k.scope(func([]array.Item) { k.scope(func([]array.Item) {}, smem("inner", tensor.U8, 100<<10)) }, smem("outer", tensor.U8, 200<<10))
				}
			}
			outer()
		}},
		{name: "threads share what they allocate together", mesh: Mesh{Threads: 4}, set: on("sm_90"), run: func(k *kit) {
			k.scope(func([]array.Item) {}, smem("tile", tensor.U8, 200<<10))
		}},
		{name: "each block of a cluster has shared memory of its own", mesh: Mesh{Cluster: []int{2}}, set: on("sm_90"), run: func(k *kit) {
			k.scope(func([]array.Item) {}, smem("tile", tensor.U8, 200<<10))
		}},
		{name: "accumulators in registers", set: on("sm_90"), bad: "allocation-misuse second...the accumulators of thread 0 need 384 registers of each hardware thread with second, sm_90 has 255", run: func(k *kit) {
			if !k.bug() {
				k.own(func([]array.Item) {}, accumulator("first", 64, 256))
				k.own(func([]array.Item) {}, accumulator("second", 128, 128))
				return
			}
			k.own(func([]array.Item) { k.own(func([]array.Item) {}, accumulator("second", 128, 256)) }, accumulator("first", 64, 256))
		}},
		{name: "the registers of each thread are its own", mesh: two, set: on("sm_90"), run: func(k *kit) {
			k.own(func([]array.Item) {}, accumulator("acc", 128, 192))
		}},
	})
}
