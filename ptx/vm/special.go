package vm

import (
	"math/bits"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/lanes"
	"gpusim/memory"
)

func popcount(m uint32) int { return bits.OnesCount32(m) }

// Special is a special register (PTX ISA, "Special Registers").
type Special uint8

// The special registers. Those before numSpecials are filled once a block.
const (
	TidX Special = iota
	TidY
	TidZ
	NTidX
	NTidY
	NTidZ
	CtaidX
	CtaidY
	CtaidZ
	NCtaidX
	NCtaidY
	NCtaidZ
	LaneID
	WarpID
	NWarpID
	SMID
	NSMID
	GridID
	LaneMaskEq
	LaneMaskLt
	LaneMaskLe
	LaneMaskGt
	LaneMaskGe
	DynSharedSize
	TotalSharedSize
	Zero // %clusterid, %cluster_ctaid, ...: clusters of one block; %envreg
	One  // %nclusterid..., %cluster_nctaid...
	IsExplicitCluster
	numSpecials

	Clock Special = iota + 100
	ClockHi
	Clock64
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	SharedBaseOfDynamic
)

// SpecialNames maps the names of special registers, with their component, to what they
// hold. 64-bit ones are named in Special64.
var SpecialNames = map[string]Special{
	"%tid.x": TidX, "%tid.y": TidY, "%tid.z": TidZ, "%ntid.x": NTidX, "%ntid.y": NTidY, "%ntid.z": NTidZ,
	"%ctaid.x": CtaidX, "%ctaid.y": CtaidY, "%ctaid.z": CtaidZ, "%nctaid.x": NCtaidX, "%nctaid.y": NCtaidY, "%nctaid.z": NCtaidZ,
	"%laneid": LaneID, "%warpid": WarpID, "%nwarpid": NWarpID, "%smid": SMID, "%nsmid": NSMID, "%gridid": GridID,
	"%lanemask_eq": LaneMaskEq, "%lanemask_lt": LaneMaskLt, "%lanemask_le": LaneMaskLe, "%lanemask_gt": LaneMaskGt, "%lanemask_ge": LaneMaskGe,
	"%clock": Clock, "%clock_hi": ClockHi, "%clock64": Clock64, "%globaltimer": GlobalTimer, "%globaltimer_lo": GlobalTimerLo, "%globaltimer_hi": GlobalTimerHi,
	"%dynamic_smem_size": DynSharedSize, "%total_smem_size": TotalSharedSize, "%aggr_smem_size": TotalSharedSize,
	"%clusterid.x": CtaidX, "%clusterid.y": CtaidY, "%clusterid.z": CtaidZ, "%nclusterid.x": NCtaidX, "%nclusterid.y": NCtaidY, "%nclusterid.z": NCtaidZ,
	"%cluster_ctaid.x": Zero, "%cluster_ctaid.y": Zero, "%cluster_ctaid.z": Zero, "%cluster_ctarank": Zero,
	"%cluster_nctaid.x": One, "%cluster_nctaid.y": One, "%cluster_nctaid.z": One, "%cluster_nctarank": One,
}

// Fixed reports whether a special register keeps its value while a block runs.
func Fixed(s Special) bool { return s < numSpecials }

// nanosleepTicks is how far nanosleep advances simulated time.
const nanosleepTicks = 32

func (ws *warpState) fillSpecials(b *exec.Block, shared []exec.SharedVar) {
	l := b.Launch
	s := &ws.special
	for lane := range 32 {
		tid := l.Block.At(uint64(ws.warp.Index*32+lane) % l.Block.Count())
		s[TidX][lane], s[TidY][lane], s[TidZ][lane] = tid.X, tid.Y, tid.Z
		s[LaneID][lane] = uint32(lane)
		eq := uint32(1) << lane
		s[LaneMaskEq][lane], s[LaneMaskLt][lane], s[LaneMaskLe][lane] = eq, eq-1, eq<<1-1
		s[LaneMaskGt][lane], s[LaneMaskGe][lane] = ^(eq<<1 - 1), ^(eq - 1)
	}
	var total int64
	for _, v := range shared {
		if v.Dynamic {
			total += l.DynShared
		}
		total += v.Size
	}
	fixed := map[Special]uint32{
		NTidX: l.Block.X, NTidY: l.Block.Y, NTidZ: l.Block.Z, NCtaidX: l.Grid.X, NCtaidY: l.Grid.Y, NCtaidZ: l.Grid.Z,
		WarpID: uint32(ws.warp.Index), NWarpID: uint32(len(b.Warps)), SMID: uint32(b.Slot % max(l.SMs, 1)), NSMID: uint32(max(l.SMs, 1)), GridID: uint32(l.Index + 1),
		DynSharedSize: uint32(l.DynShared), TotalSharedSize: uint32(total), Zero: 0, One: 1,
	}
	for k, v := range fixed {
		lanes.Splat32(&s[k], v)
	}
	for _, r := range ws.top.fn.Specials {
		ws.top.r32[r.Reg] = s[r.Special]
	}
}

// startBlock updates what differs between the blocks of a slot. Threads of one warp start
// one after the other: the first resets the state that they share.
func (ws *warpState) startBlock(b *exec.Block) {
	if ws.running == b.Linear+1 {
		return
	}
	ws.running = b.Linear + 1
	index := [3]uint32{b.Index.X, b.Index.Y, b.Index.Z}
	for _, r := range ws.top.fn.Specials {
		if r.Special >= CtaidX && r.Special <= CtaidZ {
			lanes.Splat32(&ws.top.r32[r.Reg], index[r.Special-CtaidX])
		}
	}
	ws.top.clearMarks()
	ws.top.lanes = ws.warp.Lanes
	ws.top.localBase, ws.top.tops = 0, nil
	ws.local.push(0, ws.top.fn.LocalSize, Full)
}

