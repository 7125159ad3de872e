package vm

import (
	"math/bits"
	"unsafe"

	"gpusim/kernel"
	"gpusim/lanes"
	"gpusim/race"
)

// cpAsync executes cp.async: the bytes move at once, the detector treats them as under
// way until the thread has waited for their group (PTX ISA, "cp.async").
func (t *Thread) cpAsync(f *frame, in *Inst, m uint32) {
	t.observe(in, m)
	mem, ac := in.Mem, in.Mem.Async
	dst, src := t.addresses(f, mem.Base), t.asyncSource(f, ac)
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		n := ac.Bytes
		if ac.SrcSize.Class != NoReg {
			n = int(min(f.lane(ac.SrcSize, l), uint64(ac.Bytes)))
		}
		if ac.Ignore.Class == RP && f.lane(ac.Ignore, l) != 0 {
			n = 0
		}
		da, sa := dst[l]+uint64(mem.Off), src[l]+uint64(ac.SrcOff)
		db := t.find(da, kernel.Shared)
		if db == nil || da-db.Base+uint64(ac.Bytes) > uint64(len(db.Data)) || da&uint64(ac.Bytes-1) != 0 {
			t.badAddress(f, in, l, da, ac.Bytes)
			continue
		}
		do := int64(da - db.Base)
		if db.Opaque != nil {
			t.touches(in, db, 1<<l, ac.Bytes, func(int) int64 { return do })
		}
		if n == 0 {
			sa = 0
		}
		sb := t.find(sa, kernel.Global)
		if n > 0 && (sb == nil || sa-sb.Base+uint64(n) > uint64(len(sb.Data)) || sa&uint64(ac.Bytes-1) != 0) {
			read := *in
			rm := *mem
			rm.Write, rm.Space, rm.Regs = false, kernel.Global, nil
			read.Mem = &rm
			t.badAddress(f, &read, l, sa, ac.Bytes)
			continue
		}
		if t.race != nil && db.Shadow != nil {
			var ss *race.Shadow
			var so int64
			if n > 0 {
				ss, _ = sb.Shadow.(*race.Shadow)
				so = int64(sa - sb.Base)
			}
			t.values.set(f, mem, db)
			t.race.AsyncCopy(t.ws.warp.Clock, l, db.Shadow.(*race.Shadow), do, ss, so, ac.Bytes, n, t.sites[mem.Site])
		}
		t.tallyLane(kernel.Global)
		for i := 0; i < ac.Bytes; i += 4 {
			v, inv := uint64(0), uint64(0)
			if i < n {
				o := int64(sa-sb.Base) + int64(i)
				v = peek(unsafe.Pointer(&sb.Data[o]), 4)
				inv = sb.InvalidBits(o, 4)
				if k := n - i; k < 4 {
					v &= 1<<(8*uint(k)) - 1
					inv &= 1<<(8*uint(k)) - 1
				}
			}
			t.pokeCompared(db, do+int64(i), 4, v)
			db.SetInvalidBits(do+int64(i), 4, inv)
		}
	}
}

func (t *Thread) asyncSource(f *frame, ac *AsyncCopy) *D {
	switch ac.Src.Class {
	case R64:
		return &f.r64[ac.Src.Index]
	case R32:
		lanes.WideU(&t.addr2, &f.r32[ac.Src.Index])
		return &t.addr2
	}
	return &zeroLanes
}

// asyncGroup executes cp.async.commit_group, wait_group and wait_all.
func (t *Thread) asyncGroup(in *Inst, m uint32) {
	t.observe(in, m)
	if t.race == nil {
		return
	}
	if in.Op == CpCommit {
		t.ws.warp.Clock.AsyncCommit(m)
		return
	}
	t.ws.warp.Clock.AsyncWait(m, int(in.Target))
}
