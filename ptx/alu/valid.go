package alu

// validFn computes the mask of initialised result bytes from operand values and
// their masks; it is called only when some operand byte is uninitialised.
type validFn func(o *Op, v *[4]uint64, m *[4]uint8) uint8

// full is the mask of all bytes of a value of class k.
func full(k Kind) uint8 { return uint8(1<<k.Bytes() - 1) }

// Valid returns the mask of initialised bytes of the result (bit i for byte i),
// given the operand values and the masks of their initialised bytes. The result
// is exact as far as the operation allows: a valid zero byte makes an and valid.
func (o *Op) Valid(v *[4]uint64, m *[4]uint8) uint8 {
	all := true
	for i, k := range o.Args {
		if m[i]&full(k) != full(k) {
			all = false
			break
		}
	}
	if all {
		return full(o.Result)
	}
	if o.valid == nil {
		return 0
	}
	return o.valid(o, v, m) & full(o.Result)
}
