package vm

import (
	"bytes"
	"fmt"

	"gpusim/exec"
	"gpusim/memory"
)

// A group of lanes that comes back to the head of a loop with the live registers of its
// last visit, having changed no byte of memory in between, will do the same again until
// one of the bytes that it read changes. It is parked on these bytes: that makes
// quiescence, and so the verdict of a livelock, exact. Looking costs a copy of the live
// registers, so a loop is looked at on visits whose number is a power of two.

// maxWatched bounds the reads of one iteration; a loop that reads more is not parked.
const (
	maxWatched      = 4096
	maxWatchedBytes = 64 << 10
)

// spin is what is known of a back edge.
type spin struct {
	visits  uint64
	mask    uint32
	fr      *frame
	shot    bool // a snapshot was taken on the last visit
	changes uint64
	last    uint64 // changes at the last visit
	r32     []V
	r64     []D
	pred    []uint32
}

// recording collects what an iteration reads.
type recording struct {
	of       *spin
	buffers  []*memory.Buffer
	ranges   []memory.Watch
	data     []byte // what was read, range after range
	overflow bool   // the iteration cannot be watched: it reads too much, or the time
	load     int32  // the last instruction that read a watched byte
	edge     *Inst
	age      uint64 // back edges of other loops since it was begun
}

// patienceOfRecording is how many iterations of other loops a recording lasts, for each
// visit of its own: the loop may have been left.
const patienceOfRecording = 64

// inUse reports whether a recording must go on although the loop of another back edge, in
// frame f, wants one. It may not if reaching that edge means that the recorded loop was left.
func (r *recording) inUse(other *Inst, f *frame) bool {
	inside := f.depth > r.of.fr.depth || f == r.of.fr && r.edge.Target <= other.Target && other.Number <= r.edge.Number
	return inside && r.age < patienceOfRecording*r.of.visits
}

func (r *recording) read(b *memory.Buffer, off, n int64, load int32) {
	if len(r.ranges) >= maxWatched || int64(len(r.data))+n > maxWatchedBytes {
		r.overflow = true
		return
	}
	r.load = load
	if k := len(r.ranges) - 1; k >= 0 && r.buffers[k] == b && r.ranges[k].Off == off && r.ranges[k].Len == n {
		return
	}
	r.buffers = append(r.buffers, b)
	r.ranges = append(r.ranges, memory.Watch{Off: off, Len: n})
	r.data = append(r.data, b.Data[off:off+n]...)
}

// current reports whether the bytes still are what the iteration read: another thread may
// have changed them since.
func (r *recording) current() bool {
	d := r.data
	for i, w := range r.ranges {
		if !bytes.Equal(d[:w.Len], r.buffers[i].Data[w.Off:w.Off+w.Len]) {
			return false
		}
		d = d[w.Len:]
	}
	return true
}

// parked is a spinning group's registration with the bytes that it read.
type parked struct {
	woken   bool
	load    int32
	buffers []*memory.Buffer
	watches []*memory.Watch
}

func (p *parked) describe() string {
	if len(p.buffers) == 0 {
		return "a loop that reads no memory and changes nothing"
	}
	return fmt.Sprintf("a change of %s at offset %d", p.buffers[len(p.buffers)-1].Name, p.watches[len(p.watches)-1].Off)
}

// backEdge is called when the current group has taken a branch back.
func (t *Thread) backEdge(in *Inst) {
	s := &t.spins[in.Back]
	f := t.cur.fr
	if s.mask != t.cur.mask || s.fr != f {
		if t.rec != nil && t.rec.of == s {
			t.rec = nil
		}
		s.visits, s.mask, s.fr, s.shot = 0, t.cur.mask, f, false
	}
	s.visits++
	if f.marked != 0 && s.visits&(s.visits-1) == 0 {
		f.keepLive(t.prog.Backs[in.Back].Live, t.cur.mask)
	}
	if s.shot {
		s.shot = false
		rec := t.rec
		t.rec = nil
		if rec != nil && rec.of == s && !rec.overflow && t.changes == s.changes && t.sameLive(s, in) && rec.current() {
			s.visits = 1 // woken up, it is looked at again at once
			t.park(in, rec)
			return
		}
	}
	if t.rec != nil && t.rec.of != s {
		if t.rec.age++; !t.rec.inUse(in, f) {
			t.rec.of.shot, t.rec = false, nil
		}
	}
	quiet := t.changes == s.last
	s.last = t.changes
	if n := s.visits; n&(n-1) == 0 && n > 1 && (quiet || n >= 64) && t.rec == nil {
		t.snapshot(s, in)
	}
}

func (t *Thread) snapshot(s *spin, in *Inst) {
	f := t.cur.fr
	s.r32, s.r64, s.pred = s.r32[:0], s.r64[:0], s.pred[:0]
	for _, r := range t.prog.Backs[in.Back].Live {
		switch r.Class {
		case R32:
			s.r32 = append(s.r32, f.r32[r.Index])
		case R64:
			s.r64 = append(s.r64, f.r64[r.Index])
		case RP:
			s.pred = append(s.pred, f.pred[r.Index])
		}
	}
	s.shot, s.changes = true, t.changes
	t.rec = &recording{of: s, load: -1, edge: in}
}

// sameLive compares the live registers of the group's lanes with the snapshot.
func (t *Thread) sameLive(s *spin, in *Inst) bool {
	f, m := t.cur.fr, t.cur.mask
	i, j, k := 0, 0, 0
	for _, r := range t.prog.Backs[in.Back].Live {
		switch r.Class {
		case R32:
			for x := m; x != 0; x &= x - 1 {
				if l := firstLane(x); f.r32[r.Index][l] != s.r32[i][l] {
					return false
				}
			}
			i++
		case R64:
			for x := m; x != 0; x &= x - 1 {
				if l := firstLane(x); f.r64[r.Index][l] != s.r64[j][l] {
					return false
				}
			}
			j++
		case RP:
			if (f.pred[r.Index]^s.pred[k])&m != 0 {
				return false
			}
			k++
		}
	}
	return true
}

// park takes the current group out of circulation until a byte that it read changes.
func (t *Thread) park(in *Inst, rec *recording) {
	p := &parked{load: in.Number, buffers: rec.buffers}
	if rec.load >= 0 {
		p.load = rec.load
	}
	wake := func() {
		if p.woken {
			return
		}
		p.woken = true
		for i, w := range p.watches {
			p.buffers[i].RemoveWatch(w)
		}
		t.block.Wake(t.index)
	}
	for i := range rec.ranges {
		w := &rec.ranges[i]
		w.Wake = wake
		p.watches = append(p.watches, w)
		rec.buffers[i].AddWatch(w)
	}
	t.launch.Counters.Parks++
	t.wait(exec.OnMemory, in, p)
}
