// Package tensor has JAX's element types, dense arrays of them, and JAX's primitives on
// arrays, as they appear in jaxprs. It is pure: a primitive is a function of its parameters and
// operands, and an array is not changed once made.
//
// # Primitives and their parameters
//
// Find knows these. Types of results are given to a primitive, so that its parameters are just
// what they do not say; a "-" stands for none.
//
//	add sub mul div rem max min pow and or xor            -
//	shift_left shift_right_logical shift_right_arithmetic -
//	atan2 nextafter _copysign add_any mulhi               -
//	eq ne lt le gt ge eq_to lt_to le_to                   -
//	neg sign abs square one_minus_square reciprocal sqrt
//	rsqrt floor ceil not clz population_count is_finite   -
//	exp exp2 expm1 log log2 log1p sin cos tan asin acos
//	atan sinh cosh tanh asinh acosh atanh cbrt erf erfc
//	erf_inv lgamma logistic                               -
//	round                 y: 1 for halves to even (TO_NEAREST_EVEN), else 0
//	integer_pow           y
//	select_n clamp convert_element_type
//	bitcast_convert_type reshape squeeze expand_dims      -
//	copy copy_p stop_gradient multiple_of layout_cast
//	optimization_barrier name pvary tie                   -
//	reduce_precision      exponent, mantissa (bits)
//	broadcast_in_dim      axes (broadcast_dimensions)
//	transpose             axes (permutation)
//	rev                   axes (dimensions)
//	iota                  dim (dimension)
//	slice                 start, strides (start_indices, strides or nothing)
//	dynamic_slice         -; operands: array, a scalar start for each dimension
//	dynamic_update_slice  -; operands: array, update, starts
//	concatenate           dim
//	split stack unstack   dim (axis)
//	tile                  sizes (reps)
//	pad                   padding: [[low, high, interior], ...]
//	reduce_sum reduce_prod reduce_max reduce_min
//	reduce_and reduce_or reduce_xor
//	mosaic_gpu_reduce_sum mosaic_gpu_reduce_prod
//	mosaic_gpu_reduce_max mosaic_gpu_reduce_min           axes
//	argmax argmin         axes (one)
//	cumsum cumprod cummax cummin cumlogsumexp             dim (axis), reverse
//	sort                  dim, keys (num_keys); always stable
//	top_k                 dim (axis); results: values, indices
//	gather                gather, sizes (slice_sizes); see Indexing
//	scatter scatter-add scatter-sub scatter-mul
//	scatter-min scatter-max scatter_add scatter_sub
//	scatter_mul scatter_min scatter_max                   gather; operands: array, indices, updates
//	dot_general           dot: contracted dimensions of left and right, batch dimensions of left and right
//	threefry2x32          -
//
// Operands of binary primitives and of comparisons have the result's shape, extents of 1 in
// place of its own, or none (scalars); those of clamp and the cases of select_n are of its shape
// or scalars. mul converts its operands to the result's type (out_dtype). What ends in a primitive of JAX's but is none
// of these (jit, cond, scan, while, anything on references) is the front end's.
//
// # Numerics
//
// Results are JAX's on a CPU, bit for bit where an operation is exact (arithmetic, square roots,
// conversions, comparisons, integers with the division by zero), else within a few units of
// the last place (64 for pow of float64). Types narrower than float32 are computed with in
// float32 and rounded after each operation; sums, products and cumulative ones are rounded at the
// end. MatMul and dot_general add in the order of the contracted dimension, in float32 (in
// float64 if that is among the types).
//
// What differs: XLA on a CPU takes subnormal numbers for zero, here they count, as on a GPU. It
// divides by what it repeats with a multiplication; here each quotient is rounded once. It
// takes the greatest number of float4_e2m1fn for too great for any integer, and in
// population_count and mulhi types below a byte for bytes; these are done right here.
package tensor
