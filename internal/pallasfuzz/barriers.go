package pallasfuzz

// The rules of barriers, as JAX's documentation has them.

// source is something that a phase is ordered after.
type source struct {
	node   int
	tensor bool
}

type barrier struct {
	bar      *Bar
	block    int
	arrivals int // that complete a phase
	phase    int // complete ones
	arrived  int
	expected int
	sources  map[int][]source
	observed map[int]int // by observer: 4 * thread + warp for a warp, -1 - thread for a thread
}

// threadOf is the thread of an observer, and the warp, -1 for none.
func (m *model) observer(thread int) (of, warp int) {
	if n := m.p.Threads * m.p.Blocks(); thread >= n {
		return (thread - n) / 4, (thread - n) % 4
	}
	return thread, -1
}

func key(of, warp int) int {
	if warp < 0 {
		return -1 - of
	}
	return 4*of + warp
}

// seen is how many phases an observer has seen, and whether it has ever waited.
func (b *barrier) seen(of, warp int) (int, bool) {
	n, ok := b.observed[key(of, warp)]
	if !ok && warp >= 0 {
		n, ok = b.observed[key(of, -1)]
	}
	return n, ok
}

// misuse is the class of the error that a wait makes now, "" for none.
func (b *barrier) misuse(of, warp int) string {
	n, ok := b.seen(of, warp)
	if !ok && b.phase > 1 {
		return "for the first time"
	}
	if warp < 0 {
		count, same, first := 0, true, 0
		for w := range 4 {
			if x, ok := b.observed[key(of, w)]; ok {
				if count == 0 {
					first = x
				}
				count++
				same = same && x == first
			}
		}
		if count > 0 && count < 4 || !same {
			return "constituent warps"
		}
	}
	if n <= b.phase-2 {
		return "is awaiting phase"
	}
	return ""
}

func (b *barrier) observe(of, warp int) {
	n, _ := b.seen(of, warp)
	b.observed[key(of, warp)] = n + 1
	if warp < 0 {
		for w := range 4 {
			b.observed[key(of, w)] = n + 1
		}
		return
	}
	least := n + 1
	for w := range 4 {
		x, ok := b.observed[key(of, w)]
		if !ok {
			return
		}
		least = min(least, x)
	}
	b.observed[key(of, -1)] = least
}

// join adds a source to the phase under way.
func (b *barrier) join(node int, tensor bool) {
	b.sources[b.phase] = append(b.sources[b.phase], source{node, tensor && b.bar.Tensor})
}

// arrive counts an arrival, and returns the class of the error that it makes.
func (b *barrier) arrive() string {
	if b.arrived == b.arrivals {
		return "more than the"
	}
	b.arrived++
	return b.settle()
}

func (b *barrier) deliver() string {
	b.expected--
	return b.settle()
}

func (b *barrier) settle() string {
	if b.arrived < b.arrivals || b.expected != 0 {
		return ""
	}
	b.phase++
	b.arrived = 0
	if b.phase == 2 && len(b.observed) == 0 {
		return "no threads observed"
	}
	for _, n := range b.observed {
		if n < b.phase-2 {
			return "only observed barrier"
		}
	}
	return ""
}

// barrier is a barrier of a block.
func (m *model) barrier(group, block, bar int) *barrier {
	k := barrierOf{group, block, bar}
	if b := m.barriers[k]; b != nil {
		return b
	}
	def := &m.p.Bars[bar]
	b := &barrier{bar: def, block: block, arrivals: def.Arrivals, sources: map[int][]source{}, observed: map[int]int{}}
	if def.Cluster {
		n := 1
		for _, axis := range def.Axes {
			k := 1
			for _, d := range axis {
				k *= m.p.Cluster[d]
			}
			n += k - 1
		}
		b.arrivals *= n
	}
	m.barriers[k] = b
	return b
}

// alike are the blocks of the cluster that differ from one in some dimensions only, in order.
func (p *Program) alike(block int, dims []int) []int {
	var out []int
	mine := p.coords(block)
	for b := range p.Blocks() {
		same := true
		for d, x := range p.coords(b) {
			free := false
			for _, y := range dims {
				free = free || y == d
			}
			same = same && (free || x == mine[d])
		}
		if same {
			out = append(out, b)
		}
	}
	return out
}

// targets are the blocks that an arrival of a block reaches.
func (p *Program) targets(b *Bar, block int) []int {
	if !b.Cluster {
		return []int{block}
	}
	if b.Leader {
		var dims []int
		for _, axis := range b.Axes {
			dims = append(dims, axis...)
		}
		return p.alike(block, dims)[:1]
	}
	out := []int{block}
	for _, axis := range b.Axes {
		for _, x := range p.alike(block, axis) {
			if x != block {
				out = append(out, x)
			}
		}
	}
	return out
}
