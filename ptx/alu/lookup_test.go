package alu

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// expand lists the spellings of a syntax line: {a,b} is one of a and b, {,a} an
// optional a.
func expand(pattern string) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}
	}
	end := open + strings.IndexByte(pattern[open:], '}')
	var all []string
	for _, choice := range strings.Split(pattern[open+1:end], ",") {
		all = append(all, expand(pattern[:open]+choice+pattern[end+1:])...)
	}
	return all
}

const (
	ints     = "{u16,u32,u64,s16,s32,s64}"
	anyOrder = "{eq,ne,lt,le,gt,ge}"
	floatCmp = "{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}"
	boolOps  = "{,.and,.or,.xor}"
	rnds     = "{rn,rz,rm,rp}"
)

// legal lists the syntax lines of the ISA, for targets up to sm_90.
var legal = []string{
	"add.{u16,u32,u64,s16,s32,s64,u16x2,s16x2}", "add.sat.s32", "sub." + ints, "sub.sat.s32",
	"mul.{lo,hi}." + ints, "mul.wide.{u16,u32,s16,s32}", "mad.{lo,hi}." + ints,
	"mad.wide.{u16,u32,s16,s32}", "mad.hi.sat.s32", "{mul24,mad24}.{lo,hi}.{u32,s32}", "mad24.hi.sat.s32",
	"{sad,div,rem}." + ints, "{abs,neg}.{s16,s32,s64}", "{min,max}.{u16,u32,u64,s16,s32,s64,u16x2,s16x2}",
	"{min,max}.relu.{s32,s16x2}", "{add,sub}.cc.{u32,s32,u64,s64}", "{addc,subc}{,.cc}.{u32,s32,u64,s64}",
	"mad.{lo,hi}.cc.{u32,s32,u64,s64}", "madc.{lo,hi}{,.cc}.{u32,s32,u64,s64}",
	"dp4a.{u32,s32}.{u32,s32}", "dp2a.{lo,hi}.{u32,s32}.{u32,s32}",
	"{popc,clz,brev}.{b32,b64}", "bfind{,.shiftamt}.{u32,u64,s32,s64}", "fns.b32", "bfe.{u32,u64,s32,s64}",
	"bfi.{b32,b64}", "bmsk.{clamp,wrap}.b32", "szext.{clamp,wrap}.{u32,s32}",
	"{and,or,xor,not}.{pred,b16,b32,b64}", "cnot.{b16,b32,b64}", "lop3.b32", "lop3.{and,or}.b32",
	"shl.{b16,b32,b64}", "shr.{b16,b32,b64,u16,u32,u64,s16,s32,s64}", "shf.{l,r}.{clamp,wrap}.b32",
	"prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "selp.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}",
	"slct.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}.s32",
	"slct{,.ftz}.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}.f32",
	"setp.{eq,ne}" + boolOps + ".{b16,b32,b64}", "setp." + anyOrder + boolOps + "." + ints,
	"setp.{lo,ls,hi,hs}" + boolOps + ".{u16,u32,u64}", "setp." + floatCmp + boolOps + "{,.ftz}.{f32,f16,f16x2}",
	"setp." + floatCmp + boolOps + ".{f64,bf16,bf16x2}",
	"set.{eq,ne}" + boolOps + ".{u32,s32,f32}.{b16,b32,b64}", "set." + anyOrder + boolOps + ".{u32,s32,f32}." + ints,
	"set." + floatCmp + boolOps + "{,.ftz}.{u32,s32,f32}.f32", "set." + floatCmp + boolOps + ".{u32,s32,f32}.f64",
	"set." + floatCmp + boolOps + "{,.ftz}.{u16,s16,u32,s32,f16}.f16", "set.lt.{f16,bf16}." + ints,
	"set." + floatCmp + boolOps + "{,.ftz}.{f16x2,u32,s32}.f16x2", "set." + floatCmp + boolOps + ".{bf16x2,u32,s32}.bf16x2",
	"set." + floatCmp + boolOps + ".{u16,s16,u32,s32,bf16}.bf16",
	"testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}", "copysign.{f32,f64}",
	"{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64",
	"{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}", "{add,sub,mul}{,.rn}.{bf16,bf16x2}",
	"{fma,mad}." + rnds + "{,.ftz}{,.sat}.f32", "{fma,mad}." + rnds + ".f64", "fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}",
	"fma.rn{,.relu}.{bf16,bf16x2}", "div.{approx,full,rn,rz,rm,rp}{,.ftz}.f32", "div." + rnds + ".f64",
	"{abs,neg}{,.ftz}.{f32,f16,f16x2}", "{abs,neg}.{f64,bf16,bf16x2}",
	"{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f32,f16,f16x2}", "{min,max}{,.NaN}{,.xorsign.abs}.{bf16,bf16x2}", "{min,max}.f64",
	"{rcp,sqrt}.{approx,rn,rz,rm,rp}{,.ftz}.f32", "{rcp,sqrt}." + rnds + ".f64", "{rcp,rsqrt}.approx.ftz.f64",
	"rsqrt.approx{,.ftz}.f32", "rsqrt.approx.f64", "{sin,cos,lg2,ex2}.approx{,.ftz}.f32", "tanh.approx.{f32,f16,f16x2,bf16,bf16x2}",
	"ex2.approx.{f16,f16x2}", "ex2.approx.ftz.{bf16,bf16x2}",
	"cvt{,.sat}.{u8,u16,u32,u64,s8,s16,s32,s64}.{u8,u16,u32,u64,s8,s16,s32,s64}",
	"cvt.{rni,rzi,rmi,rpi}{,.sat}.{u8,u16,u32,u64,s8,s16,s32,s64}.{f16,bf16,f32,f64}",
	"cvt.{rni,rzi,rmi,rpi}.ftz.{u8,u16,u32,u64,s8,s16,s32,s64}.f32",
	"cvt." + rnds + "{,.sat}.{f16,f32,f64}.{u8,u16,u32,u64,s8,s16,s32,s64}",
	"cvt." + rnds + ".bf16.{u8,u16,u32,u64,s8,s16,s32,s64}", "cvt." + rnds + ".bf16.{f32,f64}",
	"cvt." + rnds + "{,.sat}.f16.{f32,f64}", "cvt." + rnds + "{,.ftz}{,.sat}.f32.f64",
	"cvt.{rn,rz}{,.relu}{,.satfinite}.{f16,bf16}.f32", "cvt." + rnds + ".{f16.bf16,bf16.f16}",
	"cvt{,.ftz}{,.sat}.f32.{f32,f16,bf16}", "cvt{,.ftz}{,.sat}.f64.f32", "cvt{,.sat}.f64.{f64,f16,bf16}",
	"cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.f32.f32", "cvt.{rni,rzi,rmi,rpi}{,.sat}.{f64.f64,f16.f16}", "cvt.{rni,rzi,rmi,rpi}.bf16.bf16",
	"cvt.{rn,rz}{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32", "cvt.rna{,.satfinite}.tf32.f32", "cvt.{rn,rz}{,.relu}{,.satfinite}.tf32.f32",
	"cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.{f32,f16x2}", "cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2}",
	"cvt.pack.sat.{u16,s16}.s32", "cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32",
}

