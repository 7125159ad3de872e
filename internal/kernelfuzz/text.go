package kernelfuzz

import (
	"fmt"
	"strings"

	"gpusim/internal/oracle"
)

// KernelName is the name of the kernel of launch i.
func KernelName(i int) string { return fmt.Sprintf("k%d", i) }

// Place names a statement.
type Place struct{ Kernel, Stmt int }

// Text writes the program as PTX. The map tells which line executes which statement.
func (p *Program) Text() (string, map[int]Place) {
	w := &writer{lines: map[int]Place{}}
	w.line(".version 8.6")
	w.line(".target sm_90")
	w.line(".address_size 64")
	w.line(".shared .align 16 .b8 s[%d];", sharedBytes)
	w.functions(p, func(name string, _ Place, _ *Stmt) { w.line("%s;", name) })
	for i := range p.Kernels {
		w.kernel(i, &p.Kernels[i])
	}
	w.functions(p, w.function)
	return w.out.String(), w.lines
}

type writer struct {
	out   strings.Builder
	n     int // lines so far
	lines map[int]Place
	sets  map[Set]int
	label int
}

func (w *writer) line(format string, a ...any) {
	fmt.Fprintf(&w.out, format+"\n", a...)
	w.n++
}

// kernel writes one entry. Parameters: global memory, checksums.
func (w *writer) kernel(index int, k *Kernel) {
	w.line(".visible .entry %s(.param .u64 p0, .param .u64 p1)", KernelName(index))
	w.line("{")
	w.line(".reg .pred %%t, %%q, %%p<%d>;", len(k.Stmts)+1)
	w.line(".reg .b32 %%lane, %%warp, %%cta, %%index, %%n, %%a, %%b, %%c, %%sh, %%x<4>;")
	w.line(".reg .b64 %%g, %%r, %%acc, %%d, %%e, %%sg, %%y<4>, %%v<%d>;", k.Vars+1)
	w.line("ld.param.u64 %%g, [p0];")
	w.line("ld.param.u64 %%r, [p1];")
	w.line("mov.u32 %%index, %%tid.x;")
	w.line("mov.u32 %%cta, %%ctaid.x;")
	w.line("and.b32 %%lane, %%index, 31;")
	w.line("shr.u32 %%warp, %%index, 5;")
	w.line("mov.u32 %%n, %%ntid.x;")
	w.line("mad.lo.u32 %%a, %%cta, %%n, %%index;")
	w.line("mad.wide.u32 %%r, %%a, 8, %%r;")
	w.line("mov.u32 %%sh, s;")
	w.line("mov.u64 %%d, s;")
	w.line("cvta.shared.u64 %%sg, %%d;")
	w.line("mov.u64 %%acc, 1;")
	w.sets = map[Set]int{everyone: -1}
	for i := range k.Stmts {
		w.set(k.Stmts[i].Who)
	}
	targets := map[int]bool{}
	for i := range k.Stmts {
		if k.Stmts[i].Op == Jump {
			targets[k.Stmts[i].Target] = true
		}
	}
	for i := range k.Stmts {
		if targets[i] {
			w.line("K%d_%d:", index, i)
		}
		w.stmt(index, i, &k.Stmts[i])
	}
	w.line("ret;")
	w.line("}")
}

// set computes the predicate of a set of threads once.
func (w *writer) set(s Set) {
	if _, ok := w.sets[s]; ok {
		return
	}
	p := len(w.sets)
	w.sets[s] = p
	for i, m := range []uint32{s.Blocks, s.Warps, s.Lanes} {
		r := []string{"%cta", "%warp", "%lane"}[i]
		w.line("shr.u32 %%b, %d, %s;", m, r)
		if i == 0 {
			w.line("mov.u32 %%a, %%b;")
		} else {
			w.line("and.b32 %%a, %%a, %%b;")
		}
	}
	w.line("and.b32 %%a, %%a, 1;")
	w.line("setp.ne.u32 %%p%d, %%a, 0;", p)
}

