package lint

import "strings"

// where says in which code the compiler has a rule for a primitive.
type where uint8

const (
	inThread where = 1 << iota // of a warpgroup
	inWarp                     // of a warp, with the semantics of warpgroups
	inLane                     // of a warp, with the semantics of lanes
)

// rules are the primitives that the compiler has rules for, by the names that programs
// give them and, for those that programs do not hold, by JAX's.
var rules = func() map[string]where {
	m := map[string]where{}
	for _, x := range []struct {
		in    where
		names string
	}{
		{inThread | inWarp | inLane, `add sub mul div rem max min and or xor eq ne lt le gt ge select_n convert_element_type sign
			shift_left shift_right_logical shift_right_arithmetic optimization_barrier axis_index axis_size cond scan
			get swap debug_print copy_gmem_to_smem copy_smem_to_gmem async_prefetch barrier_arrive barrier_wait barrier_test
			wait_gmem_to_smem wait_smem_to_gmem commit_group tcgen05_mma tcgen05_commit_arrive copy_smem_to_tmem
			semaphore_signal semaphore_signal_multicast semaphore_wait griddepcontrol_wait griddepcontrol_launch_dependents
			jit pjit custom_jvp_call custom_vjp_call eval_jaxpr inline_mgpu`},
		{inThread | inLane, "neg not while"},
		{inThread, `abs atan2 bitcast_convert_type broadcast_in_dim clamp clz concatenate cos erf exp exp2 integer_pow iota
			log log2 logistic one_minus_square reduce_max reduce_min reduce_prod reduce_sum reshape round rsqrt sin slice sqrt
			square squeeze tanh mma layout_cast multiple_of print_layout program_id
			mosaic_gpu_reduce_max mosaic_gpu_reduce_min mosaic_gpu_reduce_prod mosaic_gpu_reduce_sum
			async_store_smem atomic_store check commit_smem commit_tmem delay get_global load_tmem multimem_load_reduce multimem_store
			query_cluster_cancel run_scoped run_state semaphore_read semaphore_signal_parallel set_max_registers
			store_tmem try_cluster_cancel wait_load_tmem warps wgmma wgmma_load wgmma_store wgmma_wait`},
	} {
		for _, name := range strings.Fields(x.names) {
			m[name] = x.in
		}
	}
	return m
}()

// names are what users call primitives that a program names differently.
var names = map[string]string{
	"get": "a load", "swap": "a store", "warps": "a core_map over warps", "wgmma_load": "reading an accumulator",
	"wgmma_store": "storing an accumulator", "load_tmem": "async_load_tmem", "store_tmem": "async_store_tmem",
	"atomic_store": "an atomic operation", "copy_smem_to_tmem": "a copy to tensor memory", "while": "a while loop",
	"masked_load": "a masked load", "masked_swap": "a masked store", "remat2": "jax.checkpoint", "checkpoint": "jax.checkpoint",
	"program_id": "pl.program_id", "num_programs": "pl.num_programs of a dynamic grid",
}

func called(prim string) string {
	if s, ok := names[prim]; ok {
		return s
	}
	return "the primitive " + prim
}

// instead are suggestions for primitives without a rule.
var instead = map[string]string{
	"dot_general": "multiply with wgmma, tcgen05_mma or mma", "transpose": "transpose the reference, or load with another layout",
	"floor": "round, or convert to an integer and back", "ceil": "round, or convert to an integer and back",
	"pow": "use exp2(y * log2(x)), or an integer power", "expm1": "use exp(x) - 1", "log1p": "use log(1 + x)",
	"tan": "use sin(x) / cos(x)", "is_finite": "compare abs(x) with infinity", "stop_gradient": "leave it out",
	"copy": "leave it out", "masked_load": "load all, and select", "masked_swap": "select, and store all",
	"addupdate": "load, add and store, or use an atomic addition", "unstack": "index the reference and load each part",
	"split": "index the reference and load each part", "dynamic_slice": "index the reference and load the part",
	"dynamic_update_slice": "index the reference and store the part", "gather": "load from the reference in shared memory element by element",
	"commit_smem": "do it in the code of the whole thread, before or after the warps", "program_id": "use lax.axis_index before the warps",
	"run_scoped": "allocate outside of the warps", "neg": "write 0 - x", "not": "write x ^ -1, or compare with False",
	"broadcast_to": "use broadcast_in_dim",
	"while":        "use a fori_loop", "multiple_of": "leave it out, or do it before the warps", "remat2": "leave it out", "checkpoint": "leave it out",
}
