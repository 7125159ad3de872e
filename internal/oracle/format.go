package oracle

import (
	"fmt"
	"strings"
)

// Format prints a list, one event a line, with the index that results refer to.
func Format(events []Event) string {
	var b strings.Builder
	for i := range events {
		fmt.Fprintf(&b, "%3d %s\n", i, &events[i])
	}
	return b.String()
}

// String describes the event in the manner of PTX.
func (e *Event) String() string {
	if e.Op == LaunchEnd {
		return "end of launch"
	}
	if e.Op == BarComplete {
		return fmt.Sprintf("block %d: barrier %d completes", e.Block, e.Barrier)
	}
	return fmt.Sprintf("block %d warp %d lanes %v: %s", e.Block, e.Warp, e.Lanes, e.instruction())
}

func (e *Event) instruction() string {
	switch e.Op {
	case Read, Write, RMW:
		return e.accessText()
	case Fence:
		return "fence" + [...]string{".acq_rel", ".sc", ".acquire", ".release"}[e.Fence] + e.Scope.suffix()
	case WarpSync:
		return "bar.warp.sync"
	case BarArrive:
		return fmt.Sprintf("bar.%s %d", [...]string{"sync", "red", "arrive"}[e.Role], e.Barrier)
	case CpAsync:
		return fmt.Sprintf("cp.async [shared %v], [global %v], %d, %d", e.Addr, e.Src, e.Size, e.SrcSize)
	case CpCommit:
		return "cp.async.commit_group"
	case CpWait:
		return fmt.Sprintf("cp.async.wait_group %d", e.Pending)
	case Exit:
		return "exit"
	}
	return fmt.Sprintf("op %d", e.Op)
}

func (e *Event) accessText() string {
	name := [...]string{Read: "ld", Write: "st", RMW: "atom"}[e.Op]
	if e.Red {
		name = "red"
	}
	switch {
	case e.NC:
		name += ".global.nc"
	case e.Volatile:
		name += ".volatile"
	case e.Sem != Weak:
		name += [...]string{"", ".relaxed", ".acquire", ".release", ".acq_rel"}[e.Sem] + e.Scope.suffix()
	}
	text := fmt.Sprintf("%s.v%d.b%d [%s %v]", name, e.elems(), 8*e.Size, [...]string{"global", "shared"}[e.Space], e.Addr)
	if len(e.Value) != 0 {
		text += fmt.Sprintf(" = %v", e.Value)
	}
	if e.Failed != 0 {
		text += fmt.Sprintf(" cas failed in lanes %#x", e.Failed)
	}
	return text
}

func (s Scope) suffix() string { return [...]string{".cta", ".cluster", ".gpu", ".sys"}[s] }
