package oracle

import (
	"fmt"
	"strings"
	"testing"
)

// who is the lanes of a warp.
type who struct {
	block, warp int
	lanes       []int
}

func at(block, warp int, lanes ...int) who { return who{block, warp, lanes} }

var (
	a  = at(0, 0, 0) // block 0
	a1 = at(0, 0, 1) // the sibling lane
	aa = at(0, 0, 0, 1)
	b  = at(0, 1, 0) // another warp of block 0
	bb = at(0, 1, 0, 1)
	x  = at(1, 0, 0) // block 1
	x1 = at(1, 0, 1)
	xx = at(1, 0, 0, 1)
	y  = at(2, 0, 0) // block 2
)

func (w who) do(op Op) Event { return Event{Op: op, Block: w.block, Warp: w.warp, Lanes: w.lanes} }

func (w who) access(op Op, addr int64) Event {
	e := w.do(op)
	e.Size = 4
	for range w.lanes {
		e.Addr = append(e.Addr, addr)
	}
	return e
}

func (w who) ld(addr int64) Event { return w.access(Read, addr) }

// st writes a value of unknown size of 4 bytes to one address.
func (w who) st(addr int64) Event { return w.access(Write, addr) }

func (w who) atom(addr int64, sem Sem, scope Scope) Event {
	return w.access(RMW, addr).strong(sem, scope)
}

func (w who) fence(kind FenceKind, scope Scope) Event {
	e := w.do(Fence)
	e.Fence, e.Scope = kind, scope
	return e
}

func (w who) bar(id int, role Role) Event {
	e := w.do(BarArrive)
	e.Barrier, e.Role = id, role
	return e
}

func done(block, id int) Event { return Event{Op: BarComplete, Block: block, Barrier: id} }

// syncthreads is bar.sync 0 of the given warps of one block.
func syncthreads(warps ...who) []Event {
	var out []Event
	for _, w := range warps {
		out = append(out, w.bar(0, RoleSync))
	}
	return append(out, done(warps[0].block, 0))
}

func (w who) cp(dst, src int64, size int) Event {
	e := w.access(CpAsync, dst)
	e.Size, e.SrcSize, e.Src = size, size, []int64{src}
	return e
}

func (w who) wait(pending int) Event {
	e := w.do(CpWait)
	e.Pending = pending
	return e
}

func (e Event) strong(sem Sem, scope Scope) Event { e.Sem, e.Scope = sem, scope; return e }
func (e Event) volatile() Event                   { e.Volatile = true; return e }
func (e Event) shared() Event                     { e.Space = Shared; return e }
func (e Event) bytes(n int) Event                 { e.Size = n; return e }
func (e Event) vector(n int) Event                { e.Elems = n; return e }
func (e Event) nc() Event                         { e.NC = true; return e }
func (e Event) red() Event                        { e.Red = true; return e }
func (e Event) failed() Event                     { e.Failed = ^uint32(0); return e }
func (e Event) addrs(addr ...int64) Event         { e.Addr = addr; return e }
func (e Event) values(v ...uint64) Event          { e.Value = v; return e }

// list flattens events and lists of events.
func list(parts ...any) []Event {
	var out []Event
	for _, p := range parts {
		switch p := p.(type) {
		case Event:
			out = append(out, p)
		case []Event:
			out = append(out, p...)
		default:
			panic(fmt.Sprintf("%T", p))
		}
	}
	return out
}

// text shows runs of bytes of one verdict: "error global 0..4 @3; ..." with the step of the first race.
func text(r Result) string {
	var parts []string
	for i := 0; i < len(r.Bytes); {
		f, j := r.Bytes[i], i
		for j < len(r.Bytes) && r.Bytes[j].Severity == f.Severity && r.Bytes[j].Space == f.Space && r.Bytes[j].Block == f.Block &&
			r.Bytes[j].Launch == f.Launch && r.Bytes[j].Addr == f.Addr+int64(j-i) && r.Bytes[j].Step == f.Step {
			j++
		}
		parts = append(parts, fmt.Sprintf("%s %s %d..%d @%d", [...]string{"clean", "warning", "error"}[f.Severity],
			[...]string{"global", "shared"}[f.Space], f.Addr, r.Bytes[j-1].Addr+1, f.Step))
		i = j
	}
	if parts == nil {
		return "clean"
	}
	return strings.Join(parts, "; ")
}

type litmus struct {
	name   string
	rule   string // what it proves
	events []Event
	want   string
}

func runLitmus(t *testing.T, cases []litmus) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r, err := Check(Config{}, tc.events)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(r); got != tc.want {
				t.Errorf("%s\n%sgot  %s\nwant %s\npairs %+v", tc.rule, Format(tc.events), got, tc.want, r.Pairs)
			}
		})
	}
}
