package pallasfuzz

// graph is what happened before what. Every edge leads from an older node to a newer one.
type graph struct {
	out   [][]edge
	fence []bool // a proxy fence
	known map[question]bool
}

// edge is an order of two events. If tensor, operations of the tensor core observe it too.
type edge struct {
	to     int
	tensor bool
}

// way is what a path has to be.
type way uint8

const (
	anyWay    way = iota
	tensorWay     // of tensor edges only
	fencedWay     // with a proxy fence on it
)

type question struct {
	from, to int
	way      way
}

func (g *graph) node() int {
	g.out = append(g.out, nil)
	g.fence = append(g.fence, false)
	return len(g.out) - 1
}

func (g *graph) edge(from, to int, tensor bool) {
	g.out[from] = append(g.out[from], edge{to, tensor})
}

// path reports whether there is a path, by search.
func (g *graph) path(from, to int, w way) bool {
	q := question{from, to, w}
	if v, ok := g.known[q]; ok {
		return v
	}
	type state struct {
		node   int
		fenced bool
	}
	seen := map[state]bool{}
	list := []state{{from, g.fence[from]}}
	found := false
	for len(list) > 0 && !found {
		s := list[len(list)-1]
		list = list[:len(list)-1]
		if seen[s] || s.node > to {
			continue
		}
		seen[s] = true
		if s.node == to && (w != fencedWay || s.fenced) {
			found = true
		}
		for _, e := range g.out[s.node] {
			if w != tensorWay || e.tensor {
				list = append(list, state{e.to, s.fenced || g.fence[e.to]})
			}
		}
	}
	if g.known == nil {
		g.known = map[question]bool{}
	}
	g.known[q] = found
	return found
}
