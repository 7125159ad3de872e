package hugepages

import "golang.org/x/sys/unix"

// advise gives Linux a hint; where it is refused nothing changes.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
