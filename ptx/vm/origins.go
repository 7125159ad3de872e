package vm

import "math/bits"

// origins remembers, for words of local memory or of a parameter area that hold
// uninitialised bytes, the loads that brought them: code without optimisation takes every
// value through both on its way to the use.
type origins map[localByte]markOrigin

// set notes where the uninitialised bits inv of a stored element come from.
func (o *origins) set(off int64, size, lane int, inv uint64, from markOrigin) {
	if inv == 0 || from.in == nil {
		if *o == nil {
			return
		}
		from = markOrigin{}
	} else if *o == nil {
		*o = origins{}
	}
	for w := off &^ 3; w < off+int64(size); w += 4 {
		if from.in == nil {
			delete(*o, localByte{w, lane})
		} else {
			(*o)[localByte{w, lane}] = from
		}
	}
}

// of is the load behind the first of the uninitialised bits inv of an element, or else the
// one that reads them now.
func (o origins) of(off int64, lane int, inv uint64, now markOrigin) markOrigin {
	if inv == 0 || o == nil {
		return now
	}
	from, ok := o[localByte{(off + int64(bits.TrailingZeros64(inv)/8)) &^ 3, lane}]
	if !ok {
		return now
	}
	from.partial = from.partial || now.partial
	return from
}