// stmt writes one statement and notes the line that others may notice.
func (w *writer) stmt(kernel, i int, s *Stmt) {
	guard, after := "", ""
	if p := w.sets[s.Who]; p > 0 {
		guard = fmt.Sprintf("@%%p%d ", p)
	}
	main := ""
	var at operand
	switch s.Op {
	case Load, Store:
		at = w.address(s.At, s.Space, s.Generic, "%a", "%d")
		if s.Op == Store {
			w.values(s.Value, s.Size, max(s.Elems, 1))
		}
		main = s.instruction(at)
	case Atomic:
		main = w.atomic(s, w.address(s.At, s.Space, s.Generic, "%a", "%d"))
	case Copy:
		main = w.copy(s)
	case Fence:
		main = fence(s)
	case Commit:
		main = "cp.async.commit_group;"
	case Wait:
		main = fmt.Sprintf("cp.async.wait_group %d;", s.Pending)
		if s.Pending < 0 {
			main = "cp.async.wait_all;"
		}
	case WarpSync:
		main = fmt.Sprintf("bar.warp.sync 0x%x;", s.Mask)
	case Barrier:
		main = w.barrier(s)
	case Exit:
		main = "exit;"
	case Result:
		main = "st.global.u64 [%r], %acc;"
	case Jump:
		cond := "ne"
		if s.Equal {
			cond = "eq"
		}
		w.line("setp.%s.u64 %%q, %%v%d, %d;", cond, s.Var, s.Want)
		if guard != "" {
			w.line("and.pred %%q, %%q, %%p%d;", w.sets[s.Who])
		}
		w.line("@%%q bra K%d_%d;", kernel, s.Target)
		return
	case Set1:
		main = fmt.Sprintf("mov.u64 %%v%d, %d;", s.Var, s.Want)
	case Vote:
		main = fmt.Sprintf("vote.sync.ballot.b32 %%c, 1, 0x%x;", s.Mask)
	case Less:
		main = fmt.Sprintf("sub.u64 %%v%d, %%v%d, 1;", s.Var, s.Var)
	}
	if s.Yield {
		w.label++
		w.line("bra L%d;", w.label)
		w.line("L%d:", w.label)
	}
	if (s.Around || s.Call) && guard != "" {
		w.label++
		after = fmt.Sprintf("L%d:", w.label)
		w.line("@!%%p%d bra L%d;", w.sets[s.Who], w.label)
		guard = ""
	}
	if s.Call {
		w.call(kernel, i, s, at)
	} else {
		w.line("%s%s", guard, main)
		if s.Op.observable() {
			w.lines[w.n] = Place{kernel, i}
		}
	}
	w.collect(s, guard)
	if after != "" {
		w.line("%s", after)
	}
}

// collect moves what a load has read into variables and the checksum.
func (w *writer) collect(s *Stmt, guard string) {
	if s.Op != Load && !(s.Op == Atomic && !s.Red) && !(s.Op == Barrier && s.Role == oracle.RoleRed) {
		return
	}
	for k := range max(s.Elems, 1) {
		if s.Size == 8 {
			w.line("%smov.u64 %%v%d, %%y%d;", guard, s.Var+k, k)
		} else {
			w.line("%scvt.u64.u32 %%v%d, %%x%d;", guard, s.Var+k, k)
		}
		if s.Sum {
			w.line("%smad.lo.u64 %%acc, %%acc, 3, %%v%d;", guard, s.Var+k)
		}
	}
}

// operand is an address: a register and an offset.
type operand struct {
	register string
	offset   int64
}

func (o operand) String() string { return fmt.Sprintf("[%s+%d]", o.register, o.offset) }

// address writes the computation of an address and returns the operand. Shared addresses are 32 bits wide.
func (w *writer) address(a Address, space oracle.Space, generic bool, to32, to64 string) operand {
	base, wide := "%g", true
	switch {
	case space == oracle.Shared && generic:
		base = "%sg"
	case space == oracle.Shared:
		base, wide = "%sh", false
	}
	if a.constant() {
		return operand{base, a.Base}
	}
	w.line("mul.lo.u32 %s, %%lane, %d;", to32, a.Lane)
	w.line("mad.lo.u32 %s, %%warp, %d, %s;", to32, a.Warp, to32)
	w.line("mad.lo.u32 %s, %%cta, %d, %s;", to32, a.Block, to32)
	w.line("xor.b32 %s, %s, %d;", to32, to32, a.Flip)
	w.line("and.b32 %s, %s, %d;", to32, to32, a.Mask)
	w.line("mul.lo.u32 %s, %s, %d;", to32, to32, a.Scale)
	if !wide {
		w.line("add.u32 %s, %s, %s;", to32, to32, base)
		return operand{to32, a.Base}
	}
	w.line("cvt.u64.u32 %s, %s;", to64, to32)
	w.line("add.u64 %s, %s, %s;", to64, to64, base)
	return operand{to64, a.Base}
}

