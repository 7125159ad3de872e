package array

import (
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/race/region"
)

// member checks an access through the member of a union (plgpu.RefUnion): whoever reads
// what was written through another group takes memory for something that it is not. The
// text is that of JAX's interpret mode.
func (t *Thread) member(r *Ref, runs []region.Run, write bool) {
	if r.group == 0 || !t.program().races {
		return
	}
	b := r.Buffer
	if b.groups == nil {
		b.groups, b.writers = make([]uint8, len(b.Data)), make([]int, 256)
	}
	if write {
		b.writers[r.group] = t.site
	}
	for _, x := range runs {
		for i := x.Off; i < x.Off+x.Len; i++ {
			other := b.groups[i]
			switch {
			case write:
				b.groups[i] = r.group
			case other != 0 && other != r.group:
				t.Fail(kernel.AllocationMisuse, "read", fmt.Sprintf("Reading `%s` through alias group %d, which was last written through alias group %d (%s). Per `RefUnion`: ref unions are only safe to use when the groups of refs that we intend to alias have disjoint lifetimes (i.e. one should never attempt to read data using a different ref than the one that was used to write the data).",
					b.Name, r.group-1, other-1, exec.Place(t.program().Place(b.writers[other]))), "write through the group that is read")
			}
		}
	}
}
