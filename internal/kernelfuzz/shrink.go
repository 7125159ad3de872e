package kernelfuzz

import "slices"

// Shrink takes away launches, statements and ornaments as long as the program fails in the same way.
// Where barriers are kept, nothing hangs that did not hang before.
func Shrink(p *Program, keepBarriers bool, failing func(*Program) bool) *Program {
	for len(p.Kernels) > 1 {
		q := *p
		q.Kernels = p.Kernels[:len(p.Kernels)-1]
		if !failing(&q) {
			break
		}
		p = &q
	}
	for smaller := true; smaller; {
		smaller = false
		for k := range p.Kernels {
			for i := len(p.Kernels[k].Stmts) - 2; i >= 0; i-- { // the last one leaves the checksum
				if op := p.Kernels[k].Stmts[i].Op; keepBarriers && (op == Barrier || op == WarpSync || op == Exit || op == Jump) {
					continue
				}
				if q := p.without(k, i); failing(q) {
					p, smaller = q, true
				}
			}
		}
	}
	for k := range p.Kernels {
		for i := range p.Kernels[k].Stmts {
			q := p.clone()
			s := &q.Kernels[k].Stmts[i]
			s.Yield, s.Around, s.Call, s.Generic, s.Sum = false, false, false, false, false
			if failing(q) {
				p = q
			}
		}
	}
	return p
}

func (p *Program) clone() *Program {
	q := *p
	q.Kernels = slices.Clone(p.Kernels)
	for k := range q.Kernels {
		q.Kernels[k].Stmts = slices.Clone(q.Kernels[k].Stmts)
	}
	return &q
}

// without is the program without one statement.
func (p *Program) without(kernel, stmt int) *Program {
	q := p.clone()
	k := &q.Kernels[kernel]
	k.Stmts = slices.Delete(k.Stmts, stmt, stmt+1)
	for i := range k.Stmts {
		if s := &k.Stmts[i]; s.Op == Jump && s.Target > stmt {
			s.Target--
		}
	}
	return q
}
