package launch

import (
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
)

// randomStream is the second seed word of every PCG generator of random initialisers: a
// launch file names the first.
const randomStream = 0

// fill writes the initial content of a buffer into data, which is zero. Addresses are
// left to the run, which knows them.
//
// Random values come from math/rand/v2's PCG with the file's seed and randomStream, one
// Uint64N (integers) or one Float64 (floating point) for each element in order, scaled to
// low <= v < high.
//
// Large buffers are filled in parts; when stop says so the rest stays zero.
func (in *initialiser) write(data []byte, d DType, open func(string) string, stop func() bool) error {
	switch in.kind {
	case initFill:
		fillBits(data, d, in.fill)
	case initValues:
		for i, v := range in.values {
			d.put(data[i*d.Size:], v)
		}
	case initRange:
		in.parts(data, d, stop, func(part []byte, from int) { in.fillRange(part, d, from) })
	case initRandom:
		r := rand.New(rand.NewPCG(in.seed, randomStream))
		in.parts(data, d, stop, func(part []byte, _ int) { in.fillRandom(part, d, r) })
	case initRaw, initNpy:
		f, _, err := openRegular(open(in.path.text), in.path.text)
		if err != nil {
			return err
		}
		defer f.Close()
		if in.kind == initNpy {
			return readNpyData(f, data, d)
		}
		_, err = io.ReadFull(f, data)
		return plainError(err)
	}
	return nil
}

// partElements is the number of elements between two looks at an interrupt.
const partElements = 1 << 20

// parts fills a buffer part by part; from is the number of a part's first element.
func (in *initialiser) parts(data []byte, d DType, stop func() bool, fill func(part []byte, from int)) {
	for from := 0; len(data) > 0 && !stop(); from += partElements {
		n := min(len(data), partElements*d.Size)
		fill(data[:n], from)
		data = data[n:]
	}
}

// fillBits repeats one element by doubling.
func fillBits(data []byte, d DType, v uint64) {
	if v == 0 || len(data) == 0 {
		return
	}
	d.put(data, v)
	for n := d.Size; n < len(data); n *= 2 {
		copy(data[n:], data[:n])
	}
}

// fillRange writes start + i*step. Integers wrap as the type does.
func (in *initialiser) fillRange(data []byte, d DType, from int) {
	n := len(data) / d.Size
	switch start, step := in.start.f, in.step.f; {
	case d.isF32():
		for i := range n {
			binary.LittleEndian.PutUint32(data[i*4:], math.Float32bits(float32(start+float64(from+i)*step)))
		}
		return
	case d.class == floating:
		for i := range n {
			d.put(data[i*d.Size:], d.encode(start+float64(from+i)*step))
		}
		return
	}
	step := wrap(in.step.i)
	v := wrap(in.start.i) + uint64(from)*step
	for i := range n {
		d.put(data[i*d.Size:], v)
		v += step
	}
}

func (in *initialiser) fillRandom(data []byte, d DType, r *rand.Rand) {
	n := len(data) / d.Size
	if d.class == floating {
		low, width := in.low.f, in.high.f-in.low.f
		least := d.encode(low)
		if d.isF32() {
			for i := range n {
				v := float32(low + r.Float64()*width)
				if float64(v) >= in.high.f { // rounded up to the excluded limit
					v = math.Float32frombits(uint32(least))
				}
				binary.LittleEndian.PutUint32(data[i*4:], math.Float32bits(v))
			}
			return
		}
		for i := range n {
			v := d.encode(low + r.Float64()*width)
			if d.decode(v) >= in.high.f { // rounded up to the excluded limit
				v = least
			}
			d.put(data[i*d.Size:], v)
		}
		return
	}
	low := wrap(in.low.i)
	width := new(big.Int).Sub(in.high.i, in.low.i)
	if !width.IsUint64() { // the whole range of a 64-bit type
		for i := range n {
			d.put(data[i*d.Size:], r.Uint64())
		}
		return
	}
	w := width.Uint64()
	for i := range n {
		d.put(data[i*d.Size:], low+r.Uint64N(w))
	}
}

// equal compares two elements within a tolerance; NaN equals NaN.
func equal(d DType, got, want uint64, atol, rtol float64) bool {
	if got == want {
		return true
	}
	g, w := d.decode(got), d.decode(want)
	if d.class == floating && math.IsNaN(g) && math.IsNaN(w) {
		return true
	}
	if d.class != floating && atol == 0 && rtol == 0 {
		return false
	}
	return g == w || math.Abs(g-w) <= atol+rtol*math.Abs(w)
}
