package alu

// Invalid returns the bits of the result that depend on uninitialised bits of the
// operands: inv holds those of each operand beside its value. It is exact for Bitwise
// operations: an initialised zero makes the result bit of an and initialised, whatever
// the other operand is.
func (o *Op) Invalid(v, inv *[4]uint64) uint64 {
	var holes [4]uint64
	any := uint64(0)
	for i, k := range o.Args {
		holes[i] = inv[i] & k.Mask()
		any |= holes[i]
		if holes[i] != 0 && o.control&(1<<i) != 0 {
			return o.Result.Mask()
		}
	}
	if any == 0 {
		return 0
	}
	switch o.Validity {
	case Bitwise:
		return o.probe(v, &holes)
	case Ascending:
		return -(any & -any) & o.Result.Mask() // from the lowest such bit upwards
	case Halves:
		return halves(any) & o.Result.Mask()
	case Pack:
		return o.pack(&holes)
	}
	return o.Result.Mask()
}

// probe evaluates the operation with the uninitialised bits of each operand all zeros
// and all ones, in every combination; result bits that never change do not depend on
// them.
func (o *Op) probe(v, holes *[4]uint64) uint64 {
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
	return differs & o.Result.Mask()
}

// halves spreads a set bit over its 16-bit half.
func halves(m uint64) uint64 {
	var out uint64
	for s := 0; s < 64; s += 16 {
		if m>>s&0xFFFF != 0 {
			out |= 0xFFFF << s
		}
	}
	return out
}

func (o *Op) pack(holes *[4]uint64) uint64 {
	n := 4 * o.Result.Bytes()
	low := uint64(1)<<n - 1
	var out uint64
	if holes[0] != 0 {
		out |= low << n
	}
	if holes[1] != 0 {
		out |= low
	}
	return out
}
