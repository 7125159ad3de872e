package syntax

import (
	"strconv"
	"strings"
)

// warpSize is the predefined integer constant; it reads as 32.
const warpSize = "WARP_SZ"

// specials are the predefined registers (PTX ISA, Special Registers); those with true are vectors
// with the components x, y, z (and w, which reads as zero).
var specials = map[string]bool{
	"%tid": true, "%ntid": true, "%ctaid": true, "%nctaid": true,
	"%clusterid": true, "%nclusterid": true, "%cluster_ctaid": true, "%cluster_nctaid": true,
	"%laneid": false, "%warpid": false, "%nwarpid": false, "%smid": false, "%nsmid": false, "%gridid": false,
	"%is_explicit_cluster": false, "%cluster_ctarank": false, "%cluster_nctarank": false,
	"%lanemask_eq": false, "%lanemask_le": false, "%lanemask_lt": false, "%lanemask_ge": false, "%lanemask_gt": false,
	"%clock": false, "%clock_hi": false, "%clock64": false,
	"%globaltimer": false, "%globaltimer_lo": false, "%globaltimer_hi": false,
	"%reserved_smem_offset_begin": false, "%reserved_smem_offset_end": false, "%reserved_smem_offset_cap": false,
	"%reserved_smem_offset_0": false, "%reserved_smem_offset_1": false,
	"%total_smem_size": false, "%aggr_smem_size": false, "%dynamic_smem_size": false, "%current_graph_exec": false,
}

// specialRegister tells whether name is a predefined register and whether it is a vector.
func specialRegister(name string) (vector, ok bool) {
	if vector, ok = specials[name]; ok {
		return vector, true
	}
	if digits, found := strings.CutPrefix(name, "%envreg"); found {
		return false, isIndex(digits, 32)
	}
	if digits, found := strings.CutPrefix(name, "%pm"); found {
		return false, isIndex(strings.TrimSuffix(digits, "_64"), 8)
	}
	return false, false
}

// isIndex tells whether digits is a plain decimal number below count.
func isIndex(digits string, count int) bool {
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 0 && n < count && strconv.Itoa(n) == digits
}

// component reads a suffix: .x .y .z .w or .r .g .b .a as 1 to 4.
func component(suffix string) (uint8, bool) {
	if len(suffix) != 2 {
		return 0, false
	}
	if i := strings.IndexByte("xyzw", suffix[1]); i >= 0 {
		return uint8(i + 1), true
	}
	if i := strings.IndexByte("rgba", suffix[1]); i >= 0 {
		return uint8(i + 1), true
	}
	return 0, false
}

// isSelector tells whether a suffix selects bytes or halves of a video instruction's operand: ".b0",
// ".h1", ".b3210", ".h10".
func isSelector(suffix string) bool {
	if len(suffix) < 3 || suffix[1] != 'b' && suffix[1] != 'h' {
		return false
	}
	for _, c := range suffix[2:] {
		if c < '0' || c > '7' {
			return false
		}
	}
	return true
}
