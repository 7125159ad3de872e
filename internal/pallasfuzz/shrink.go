package pallasfuzz

import "slices"

// Try runs a program and judges it; it also returns the findings as text. One seed gives one report.
func Try(p *Program, how How) (Verdict, string) {
	out, err := Run(p, how)
	if err != nil {
		return Verdict{Wrong: []string{"error: " + err.Error()}}, ""
	}
	v := Judge(p, out, how)
	if again, err := Run(p, how); err != nil || again.Text != out.Text {
		v.Wrong = append(v.Wrong, "two runs differ")
	}
	return v, out.Text
}

// Shrink takes statements away as long as the program fails in the same way.
func Shrink(p *Program, failing func(*Program) bool) *Program {
	for smaller := true; smaller; {
		smaller = false
		for _, size := range []int{8, 3, 1} {
			for t := range p.Code {
				for i := len(p.Code[t]) - size; i >= 0; i-- {
					if i+size > len(p.Code[t]) {
						continue
					}
					if slices.ContainsFunc(p.Code[t][i:i+size], func(s Stmt) bool { return s.Op == Enter || s.Op == Exit }) {
						continue
					}
					q := p.clone()
					q.Code[t] = slices.Delete(q.Code[t], i, i+size)
					if failing(q) {
						p, smaller = q, true
					}
				}
			}
		}
		for t := range p.Code {
			for i := range p.Code[t] {
				for w := range p.Code[t][i].Warps {
					for k := len(p.Code[t][i].Warps[w]) - 1; k >= 0; k-- {
						q := p.clone()
						q.Code[t][i].Warps[w] = slices.Delete(q.Code[t][i].Warps[w], k, k+1)
						if failing(q) {
							p, smaller = q, true
						}
					}
				}
			}
		}
	}
	return p
}

// clone copies the statements; their sites stay.
func (p *Program) clone() *Program {
	q := *p
	q.Code = cloned(p.Code)
	return &q
}

func cloned(list [][]Stmt) [][]Stmt {
	out := make([][]Stmt, len(list))
	for i := range list {
		out[i] = slices.Clone(list[i])
		for k := range out[i] {
			if out[i][k].Warps != nil {
				out[i][k].Warps = cloned(out[i][k].Warps)
			}
		}
	}
	return out
}
