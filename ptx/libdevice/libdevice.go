// Package libdevice has the functions of CUDA's device library (libdevice), which clang's
// headers call by names that begin with __nv_. They are pure functions on the bits of one
// lane, as accurate as the CUDA Programming Guide documents ("Mathematical Functions").
package libdevice

import (
	"math"

	"gpusim/ptx/alu"
)

// Type is the type of an argument or a result.
type Type byte

// The types.
const (
	None    Type = 'v'
	Int     Type = 'i' // 32 bits
	Long    Type = 'l' // 64 bits
	Half    Type = 'h' // 16 bits
	Float   Type = 'f'
	Double  Type = 'd'
	Pointer Type = 'p'
)

// Size is the number of bytes.
func (t Type) Size() int {
	switch t {
	case None:
		return 0
	case Half:
		return 2
	case Int, Float:
		return 4
	}
	return 8
}

// Output is a result that is stored through a pointer argument.
type Output struct {
	Arg  int // the pointer's place among the arguments
	Type Type
	Fn   alu.Fn
}

// Func is a function of the library. Fn gets the arguments that are no pointers, in order.
type Func struct {
	Args   []Type
	Result Type
	Fn     alu.Fn
	Out    []Output
}

// Lookup finds a function by its name.
func Lookup(name string) (*Func, bool) {
	f, ok := table[name]
	return f, ok
}

// table holds the functions by name.
var table = map[string]*Func{}

// add registers a function; sig is the result and the arguments, as in "dii".
func add(name, sig string, fn alu.Fn, out ...Output) {
	f := &Func{Result: Type(sig[0]), Fn: fn, Out: out}
	for _, c := range sig[1:] {
		f.Args = append(f.Args, Type(c))
	}
	table["__nv_"+name] = f
}

func f32(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }
func f64(x uint64) float64 { return math.Float64frombits(x) }
func b32(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
func b64(x float64) uint64 { return math.Float64bits(x) }

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// The following register a function of double and its float version (name + "f"): that is
// computed in double and rounded once.
func one(name string, fn func(float64) float64) {
	add(name, "dd", func(a, _, _, _ uint64) uint64 { return b64(fn(f64(a))) })
	add(name+"f", "ff", func(a, _, _, _ uint64) uint64 { return b32(fn(f32(a))) })
}

func two(name string, fn func(x, y float64) float64) {
	add(name, "ddd", func(a, b, _, _ uint64) uint64 { return b64(fn(f64(a), f64(b))) })
	add(name+"f", "fff", func(a, b, _, _ uint64) uint64 { return b32(fn(f32(a), f32(b))) })
}

func three(name string, fn func(x, y, z float64) float64) {
	add(name, "dddd", func(a, b, c, _ uint64) uint64 { return b64(fn(f64(a), f64(b), f64(c))) })
	add(name+"f", "ffff", func(a, b, c, _ uint64) uint64 { return b32(fn(f32(a), f32(b), f32(c))) })
}

func four(name string, fn func(x, y, z, w float64) float64) {
	add(name, "ddddd", func(a, b, c, d uint64) uint64 { return b64(fn(f64(a), f64(b), f64(c), f64(d))) })
	add(name+"f", "fffff", func(a, b, c, d uint64) uint64 { return b32(fn(f32(a), f32(b), f32(c), f32(d))) })
}

// withInt is a function of a number and an int.
func withInt(name string, fn func(x float64, n int) float64) {
	add(name, "ddi", func(a, b, _, _ uint64) uint64 { return b64(fn(f64(a), int(int32(b)))) })
	add(name+"f", "ffi", func(a, b, _, _ uint64) uint64 { return b32(fn(f32(a), int(int32(b)))) })
}

// ofOrder is a function of an int and a number.
func ofOrder(name string, fn func(n int, x float64) float64) {
	add(name, "did", func(a, b, _, _ uint64) uint64 { return b64(fn(int(int32(a)), f64(b))) })
	add(name+"f", "fif", func(a, b, _, _ uint64) uint64 { return b32(fn(int(int32(a)), f32(b))) })
}