// lookup splits a spelling; lop3 gets the table of a ? b : c.
func lookup(name string) (*Op, error) {
	parts := strings.Split(name, ".")
	if parts[0] == "lop3" {
		return Lookup(parts[0], parts[1:], 0xca)
	}
	return Lookup(parts[0], parts[1:])
}

func mustLookup(t testing.TB, name string) *Op {
	t.Helper()
	o, err := lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// interesting bit patterns to mix with random ones.
var edges = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7c00, 0x7f80, 0x3c00,
	0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x3f800000, 0x00800000, 0x007fffff, 0x7f800001,
	1<<63 - 1, 1 << 63, ^uint64(0), 0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000, 1 << 52, 1<<52 - 1,
}

func operand(r *rand.Rand, k Kind) uint64 {
	v := r.Uint64()
	if r.IntN(2) == 0 {
		v = edges[r.IntN(len(edges))]
	}
	return v & k.Mask()
}

// TestLegalForms: every legal form is found, complete, and total on any bits.
func TestLegalForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := 0
	for _, pattern := range legal {
		for _, name := range expand(pattern) {
			count++
			o, err := lookup(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if o.Name != name || o.Fn == nil || o.Result == None || len(o.Args) == 0 || len(o.Args) > 4 {
				t.Errorf("%s: incomplete: %+v", name, o)
				continue
			}
			limit := o.Result.Mask()
			if o.Pred2 {
				limit = map[Kind]uint64{Pred: 3, B32: 1<<33 - 1}[o.Result]
			}
			if n := testing.AllocsPerRun(2, func() { o.Fn(3, 2, 1, 0) }); n != 0 {
				t.Errorf("%s allocates", name)
			}
			for range 40 {
				var v [4]uint64
				for i, k := range o.Args {
					v[i] = operand(r, k)
				}
				if o.ReadsCC {
					v[len(o.Args)] = r.Uint64() & 1
				}
				if d := o.Fn(v[0], v[1], v[2], v[3]); d > limit {
					t.Errorf("%s(%#x): %#x is wider than the destination", name, v, d)
				}
				if o.Carry != nil {
					if c := o.Carry(v[0], v[1], v[2], v[3]); c > 1 {
						t.Errorf("%s(%#x): carry %#x", name, v, c)
					}
				}
			}
		}
	}
	if count < 3000 {
		t.Errorf("only %d forms tried", count)
	}
}

