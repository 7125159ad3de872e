//go:build !linux

package hugepages

// advise does nothing: only Linux takes the hint.
func advise([]byte) {}
