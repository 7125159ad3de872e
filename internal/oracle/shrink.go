package oracle

import "slices"

// Shrink returns a short list that still fails: it takes away events, whole barrier phases and lanes as long as failing says yes, and keeps the list an
// execution that an engine could produce.
func Shrink(events []Event, failing func([]Event) bool) []Event {
	events = slices.Clone(events)
	for shorter := true; shorter; {
		shorter = false
		for i := len(events) - 1; i >= 0; i-- {
			if i >= len(events) {
				continue // a phase took several
			}
			if try := without(events, unit(events, i)); len(try) < len(events) && failing(try) {
				events, shorter = try, true
				continue
			}
			for len(events[i].Lanes) > 1 && events[i].access() {
				e, ok := fewerLanes(events, i, failing)
				if !ok {
					break
				}
				events[i], shorter = e, true
			}
		}
	}
	return events
}

// unit is what has to go together with event i; empty if it has to stay.
func unit(events []Event, i int) []int {
	e := events[i]
	last := i == len(events)-1
	switch e.Op {
	case LaunchEnd, Exit:
		if !last { // a thread cannot go on after its exit, and barriers rely on it
			return nil
		}
	case BarArrive, BarComplete:
		return phase(events, i)
	}
	return []int{i}
}

// phase are the arrivals and the completion of the barrier phase that event i belongs to.
func phase(events []Event, i int) []int {
	var out []int
	same := func(e Event) bool {
		return (e.Op == BarArrive || e.Op == BarComplete) && e.Block == events[i].Block && e.Barrier == events[i].Barrier
	}
	for k := range events {
		if events[k].Op == LaunchEnd || same(events[k]) && events[k].Op == BarComplete {
			if same(events[k]) {
				out = append(out, k)
			}
			if k >= i {
				return out
			}
			out = out[:0]
			continue
		}
		if same(events[k]) {
			out = append(out, k)
		}
	}
	return out
}

func without(events []Event, gone []int) []Event {
	var out []Event
	for k, e := range events {
		if !slices.Contains(gone, k) {
			out = append(out, e)
		}
	}
	return out
}

// fewerLanes returns event i without one of its lanes if the list still fails with it.
func fewerLanes(events []Event, i int, failing func([]Event) bool) (Event, bool) {
	for _, lane := range events[i].Lanes {
		e := keepLanes(events[i], func(l int) bool { return l != lane })
		try := slices.Clone(events)
		try[i] = e
		if failing(try) {
			return e, true
		}
	}
	return Event{}, false
}
