package alu

import "strings"

// Expand lists the spellings of a syntax line: {a,b} is one of a and b, {,a} an
// optional a.
func Expand(pattern string) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}
	}
	end := open + strings.IndexByte(pattern[open:], '}')
	var all []string
	for _, choice := range strings.Split(pattern[open+1:end], ",") {
		all = append(all, Expand(pattern[:open]+choice+pattern[end+1:])...)
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

// Syntax lists the syntax lines of what Lookup accepts: those of the ISA for targets up to
// sm_90.
var Syntax = []string{
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
