package device

import (
	"errors"
	"strings"
	"testing"

	"gpusim/kernel"
	"gpusim/memory"
)

func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`unknown schedule "fair"`: {Schedule: "fair"},
		`unknown device "x"`:      {Model: "x"},
		"-1 workers":              {Workers: -1},
		"-2 resident blocks":      {Resident: -2},
		"at most -3 instructions": {MaxInstructions: -3},
		"at most -4 bytes":        {MaxMemory: -4},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	d := newDevice(t, Options{})
	if d.opts.MaxInstructions != DefaultMaxInstructions || d.opts.MaxMemory < 1<<28 || d.model.Name != "a100" {
		t.Errorf("%+v", d.opts)
	}
}

func TestBuffers(t *testing.T) {
	d := newDevice(t, Options{MaxMemory: 1000})
	a, err := d.Alloc("a", 600, false)
	if err != nil || !a.Host || a.AllValid(0, 1) || a.Base%256 != 0 {
		t.Fatal(a, err)
	}
	var m *MemoryError
	if _, err := d.Alloc("b", 600, true); !errors.As(err, &m) ||
		err.Error() != `buffer "b" has 600 bytes; with the 600 bytes of the buffers before it that is more than the limit of 1000 bytes (--max-memory)` {
		t.Error(err)
	}
	d.Free(a)
	b, err := d.Alloc("b", 600, true)
	if err != nil || !b.AllValid(0, 600) {
		t.Error("what was freed may be allocated again", err)
	}
	for _, size := range []int64{-1, 1 << memory.GlobalShift} {
		if _, err := d.Alloc("c", size, true); err == nil {
			t.Error("accepted", size)
		}
	}
	v, err := d.AllocVar("v", kernel.Const, 16, 8)
	if err != nil || !v.ReadOnly || v.Host || !v.AllValid(0, 16) || v.Space != kernel.Const {
		t.Error(v, err)
	}
	none(t, d)
}

func TestLargeBuffer(t *testing.T) {
	d := newDevice(t, Options{MaxMemory: 3 << 30})
	if _, err := d.Alloc("x", 4<<30, true); err == nil || err.Error() != `buffer "x" has 4 GiB, more than the limit of 3 GiB (--max-memory)` {
		t.Error(err)
	}
}

func TestNoUninit(t *testing.T) {
	d := newDevice(t, Options{NoUninit: true})
	if b, err := d.Alloc("a", 8, false); err != nil || !b.AllValid(0, 8) {
		t.Error(b, err)
	}
}

func TestBadFrees(t *testing.T) {
	d := newDevice(t, Options{})
	a, _ := d.Alloc("a", 8, true)
	v, _ := d.AllocVar("v", kernel.Global, 8, 4)
	d.Free(a)
	none(t, d)
	d.Free(a)
	d.Free(v)
	d.Free(nil)
	list := d.Findings()
	if len(list) != 3 {
		t.Fatal(list)
	}
	for i, want := range []string{"null pointer", `frees buffer "a", which has been freed already`, `frees "v", which it did not allocate`} {
		if f := list[i]; f.Kind != kernel.UseAfterFree || f.Severity != kernel.Error || !strings.Contains(f.Message, want) {
			t.Errorf("%+v, want %s", f, want)
		}
	}
}

func TestFindingsAreSortedAndMerged(t *testing.T) {
	d := newDevice(t, Options{})
	at := func(line, ptx int) []kernel.Access {
		return []kernel.Access{{Op: "write", Source: kernel.Source{File: "k.cu", Line: line, PTXLine: ptx}}, {Op: "read", Source: kernel.Source{File: "k.cu", Line: 9}}}
	}
	swapped := at(5, 32)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	for _, f := range []kernel.Finding{
		{Kind: kernel.WrongResult, Severity: kernel.Error, Launch: 1, Message: "late"},
		{Kind: kernel.DataRace, Severity: kernel.Warning, Accesses: at(5, 30), Message: "warning"},
		{Kind: kernel.DataRace, Severity: kernel.Error, Accesses: at(7, 40), Message: "second", Count: 2},
		{Kind: kernel.DataRace, Severity: kernel.Error, Accesses: at(5, 30), Message: "first", Count: 3},
		{Kind: kernel.DataRace, Severity: kernel.Error, Accesses: at(5, 31), Message: "first again", Count: 4},
		{Kind: kernel.DataRace, Severity: kernel.Error, Accesses: swapped, Message: "first, other order", Count: 5},
	} {
		d.Report(f)
	}
	var got []string
	for _, f := range d.Findings() {
		got = append(got, f.Message)
		if f.Message == "first" && f.Count != 13 || f.Message == "late" && f.Count != 1 {
			t.Error(f.Message, f.Count)
		}
	}
	if s := strings.Join(got, "; "); s != "first; second; late" {
		t.Error(s)
	}
}

// Two misuses at one place are two findings; two bad offsets at one place are one.
func TestWhatMakesOneFinding(t *testing.T) {
	d := newDevice(t, Options{})
	at := []kernel.Access{{Op: "read", Source: kernel.Source{File: "k.cu", Line: 5}}}
	for _, kind := range []kernel.Kind{kernel.BarrierMisuse, kernel.OutOfBounds} {
		for _, m := range []string{"a", "b"} {
			d.Report(kernel.Finding{Kind: kind, Severity: kernel.Error, Accesses: at, Message: m})
		}
	}
	var got []string
	for _, f := range d.Findings() {
		got = append(got, string(f.Kind)+" "+f.Message)
	}
	if s := strings.Join(got, "; "); s != "out-of-bounds a; barrier-misuse a; barrier-misuse b" {
		t.Error(s)
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 3 << 40: "3 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