// values computes what a statement writes into the element registers.
func (w *writer) values(v Value, size, elems int) {
	for k := range elems {
		if size == 8 {
			w.line("cvt.u64.u32 %%e, %%lane;")
			w.line("mad.lo.u64 %%y%d, %%e, %d, %d;", k, v.Lane, v.Base+uint64(k))
		} else {
			w.line("mad.lo.u32 %%x%d, %%lane, %d, %d;", k, uint32(v.Lane), uint32(v.Base+uint64(k)))
		}
	}
}

// registers is the operand for the elements of an access.
func registers(size, elems int) string {
	r := "%x"
	if size == 8 {
		r = "%y"
	}
	if elems <= 1 {
		return r + "0"
	}
	var list []string
	for k := range elems {
		list = append(list, fmt.Sprintf("%s%d", r, k))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

var (
	semNames   = [...]string{"", ".relaxed", ".acquire", ".release", ".acq_rel"}
	scopeNames = [...]string{".cta", ".cluster", ".gpu", ".sys"}
	spaceNames = [...]string{".global", ".shared"}
)

// qualifiers are the order, scope and space of an access.
func (s *Stmt) qualifiers() string {
	q := ""
	switch {
	case s.Volatile:
		q = ".volatile"
	case s.Sem != oracle.Weak:
		q = semNames[s.Sem] + scopeNames[s.Scope]
	}
	if !s.Generic {
		q += spaceNames[s.Space]
	}
	if s.NC {
		q += ".nc"
	}
	return q
}

// instruction is a load or store.
func (s *Stmt) instruction(at operand) string {
	bits := 8 * s.Size
	vec := ""
	if s.Elems > 1 {
		vec = fmt.Sprintf(".v%d", s.Elems)
	}
	if s.Op == Load {
		return fmt.Sprintf("ld%s%s.u%d %s, %s;", s.qualifiers(), vec, bits, registers(s.Size, s.Elems), at)
	}
	return fmt.Sprintf("st%s%s.u%d %s, %s;", s.qualifiers(), vec, bits, at, registers(s.Size, s.Elems))
}

func (w *writer) atomic(s *Stmt, at operand) string {
	kind := "u"
	switch s.Operator {
	case "and", "or", "xor", "exch", "cas":
		kind = "b"
	}
	dst := registers(s.Size, 1)
	value := strings.Replace(dst, "0", "1", 1)
	if s.Size == 8 {
		w.line("cvt.u64.u32 %%e, %%lane;")
		w.line("mad.lo.u64 %s, %%e, %d, %d;", value, s.Value.Lane, s.Value.Base)
	} else {
		w.line("mad.lo.u32 %s, %%lane, %d, %d;", value, uint32(s.Value.Lane), uint32(s.Value.Base))
	}
	if s.Operator == "cas" {
		value = fmt.Sprintf("%d, %s", s.Old, value)
	}
	name := fmt.Sprintf("%s.%s.%s%d", s.qualifiers(), s.Operator, kind, 8*s.Size)
	if s.Red {
		return fmt.Sprintf("red%s %s, %s;", name, at, value)
	}
	return fmt.Sprintf("atom%s %s, %s, %s;", name, dst, at, value)
}

func (w *writer) copy(s *Stmt) string {
	to := w.address(s.At, oracle.Shared, false, "%a", "")
	from := w.address(s.From, oracle.Global, false, "%b", "%d")
	cache := "ca"
	if s.Size == 16 {
		cache = "cg"
	}
	if s.Read == s.Size {
		return fmt.Sprintf("cp.async.%s.shared.global %s, %s, %d;", cache, to, from, s.Size)
	}
	w.line("mov.u32 %%c, %d;", s.Read)
	return fmt.Sprintf("cp.async.%s.shared.global %s, %s, %d, %%c;", cache, to, from, s.Size)
}

func fence(s *Stmt) string {
	if s.Membar {
		return "membar" + [...]string{".cta", ".cta", ".gl", ".sys"}[s.Scope] + ";"
	}
	return "fence" + [...]string{".acq_rel", ".sc", ".acquire", ".release"}[s.Kind] + scopeNames[s.Scope] + ";"
}

func (w *writer) barrier(s *Stmt) string {
	operands := fmt.Sprint(s.ID)
	if s.Count != 0 {
		operands += fmt.Sprintf(", %d", s.Count)
	}
	name := "bar"
	if s.Loose {
		name = "barrier"
	}
	switch s.Role {
	case oracle.RoleArrive:
		return name + ".arrive " + operands + ";"
	case oracle.RoleRed:
		w.line("and.b32 %%b, %%lane, 1;")
		w.line("setp.eq.u32 %%t, %%b, 0;")
		return name + ".red.popc.u32 %x0, " + operands + ", %t;"
	}
	return name + ".sync " + operands + ";"
}
