package main

// line is a syntax line of the ISA, with choices as {a,b}, and the operands that go with
// each of its spellings.
type line struct{ syntax, operands string }

// section is a group of lines.
type section struct {
	title string
	lines []line
}

const (
	scopes = "{cta,cluster,gpu,sys}"
	word   = "{b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64}"
	caches = "{,.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate}{,.L2::64B,.L2::128B,.L2::256B}"
)

// sections are the instructions other than arithmetic. Every spelling is lowered.
var sections = []section{
	{"Data movement", []line{
		{"mov.{b16,u16,s16}", "%h1, %h2"}, {"mov.{b32,u32,s32,f32}", "%r1, %r2"}, {"mov.{b64,u64,s64,f64}", "%d1, %d2"}, {"mov.pred", "%p1, %p2"}, {"mov.b128", "%q1, {%d1, %d2}"},
		{"mov.b32", "{%h1, %h2}, %r1"}, {"mov.b64", "%d1, {%h1, %h2, %h3, %h4}"}, {"mov.b64", "{%r1, %r2}, %d1"},
		{"ld{,.global,.shared,.shared::cta,.local,.const}." + word, "%d1, [%d2]"}, {"ld.global" + caches + ".b32", "%r1, [%d2]"},
		{"ld{,.global,.shared}{.weak,.volatile}.{b8,b16,b32,b64}", "%d1, [%d2]"}, {"ld.{relaxed,acquire}." + scopes + "{,.global,.shared}.{b8,b16,b32,b64}", "%d1, [%d2]"},
		{"ld.global{,.ca,.cg,.cs,.lu,.cv}.b32", "%r1, [%d2]"}, {"ld.global{,.ca,.cg,.cs}.nc{,.L1::no_allocate}{,.L2::cache_hint}.b32", "%r1, [%d2]"},
		{"ld.global{,.nc}.v2.{b8,b16,b32,b64}", "{%d1, %d2}, [%d3]"}, {"ld.global.v4.{b8,b16,b32,b64}", "{%d1, %d2, %d3, %d4}, [%d5]"}, {"ld.global.v8.b32", "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d5]"},
		{"ld{,.relaxed.gpu}{,.global,.shared}.b128", "%q1, [%d1]"}, {"ldu{,.global}.{b32,b64}", "%d1, [%d2]"}, {"ld.param.{b32,b64,f32,f64}", "%d1, [x]"}, {"ld.param.b32", "%r1, [%d2]"},
		{"st{,.global,.shared,.shared::cta,.local}." + word, "[%d2], %d1"}, {"st{,.global,.shared}{.weak,.volatile}.{b8,b16,b32,b64}", "[%d2], %d1"},
		{"st.{relaxed,release}." + scopes + "{,.global,.shared}.{b8,b16,b32,b64}", "[%d2], %d1"}, {"st.global{,.wb,.cg,.cs,.wt}{,.L1::no_allocate}.b32", "[%d2], %r1"},
		{"st.global.v2.{b8,b16,b32,b64}", "[%d3], {%d1, %d2}"}, {"st.global.v4.{b8,b16,b32,b64}", "[%d5], {%d1, %d2, %d3, %d4}"}, {"st{,.relaxed.gpu}{,.global,.shared}.b128", "[%d1], %q1"},
		{"{ld.mmio.relaxed.sys,ld.relaxed.sys}.global.b32", "%r1, [%d1]"},
		{"cvta{,.to}.{global,shared,local,const,param}.u64", "%d1, %d2"}, {"isspacep.{global,shared,shared::cta,shared::cluster,local,const,param}", "%p1, %d1"},
		{"prefetch{,.global}.{L1,L2}", "[%d1]"}, {"prefetch.global.{L2::evict_last,L2::evict_normal}", "[%d1]"}, {"prefetchu.L1", "[%d1]"}, {"applypriority{,.global}.L2::evict_normal", "[%d1], 128"},
		{"discard{,.global}.L2", "[%d1], 128"}, {"createpolicy.fractional.{L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged}.b64", "%d1, 0.5"},
		{"createpolicy.range{,.global}.{L2::evict_last,L2::evict_first}.L2::evict_unchanged.b64", "%d1, [%d2], 32, 1024"}, {"createpolicy.cvt.L2.b64", "%d1, 1"},
		{"mapa{,.shared::cluster}.{u32,u64}", "%x1, %x2, 0"}, {"getctarank{,.shared::cluster}.{u32,u64}", "%r1, %x2"},
		{"cp.async.ca.shared{,::cta}.global{,.L2::64B,.L2::128B,.L2::256B}", "[%d1], [%d2], 4"}, {"cp.async.cg.shared.global.L2::cache_hint", "[%d1], [%d2], 16, %d3"}, {"cp.async.cg.shared.global{,.L2::128B}", "[%d1], [%d2], 16, %r1"},
		{"cp.async.commit_group", ""}, {"cp.async.wait_group", "1"}, {"cp.async.wait_all", ""},
		{"alloca.u64", "%d1, %d2"}, {"stacksave.u64", "%d1"}, {"stackrestore.u64", "%d1"},
		{"cp.async.mbarrier.arrive{,.noinc}.shared.b64", "[%d1]"}, {"cp.async.bulk.commit_group", ""}, {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "[%d1], [%d2], %r1, [%d3]"},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "[%d1], [%d2], %r1"}, {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32", "[%d1], %r1, [%d2]"},
	}},
	{"Atomics and fences", []line{
		{"atom{,.relaxed,.acquire,.release,.acq_rel}{,.cta,.cluster,.gpu,.sys}{,.global,.shared}.{add,min,max}.{u32,s32,u64,s64}", "%x1, [%d1], %x2"},
		{"atom{,.global,.shared}.add.{f32,f64}", "%x1, [%d1], %x2"}, {"atom{,.global,.shared}.{and,or,xor,exch}.{b32,b64}", "%x1, [%d1], %x2"}, {"atom{,.global,.shared}.{inc,dec}.u32", "%x1, [%d1], %x2"},
		{"atom{,.global,.shared}.cas.{b16,b32,b64}", "%x1, [%d1], %x2, %x3"}, {"atom{,.global,.shared}.cas.b128", "%q1, [%d1], %q2, %q3"}, {"atom{,.global,.shared}.exch.b128", "%q1, [%d1], %q2"},
		{"atom{,.global,.shared}.add.noftz.{f16,bf16}", "%h1, [%d1], %h2"}, {"atom{,.global,.shared}.add.noftz.{f16x2,bf16x2}", "%r1, [%d1], %r2"}, {"atom.global.{min,max}.noftz.{f16,bf16}", "%h1, [%d1], %h2"},
		{"atom.global.add.v2.f32", "{%r1, %r2}, [%d1], {%r3, %r4}"}, {"{atom,atom.global}.add.L2::cache_hint.u32", "%r1, [%d1], %r2, %d2"}, {"red.global.add.L2::cache_hint.v2.f32", "[%d1], {%r3, %r4}, %d2"}, {"atom.global.add.v4.f32", "{%r1, %r2, %r3, %r4}, [%d1], {%r5, %r6, %r7, %r8}"},
		{"red{,.relaxed,.release}{,.cta,.gpu,.sys}{,.global,.shared}.{add,min,max}.{u32,s32,u64,s64}", "[%d1], %x2"}, {"red{,.global,.shared}.add.{f32,f64}", "[%d1], %x2"},
		{"red{,.global,.shared}.{and,or,xor}.{b32,b64}", "[%d1], %x2"}, {"red.global.add.noftz.{f16,bf16}", "[%d1], %h2"}, {"red.global.add.noftz.{f16x2,bf16x2}", "[%d1], %r2"},
		{"red.global.{add,min,max}.noftz.v2.{f16x2,bf16x2}", "[%d1], {%r1, %r2}"}, {"red.global.{add,min,max}.noftz.v4.{f16,bf16}", "[%d1], {%h1, %h2, %h3, %h4}"},
		{"red.global.add.v2.f32", "[%d1], {%r1, %r2}"}, {"red.global.add.v4.f32", "[%d1], {%r1, %r2, %r3, %r4}"}, {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32", "[%d1], %r1, [%d2]"},
		{"fence{,.sc,.acq_rel,.acquire,.release}." + scopes, ""}, {"membar.{cta,gl,sys}", ""}, {"fence.proxy.{alias,async,async.global,async.shared::cta}", ""}, {"multimem.red.global.add.u32", "[%d1], %r1"},
	}},
	{"Control flow", []line{
		{"bra{,.uni}", "L"}, {"ret{,.uni}", ""}, {"exit", ""}, {"trap", ""}, {"brkpt", ""}, {"nanosleep.u32", "20"}, {"pmevent", "1"}, {"griddepcontrol.{launch_dependents,wait}", ""},
		{"setmaxnreg.{inc,dec}.sync.aligned.u32", "64"},
	}},
	{"Barriers and warp collectives", []line{
		{"bar.warp.sync", "-1"}, {"{bar,barrier}{,.cta}.sync", "0, 64"}, {"{bar,barrier}{,.cta}.arrive", "1, 64"}, {"{bar,barrier}{,.cta}.red.popc.u32", "%r1, 0, %p1"}, {"{bar,barrier}{,.cta}.red.{and,or}.pred", "%p1, 0, %p2"},
		{"barrier.cluster.arrive{,.release,.relaxed}{,.aligned}", ""}, {"barrier.cluster.wait{,.acquire}{,.aligned}", ""},
		{"shfl.sync.{up,down,bfly,idx}.b32", "%r1|%p1, %r2, 1, 31, -1"}, {"vote.sync.{any,all,uni}.pred", "%p1, %p2, -1"}, {"vote.sync.ballot.b32", "%r1, %p2, -1"}, {"match.any.sync.{b32,b64}", "%r1, %x1, -1"},
		{"match.all.sync.{b32,b64}", "%r1|%p1, %x1, -1"}, {"redux.sync.{add,min,max}.{u32,s32}", "%r1, %r2, -1"}, {"redux.sync.{and,or,xor}.b32", "%r1, %r2, -1"}, {"activemask.b32", "%r1"}, {"elect.sync", "%r1|%p1, -1"},
		{"mbarrier.init{,.shared,.shared::cta}.b64", "[%d1], 32"}, {"mbarrier.inval{,.shared,.shared::cta}.b64", "[%d1]"},
		{"mbarrier.arrive{,_drop}{,.release.cta,.release.cluster,.relaxed.cta}{,.shared,.shared::cta}.b64", "%d2, [%d1]"}, {"mbarrier.arrive{,_drop}.noComplete{,.shared}.b64", "%d2, [%d1], 3"},
		{"mbarrier.arrive{,_drop}.expect_tx{,.shared}.b64", "%d2, [%d1], 16"}, {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64", "[%d1], 16"}, {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64", "[%d1], 16"},
		{"mbarrier.{test_wait,try_wait}{,.acquire.cta,.relaxed.cta}{,.shared}.b64", "%p1, [%d1], %d2"}, {"mbarrier.{test_wait,try_wait}.parity{,.shared}.b64", "%p1, [%d1], 0"},
		{"mbarrier.pending_count.b64", "%r1, %d2"}, {"fence.mbarrier_init.release.cluster", ""},
		{"redux.sync.{min,max}.f32", "%r1, %r2, -1"}, {"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128", "[%d1], [%d2]"},
	}},
	{"Matrices", []line{
		{"mma.sync.aligned.m8n8k4.{row,col}.{row,col}.f32.f16.f16.f32", "A8, A2, A2, A8"}, {"mma.sync.aligned.m8n8k4.{row,col}.{row,col}.f16.f16.f16.f16", "A4, A2, A2, A4"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.{f16.f16,bf16.bf16}.f32", "A4, A2, A1, A4"}, {"mma.sync.aligned.m16n8k16.row.col.f32.{f16.f16,bf16.bf16}.f32", "A4, A4, A2, A4"},
		{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "A2, A2, A1, A2"}, {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "A2, A4, A2, A2"},
		{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "A4, A2, A1, A4"}, {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "A4, A4, A2, A4"},
		{"mma.sync.aligned.m8n8k4.row.col{,.rn,.rz,.rm,.rp}.f64.f64.f64.f64", "W2, W1, W1, W2"}, {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "W4, W8, W4, W4"},
		{"mma.sync.aligned.m8n8k16.row.col{,.satfinite}.s32.{s8,u8}.{s8,u8}.s32", "A2, A1, A1, A2"}, {"mma.sync.aligned.m16n8k16.row.col{,.satfinite}.s32.{s8,u8}.{s8,u8}.s32", "A4, A2, A1, A4"},
		{"mma.sync.aligned.m16n8k32.row.col{,.satfinite}.s32.{s8,u8}.{s8,u8}.s32", "A4, A4, A2, A4"}, {"mma.sync.aligned.m8n8k32.row.col{,.satfinite}.s32.{s4,u4}.{s4,u4}.s32", "A2, A1, A1, A2"},
		{"mma.sync.aligned.m16n8k64.row.col{,.satfinite}.s32.{s4,u4}.{s4,u4}.s32", "A4, A4, A2, A4"}, {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.{xor,and}.popc", "A4, A4, A2, A4"}, {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{xor,and}.popc", "A2, A1, A1, A2"},
		{"mma.sync.aligned.m16n8k32.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32", "A4, A4, A2, A4"},
		{"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "A4, A4, A4, A4, %r1, 0"},
		{"wmma.load.{a,b}.sync.aligned.{row,col}.{m16n16k16,m8n32k16,m32n8k16}{,.global,.shared}.f16", "A8, [%d1], 16"}, {"wmma.load.{a,b}.sync.aligned.{row,col}.m16n16k16.bf16", "A4, [%d1], 16"},
		{"wmma.load.{a,b}.sync.aligned.{row,col}.m16n16k16.{s8,u8}", "A2, [%d1], 16"}, {"wmma.load.{a,b}.sync.aligned.{row,col}.m16n16k8.tf32", "A4, [%d1], 16"}, {"wmma.load.{a,b}.sync.aligned.{row,col}.m8n8k4.f64", "W1, [%d1], 16"},
		{"wmma.load.a.sync.aligned.row.m8n8k32.{s4,u4}", "A1, [%d1], 32"}, {"wmma.load.a.sync.aligned.row.m8n8k128.b1", "A1, [%d1], 128"}, {"wmma.load.c.sync.aligned.{row,col}.m16n16k16.{f32,s32}", "A8, [%d1], 16"},
		{"wmma.mma.sync.aligned.{row,col}.{row,col}.{m16n16k16,m8n32k16,m32n8k16}.f32.f32", "A8, A8, A8, A8"}, {"wmma.mma.sync.aligned.{row,col}.{row,col}.m16n16k16{,.satfinite}.s32.s8.s8.s32", "A8, A2, A2, A8"},
		{"wmma.store.d.sync.aligned.{row,col}.{m16n16k16,m8n32k16,m32n8k16}{,.global,.shared}.{f32,s32}", "[%d1], A8, 16"},
		{"ldmatrix.sync.aligned.m8n8.x1{,.trans}{,.shared}.b16", "A1, [%d1]"}, {"ldmatrix.sync.aligned.m8n8.x2{,.trans}.shared.b16", "A2, [%d1]"}, {"ldmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16", "A4, [%d1]"},
		{"stmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16", "[%d1], A4"}, {"movmatrix.sync.aligned.m8n8.trans.b16", "%r1, %r2"},
		{"wgmma.{fence,commit_group}.sync.aligned", ""}, {"tcgen05.wait::ld.sync.aligned", ""},
	}},
	{"Video", []line{
		{"{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}", "%r1, %r2.b0, %r3.h1"}, {"{vadd,vsub,vabsdiff,vmin,vmax}.u32.u32.u32{,.sat}.{add,min,max}", "%r1, %r2, %r3, %r4"},
		{"{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap}", "%r1, %r2, %r3"}, {"vmad.{u32,s32}.{u32,s32}.{u32,s32}{,.po}{,.sat}{,.shr7,.shr15}", "%r1, %r2, %r3, %r4"}, {"vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}", "%r1, %r2, %r3"},
		{"{vadd,vsub,vavrg,vabsdiff,vmin,vmax}{2,4}.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}{,.add}", "%r1, %r2, %r3, %r4"}, {"vset{2,4}.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}{,.add}", "%r1, %r2, %r3, %r4"},
	}},
	{"Textures, surfaces and others", []line{
		{"istypep.texref", "%p1, %d1"}, {"tensormap.replace.tile.global_address.global.b1024.b64", "[%d1], %d2"},
	}},
}
