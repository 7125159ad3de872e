package syntax

import "testing"

func TestNearestOpcode(t *testing.T) {
	for name, want := range map[string]string{
		"ad": "add", "dad": "add", "mvo": "mov", "shflx": "shfl", "step": "setp", "barier": "barrier",
		"wgmna": "wgmma", "xyzzy": "", "": "", "q": "", "cvtaa": "cvta", "retrun": "",
	} {
		if got := nearestOpcode(name); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}

// TestTypes checks the table against the names and sizes in the PTX ISA, Fundamental Types.
func TestTypes(t *testing.T) {
	bits := map[string]int{"b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128, "u8": 8, "u16": 16, "u32": 32, "u64": 64,
		"s8": 8, "s16": 16, "s32": 32, "s64": 64, "f16": 16, "f16x2": 32, "f32": 32, "f64": 64, "bf16": 16, "bf16x2": 32, "pred": 1}
	for name, want := range bits {
		typ, ok := TypeByName(name)
		if !ok || typ.Bits() != want || typ.String() != name {
			t.Errorf("%s: %v, %v, %d bits", name, ok, typ, typ.Bits())
		}
		if typ.IsFloat() != (name[0] == 'f' || name[:2] == "bf") || typ.IsSigned() != (name[0] == 's') {
			t.Errorf("%s: float %v, signed %v", name, typ.IsFloat(), typ.IsSigned())
		}
	}
	if _, ok := TypeByName(""); ok {
		t.Error("a type without a name")
	}
}
