//go:build !amd64

package lanes

func useAssembly(bool) bool { return false }
