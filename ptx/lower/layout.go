package lower

import (
	"cmp"
	"container/heap"
	"slices"

	"gpusim/ptx/vm"
)

// block is a basic block: code[first:end], and the blocks that may follow.
type block struct {
	first, end int
	succ       []int // taken targets first; the fall-through, if any, last
	fall       int   // the block behind it, -1: control does not fall through
	pred       []int
	at         int // place in the final code
	reachable  bool
	live       liveSet // registers live at its start
}

// finish lays out the function's blocks and appends them to the program.
//
// The executor runs the group of lanes with the lowest program counter first and merges
// groups that meet. Blocks are therefore laid out topologically, loops contiguous: then
// every path from a branch to its immediate post-dominator lies before it, and diverged
// lanes reconverge there at the latest.
func (b *builder) finish() {
	blocks := b.blocks()
	order := layout(blocks)
	b.liveness(blocks, order)
	base := len(b.prog.Insts)
	for i, n := range order {
		bl := &blocks[n]
		bl.at = len(b.prog.Insts)
		next := -1
		if i+1 < len(order) {
			next = order[i+1]
		}
		for k := bl.first; k < bl.end; k++ {
			it := &b.code[k]
			if k == bl.end-1 && it.Op == vm.Bra && it.Guard == vm.NoGuard && bl.succ[0] == next {
				continue // a jump to the next instruction
			}
			b.append(it, n)
		}
		if bl.fall >= 0 && bl.fall != next {
			jump := b.code[bl.end-1]
			jump.Inst = vm.Inst{Op: vm.Bra, Guard: vm.NoGuard, Back: -1}
			jump.labels = []int{blocks[bl.fall].first}
			b.append(&jump, n)
		}
	}
	if base == len(b.prog.Insts) { // cannot be: the entry block is reachable
		b.unsupported("the function is empty")
		return
	}
	start := map[int]int{}
	for _, n := range order {
		start[blocks[n].first] = n
	}
	for i := base; i < len(b.prog.Insts); i++ {
		in := &b.prog.Insts[i]
		switch in.Op {
		case vm.Bra:
			to := &blocks[start[int(in.Target)]]
			in.Target = int32(to.at)
			if to.at <= i {
				in.Back = int32(len(b.prog.Backs))
				b.prog.Backs = append(b.prog.Backs, vm.Back{Live: b.liveRegs(to.live)})
			}
		case vm.BrxIdx:
			for k, l := range in.Table {
				in.Table[k] = int32(blocks[start[int(l)]].at)
			}
		}
	}
	b.fn.Entry = int32(base)
	b.fn.N32, b.fn.N64, b.fn.NP = b.next[vm.R32], b.next[vm.R64], b.next[vm.RP]
}

// append adds an instruction to the program; its labels still name positions in b.code.
func (b *builder) append(it *item, _ int) {
	in := it.Inst
	switch in.Op {
	case vm.Bra:
		in.Target = int32(it.labels[0])
	case vm.BrxIdx:
		for _, l := range it.labels {
			in.Table = append(in.Table, int32(l))
		}
	}
	n := len(b.prog.Insts)
	if m := in.Mem; m != nil && m.Site >= 0 && in.Op != vm.Pack && in.Op != vm.Unpack && accessesMemory(in.Op) {
		b.prog.Sites[m.Site].User = n
	}
	if c := in.Coll; c != nil && c.Wide != nil && c.Wide.Tile != nil {
		b.prog.Sites[c.Wide.Tile.Mem.Site].User = n
	}
	if c := in.Call; c != nil && c.Builtin == vm.Free {
		b.prog.Sites[c.Site].User = n
	}
	b.prog.Insts = append(b.prog.Insts, in)
	b.prog.Sources = append(b.prog.Sources, it.source)
}

func accessesMemory(op vm.Op) bool {
	return op == vm.MBarrier || op == vm.Load || op == vm.Store || op == vm.LoadRows || op == vm.StoreRows || op == vm.Discard || op == vm.Atomic || op == vm.CpAsync
}

// blocks splits the code at branch targets and behind branches.
func (b *builder) blocks() []block {
	n := len(b.code)
	leader := make([]bool, n+1)
	leader[0] = true
	for i := range b.code {
		for _, l := range b.code[i].labels {
			leader[l] = true
		}
		if ends(b.code[i].Op) {
			leader[i+1] = true
		}
	}
	var blocks []block
	index := make([]int, n+1)
	for i := 0; i < n; {
		j := i + 1
		for j < n && !leader[j] {
			j++
		}
		index[i] = len(blocks)
		blocks = append(blocks, block{first: i, end: j, fall: -1})
		i = j
	}
	for k := range blocks {
		bl := &blocks[k]
		last := &b.code[bl.end-1]
		for _, l := range last.labels {
			bl.succ = append(bl.succ, index[l])
		}
		if (!ends(last.Op) || last.Guard != vm.NoGuard) && bl.end < n {
			bl.fall = k + 1
			bl.succ = append(bl.succ, k+1)
		}
	}
	return blocks
}

