package race

// arena hands out objects by a small number, so that lines hold four bytes instead of a
// pointer and the garbage collector has nothing to scan. Number 0 is never given out.
type arena[T any] struct {
	chunks [][]T
	used   uint32
	free   []uint32
}

const arenaChunk = 64

func (a *arena[T]) get(i uint32) *T { return &a.chunks[i/arenaChunk][i%arenaChunk] }

// take returns an object in its zero state.
func (a *arena[T]) take() uint32 {
	i := a.takeAsIs()
	var zero T
	*a.get(i) = zero
	return i
}

// takeAsIs returns an object in the state in which it was dropped.
func (a *arena[T]) takeAsIs() uint32 {
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		return i
	}
	a.used++
	if int(a.used/arenaChunk) >= len(a.chunks) {
		a.chunks = append(a.chunks, make([]T, arenaChunk))
	}
	return a.used
}

func (a *arena[T]) drop(i uint32) { a.free = append(a.free, i) }

// lists hands out lists whose capacity is a power of two, by number: the capacity's
// class in the upper bits, an index in the lower.
type lists[T any] struct {
	class [28]struct {
		chunks [][]T
		used   uint32
		free   []uint32
	}
}

const (
	classSh   = 26
	classMask = 1<<classSh - 1
	chunkSh   = 8 // log2 of the elements allocated at once, at least
)

func listCap(i uint32) int { return 2 << (i >> classSh) }

// perChunk is the log2 of the lists of a class in one chunk.
func perChunk(class uint32) uint32 {
	if class >= chunkSh {
		return 0
	}
	return chunkSh - 1 - class
}

// get returns the list at its full capacity.
func (a *lists[T]) get(i uint32) []T {
	cl, k := i>>classSh, i&classMask
	per := perChunk(cl)
	at := k & (1<<per - 1) << (cl + 1)
	return a.class[cl].chunks[k>>per][at : at+2<<cl : at+2<<cl]
}

// last returns the two last of n elements, n at least 2, and the free place behind them.
func (a *lists[T]) last(i uint32, n int) *[3]T {
	cl, k := i>>classSh, i&classMask
	per := perChunk(cl)
	at := int(k&(1<<per-1))<<(cl+1) + n
	return (*[3]T)(a.class[cl].chunks[k>>per][at-2 : at+1])
}

// take returns a list that holds n elements; number 0 of class 0 is never given out.
func (a *lists[T]) take(n int) uint32 {
	cl := uint32(0)
	for 2<<cl < n {
		cl++
	}
	c := &a.class[cl]
	if m := len(c.free); m > 0 {
		i := c.free[m-1]
		c.free = c.free[:m-1]
		return i
	}
	c.used++
	per := perChunk(cl)
	for int(c.used>>per) >= len(c.chunks) {
		c.chunks = append(c.chunks, make([]T, 2<<cl<<per))
	}
	return cl<<classSh | c.used
}

func (a *lists[T]) drop(i uint32) {
	c := &a.class[i>>classSh]
	c.free = append(c.free, i)
}

// grow moves a list to the next capacity.
func (a *lists[T]) grow(i uint32) uint32 {
	old := a.get(i)
	j := a.take(2 * len(old))
	copy(a.get(j), old)
	a.drop(i)
	return j
}
