package kernelfuzz

import (
	"fmt"

	"gpusim/internal/oracle"
)

// Functions: an access may be the work of a function that gets the address and the value, and returns what it has read.

// functions visits the statements that are functions, with their declarations.
func (w *writer) functions(p *Program, visit func(declaration string, at Place, s *Stmt)) {
	for k := range p.Kernels {
		for i := range p.Kernels[k].Stmts {
			if s := &p.Kernels[k].Stmts[i]; s.Call {
				visit(fmt.Sprintf(".func (.param .b64 r) F%d_%d(.param .b64 a, .param .b64 v)", k, i), Place{k, i}, s)
			}
		}
	}
}

// function writes the function of one statement.
func (w *writer) function(declaration string, at Place, s *Stmt) {
	w.line("%s", declaration)
	w.line("{")
	w.line(".reg .b32 %%x0;")
	w.line(".reg .b64 %%d, %%y0;")
	w.line("ld.param.b64 %%d, [a];")
	w.line("ld.param.b64 %%y0, [v];")
	w.line("cvt.u32.u64 %%x0, %%y0;")
	w.line("%s", s.instruction(operand{"%d", 0}))
	w.lines[w.n] = at
	if s.Size < 8 {
		w.line("cvt.u64.u32 %%y0, %%x0;")
	}
	w.line("st.param.b64 [r], %%y0;")
	w.line("ret;")
	w.line("}")
}

// call writes the call of a statement's function.
func (w *writer) call(kernel, i int, s *Stmt, at operand) {
	if s.Space == oracle.Shared && !s.Generic {
		w.line("cvt.u64.u32 %%d, %s;", at.register)
		at.register = "%d"
	}
	w.line("add.u64 %%d, %s, %d;", at.register, at.offset)
	if s.Op == Store && s.Size < 8 {
		w.line("cvt.u64.u32 %%y0, %%x0;")
	}
	w.line("{")
	w.line(".param .b64 pa;")
	w.line(".param .b64 pv;")
	w.line(".param .b64 pr;")
	w.line("st.param.b64 [pa], %%d;")
	w.line("st.param.b64 [pv], %%y0;")
	w.line("call (pr), F%d_%d, (pa, pv);", kernel, i)
	w.line("ld.param.b64 %%y0, [pr];")
	w.line("}")
	if s.Op == Load && s.Size < 8 {
		w.line("cvt.u32.u64 %%x0, %%y0;")
	}
}
