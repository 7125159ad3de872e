package lanes

import "golang.org/x/sys/cpu"

// useAssembly switches between the forms; false if there is only one.
func useAssembly(on bool) bool {
	avx2 = on && cpu.X86.HasAVX2 && cpu.X86.HasFMA
	return avx2 == on
}
