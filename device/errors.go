package device

import (
	"errors"
	"fmt"

	"gpusim/actors"
	"gpusim/kernel"
)

// InternalError is a bug of gpusim's own: a panic while it ran a thread.
type InternalError struct {
	Thread      kernel.ThreadID
	Instruction string
	Panic       any
	Stack       []byte
}

func (e *InternalError) Error() string {
	if e.Instruction == "" {
		return fmt.Sprintf("internal error: %v", e.Panic)
	}
	return fmt.Sprintf("internal error in thread %v of block %v at %q: %v", e.Thread.Thread, e.Thread.Block, e.Instruction, e.Panic)
}

// Unwrap returns the panic's error, if it was one.
func (e *InternalError) Unwrap() error {
	err, _ := e.Panic.(error)
	return err
}

// internal turns an engine's panic into an InternalError; other errors stay.
func (d *Device) internal(err error) error {
	var t *actors.ThreadPanic
	if errors.As(err, &t) {
		return &InternalError{Thread: t.Thread, Instruction: t.Instruction, Panic: t.Value, Stack: t.Stack}
	}
	var p *actors.Panic
	if errors.As(err, &p) {
		return &InternalError{Panic: p, Stack: p.Stack}
	}
	return err
}
