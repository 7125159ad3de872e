package lower

import (
	"slices"
	"strings"

	"gpusim/kernel"
	"gpusim/ptx/alu"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// memMods is what the modifiers of a memory instruction say.
type memMods struct {
	space  kernel.Space
	sem    kernel.Sem
	scope  kernel.Scope
	strong bool
	vol    bool
	nc     bool
	vec    int
	typ    string
	hint   bool // .L2::cache_hint: a further operand
	rest   []string
}

var spaceNames = map[string]kernel.Space{
	"global": kernel.Global, "shared": kernel.Shared, "shared::cta": kernel.Shared, "shared::cluster": kernel.Shared, "local": kernel.Local, "const": kernel.Const,
	"param": kernel.Param, "param::entry": kernel.Param, "param::func": kernel.Param,
}

func spaceNamed(mods []string) (kernel.Space, bool) {
	for _, m := range mods {
		if s, ok := spaceNames[m]; ok {
			return s, true
		}
	}
	return kernel.Generic, false
}

var scopeNames = map[string]kernel.Scope{"cta": kernel.CTA, "cluster": kernel.Cluster, "gpu": kernel.GPU, "sys": kernel.Sys}
var semNames = map[string]kernel.Sem{"weak": kernel.Weak, "relaxed": kernel.Relaxed, "acquire": kernel.Acquire, "release": kernel.Release, "acq_rel": kernel.AcqRel}

// cacheMods have no effect on results (PTX ISA, "Cache Operators", "Cache Eviction
// Priority Hints").
var cacheMods = map[string]bool{"ca": true, "cg": true, "cs": true, "lu": true, "cv": true, "wb": true, "wt": true, "unified": true,
	"L1::evict_normal": true, "L1::evict_unchanged": true, "L1::evict_first": true, "L1::evict_last": true, "L1::no_allocate": true,
	"L2::evict_normal": true, "L2::evict_first": true, "L2::evict_last": true, "L2::64B": true, "L2::128B": true, "L2::256B": true}

func parseMods(in *syntax.Inst) memMods {
	var m memMods
	for _, w := range in.Mods {
		switch {
		case cacheMods[w]:
		case w == "volatile", w == "mmio":
			m.vol, m.strong, m.sem, m.scope = true, true, kernel.Relaxed, kernel.Sys
		case w == "nc":
			m.nc = true
		case w == "v2":
			m.vec = 2
		case w == "v4":
			m.vec = 4
		case w == "v8":
			m.vec = 8
		case w == "L2::cache_hint":
			m.hint = true
		case w == "noftz":
		default:
			if s, ok := spaceNames[w]; ok {
				m.space = s
			} else if s, ok := semNames[w]; ok {
				m.sem, m.strong = s, s != kernel.Weak
			} else if s, ok := scopeNames[w]; ok {
				m.scope = s
			} else if _, ok := syntax.TypeByName(w); ok {
				m.typ = w
			} else {
				m.rest = append(m.rest, w)
			}
		}
	}
	return m
}

// site registers an access with the program.
func (b *builder) site(s race.SiteInfo) int {
	s.User = -1 // set in finish, when the instruction has its number
	b.prog.Sites = append(b.prog.Sites, s)
	return len(b.prog.Sites) - 1
}

// addr resolves an address operand into a memory description.
func (b *builder) addr(o *syntax.Operand, mem *vm.Mem) {
	if o.Kind == syntax.OperandVar && o.Var != nil { // "[sym]" or a bare symbol
		o = &syntax.Operand{Kind: syntax.OperandAddr, Var: o.Var, Off: o.Off, Pos: o.Pos}
	}
	if o.Kind != syntax.OperandAddr {
		b.unsupported("an address is expected")
		return
	}
	mem.Off = o.Off
	switch {
	case o.Reg != nil:
		r := b.regs[o.Reg.Index]
		if r.Class != vm.R32 && r.Class != vm.R64 {
			b.unsupported("the address register has type .%s", o.Reg.Type)
		}
		mem.Base = r
	case o.Var != nil && o.Var.Space == syntax.SpaceLocal:
		if _, ok := b.locals[o.Var]; !ok {
			b.unsupported(".local variables outside of a function are not supported")
			return
		}
		mem.Base = b.localAddress(o.Var, 0, vm.R64)
		mem.Space = kernel.Local
	case o.Var != nil:
		a, ok := b.address(&syntax.Operand{Kind: syntax.OperandVar, Var: o.Var, Off: o.Off})
		if ok {
			mem.Base, mem.Off = b.constant(vm.R64, a), 0
		}
	default:
		mem.Base, mem.Off = b.constant(vm.R64, uint64(o.Off)), 0
	}
}

// data resolves the register operands of a load or store.
func (b *builder) data(o *syntax.Operand, m memMods, mem *vm.Mem, store bool) {
	elems := []syntax.Operand{*o}
	if o.Kind == syntax.OperandVector {
		elems = o.Elems
	}
	if want := max(m.vec, 1); len(elems) != want {
		b.unsupported("%d elements where the instruction has %d", len(elems), want)
		return
	}
	mem.Size = sizeOf(m.typ)
	if m.typ == "b128" {
		mem.Size, mem.Mask = 8, ^uint64(0)
		mem.Whole = true
		for i := range elems {
			p := b.pair(&elems[i])
			mem.Regs = append(mem.Regs, p[0], p[1])
		}
		return
	}
	mem.Signed = strings.HasPrefix(m.typ, "s")
	mem.Mask = ^uint64(0)
	for i := range elems {
		e := &elems[i]
		var r vm.Reg
		if store {
			r = b.value(e, 8*mem.Size, strings.HasPrefix(m.typ, "f"))
		} else {
			r = b.reg(e)
		}
		if r.Class == vm.RP {
			b.unsupported("predicates cannot be loaded or stored")
		}
		if e.Kind == syntax.OperandReg {
			bits := e.Reg.Type.Bits()
			if bits < 8*mem.Size {
				b.unsupported("a register of %d bits for an element of %d bits", bits, 8*mem.Size)
			}
			if bits < 64 {
				mem.Mask = 1<<uint(bits) - 1
			}
			if r.Class == vm.R32 && mem.Size < 4 || r.Class == vm.R64 && mem.Size < 8 {
				mem.Extend = true
			}
		} else if r.Class == vm.NoReg {
			mem.Extend = true
		}
		mem.Regs = append(mem.Regs, r)
	}
}

func (b *builder) ld(in *syntax.Inst) { b.loadStore(in, false) }
func (b *builder) st(in *syntax.Inst) { b.loadStore(in, true) }

func (b *builder) loadStore(in *syntax.Inst, store bool) {
	m := parseMods(in)
	if len(m.rest) > 0 {
		b.unsupported(".%s is not supported", m.rest[0])
		return
	}
	args := in.Args
	if m.hint && len(args) == 3 {
		args = args[:2]
	}
	if len(args) != 2 || m.typ == "" {
		b.unsupported("an address, data and a type are expected")
		return
	}
	ai, di := 1, 0
	if store {
		ai, di = 0, 1
	}
	mem := &vm.Mem{Space: m.space, Write: store, Site: -1, Sem: m.sem, Scope: m.scope}
	b.data(&args[di], m, mem, store)
	if b.failed {
		return
	}
	if m.space == kernel.Param && args[ai].Kind == syntax.OperandAddr && args[ai].Var != nil && args[ai].Var.Space == syntax.SpaceParam {
		b.paramAccess(&args[ai], mem, store)
		return
	}
	b.addr(&args[ai], mem)
	if b.failed {
		return
	}
	op := vm.Load
	if store {
		op = vm.Store
	}
	switch mem.Space {
	case kernel.Local:
		op = vm.LoadLocal
		if store {
			op = vm.StoreLocal
		}
	case kernel.Param:
		if store {
			b.unsupported("a store through a pointer to parameters is not supported")
			return
		}
		if !b.src.Entry { // a copy in local memory, or a kernel parameter
			mem.Space = kernel.Generic
		}
	case kernel.Const:
	default:
		mem.Strong = m.strong
		mem.Site = b.site(race.SiteInfo{Read: !store, Write: store, Sem: m.sem, Scope: m.scope, Volatile: m.vol, NonCoherent: m.nc, Elem: sizeOf(m.typ)})
		if m.strong && m.scope >= kernel.Cluster && mem.Space != kernel.Shared {
			b.prog.Orders = true
		}
	}
	b.emit(vm.Inst{Op: op, Mem: mem})
}

// paramAccess lowers access to a parameter by its name.
func (b *builder) paramAccess(o *syntax.Operand, mem *vm.Mem, store bool) {
	at, ok := b.params[o.Var]
	if !ok {
		b.unsupported("parameter %s belongs to another function", o.Var.Name)
		return
	}
	mem.Param = at + int(o.Off)
	mem.IsKernel = b.src.Entry && isParam(b.src, o.Var)
	if o.Off < 0 || o.Off+int64(mem.Size*len(mem.Regs)) > o.Var.Size {
		b.unsupported("the access lies outside of parameter %s (%d bytes)", o.Var.Name, o.Var.Size)
		return
	}
	if mem.IsKernel && store {
		b.unsupported("kernel parameters cannot be written")
		return
	}
	op := vm.LoadParam
	if store {
		op = vm.StoreParam
	}
	b.emit(vm.Inst{Op: op, Mem: mem})
}

// atom lowers atom and red.
func (b *builder) atom(in *syntax.Inst) {
	m := parseMods(in)
	if len(m.rest) != 1 {
		b.unsupported("this form is not supported")
		return
	}
	if !m.strong { // PTX ISA, "atom": .relaxed and .gpu are the defaults
		m.sem = kernel.Relaxed
	}
	if m.scope == kernel.NoScope {
		m.scope = kernel.GPU
	}
	args := in.Args
	red := in.Op == "red"
	mem := &vm.Mem{Space: m.space, Write: true, Sem: m.sem, Scope: m.scope, Strong: true, Size: sizeOf(m.typ), Mask: ^uint64(0)}
	if m.hint {
		args = args[:len(args)-1]
	}
	if m.vec != 0 {
		b.vectorAtomic(in, m, mem, args)
		return
	}
	if !red {
		if m.typ == "b128" {
			p := b.pair(&args[0])
			mem.Regs = p[:]
		} else {
			mem.Regs = []vm.Reg{b.reg(&args[0])}
		}
		mem.HasDst = mem.Regs[0].Class != vm.NoReg
		args = args[1:]
	}
	op := m.rest[0]
	mem.Cas = op == "cas"
	want := 2
	if mem.Cas {
		want = 3
	}
	if len(args) != want {
		b.unsupported("%d operands where the instruction has %d", len(args), want)
		return
	}
	b.addr(&args[0], mem)
	var src [4]vm.Reg
	float := strings.HasPrefix(m.typ, "f")
	n := uint8(want - 1)
	for i := range args[1:] {
		if m.typ == "b128" {
			p := b.pair(&args[1+i])
			src[2*i], src[2*i+1] = p[0], p[1]
			n = uint8(2 * (want - 1))
			continue
		}
		src[i] = b.value(&args[1+i], 8*mem.Size, float)
	}
	if b.failed {
		return
	}
	if !mem.Cas {
		if mem.Atom = b.atomFn(op, m); mem.Atom == nil {
			return
		}
	}
	elem := mem.Size
	if strings.HasSuffix(m.typ, "x2") {
		elem = 2
	}
	mem.Site = b.site(race.SiteInfo{Read: true, Write: true, Atomic: true, Sem: m.sem, Scope: m.scope, Elem: elem})
	if red {
		b.prog.Sites[mem.Site].Read = false
	}
	if m.scope >= kernel.Cluster && m.space != kernel.Shared {
		b.prog.Orders = true
	}
	b.emit(vm.Inst{Op: vm.Atomic, Mem: mem, Src: src, NArgs: n})
}

// atomFn is the operation of an atomic as a function of the old value and the operand.
func (b *builder) atomFn(op string, m memMods) func(old, x, y uint64) uint64 {
	bits := uint(8 * sizeOf(m.typ))
	if m.typ == "b128" && op != "exch" {
		b.unsupported("no such form: 128 bits have .cas and .exch only")
		return nil
	}
	switch op {
	case "exch":
		return func(_, x, _ uint64) uint64 { return x }
	case "inc":
		return func(old, x, _ uint64) uint64 {
			if old >= x {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, x, _ uint64) uint64 {
			if old == 0 || old > x {
				return x
			}
			return old - 1
		}
	case "and", "or", "xor", "add", "min", "max":
	default:
		b.unsupported("atomic operation .%s is not supported", op)
		return nil
	}
	mods := []string{m.typ}
	switch {
	case op == "add" && m.typ == "f32" && m.space == kernel.Global:
		mods = []string{"ftz", "f32"} // PTX ISA, "atom": subnormals are flushed on global memory
	case strings.HasPrefix(m.typ, "f16"), strings.HasPrefix(m.typ, "bf16"):
		if op == "add" {
			mods = []string{"rn", m.typ}
		}
	}
	fn, err := alu.Lookup(op, mods)
	if err != nil {
		b.unsupported("%v", err)
		return nil
	}
	mask := ^uint64(0) >> (64 - bits)
	return func(old, x, _ uint64) uint64 { return fn.Fn(old, x&mask, 0, 0) }
}

// fence lowers fence and membar: membar is fence.sc since sm_70 (PTX ISA, "membar").
func (b *builder) fence(in *syntax.Inst) {
	mem := &vm.Mem{Sem: kernel.AcqRel}
	if len(in.Mods) > 1 && in.Mods[0] == "proxy" && (in.Mods[1] == "alias" || strings.HasPrefix(in.Mods[1], "async")) {
		// Nothing that is supported goes through another proxy than the generic one.
		b.nop(in)
		return
	}
	if in.Op == "membar" {
		mem.SC = true
		level := map[string]kernel.Scope{"cta": kernel.CTA, "gl": kernel.GPU, "sys": kernel.Sys}
		if len(in.Mods) != 1 || level[in.Mods[0]] == 0 {
			b.unsupported("this membar is not supported")
			return
		}
		mem.Scope = level[in.Mods[0]]
	} else {
		for _, w := range in.Mods {
			switch {
			case w == "mbarrier_init": // a release fence that only the initialisation of objects needs
			case w == "sc":
				mem.SC = true
			case w == "acq_rel", w == "acquire", w == "release":
				mem.Sem = semNames[w]
			case scopeNames[w] != 0:
				mem.Scope = scopeNames[w]
			default:
				b.unsupported("fence.%s is not supported", w)
				return
			}
		}
		if mem.Scope == kernel.NoScope {
			b.unsupported("a fence needs a scope")
			return
		}
	}
	if mem.Scope >= kernel.Cluster {
		b.prog.Orders = true
	}
	b.emit(vm.Inst{Op: vm.Fence, Mem: mem})
}

// cp lowers the non-bulk cp.async family.
func (b *builder) cp(in *syntax.Inst) {
	mods := in.Mods
	if len(mods) < 2 || mods[0] != "async" {
		b.unsupported("this copy is not supported")
		return
	}
	switch mods[1] {
	case "commit_group":
		b.emit(vm.Inst{Op: vm.CpCommit})
		return
	case "wait_all":
		b.emit(vm.Inst{Op: vm.CpWait, Target: -1})
		return
	case "wait_group":
		if len(in.Args) == 1 && in.Args[0].Kind == syntax.OperandInt && in.Args[0].Int < 1<<20 {
			b.emit(vm.Inst{Op: vm.CpWait, Target: int32(in.Args[0].Int)})
			return
		}
		b.unsupported("wait_group needs a constant")
		return
	case "mbarrier":
		b.cpAsyncArrive(in)
		return
	case "ca", "cg":
	default:
		b.unsupported("cp.async.%s is not supported: the asynchronous units of sm_90 have an issue of their own", mods[1])
		return
	}
	m := parseMods(&syntax.Inst{Mods: mods[2:]})
	args := in.Args
	if m.hint {
		args = args[:len(args)-1]
	}
	if len(m.rest) > 0 || len(args) < 3 || args[2].Kind != syntax.OperandInt || !slices.Contains([]uint64{4, 8, 16}, args[2].Int) {
		b.unsupported("this form of cp.async is not supported")
		return
	}
	ac := &vm.AsyncCopy{Bytes: int(args[2].Int)}
	mem := &vm.Mem{Space: kernel.Shared, Write: true, Size: ac.Bytes, Async: ac}
	b.addr(&args[0], mem)
	var src vm.Mem
	b.addr(&args[1], &src)
	ac.Src, ac.SrcOff = src.Base, src.Off
	if len(args) > 3 {
		if o := &args[3]; o.Kind == syntax.OperandReg && o.Reg.Type == syntax.Pred {
			ac.Ignore = b.value(o, 1, false)
		} else {
			ac.SrcSize = b.value(o, 32, false)
		}
	}
	if len(args) > 4 {
		ac.Ignore = b.value(&args[4], 1, false)
	}
	if b.failed {
		return
	}
	mem.Site = b.site(race.SiteInfo{Read: true, Write: true, Elem: 4})
	b.emit(vm.Inst{Op: vm.CpAsync, Mem: mem})
}
