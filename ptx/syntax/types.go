package syntax

// Type is a fundamental or alternate type of PTX (PTX ISA, Types).
type Type uint8

// Types.
const (
	TypeNone Type = iota
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	F32
	F64
	BF16
	BF16x2
	TF32
	E4M3
	E5M2
	Pred
	TexRef
	SamplerRef
	SurfRef
)

// typeInfo gives the name without its dot and the size in bytes.
var typeInfo = [...]struct {
	name string
	size int
}{
	TypeNone: {"", 0},
	B8:       {"b8", 1}, B16: {"b16", 2}, B32: {"b32", 4}, B64: {"b64", 8}, B128: {"b128", 16},
	U8: {"u8", 1}, U16: {"u16", 2}, U32: {"u32", 4}, U64: {"u64", 8},
	S8: {"s8", 1}, S16: {"s16", 2}, S32: {"s32", 4}, S64: {"s64", 8},
	F16: {"f16", 2}, F16x2: {"f16x2", 4}, F32: {"f32", 4}, F64: {"f64", 8},
	BF16: {"bf16", 2}, BF16x2: {"bf16x2", 4}, TF32: {"tf32", 4},
	E4M3: {"e4m3", 1}, E5M2: {"e5m2", 1},
	Pred:   {"pred", 1},
	TexRef: {"texref", 8}, SamplerRef: {"samplerref", 8}, SurfRef: {"surfref", 8},
}

// String is the name without its dot, as it stands in Inst.Mods.
func (t Type) String() string { return typeInfo[t].name }

// Size is the size in bytes; 1 for a predicate.
func (t Type) Size() int { return typeInfo[t].size }

// Bits is the size in bits; 1 for a predicate.
func (t Type) Bits() int {
	if t == Pred {
		return 1
	}
	return 8 * typeInfo[t].size
}

// IsFloat tells whether t is a scalar or packed floating-point type.
func (t Type) IsFloat() bool { return t >= F16 && t <= E5M2 }

// IsSigned tells whether t is a signed integer type.
func (t Type) IsSigned() bool { return t >= S8 && t <= S64 }

var typesByName = func() map[string]Type {
	m := make(map[string]Type, len(typeInfo))
	for t, info := range typeInfo[1:] {
		m[info.name] = Type(t + 1)
	}
	return m
}()

// TypeByName finds a type by its name without the dot ("u32").
func TypeByName(name string) (Type, bool) {
	t, ok := typesByName[name]
	return t, ok
}

var spaceNames = [...]string{"", "reg", "global", "shared", "const", "local", "param", "tex"}

// String is the name of the space without its dot.
func (s Space) String() string { return spaceNames[s] }

var linkageNames = [...]string{"", "extern", "visible", "weak", "common"}

// String is the directive without its dot, empty for LinkNone.
func (l Linkage) String() string { return linkageNames[l] }
