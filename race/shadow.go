package race

import (
	"gpusim/internal/hugepages"
	"gpusim/kernel"
	"gpusim/shape"
)

// rec is a warp-wide access of one line: the units, and which lane touches which. That
// follows from the shape, the unit of the line where it starts and which of its lines this
// is (pos). Some lanes of the shape may not have taken part; no unit of theirs is in mask.
type rec struct {
	e       uint64
	mask    uint32
	site    Site
	sh, pos uint16
}

// set stores field by field: a literal would be built on the stack in small pieces and read
// back in large ones, which the processor cannot forward.
func (r *rec) set(e uint64, mask uint32, site Site, sh, pos uint16) {
	r.e, r.mask, r.site, r.sh, r.pos = e, mask, site, sh, pos
}

// line is the shadow of 32 units: 128 bytes of data while a buffer is accessed by words,
// 32 once it has been accessed by bytes. Whole-warp records describe it as long as a few
// suffice; cells do when lanes scatter.
type line struct {
	w, r   rec    // the record if there is one; else the greatest epoch and the units of all
	wx, rx uint32 // list (kept for later when it is not in use) or cells
	sx     uint32 // strong accesses, 0: none
	ncx    uint32 // ld.global.nc, 0: none
	nr     uint16 // records, or inCells
	nw     uint16
	lost   uint32 // units read by blocks that are gone: no further read matters in this launch
}

const inCells = 0xFFFF

// wcells is the last weak write of each unit. Only where several writes of one value
// raced a unit needs a set of writers: site is then setFlag and the number of the set.
type wcells [shape.LineUnits]wcell

// wcell is 12 bytes without padding: scattered writes are what fills shadow memory.
type wcell struct {
	lo, hi uint32 // epoch, with its lane
	site   Site
}

func (c *wcell) e() uint64            { return uint64(c.hi)<<32 | uint64(c.lo) }
func (c *wcell) set(e uint64, s Site) { c.lo, c.hi, c.site = uint32(e), uint32(e>>32), s }
func (c *wcell) isSet() bool          { return c.site&setFlag != 0 }

// rcells is the weak reads of each unit: lanes of one warp at one stamp, or a set.
type rcells [shape.LineUnits]entry

const setFlag = Site(1) << 31

// entry is one element of a set of accesses: lanes of one warp at one stamp.
type entry struct {
	e    uint64
	mask uint32
	site Site
}

func (c *entry) isSet() bool { return c.site&setFlag != 0 }

const pageLines = 32

type page [pageLines]line

const (
	slabPages = 1024    // 2.25 MiB, the lines of 4 MiB of words
	slabMin   = 4 << 20 // bytes of the smallest buffer that gets slabs
)

// Shadow is the shadow memory of a buffer.
type Shadow struct {
	object int
	space  kernel.Space
	in     int   // inGlobal or inShared
	shift  uint8 // log2 of a unit: 2 until the first access that is no whole word
	size   int64
	pages  []*page
	spare  []page // of a large buffer: allocated, and not yet in pages
}

// NewShadow returns the shadow of a buffer; lines are allocated when first touched.
// The object number comes back in reports.
func (d *Detector) NewShadow(object int, space kernel.Space, size int64) *Shadow {
	sd := &Shadow{object: object, space: space, shift: 2, size: size}
	if space == kernel.Shared {
		sd.in = inShared
	}
	d.shadows[sd] = struct{}{}
	return sd
}

// DropShadow releases a shadow.
func (d *Detector) DropShadow(sd *Shadow) {
	d.wipe(sd)
	delete(d.shadows, sd)
}

// wipe forgets all accesses to a buffer.
func (d *Detector) wipe(sd *Shadow) {
	for _, p := range sd.pages {
		if p != nil {
			for i := range p {
				d.release(&p[i])
			}
		}
	}
	sd.pages, sd.spare = nil, nil
}

// release gives back what a line holds.
func (d *Detector) release(l *line) {
	d.dropReads(l)
	d.dropWrites(l)
	if l.sx != 0 {
		d.dropStrong(l)
	}
	if l.ncx != 0 {
		d.ncs.drop(l.ncx)
		l.ncx = 0
	}
}