func TestUnknownForms(t *testing.T) {
	for _, c := range []struct{ name, reason string }{
		{"add.sat.u32", "unexpected .u32, expected .s32"},
		{"add.s32.sat", "unexpected .sat"},
		{"add.rn.s32", "unexpected .rn"},
		{"add.ftz.f64", ".f64 has neither .ftz nor .sat"},
		{"add", "a modifier is missing"},
		{"mul.s32", "expected .lo .hi .wide"},
		{"mul.wide.u64", ".wide needs"},
		{"fma.f32", "expected .rn .rz .rm .rp"},
		{"and.u32", "unexpected .u32"},
		{"setp.lt.b32", "untyped operands"},
		{"setp.lo.s32", "unsigned type"},
		{"setp.ltu.u32", "floating-point type"},
		{"cvt.u32.f32", "needs .rni"},
		{"cvt.f32.s32", "needs .rn"},
		{"cvt.rn.s32.u32", "only for conversions that lose precision"},
		{"cvt.rn.e4m3x2.f32", "needs .rn.satfinite"},
		{"cvt.rna.f16.f32", ".tf32 only"},
		{"cvt.rn.sat.bf16.f32", ".bf16 has no .sat"},
		{"lop3.xor.b32", "unexpected .xor"},
		{"set.lt.u16.f32", "set has no .u16 from .f32"},
	} {
		_, err := lookup(c.name)
		var unknown *UnknownFormError
		if !errors.As(err, &unknown) || unknown.Form != c.name || !strings.Contains(unknown.Reason, c.reason) {
			t.Errorf("%s: got %v, want an UnknownFormError with %q", c.name, err, c.reason)
		}
	}
	if _, err := Lookup("lop3", []string{"b32"}); err == nil {
		t.Error("lop3 without a table was accepted")
	}
	for _, name := range []string{"fma.rn.f32x2", "fma.rn.oob.f16", "add.rn.f32.bf16", "cvt.rs.f16x2.f32", "cvt.rn.satfinite.e2m1x2.f32", "vadd4.u32.u32.u32"} {
		_, err := lookup(name)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Form != name {
			t.Errorf("%s: got %v, want an UnsupportedError", name, err)
		}
	}
}
