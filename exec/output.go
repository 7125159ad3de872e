package exec

import "fmt"

// Output collects what kernels print, up to a limit: a kernel of a million threads that
// prints must not fill the memory.
type Output struct {
	Limit   int
	buf     []byte
	dropped uint64
}

// DefaultOutputLimit is the limit of a zero Output, 1 MiB (the default size of CUDA's
// printf buffer).
const DefaultOutputLimit = 1 << 20

// Print appends one call's text, or counts it as dropped when the limit is reached.
func (o *Output) Print(s string) {
	limit := o.Limit
	if limit == 0 {
		limit = DefaultOutputLimit
	}
	if len(o.buf)+len(s) > limit {
		o.dropped++
		return
	}
	o.buf = append(o.buf, s...)
}

// String is the text so far, with a last line that says how many calls were dropped.
func (o *Output) String() string {
	if o.dropped == 0 {
		return string(o.buf)
	}
	return string(o.buf) + fmt.Sprintf("[%d further printf calls dropped]\n", o.dropped)
}
