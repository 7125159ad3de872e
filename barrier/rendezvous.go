package barrier

// Meeting is a warp collective under way: the lanes named by its mask come together,
// each with its operands, before any of them goes on.
type Meeting struct {
	Key     string // operation and qualifiers: lanes pair by these and by the mask
	Member  uint32 // the mask that all of them passed
	Arrived uint32
	A, B, C [32]uint64 // operands by lane
	Site    [32]int32  // the instruction that each lane stands at
}

// Rendezvous holds the collectives of one warp that have not completed. Lanes that have
// exited are never waited for (PTX ISA, "shfl.sync", "vote.sync", "bar.warp.sync").
type Rendezvous struct {
	open []*Meeting
	free []*Meeting
}

// Reset forgets all meetings, for the slot's next block.
func (r *Rendezvous) Reset() {
	r.free = append(r.free, r.open...)
	r.open = r.open[:0]
}

// Open finds or starts the meeting of a key and mask.
func (r *Rendezvous) Open(key string, member uint32) *Meeting {
	for _, m := range r.open {
		if m.Member == member && m.Key == key {
			return m
		}
	}
	var m *Meeting
	if n := len(r.free); n > 0 {
		m = r.free[n-1]
		r.free = r.free[:n-1]
		m.Arrived = 0
	} else {
		m = &Meeting{}
	}
	m.Key, m.Member = key, member
	r.open = append(r.open, m)
	return m
}

// Complete reports whether every live member has arrived.
func (m *Meeting) Complete(live uint32) bool { return m.Member&live&^m.Arrived == 0 }

// Close ends a meeting. Its contents stay readable until the next Open.
func (r *Rendezvous) Close(m *Meeting) {
	for i, x := range r.open {
		if x == m {
			r.open = append(r.open[:i], r.open[i+1:]...)
			r.free = append(r.free, m)
			return
		}
	}
}

// Pending lists the open meetings in the order in which they were opened.
func (r *Rendezvous) Pending() []*Meeting { return r.open }
