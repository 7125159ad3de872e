package device

import (
	"testing"

	"gpusim/array"
	"gpusim/tensor"
)

// Blocks and devices that end while others still use what is theirs.
func TestPallasEnds(t *testing.T) {
	const late = "data-race out...nothing orders that before the end of the kernel there"
	// Device 0 writes to device 1, which may come to its end first.
	sent := func(send func(k *kit, to, own array.Ref)) func(k *kit) {
		return func(k *kit) {
			flag := k.flag(0)
			if k.Device() == 1 {
				if !k.bug() {
					k.await(flag, 1)
				}
				return
			}
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, 5)
				k.fence()
				send(k, k.OnDevice(sub(k.out(), sl(0, 2)), 1), s[0].Ref)
				k.waitOut(0)
			}, smem("tile", tensor.I32, 2))
			k.signalOn(flag, 1, 1)
		}
	}
	// met is a cluster of two blocks, each with a tile, of which the other one reads.
	met := func(last func(k *kit, gate array.Item)) func(k *kit) {
		return func(k *kit) {
			me := k.InCluster()[0]
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, float64(10+me))
				k.arrive(s[1])
				k.wait(s[1])
				k.move(sub(k.out(), el(me)), k.OnBlock(sub(s[0].Ref, el(0)), []int{1 - me}))
				last(k, s[1])
			}, smem("tile", tensor.I32, 1), clusterBar("gate", 1, []int{0}))
		}
	}
	out := func(n int) []param { return []param{{"out", tensor.I32, []int{n}, func(int) float64 { return 0 }}} }
	checkAll(t, []program{
		{name: "a copy to a device that may have ended", mesh: on(2), bad: late, args: out(2), out: []float64{0, 0, 5, 5}, run: sent(func(k *kit, to, own array.Ref) { k.copyOut(to, own) })},
		{name: "a copy that adds to the memory of a device that may have ended", mesh: on(2), bad: late, args: out(2), out: []float64{0, 0, 5, 5}, run: sent(func(k *kit, to, own array.Ref) {
			k.here()
			k.CopyOut(own, to, array.CopyOut{Commit: true, Reduction: "add"})
		})},
		{name: "an atomic update of a device that may have ended", mesh: on(2), bad: late, args: out(2), out: []float64{0, 0, 5, 5}, run: sent(func(k *kit, to, own array.Ref) {
			k.here()
			k.AtomicStore(to, num(to, 5), nil, "add")
		})},
		{name: "a block ends while the other one may still read its memory", mesh: Mesh{Cluster: []int{2}}, bad: "use-after-free tile", args: out(2), out: []float64{11, 10}, run: met(func(k *kit, gate array.Item) {
			if !k.bug() {
				k.arrive(gate)
				k.wait(gate)
			}
		})},
		{name: "a block ends while the other one may still arrive at its barrier", mesh: Mesh{Cluster: []int{2}}, bad: "warning barrier-misuse gate...before the end of that block", run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.arrive(s[0])
				if !k.bug() {
					k.wait(s[0])
				}
			}, clusterBar("gate", 1, []int{0}))
		}},
	})
}

// A generic access to tensor memory is named when it races.
func TestPallasAccessToTensorMemoryIsNamed(t *testing.T) {
	checkAll(t, []program{{name: "a load while a store is in flight", bad: "data-race acc...access to tensor memory", args: []param{{"out", tensor.F32, []int{4}, func(int) float64 { return 0 }}}, out: []float64{2, 2, 2, 2}, run: func(k *kit) {
		k.scope(func(s []array.Item) {
			k.storeT(s[0].Ref, 2)
			if !k.bug() {
				k.commitT()
			}
			k.move(k.out(), s[0].Ref)
			k.commitT()
		}, tmem("acc", tensor.F32, 4))
	}}})
}
