//go:build !linux

package memory

// adviseHugePages does nothing: only Linux takes the hint.
func adviseHugePages([]byte) {}
