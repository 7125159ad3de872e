package launch

import (
	"strconv"
	"strings"

	"gpusim/ptx"
)

// guessed is what a parameter, or a member of one, most likely is.
type guessed struct {
	dtype   DType
	lanes   int // elements of dtype in one of the C++ type: 4 for float4
	pointer bool
	shared  bool // to shared memory
	input   bool // read, and not written
	guess   bool // nothing tells the type of the elements
}

// cppTypes are the element types by C++ names, without qualifiers.
var cppTypes = map[string]string{
	"float": "f32", "double": "f64", "__half": "f16", "half": "f16", "_Float16": "f16", "decltype(nullptr)": "u64",
	"__nv_bfloat16": "bf16", "__bf16": "bf16", "std::bfloat16_t": "bf16", "__nv_fp8_e4m3": "e4m3", "__nv_fp8_e5m2": "e5m2",
	"bool": "u8", "char": "i8", "signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16",
	"int": "i32", "unsigned int": "u32", "unsigned": "u32", "long": "i64", "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64",
	"wchar_t": "i32", "char16_t": "u16", "char32_t": "u32",
}

// cppVectors are the base types of CUDA's vector types: float4 has "float".
var cppVectors = map[string]string{"char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32",
	"long": "i64", "ulong": "u64", "longlong": "i64", "ulonglong": "u64", "float": "f32", "double": "f64",
	"__half": "f16", "half": "f16", "__nv_bfloat16": "bf16"}

// guessType combines the C++ type of a parameter, "" if unknown, with its use.
func guessType(cpp string, u ptx.Use) guessed {
	words := strings.Fields(strings.NewReplacer("*", " * ", "&", " & ").Replace(cpp))
	var base []string
	stars, constant := 0, false
	for _, w := range words {
		switch w {
		case "const":
			constant = constant || stars == 0
		case "volatile", "restrict", "__restrict__":
		case "*", "&":
			stars++
		default:
			base = append(base, w)
		}
	}
	name := strings.Join(base, " ")
	g := guessed{lanes: 1, pointer: u.Size == pointerSize && (u.Pointer || stars > 0), shared: u.Shared}
	if g.pointer {
		g.input = constant || u.Read && !u.Written
		switch dtype, lanes := cppElement(name); {
		case stars > 1:
			g.dtype, g.input = dtypeNamed("u64"), false
		case dtype != "":
			g.dtype, g.lanes = dtypeNamed(dtype), lanes
		case u.Element != "" && ptxType(u.Element) != "":
			g.dtype = dtypeNamed(ptxType(u.Element))
		case name != "" && name != "void": // a struct: its bytes
			g.dtype, g.guess = dtypeNamed("u8"), true
		default:
			g.dtype, g.guess = dtypeNamed("f32"), true
		}
		return g
	}
	if dtype, lanes := cppElement(name); dtype != "" && lanes == 1 && dtypeNamed(dtype).Size == u.Size {
		g.dtype = dtypeNamed(dtype)
	} else if dtype := ptxType(u.Type); dtype != "" && dtypeNamed(dtype).Size == u.Size {
		g.dtype = dtypeNamed(dtype)
	} else {
		g.dtype = dtypeNamed("b" + strconv.Itoa(8*u.Size))
	}
	return g
}

// cppElement is the element type behind a C++ name, and how many of them it has.
func cppElement(name string) (dtype string, lanes int) {
	if t, ok := cppTypes[name]; ok {
		return t, 1
	}
	if n := len(name); n > 1 && name[n-1] >= '1' && name[n-1] <= '4' {
		if t, ok := cppVectors[name[:n-1]]; ok {
			return t, int(name[n-1] - '0')
		}
	}
	return "", 0
}

// ptxType is the element type for a fundamental type of PTX; "" if there is none.
func ptxType(name string) string {
	if strings.HasPrefix(name, "s") {
		name = "i" + name[1:]
	}
	if _, err := findDType(name); err != nil {
		return ""
	}
	return name
}

// number is a scalar that keeps most kernels within the placeholder buffers.
func (g guessed) number() string {
	if g.dtype.class == floating || g.dtype.Size == 1 {
		return "1"
	}
	return strconv.Itoa(starterNumber)
}

// dtypeNamed is an element type whose name is known to exist.
func dtypeNamed(name string) DType {
	d, _ := findDType(name)
	return d
}
