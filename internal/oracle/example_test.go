package oracle_test

import (
	"fmt"

	"gpusim/internal/oracle"
)

// Two blocks pass a value through a flag, without a release.
func Example() {
	producer := oracle.Event{Block: 0, Lanes: []int{0}, Size: 4, Scope: oracle.GPU}
	consumer := oracle.Event{Block: 1, Lanes: []int{0}, Size: 4, Scope: oracle.GPU}
	access := func(e oracle.Event, op oracle.Op, addr int64, sem oracle.Sem) oracle.Event {
		e.Op, e.Addr, e.Sem = op, []int64{addr}, sem
		return e
	}
	events := []oracle.Event{
		access(producer, oracle.Write, 0, oracle.Weak),
		access(producer, oracle.Write, 16, oracle.Relaxed),
		access(consumer, oracle.Read, 16, oracle.Acquire),
		access(consumer, oracle.Read, 0, oracle.Weak),
	}
	result, err := oracle.Check(oracle.Config{}, events)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(oracle.Format(events))
	for _, p := range result.Pairs {
		fmt.Printf("bytes %d to %d: event %d against event %d\n", p.Lo, p.Hi-1, p.First.Event, p.Second.Event)
	}
	// Output:
	//   0 block 0 warp 0 lanes [0]: st.v1.b32 [global [0]]
	//   1 block 0 warp 0 lanes [0]: st.relaxed.gpu.v1.b32 [global [16]]
	//   2 block 1 warp 0 lanes [0]: ld.acquire.gpu.v1.b32 [global [16]]
	//   3 block 1 warp 0 lanes [0]: ld.v1.b32 [global [0]]
	// bytes 0 to 3: event 0 against event 3
}
