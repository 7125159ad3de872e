package launch

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
)

// initKind is a way to fill a buffer.
type initKind string

// The kinds by their names in launch files.
const (
	initZeros     initKind = "zeros"
	initNone      initKind = "none"
	initFill      initKind = "fill"
	initRange     initKind = "range"
	initRandom    initKind = "random"
	initValues    initKind = "values"
	initNpy       initKind = "npy"
	initRaw       initKind = "raw"
	initAddresses initKind = "addresses"
	initGiven     initKind = "given" // by whoever runs the plan; not in launch files
)

// initialiser says what a buffer holds at first, or shall hold at the end. It is checked
// when it is read, so that filling cannot fail but for files.
type initialiser struct {
	kind initKind
	at   place

	fill        uint64 // bits
	start, step number
	seed        uint64
	low, high   number
	values      []uint64 // bits
	path        scalar
	addresses   []*argument
}

// number is a value on which arithmetic is done before it becomes an element: exact for
// integer types, a float64 for floating-point ones.
type number struct {
	i *big.Int
	f float64
}

func parseNumber(d DType, text string) (number, error) {
	if d.class == floating {
		f, err := parseFloat(text)
		return number{f: f}, err
	}
	i, err := parseInt(text)
	return number{i: i}, err
}

// checker collects errors while a plan is read.
type checker struct {
	errs InputErrors
	dir  string
}

func (c *checker) add(p place, reading, format string, args ...any) {
	c.errs = append(c.errs, p.error(reading, format, args...))
}

// path resolves a path of the plan.
func (c *checker) path(s string) string {
	if filepath.IsAbs(s) {
		return s
	}
	return filepath.Join(c.dir, s)
}

// value reads one element.
func (c *checker) value(d DType, s scalar, reading string) uint64 {
	v, err := d.parse(s.text)
	if err != nil {
		c.add(s.at, reading, "%v", err)
	}
	return v
}

func (c *checker) number(d DType, s scalar, reading string) number {
	n, err := parseNumber(d, s.text)
	if err != nil {
		c.add(s.at, reading, "%v", err)
		return number{i: new(big.Int)}
	}
	return n
}

// random checks the limits of a random initialiser: low < high, and both reachable.
func (c *checker) random(d DType, in *initialiser, seed, low, high scalar, reading string) {
	s, err := parseInt(seed.text)
	if err != nil || !s.IsUint64() {
		c.add(seed.at, reading, "seed %q is not an integer from 0 to 2^64-1", seed.text)
	} else {
		in.seed = s.Uint64()
	}
	before := len(c.errs)
	in.low, in.high = c.number(d, low, reading), c.number(d, high, reading)
	if len(c.errs) > before {
		return
	}
	if d.class == floating {
		if !(in.low.f < in.high.f) {
			c.add(high.at, reading, "high %s is not above low %s", high.text, low.text)
		}
		return
	}
	if in.low.i.Cmp(in.high.i) >= 0 {
		c.add(high.at, reading, "high %s is not above low %s (high is exclusive)", high.text, low.text)
		return
	}
	least, greatest := d.limits()
	if in.low.i.Cmp(least) < 0 || in.high.i.Cmp(new(big.Int).Add(greatest, big.NewInt(1))) > 0 {
		c.add(low.at, reading, "%s to %s does not fit %s (%v to %v)", low.text, high.text, d.Name, least, greatest)
	}
}

// openRegular opens a file that can be read to its end: opening a pipe would wait for
// somebody who writes to it. An error calls the file by the name that the user gave it.
func openRegular(path, name string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", name, plainError(err))
	case info.IsDir():
		return nil, nil, fmt.Errorf("%s is a directory", name)
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, plainError(err))
	}
	return f, info, nil
}

// file checks that a data file is there and fits the buffer.
func (c *checker) file(b *buffer, in *initialiser, reading string) {
	if in.path.text == "" {
		c.add(in.path.at, reading, "the path is empty")
		return
	}
	f, info, err := openRegular(c.path(in.path.text), in.path.text)
	if err != nil {
		c.add(in.path.at, reading, "%v", err)
		return
	}
	defer f.Close()
	if in.kind == initRaw {
		if info.Size() != b.size() {
			c.add(in.path.at, reading, "%s has %d bytes, %s needs %d", in.path.text, info.Size(), b.name, b.size())
		}
		return
	}
	h, err := readNpyHeader(f)
	if err == nil {
		err = h.fits(b.dtype, b.shape)
	}
	if err != nil {
		c.add(in.path.at, reading, "%s: %v", in.path.text, plainError(err))
	}
}
