package lower

import (
	"slices"
	"testing"

	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// program lowers the only entry of a text.
func program(t *testing.T, text string) *vm.Program {
	t.Helper()
	m, err := syntax.Parse("k.ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Kernel(m.Func("k"), alone{}, make([]byte, 64))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// alone links nothing.
type alone struct{}

func (alone) Func(f *syntax.Func) *syntax.Func      { return f }
func (alone) FuncAddress(*syntax.Func) uint64       { return 16 }
func (alone) AddressTaken() []*syntax.Func          { return nil }
func (alone) Var(v *syntax.Var) *syntax.Var         { return v }
func (alone) VarAddress(*syntax.Var) (uint64, bool) { return 1 << 40, true }
func (alone) Demangle(name string) string           { return name }
func (alone) FuncName(name string) string           { return name }
func (alone) EnvReg(string) uint32                  { return 0 }

// Live at the head of a loop is what an iteration may read before it writes it: nothing
// else decides whether the loop makes progress, and constants do not.
func TestLiveAtLoopHeads(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		live int // registers that are live at the target of the only back edge
	}{
		"nothing":              {"L: bra L;", 0},
		"overwritten first":    {"L: mov.u32 %a, %clock; add.u32 %b, %a, 1; setp.lt.u32 %p, %b, 5; @%p bra L;", 0},
		"a counter":            {"mov.u32 %a, %clock; L: add.u32 %a, %a, 1; setp.lt.u32 %p, %a, 5; @%p bra L;", 1},
		"used behind the loop": {"mov.u32 %a, %clock; L: setp.lt.u32 %p, %b, 5; @%p bra L; st.global.u32 [g], %a;", 2},
		"dead behind the loop": {"L: mov.u32 %a, %clock; setp.lt.u32 %p, %a, 5; @%p bra L; mov.u32 %a, 1; st.global.u32 [g], %a;", 0},
		"a guarded definition": {"L: @%q add.u32 %a, %b, 1; setp.lt.u32 %p, %a, 5; @%p bra L;", 3}, // %q, %b and the old %a
		"a guard":              {"L: @%q bra L;", 1},
		"an address":           {"ld.global.u64 %d, [g]; L: ld.global.u32 %a, [%d]; setp.lt.u32 %p, %a, 5; @%p bra L;", 1},
		"a parameter":          {"ld.param.u64 %d, [x]; L: ld.global.u32 %a, [%d]; setp.lt.u32 %p, %a, 5; @%p bra L;", 0},
		"a special register":   {"mov.u32 %b, %tid.x; L: ld.global.u32 %a, [g]; setp.lt.u32 %p, %a, %b; @%p bra L;", 0},
		"stored data":          {"mov.u32 %b, %clock; L: st.global.u32 [g], %b; bra L;", 1},
		"an atomic's operands": {"mov.u32 %b, %clock; mov.u32 %c, %clock; L: atom.global.cas.b32 %a, [g], %b, %c; setp.ne.u32 %p, %a, %b; @%p bra L;", 2},
		"the carry flag":       {"add.cc.u32 %a, %b, %b; L: addc.cc.u32 %a, %b, %b; setp.lt.u32 %p, %a, 5; @%p bra L;", 2},
		"a barrier's operand":  {"mov.u32 %b, %clock; L: bar.sync %b; bra L;", 1},
		"a shuffle":            {"mov.u32 %b, %clock; mov.u32 %c, %clock; L: shfl.sync.idx.b32 %a|%q, %a, %b, 31, %c; @%q bra L;", 3},
	} {
		p := program(t, ".global .u32 g[4];\n.visible .entry k(.param .u64 x) { .reg .u32 %a, %b, %c; .reg .u64 %d; .reg .pred %p, %q;\n"+c.body+" ret; }")
		if len(p.Backs) != 1 || len(p.Backs[0].Live) != c.live {
			t.Errorf("%s: live %v, want %d registers", name, p.Backs, c.live)
		}
	}
}

// Back edges are those that lead to what stands before them in the final order, which is
// not the order of the text.
func TestBackEdges(t *testing.T) {
	p := program(t, `.visible .entry k() { .reg .u32 %a; .reg .pred %p; mov.u32 %a, %clock;
	bra TEST;
BODY:	add.u32 %a, %a, 1;
TEST:	setp.lt.u32 %p, %a, 5;
	@%p bra BODY;
	bra END;
BEFORE:	add.u32 %a, %a, 2;
	bra REST;
END:	bra BEFORE;
REST:	ret; }`)
	backs := 0
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != vm.Bra {
			continue
		}
		if back := int(in.Target) <= i; back != (in.Back >= 0) {
			t.Errorf("instruction %d leads to %d, Back %d", i, in.Target, in.Back)
		} else if back {
			backs++
		}
	}
	if backs != 1 || len(p.Backs) != 1 {
		t.Errorf("%d back edges", backs)
	}
}

// layout on bare graphs: every block once, the first first, loops together.
func TestLayout(t *testing.T) {
	for name, c := range map[string]struct {
		succ [][]int
		want []int
	}{
		"straight":               {[][]int{{1}, {2}, nil}, []int{0, 1, 2}},
		"unreachable":            {[][]int{{2}, {2}, nil}, []int{0, 2}},
		"diamond":                {[][]int{{2, 1}, {3}, {3}, nil}, []int{0, 1, 2, 3}},
		"a side far away":        {[][]int{{3, 1}, {2}, nil, {2}}, []int{0, 1, 3, 2}},
		"the exit in the middle": {[][]int{{1}, {2, 3}, nil, {1}}, []int{0, 1, 3, 2}},
		"the first is a loop":    {[][]int{{1, 2}, nil, {0}}, []int{0, 2, 1}},
		"the whole is a loop":    {[][]int{{1}, {0}}, []int{0, 1}},
		"itself":                 {[][]int{{0, 1}, nil}, []int{0, 1}},
		"nested":                 {[][]int{{1}, {5, 2}, {3}, {2, 4}, {1}, nil}, []int{0, 1, 2, 3, 4, 5}},
		"nested, exits first":    {[][]int{{2}, nil, {1, 4}, {2}, {3, 5}, {4}}, []int{0, 2, 4, 5, 3, 1}},
	} {
		blocks := make([]block, len(c.succ))
		for i := range blocks {
			blocks[i] = block{first: i, end: i + 1, succ: c.succ[i], fall: -1}
		}
		if got := layout(blocks); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// No recursion over the number of blocks: a long chain with a loop around it.
	blocks := make([]block, 100_000)
	for i := range blocks {
		blocks[i] = block{first: i, end: i + 1, succ: []int{(i + 1) % len(blocks)}, fall: -1}
	}
	if got := layout(blocks); len(got) != len(blocks) || got[0] != 0 || got[99_999] != 99_999 {
		t.Error(len(got))
	}
}

func TestVariableNames(t *testing.T) {
	for demangled, want := range map[string]string{
		"kernel(int)::tile": "tile", "tile": "tile", "n::tile": "tile", "f(a::b)::tile": "tile", "t<a::b>(int)::x": "x", "a::b<c::d>": "b<c::d>", "x::": "", "": "",
	} {
		if got := variableName(demangled); got != want {
			t.Errorf("%q: %q, want %q", demangled, got, want)
		}
	}
}