// readSpecial executes mov from a special register.
func (t *Thread) readSpecial(f *frame, in *Inst, m uint32) {
	r := Reg{in.D, in.DK}
	if in.Special < numSpecials {
		if in.Special >= CtaidX && in.Special <= CtaidZ {
			t.splat(f, r, m, uint64([3]uint32{t.block.Index.X, t.block.Index.Y, t.block.Index.Z}[in.Special-CtaidX]))
			return
		}
		v := &t.ws.special[in.Special]
		if m == Full && r.Class == R32 {
			lanes.Copy32(&f.r32[r.Index], v)
			return
		}
		t.setLanes(f, r, m, func(l int) uint64 { return uint64(v[l]) })
		return
	}
	t.flush()
	if t.rec != nil && in.Special != SharedBaseOfDynamic {
		t.rec.overflow = true // time goes on: the next iteration may do something else
	}
	now := t.launch.Now
	switch in.Special {
	case Clock:
		now &= 0xFFFFFFFF
	case ClockHi, GlobalTimerHi:
		now >>= 32
	case GlobalTimerLo:
		now &= 0xFFFFFFFF
	case SharedBaseOfDynamic:
		now = t.dynamicShared()
	}
	t.splat(f, r, m, now)
	t.launch.Now++
}

func (t *Thread) dynamicShared() uint64 {
	for i, v := range t.prog.Shared {
		if v.Dynamic {
			return memory.SharedBase + uint64(i)<<memory.SharedShift
		}
	}
	return memory.SharedBase
}

// isSpace executes isspacep: does a generic address lie in a state space?
func (t *Thread) isSpace(f *frame, in *Inst, m uint32) {
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		s := memory.SpaceOf(f.lane(in.Src[0], l))
		is := s == in.Mem.Space
		if s == kernel.Global { // constant variables have slots of global memory
			b := t.find(f.lane(in.Src[0], l), kernel.Generic)
			is = (b != nil && b.Space == kernel.Const) == (in.Mem.Space == kernel.Const) && (in.Mem.Space == kernel.Const || in.Mem.Space == kernel.Global)
		}
		f.setLane(Reg{in.D, RP}, l, bit(is))
	}
}

// pack executes mov.b64 d, {a, b} and its like; marks travel.
func (t *Thread) pack(f *frame, in *Inst, m uint32) {
	d, size := Reg{in.D, in.DK}, in.Mem.Size
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		var v uint64
		var inv uint64
		var from markOrigin
		for k, r := range in.Mem.Regs {
			v |= f.lane(r, l) & sizeMask(size) << uint(8*size*k)
			if x := f.mark(r, l) & sizeMask(size); x != 0 {
				inv |= x << (8 * size * k)
				from = f.origin(r, l)
			}
		}
		f.setLane(d, l, v)
		f.setMark(d, l, inv, from)
	}
}

// unpack executes mov.b64 {a, b}, s.
func (t *Thread) unpack(f *frame, in *Inst, m uint32) {
	size := in.Mem.Size
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		v, inv, from := f.lane(in.Src[0], l), f.mark(in.Src[0], l), f.origin(in.Src[0], l)
		for k, r := range in.Mem.Regs {
			if r.Class == NoReg {
				continue
			}
			f.setLane(r, l, v>>uint(8*size*k)&sizeMask(size))
			f.setMark(r, l, inv>>(8*size*k)&sizeMask(size), from)
		}
	}
}

// stack executes alloca, stacksave and stackrestore on the frame's local memory.
func (t *Thread) stack(f *frame, in *Inst, m uint32) {
	d := Reg{in.D, in.DK}
	switch in.Op {
	case StackSave:
		t.setLanes(f, d, m, func(l int) uint64 { return uint64(memory.LocalBase + f.top(l)) })
	case StackRestore:
		for ; m != 0; m &= m - 1 {
			l := firstLane(m)
			if top := int64(f.lane(in.Src[0], l)) - memory.LocalBase; top >= f.localBase+f.fn.LocalSize && top <= f.top(l) {
				f.setTop(l, top)
			}
		}
	case Alloca:
		size := uint64(0)
		for x := m; x != 0; x &= x - 1 {
			size = max(size, f.lane(in.Src[0], firstLane(x)))
		}
		align := int64(max(in.Mem.Size, 8))
		base := (f.highest(m) + align - 1) &^ (align - 1)
		if size > MaxLocal || base+int64(size) > MaxLocal {
			t.report(kernel.OutOfBounds, in, firstLane(m), func(fd *kernel.Finding) {
				fd.Space, fd.Size = kernel.Local, int(min(size, 1<<30))
				fd.Message = "stack overflow: alloca asks for more local memory than a thread has (512 KiB)"
				fd.Fix = "allocate less on the stack, or use a buffer in global memory"
			})
			t.splat(f, d, m, 0)
			return
		}
		t.ws.local.push(base, int64(size), m)
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			f.setTop(l, base+int64(f.lane(in.Src[0], l)))
		}
		t.splat(f, d, m, uint64(memory.LocalBase+base))
	}
}