func (sd *Shadow) line(n int64) *line {
	if i := uint64(n) / pageLines; i < uint64(len(sd.pages)) {
		if p := sd.pages[i]; p != nil {
			return &p[uint64(n)%pageLines]
		}
	}
	return sd.newLine(n)
}

func (sd *Shadow) newLine(n int64) *line {
	i := int(n / pageLines)
	if i >= len(sd.pages) {
		all := int(sd.size>>(sd.shift+10)) + 1 // a page is 1<<10 units
		sd.pages = append(sd.pages, make([]*page, max(all, i+1)-len(sd.pages))...)
	}
	sd.pages[i] = sd.newPage()
	return &sd.pages[i][n%pageLines]
}

// newPage takes the pages of large buffers from slabs.
func (sd *Shadow) newPage() *page {
	if sd.size < slabMin {
		return new(page)
	}
	if len(sd.spare) == 0 {
		sd.spare = hugepages.Make[page](slabPages)
	}
	p := &sd.spare[0]
	sd.spare = sd.spare[1:]
	return p
}

// toBytes turns the units of a buffer from words into bytes: each line becomes four.
// Done once, at the first access that is not made of whole words, for the whole buffer:
// nearly every buffer holds elements of one size.
func (d *Detector) toBytes(sd *Shadow) {
	old := sd.pages
	sd.pages, sd.shift = nil, 0
	for i, p := range old {
		if p == nil {
			continue
		}
		for k := range p {
			if l := &p[k]; l.nr|l.nw != 0 || l.sx|l.ncx != 0 {
				d.splitLine(sd, l, (int64(i)*pageLines+int64(k))*4)
			}
		}
	}
}

// splitLine distributes the accesses of a line of words to four lines of bytes.
func (d *Detector) splitLine(sd *Shadow, l *line, first int64) {
	for q := range int64(4) {
		n := sd.line(first + q)
		if l.nr == inCells {
			d.splitReadCells(l, n, int(q)*8)
		} else {
			for _, r := range d.readRecs(l) {
				if b, m, ok := d.toByteRec(r, q); ok {
					d.addReadRec(n, b, m)
				}
			}
		}
		if l.nw == inCells {
			d.splitWriteCells(l, n, int(q)*8)
		} else {
			for _, r := range d.writeRecs(l) {
				if b, m, ok := d.toByteRec(r, q); ok {
					d.addWriteRec(n, b, m)
				}
			}
		}
		if l.sx != 0 {
			d.splitStrong(l, n, int(q)*8)
		}
		if l.ncx != 0 {
			d.splitNC(l, n, q)
		}
	}
	d.release(l)
}

// toByteRec is what a record of a line of words says about its q-th quarter, as a record
// of a line of bytes, and the bytes that it touches there.
func (d *Detector) toByteRec(r rec, q int64) (rec, uint32, bool) {
	s := d.shapes.ByID(uint32(r.sh))
	start := recStart(s, 2, r.pos)*4 - q*shape.LineUnits
	al, ln := int(start&31), int32(-(start >> 5))
	for k, p := range s.Parts(0, al) {
		if p.Line == ln {
			r.pos = uint16(al | k<<5)
			r.mask = p.Mask & fourfold(r.mask>>(8*q)&0xFF)
			return r, r.mask, r.mask != 0
		}
	}
	return r, 0, false
}

// recStart is the unit, relative to the start of the line, where a record's shape starts.
func recStart(s *shape.Shape, shift uint8, pos uint16) int64 {
	al := int(pos & 31)
	return int64(al) - int64(s.Parts(shift, al)[pos>>5].Line)*shape.LineUnits
}

// fourfold is eight words as 32 bytes.
func fourfold(m uint32) uint32 {
	m = (m | m<<12) & 0x000F000F
	m = (m | m<<6) & 0x03030303
	m = (m | m<<3) & 0x11111111
	return m * 15
}

// recLanes is the lanes that touch unit c of the line, a unit of the record's mask.
func (d *Detector) recLanes(sd *Shadow, r *rec, c int) uint32 {
	s := d.shapes.ByID(uint32(r.sh))
	return s.LanesAt(sd.shift, int64(c)-recStart(s, sd.shift, r.pos))
}
