package suite

import (
	"fmt"
	"slices"

	"gpusim/kernel"
)

// edges are what the races of a pattern or example may be said to lack. Where two are listed, the
// pair of threads that stands for the race decides.
var edges = map[string][]kernel.Edge{
	"A_commit_after_wait":      {kernel.NoWait},
	"A_refill_without_barrier": {kernel.NoBarrier},
	"A_wait_count_off_by_one":  {kernel.NoWait},
	"A_wait_without_barrier":   {kernel.NoBarrier},
	"a_helper_reused":          {kernel.NoBarrier},
	"a_tile_reused":            {kernel.NoBarrier},
	"b_warp_tail":              {kernel.NoBarrier},
	"e_count_too_small":        {kernel.NoBarrier},
	"f_arrive_without_sync":    {kernel.NoBarrier},
	"g_flag_reset":             {kernel.NoBarrier},
	"h_lockstep":               {kernel.NoBarrier},
	"j_counter_of_block_scope": {kernel.Scoped},
	// The writer's fence, then the reader's: a race that neither fence prevents lacks the first.
	"k_fence_of_block_scope":  {kernel.Scoped, kernel.NoRelease},
	"k_fence_too_early":       {kernel.NoRelease},
	"k_flag_without_fence":    {kernel.NoRelease, kernel.NoBarrier},
	"k_volatile_flag":         {kernel.NoRelease},
	"l_split_k":               {kernel.NoRelease, kernel.NoBarrier},
	"p_acquire_without_fence": {kernel.NoAcquire},
	"p_lock_without_fences":   {kernel.NoRelease},
	"p_release_without_fence": {kernel.NoRelease},
	"x_atomics_of_two_sizes":  {kernel.NoBarrier},
	"x_fence_acq_rel_for_sc":  {kernel.NoAcquire},
	"x_nc_written":            {kernel.ReadOnly},
	"x_partial_overlap":       {kernel.NoBarrier},
	"x_same_value":            {kernel.NoBarrier},
	"x_weak_read_of_atomic":   {kernel.NoBarrier},

	"examples/async_copy":         {kernel.NoWait},
	"examples/bitonic_sort":       {kernel.NoBarrier},
	"examples/histogram":          {kernel.NoBarrier},
	"examples/scan":               {kernel.NoBarrier},
	"examples/spin_lock":          {kernel.NoRelease},
	"examples/split_k":            {kernel.NoRelease, kernel.NoBarrier},
	"examples/tiled_matmul":       {kernel.NoBarrier},
	"examples/tensor_core_matmul": {kernel.NoBarrier},
	"examples/transpose":          {kernel.NoBarrier},
	"examples/triton_attention":   {kernel.NoBarrier},
	"examples/triton_matmul":      {kernel.NoBarrier},
}

// badAdvice lists findings that do not say, or say wrongly, what is missing and what to do.
func badAdvice(name string, o *outcome) (problems []string) {
	for _, f := range o.Findings {
		if f.Message == "" || f.Fix == "" || f.Count == 0 {
			problems = append(problems, fmt.Sprintf("no message, fix or count: %+v", f.Finding))
		}
		if f.Kind != kernel.DataRace {
			continue
		}
		if f.Missing == "" || len(f.Accesses) != 2 {
			problems = append(problems, fmt.Sprintf("a race without the missing edge or both accesses: %+v", f.Finding))
		}
		if want, ok := edges[name]; ok && !slices.Contains(want, f.Edge) {
			problems = append(problems, fmt.Sprintf("the missing edge is %q, want one of %q: %s", f.Edge, want, describe(f.Finding)))
		}
	}
	return problems
}
