package device

import (
	"fmt"
	"testing"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// on is a program of several devices, which wait for each other.
func on(devices int) Mesh { return Mesh{Devices: devices, Communicates: true} }

var zeroes = []param{defaults[0], {"out", tensor.I32, []int{8}, zero}}

func TestPallasDevices(t *testing.T) {
	var list []program
	for _, n := range []int{2, 3, 8} { // 4.5.1
		list = append(list, program{name: fmt.Sprint("each of devices ", n), mesh: Mesh{Devices: n}, out: count(2*n, func(i int) float64 { return float64(i/2*64 + i%2) }),
			run: func(k *kit) { k.move(sub(k.out(), sl(0, 2)), sub(k.in(), sl(0, 2))) }})
	}
	for _, n := range []int{2, 4} { // 4.5.2
		list = append(list, program{name: fmt.Sprint("grids, clusters and threads on devices ", n), mesh: Mesh{Devices: n, Grid: []int{2, 3}, Cluster: []int{2, 3}, Threads: 2},
			args: []param{{"in", tensor.I32, []int{72}, iota}, {"out", tensor.I32, []int{72}, nil}}, out: count(72*n, iota), run: func(k *kit) {
				p, c := k.Point(), k.InCluster()
				at := (((p[0]*3+p[1])*2+c[0])*3+c[1])*2 + k.ID
				k.move(sub(k.out(), el(at)), sub(k.in(), el(at)))
			}})
	}
	list = append(list, []program{
		{name: "a remote store and a signal", mesh: on(2), bad: "data-race out", out: []float64{1, 0}, run: func(k *kit) {
			me := k.Device()
			flag := k.flag(0)
			k.put(k.OnDevice(sub(k.out(), el(0)), 1-me), float64(me))
			k.signalOn(flag, 1, 1-me)
			if !k.bug() {
				k.await(flag, 1)
			}
			k.get(sub(k.out(), el(0)))
			if k.bug() {
				k.await(flag, 1)
			}
		}},
		{name: "a remote load", mesh: on(2), bad: "data-race out", args: zeroes, out: []float64{10, 11, 11, 10}, run: func(k *kit) {
			me := k.Device()
			flag := k.flag(0)
			k.put(sub(k.out(), el(0)), float64(10+me))
			k.signalOn(flag, 1, 1-me)
			if !k.bug() {
				k.await(flag, 1)
			}
			k.move(sub(k.out(), el(1)), k.OnDevice(sub(k.out(), el(0)), 1-me))
		}},
		{name: "a copy to another device", mesh: on(2), n: 3, want: races("data-race out", func(i int) bool { return i > 0 }), out: []float64{1, 1, 0, 0}, run: func(k *kit) {
			me := k.Device()
			flag := k.flag(0)
			k.scope(func(s []array.Item) {
				k.put(s[0].Ref, float64(me))
				k.fence()
				k.copyOut(k.OnDevice(sub(k.out(), sl(0, 2)), 1-me), s[0].Ref)
				if k.i != 1 {
					k.waitOut(0)
				}
				k.signalOn(flag, 1, 1-me)
				if k.i != 2 {
					k.await(flag, 1)
				}
				k.get(sub(k.out(), sl(0, 2)))
				k.waitOut(0)
			}, i32("tile", 2))
		}},
		{name: "multicast stores", mesh: on(3), bad: "data-race out", args: zeroes, out: []float64{1, 2, 3, 1, 2, 3, 1, 2, 3}, run: func(k *kit) {
			me := k.Device()
			flag := k.flag(0)
			at := me
			if k.bug() {
				at = 0
			}
			k.put(k.Multicast(sub(k.out(), el(at))), float64(me+1))
			for d := range 3 {
				k.signalOn(flag, 1, d)
			}
			k.await(flag, 3)
			k.get(sub(k.out(), sl(0, 3)))
		}},
		{name: "multimem stores, and loads that add", mesh: on(2), bad: "data-race out", args: zeroes, out: []float64{1, 1, 2, 1, 1, 2}, run: func(k *kit) {
			me := k.Device()
			flag := k.flag(0)
			k.here()
			k.MultimemStore(sub(k.out(), el(me)), num(k.out(), 1))
			for d := range 2 {
				k.signalOn(flag, 1, d)
			}
			if !k.bug() {
				k.await(flag, 2)
			}
			k.here()
			v := k.MultimemLoadReduce(sub(k.out(), sl(0, 2)), "add")
			k.put(sub(k.out(), el(2)), v.Float(1))
			if k.bug() {
				k.await(flag, 2)
			}
		}},
		{name: "an exchange with all devices", mesh: on(4), bad: "deadlock...semaphore global semaphore", args: zeroes, out: []float64{0, 10, 20, 30, 0, 10, 20, 30, 0, 10, 20, 30, 0, 10, 20, 30}, run: func(k *kit) {
			me := k.Device()
			flag := k.flag(0)
			for d := range 4 {
				k.put(k.OnDevice(sub(k.out(), el(me)), d), float64(10*me))
				if d != 2 || !k.bug() {
					k.signalOn(flag, 1, d)
				}
			}
			k.await(flag, 4)
			k.get(sub(k.out(), sl(0, 4)))
		}},
		{name: "devices wait for each other", mesh: on(2), want: func(int) string { return "deadlock...{0 (0,0,0) (0,0,0)} line...{1 (0,0,0) (0,0,0)} line" }, run: func(k *kit) {
			flag := k.flag(0)
			k.await(flag, 1)
			k.signalOn(flag, 1, 1-k.Device())
		}},
		{name: "no such device", mesh: on(2), n: 2, want: func(i int) string {
			return "out-of-bounds...there is no device 2: the mesh has 2"
		}, run: func(k *kit) {
			k.here()
			if k.i == 0 {
				k.OnDevice(k.out(), 2)
			} else {
				k.signalOn(k.flag(0), 1, 2)
			}
		}},
		{name: "shared memory has no counterpart on other devices", mesh: on(2), n: 2, want: func(i int) string {
			return "out-of-bounds...has no counterpart on other devices"
		}, run: func(k *kit) {
			k.scope(func(s []array.Item) {
				k.here()
				k.OnDevice(s[k.i].Ref, 1)
			}, i32("tile", 4), gmem("scratch", tensor.I32, 4))
		}},
		{name: "one device fails while the other one waits", mesh: on(2), want: func(int) string { return "wrong-result" }, run: func(k *kit) {
			flag := k.flag(0)
			if k.Device() == 1 {
				k.here()
				k.Fail(kernel.WrongResult, "op", "it fails", "")
			}
			k.await(flag, 1)
		}},
		{name: "the clusters of several devices", mesh: Mesh{Devices: 2, Grid: []int{3}, Communicates: true}, bad: "data-race out", args: zeroes, out: []float64{1, 1, 1, 0, 0, 0}, run: func(k *kit) {
			me := k.Device()
			k.here()
			flag := k.GlobalSemaphores(0, []int{3}).Semaphores[k.Point()[0]]
			at := k.Point()[0]
			if k.bug() {
				at = 0
			}
			k.put(k.OnDevice(sub(k.out(), el(at)), 1-me), float64(me))
			k.here()
			k.Signal(flag, 1, 1-me)
			k.WaitSemaphore(flag, 1, true)
			k.get(sub(k.out(), el(k.Point()[0])))
		}},
		{name: "atomic updates of another device", mesh: on(3), bad: "data-race out", args: zeroes, out: []float64{6, 0, 0}, values: func(int) []float64 { return []float64{6, 0, 0} }, run: func(k *kit) {
			me := k.Device()
			r := k.OnDevice(sub(k.out(), el(0)), 0)
			flag := k.flag(0)
			if k.bug() && me == 1 {
				k.put(r, 1)
			} else {
				k.here()
				k.AtomicStore(r, num(r, float64(1+me)), nil, "add")
			}
			if me > 0 {
				k.signalOn(flag, 1, 0)
			} else {
				k.await(flag, 2)
			}
		}},
		{name: "the end of a device that others still write to", mesh: on(2), bad: "data-race out...nothing orders that before the end of the kernel there", args: zeroes, out: []float64{5, 0, 5, 0}, run: func(k *kit) {
			flag := k.flag(0)
			other := 1 - k.Device()
			k.put(k.OnDevice(sub(k.out(), el(0)), other), 5)
			k.signalOn(flag, 1, other)
			if !k.bug() {
				k.await(flag, 1)
			}
		}},
	}...)
	checkAll(t, list)
}
