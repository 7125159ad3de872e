package alu

import "fmt"

// UnknownFormError reports an opcode of this package with modifiers that PTX does
// not allow together.
type UnknownFormError struct {
	Form   string // as written, "add.sat.u64"
	Reason string // what is wrong with it
}

func (e *UnknownFormError) Error() string {
	return fmt.Sprintf("%s is not a PTX instruction: %s", e.Form, e.Reason)
}

// UnsupportedError reports an opcode or form that this package does not implement
// although PTX may have it.
type UnsupportedError struct {
	Form   string
	Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s is not supported: %s", e.Form, e.Reason)
}
