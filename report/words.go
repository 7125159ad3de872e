package report

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"gpusim/kernel"
)

// accessText says what happens at an access, and who does it.
func accessText(kind kernel.Kind, a kernel.Access) string {
	op := a.Op + " by "
	switch {
	case kind == kernel.Trap || kind == kernel.Assert || a.Op == "": // no memory is accessed
		op = ""
	case a.Atomic:
		op = "atomic " + op
	}
	return op + thread(a.Thread)
}

// eachWait visits waits of many threads at one place once, with words for the first thread
// and how many more there are.
func eachWait(list []kernel.Wait, visit func(w kernel.Wait, what string)) {
	type key struct {
		file, on, needs string
		line, column    int
	}
	keyOf := func(w kernel.Wait) key { return key{w.Source.File, w.On, w.Needs, w.Source.Line, w.Source.Column} }
	count := map[key]int{}
	for _, w := range list {
		count[keyOf(w)]++
	}
	for _, w := range list {
		n := count[keyOf(w)]
		if n == 0 {
			continue // shown
		}
		count[keyOf(w)] = 0
		verb := "waits"
		who := thread(w.Thread)
		if n > 1 {
			who += fmt.Sprintf(" and %s more like it", humanize.Comma(int64(n-1)))
			verb = "wait"
		}
		visit(w, fmt.Sprintf("%s %s for %s", who, verb, w.On))
	}
}

// firstSource is the first place that a finding names; the zero place if it names none.
func firstSource(f kernel.Finding) kernel.Source {
	switch {
	case len(f.Accesses) > 0:
		return f.Accesses[0].Source
	case len(f.Waits) > 0:
		return f.Waits[0].Source
	}
	return kernel.Source{}
}

func thread(t kernel.ThreadID) string {
	s := fmt.Sprintf("thread %v of block %v", t.Thread, t.Block)
	if t.Device != 0 {
		s += fmt.Sprintf(" on device %d", t.Device)
	}
	return s
}
