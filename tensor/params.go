package tensor

import "fmt"

// Type is the type of an operand or a result.
type Type struct {
	DType DType
	Shape []int
}

func (t Type) String() string { return describe(t.DType, t.Shape) }

// describe writes a type as JAX does: float32[2,3].
func describe(d DType, shape []int) string {
	s := d.String() + "["
	for i, n := range shape {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(n)
	}
	return s + "]"
}

// Params are the parameters of a primitive. The table in the package's documentation says
// which keys each primitive takes; what the types of operands and results say already is not
// among them.
type Params struct {
	// Axes are dimensions: those reduced, squeezed, reversed; of a transpose, the operand's
	// dimension for each of the result's; of broadcast_in_dim, the result's dimension for each
	// of the operand's.
	Axes []int `json:"axes,omitempty"`
	// Dim is the one dimension of iota, concatenate, split, stack, sort, top_k and cumsum.
	Dim int `json:"dim,omitempty"`
	// Sizes are those of the slices of a gather, and the repetitions of a tile.
	Sizes []int `json:"sizes,omitempty"`
	// Start and Strides are those of a slice; strides left out are 1.
	Start   []int `json:"start,omitempty"`
	Strides []int `json:"strides,omitempty"`
	// Y is the exponent of integer_pow; of round, 1 rounds halves to even, 0 away from zero.
	Y int `json:"y,omitempty"`
	// Dot has the contracted dimensions of left and right and the batch dimensions of left
	// and right.
	Dot [4][]int `json:"dot,omitzero"`
	// Padding is before, behind and between the elements of each dimension.
	Padding [][3]int `json:"padding,omitempty"`
	// Reverse accumulates from the end.
	Reverse bool `json:"reverse,omitempty"`
	// Keys is how many of the operands of a sort are compared.
	Keys int `json:"keys,omitempty"`
	// Exponent and Mantissa are the bits of reduce_precision.
	Exponent int `json:"exponent,omitempty"`
	Mantissa int `json:"mantissa,omitempty"`
	// Gather is of gather and of the scatters.
	Gather *Indexing `json:"gather,omitempty"`
}

// Indexing has the dimension numbers of a gather or of a scatter.
type Indexing struct {
	// Window are the dimensions of the result (of the updates) that lie within a slice:
	// offset_dims, update_window_dims.
	Window []int `json:"window,omitempty"`
	// Collapsed are dimensions of the operand whose extent in a slice is 1 and that the result
	// does not have: collapsed_slice_dims, inserted_window_dims.
	Collapsed []int `json:"collapsed,omitempty"`
	// Map has the operand's dimension for each component of an index: start_index_map,
	// scatter_dims_to_operand_dims.
	Map []int `json:"map,omitempty"`
	// Batch and IndexBatch are the batching dimensions of operand and indices.
	Batch      []int `json:"batch,omitempty"`
	IndexBatch []int `json:"index_batch,omitempty"`
	// Mode says what becomes of slices that lie partly out of bounds: clip moves them; fill or
	// drop, which are one (fill_or_drop), has a gather give Fill and a scatter leave them out.
	// Left out, it is promise_in_bounds, with which XLA's gather clips and its scatter drops.
	Mode string `json:"mode,omitempty"`
	// Fill is JAX's default for the type if it is left out: NaN, the least signed and the
	// greatest unsigned integer, true.
	Fill *float64 `json:"fill,omitempty"`
}

// Primitive computes an equation: from the operands the results, whose types are given. What
// does not fit is an error. The result may share data with operands.
type Primitive func(p *Params, out []Type, in []Value) ([]Value, error)

// Find looks a primitive up by JAX's name.
func Find(name string) (Primitive, bool) {
	f, ok := table[name]
	return f, ok
}

// maxBytes limits what one result may take.
const maxBytes = 1 << 36

// checkType tells what is wrong with a type that comes from outside.
func checkType(d DType, shape []int) error {
	if !d.valid() {
		return fmt.Errorf("type %d is not known", d)
	}
	n := d.Size()
	for _, s := range shape {
		if s < 0 || s > maxBytes {
			return fmt.Errorf("%s is no type", describe(d, shape))
		}
		if n *= s; n > maxBytes {
			return fmt.Errorf("%s is too large", describe(d, shape))
		}
	}
	return nil
}

// one makes a primitive of a function with one result and so many operands (-1: any
// number), whose types it checks.
func one(name string, operands int, f func(p *Params, out Type, in []Value) (Value, error)) Primitive {
	return many(name, operands, 1, func(p *Params, out []Type, in []Value) ([]Value, error) {
		v, err := f(p, out[0], in)
		if err != nil {
			return nil, err
		}
		return []Value{v}, nil
	})
}

// many does so for a function with several results.
func many(name string, operands, results int, f Primitive) Primitive {
	return func(p *Params, out []Type, in []Value) ([]Value, error) {
		if operands >= 0 && len(in) != operands {
			return nil, fmt.Errorf("%s: %d operands, it takes %d", name, len(in), operands)
		}
		if results >= 0 && len(out) != results {
			return nil, fmt.Errorf("%s: %d results, it has %d", name, len(out), results)
		}
		for i := range in {
			v := &in[i]
			if err := checkType(v.Type, v.Shape); err != nil {
				return nil, fmt.Errorf("%s: operand %d: %w", name, i, err)
			}
			if len(v.Data) != Count(v.Shape)*v.Type.Size() {
				return nil, fmt.Errorf("%s: operand %d: %d bytes for %s", name, i, len(v.Data), describe(v.Type, v.Shape))
			}
		}
		for i := range out {
			if err := checkType(out[i].DType, out[i].Shape); err != nil {
				return nil, fmt.Errorf("%s: result %d: %w", name, i, err)
			}
		}
		if p == nil {
			p = &Params{}
		}
		vs, err := f(p, out, in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return vs, nil
	}
}

// unsupported is the error of an element type that a primitive has no meaning for.
func unsupported(d DType) error { return fmt.Errorf("not defined for %s", d) }

// mismatch is the error of a result that is not of the type that the operands give it.
func mismatch(out Type, d DType, shape []int) error {
	return fmt.Errorf("the result is %s, not %s", describe(d, shape), out)
}