// ends reports whether control does not simply go on behind an instruction.
func ends(op vm.Op) bool {
	switch op {
	case vm.Bra, vm.BrxIdx, vm.Ret, vm.Exit, vm.Trap:
		return true
	}
	return false
}

// layout orders the reachable blocks.
func layout(blocks []block) []int {
	var mark func(n int)
	stack := []int{0}
	mark = func(n int) {
		if !blocks[n].reachable {
			blocks[n].reachable = true
			stack = append(stack, n)
		}
	}
	blocks[0].reachable = true
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range blocks[n].succ {
			mark(s)
		}
	}
	var all []int
	for n := range blocks {
		if blocks[n].reachable {
			all = append(all, n)
			for _, s := range blocks[n].succ {
				blocks[s].pred = append(blocks[s].pred, n)
			}
		}
	}
	l := &layouter{blocks: blocks, region: make([]int, len(blocks))}
	l.order(all, -1)
	return l.out
}

// layouter orders regions: strongly connected parts stay together and are ordered like
// the whole once the edges to their header are taken away.
type layouter struct {
	blocks []block
	region []int // the innermost region that is being ordered, by block
	next   int
	out    []int
}

func (l *layouter) order(nodes []int, header int) {
	l.next++
	id := l.next
	for _, n := range nodes {
		l.region[n] = id
	}
	edges := func(n int) []int {
		var out []int
		for _, s := range l.blocks[n].succ {
			if l.region[s] == id && s != header {
				out = append(out, s)
			}
		}
		return out
	}
	parts, part := components(nodes, edges)
	waits := make([]int, len(parts))
	follow := make([][]int, len(parts))
	for n := range nodes {
		from := part[nodes[n]]
		for _, s := range edges(nodes[n]) {
			if to := part[s]; to != from {
				waits[to]++
				follow[from] = append(follow[from], to)
			}
		}
	}
	var ready partHeap
	for i := range parts {
		slices.Sort(parts[i])
		if waits[i] == 0 {
			heap.Push(&ready, partRef{parts[i][0], i})
		}
	}
	var sequence []int
	for len(ready) > 0 {
		p := heap.Pop(&ready).(partRef).part
		sequence = append(sequence, p)
		for _, f := range follow[p] {
			if waits[f]--; waits[f] == 0 {
				heap.Push(&ready, partRef{parts[f][0], f})
			}
		}
	}
	for _, p := range sequence {
		ns := parts[p]
		if len(ns) == 1 {
			l.out = append(l.out, ns[0])
			continue
		}
		l.order(ns, l.entry(ns, part, header))
	}
}

// entry is the block through which a loop is entered: the first with an edge from outside,
// or the function's first.
func (l *layouter) entry(loop []int, part map[int]int, header int) int {
	in := part[loop[0]]
	for _, n := range loop {
		if n == 0 || n == header {
			return n
		}
		for _, p := range l.blocks[n].pred {
			if q, ok := part[p]; !ok || q != in {
				return n
			}
		}
	}
	return loop[0]
}

type partRef struct{ first, part int }

// partHeap yields the part that comes first in the source.
type partHeap []partRef

func (h partHeap) Len() int           { return len(h) }
func (h partHeap) Less(i, j int) bool { return cmp.Less(h[i].first, h[j].first) }
func (h partHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *partHeap) Push(x any)        { *h = append(*h, x.(partRef)) }
func (h *partHeap) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}

// components finds the strongly connected components (Tarjan), without recursion: the
// number of blocks of a function has no bound.
func components(nodes []int, edges func(int) []int) (parts [][]int, part map[int]int) {
	part = make(map[int]int, len(nodes))
	index := make(map[int]int, len(nodes))
	low := make(map[int]int, len(nodes))
	onStack := map[int]bool{}
	var stack []int
	type call struct {
		n    int
		next []int
	}
	for _, root := range nodes {
		if _, seen := index[root]; seen {
			continue
		}
		enter := func(n int) call {
			index[n], low[n] = len(index), len(index)
			stack = append(stack, n)
			onStack[n] = true
			return call{n, edges(n)}
		}
		calls := []call{enter(root)}
		for len(calls) > 0 {
			c := &calls[len(calls)-1]
			if len(c.next) > 0 {
				s := c.next[0]
				c.next = c.next[1:]
				if _, seen := index[s]; !seen {
					calls = append(calls, enter(s))
				} else if onStack[s] {
					low[c.n] = min(low[c.n], index[s])
				}
				continue
			}
			n := c.n
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].n
				low[up] = min(low[up], low[n])
			}
			if low[n] != index[n] {
				continue
			}
			var ns []int
			for {
				m := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[m] = false
				part[m] = len(parts)
				ns = append(ns, m)
				if m == n {
					break
				}
			}
			parts = append(parts, ns)
		}
	}
	return parts, part
}
