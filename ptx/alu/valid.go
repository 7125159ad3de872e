package alu

import mathbits "math/bits"

// full is the mask of all bytes of a value of class k.
func full(k Kind) uint8 { return uint8(1<<k.Bytes() - 1) }

// Valid returns the mask of initialised bytes of the result (bit i for byte i)
// from the operand values and the masks of their initialised bytes. It is exact
// for Bitwise operations, byte by byte: an initialised zero makes the result of an
// and initialised, whatever the other operand is.
func (o *Op) Valid(v *[4]uint64, m *[4]uint8) uint8 {
	common, all := uint8(0xff), true
	for i, k := range o.Args {
		missing := full(k) &^ m[i]
		common &^= missing
		if missing != 0 {
			all = false
			if o.control&(1<<i) != 0 {
				return 0
			}
		}
	}
	if all {
		return full(o.Result)
	}
	switch o.Validity {
	case Bitwise:
		return o.probe(v, m)
	case Ascending:
		return uint8(1<<mathbits.TrailingZeros8(^common)-1) & full(o.Result)
	case Halves:
		return halves(common) & full(o.Result)
	case Pack:
		return o.pack(m)
	}
	return 0
}

// probe evaluates the operation with the uninitialised bytes of each operand all
// zeros and all ones, in every combination; result bytes that never change do not
// depend on them.
func (o *Op) probe(v *[4]uint64, m *[4]uint8) uint8 {
	var holes [4]uint64
	for i, k := range o.Args {
		holes[i] = spread(full(k) &^ m[i])
	}
	var first, differs uint64
	for combo := range 1 << len(o.Args) {
		var x [4]uint64
		for i := range o.Args {
			x[i] = v[i] &^ holes[i]
			if combo>>i&1 != 0 {
				x[i] |= holes[i]
			}
		}
		r := o.Fn(x[0], x[1], x[2], x[3])
		if combo == 0 {
			first = r
		}
		differs |= r ^ first
	}
	valid := full(o.Result)
	for i := range o.Result.Bytes() {
		if differs>>(8*i)&0xff != 0 {
			valid &^= 1 << i
		}
	}
	return valid
}

// spread turns a byte mask into the bits of those bytes.
func spread(m uint8) uint64 {
	var bits uint64
	for i := range 8 {
		if m>>i&1 != 0 {
			bits |= 0xff << (8 * i)
		}
	}
	return bits
}

// halves clears both bytes of a 16-bit half unless both are set.
func halves(m uint8) uint8 {
	both := m & (m >> 1) & 0x55
	return both | both<<1
}

func (o *Op) pack(m *[4]uint8) uint8 {
	n := o.Result.Bytes() / 2
	low := uint8(1<<n - 1)
	var valid uint8
	if m[0]&full(o.Args[0]) == full(o.Args[0]) {
		valid |= low << n
	}
	if m[1]&full(o.Args[1]) == full(o.Args[1]) {
		valid |= low
	}
	return valid
}
