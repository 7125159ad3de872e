package device

import (
	"bufio"
	"fmt"
	"os"
)

// machineMemory is the machine's memory in bytes, or 8 GiB where it cannot be read.
func machineMemory() int64 {
	const guess = 8 << 30
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return guess
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb int64
		if n, _ := fmt.Sscanf(s.Text(), "MemTotal: %d kB", &kb); n == 1 && kb > 0 {
			return kb << 10
		}
	}
	return guess
}
