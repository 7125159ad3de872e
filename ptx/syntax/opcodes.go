package syntax

import (
	"slices"
	"strings"
)

// opcodes are the instruction keywords of the PTX ISA, version 8.8 (Reserved Instruction Keywords,
// and the instructions of its chapter Instruction Set).
var opcodes = func() map[string]bool {
	m := make(map[string]bool)
	for _, op := range strings.Fields(`
		abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev
		brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div
		dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix
		ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24
		multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt
		sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix
		sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff
		vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote
		vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor`) {
		m[op] = true
	}
	return m
}()

// IsOpcode tells whether op is an instruction keyword of the PTX ISA.
func IsOpcode(op string) bool { return opcodes[op] }

// nearest finds the word that takes the fewest edits to become name, at most two, or one if name is
// short; empty if there is none. Of equals the first in order wins.
func nearest(name string, words []string) string {
	best, bestEdits := "", 3
	if len(name) <= 3 {
		bestEdits = 2
	}
	for _, w := range words {
		if e := edits(name, w); e < bestEdits {
			best, bestEdits = w, e
		}
	}
	return best
}

func nearestOpcode(name string) string {
	words := make([]string, 0, len(opcodes))
	for op := range opcodes {
		words = append(words, op)
	}
	slices.Sort(words)
	return nearest(name, words)
}

// edits is the Levenshtein distance with a swap of neighbours as one edit; 99 for words of very
// different lengths.
func edits(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 99
	}
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
