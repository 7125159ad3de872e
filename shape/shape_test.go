package shape

import "testing"

func addresses(f func(l int) uint64) (a Lanes) {
	for l := range a {
		a[l] = f(l)
	}
	return a
}

func TestClasses(t *testing.T) {
	tab := NewTable()
	cons := addresses(func(l int) uint64 { return 1000 + 4*uint64(l) })
	s := tab.Of(&cons, Full, 4)
	if !s.Consecutive || !s.Injective || s.Uniform || s.Min != 0 || s.End != 128 || len(s.Span) != 1 {
		t.Errorf("consecutive: %+v", s)
	}
	moved := addresses(func(l int) uint64 { return 5000 + 4*uint64(l) })
	if tab.Of(&moved, Full, 4) != s || !s.Matches(&moved) {
		t.Error("the same pattern elsewhere is another shape")
	}
	if tab.Of(&cons, Full, 8).Injective {
		t.Error("8-byte accesses 4 bytes apart overlap")
	}
	one := addresses(func(int) uint64 { return 64 })
	if u := tab.Of(&one, Full, 4); !u.Uniform || u.Injective || u.Matches(&cons) {
		t.Errorf("uniform: %+v", u)
	}
	tile := addresses(func(l int) uint64 { return 64 * uint64(l/16) })
	if h := tab.Of(&tile, Full, 4); h.Half != [2]uint8{HalfUniform, HalfUniform} || h.Uniform || len(h.Span) != 2 {
		t.Errorf("halves: %+v", h)
	}
	down := addresses(func(l int) uint64 { return 1000 - 4*uint64(l) })
	if d := tab.Of(&down, 0xF0, 4); d.Min != -12 || d.End != 4 || d.First != 4 || !d.Matches(&down) || d.Matches(&cons) {
		t.Errorf("descending: %+v", d)
	}
	if tab.Single(7, 4).Mask != 1<<7 || tab.ByID(s.ID) != s {
		t.Error("look-up")
	}
}

func TestTraffic(t *testing.T) {
	tab := NewTable()
	cons := addresses(func(l int) uint64 { return 4 * uint64(l) })
	s := tab.Of(&cons, Full, 4)
	if s.Sectors(0) != 4 || s.Sectors(4) != 5 || s.BankConflicts() != 0 {
		t.Error("coalesced:", s.Sectors(0), s.Sectors(4), s.BankConflicts())
	}
	column := addresses(func(l int) uint64 { return 128 * uint64(l) })
	if c := tab.Of(&column, Full, 4); c.Sectors(0) != 32 || c.BankConflicts() != 31 {
		t.Error("a column:", c.Sectors(0), c.BankConflicts())
	}
	padded := addresses(func(l int) uint64 { return 132 * uint64(l) })
	if c := tab.Of(&padded, Full, 4); c.BankConflicts() != 0 {
		t.Error("a padded column:", c.BankConflicts())
	}
	wide := addresses(func(l int) uint64 { return 16 * uint64(l) })
	if c := tab.Of(&wide, Full, 16); c.Sectors(0) != 16 || c.BankConflicts() != 0 {
		t.Error("16 bytes a lane:", c.Sectors(0), c.BankConflicts())
	}
	var offs [32]int64
	for l := range offs {
		offs[l] = int64(l/4) * 1000 &^ 3
	}
	if n := SectorsOf(&offs, Full); n != 8 {
		t.Error("eight places:", n)
	}
	if n := SectorsOf(&offs, 0xF); n != 1 {
		t.Error("one place:", n)
	}
}
