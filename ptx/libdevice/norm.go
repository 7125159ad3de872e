package libdevice

import _ "embed"

// Norms are the functions that read a vector of any length: they are PTX.
var Norms = []string{"__nv_norm", "__nv_normf", "__nv_rnorm", "__nv_rnormf"}

// NormText is the PTX that defines them.
//
//go:embed norm.ptx
var NormText []byte
