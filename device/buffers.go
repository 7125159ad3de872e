package device

import (
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
)

// MemoryError tells that a buffer would exceed the limit on device memory.
type MemoryError struct {
	Name              string
	Size, Used, Limit int64
}

func (e *MemoryError) Error() string {
	if e.Used == 0 {
		return fmt.Sprintf("buffer %q has %s, more than the limit of %s (--max-memory)", e.Name, bytesText(e.Size), bytesText(e.Limit))
	}
	return fmt.Sprintf("buffer %q has %s; with the %s of the buffers before it that is more than the limit of %s (--max-memory)",
		e.Name, bytesText(e.Size), bytesText(e.Used), bytesText(e.Limit))
}

// bytesText is a size for humans.
func bytesText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.4g %s", f, units[i])
}

// Alloc makes a buffer that the host owns, for all threads. Its bytes are zero; unless
// initialised, reading them is a finding.
func (d *Device) Alloc(name string, size int64, initialised bool) (*memory.Buffer, error) {
	b, err := d.alloc(name, kernel.Global, size, !initialised && !d.opts.NoUninit)
	if err == nil {
		b.Host = true
		d.live[b] = true
	}
	return b, err
}

// AllocVar makes a module variable. Every slot of global memory is aligned to more than
// any variable asks for, so align needs no attention.
func (d *Device) AllocVar(name string, space kernel.Space, size int64, align int) (*memory.Buffer, error) {
	b, err := d.alloc(name, space, size, false)
	if err == nil {
		b.ReadOnly = space == kernel.Const
	}
	return b, err
}

func (d *Device) alloc(name string, space kernel.Space, size int64, track bool) (*memory.Buffer, error) {
	switch {
	case size < 0:
		return nil, fmt.Errorf("buffer %q: negative size %d", name, size)
	case size >= 1<<memory.GlobalShift:
		return nil, fmt.Errorf("buffer %q has %s: a buffer has less than %s", name, bytesText(size), bytesText(1<<memory.GlobalShift))
	case size > d.opts.MaxMemory-d.used:
		return nil, &MemoryError{name, size, d.used, d.opts.MaxMemory}
	}
	b, err := d.engine.Alloc(name, space, size, track)
	if err != nil {
		return nil, d.internal(err)
	}
	d.used += size
	return b, nil
}

// Free ends a buffer of the host's. Accesses to it are findings from now on, and so are
// freeing it twice and freeing what the host did not allocate.
func (d *Device) Free(b *memory.Buffer) {
	switch {
	case b == nil:
		d.badFree("", "the host frees a null pointer's buffer")
	case b.Freed:
		d.badFree(b.Name, fmt.Sprintf("the host frees buffer %q, which has been freed already", b.Name))
	case !d.live[b]:
		d.badFree(b.Name, fmt.Sprintf("the host frees %q, which it did not allocate", b.Name))
	default:
		if _, err := d.engine.Free(b); err != nil {
			return // the engine is closed; the launch that closed it said why
		}
		d.used -= b.Size()
		delete(d.live, b)
	}
}

func (d *Device) badFree(object, message string) {
	key := exec.Key{Kind: kernel.UseAfterFree, Severity: kernel.Error, Launch: len(d.launches), Site: [2]int{-1, -1}, Object: -1, Detail: object + message}
	d.findings.Report(key, func() kernel.Finding {
		return kernel.Finding{Message: message, Object: object, Space: kernel.Global, Fix: "free every buffer once, after the last launch that uses it"}
	})
}
