package compile

import "embed"

//go:embed include
var embedded embed.FS
