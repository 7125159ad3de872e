package pallasfuzz

import (
	"fmt"
	"slices"
	"strings"

	"gpusim/kernel"
)

// Verdict is what is wrong with a run, and what the run was.
type Verdict struct {
	Wrong []string // in order; empty if all is as it should be
	Races int      // that are reported
	Clean bool     // complete, without a race or an uninitialised read
	Ended string   // how it ended
}

// Judge compares a run with the rules.
func Judge(p *Program, out *Outcome, how How) Verdict {
	m := newModel(p, out)
	m.blind = how.Blind
	m.follow()
	m.end()
	reported, uninit := map[Pair][]kernel.Edge{}, map[read]bool{}
	v := Verdict{Ended: out.Result.Stopped}
	for _, f := range out.Findings {
		switch f.Kind {
		case kernel.DataRace:
			if len(f.Accesses) != 2 { // with the end of a kernel
				continue
			}
			p := pairOf(f.Accesses[0].Source.Line, f.Accesses[1].Source.Line, f.Object, f.Severity)
			reported[p] = append(reported[p], f.Edge)
		case kernel.UninitializedRead:
			site := f.Accesses[0].Source.Line
			if s := p.at(site); s != nil {
				site = s.uninitialisedAt()
			}
			uninit[read{site, f.Object}] = true
		}
	}
	v.Races = len(reported)
	if how.Blind {
		if len(reported) > 0 {
			m.fail("races are reported without race detection")
		}
		v.Wrong = m.wrong
		return v
	}
	m.wrong = append(m.wrong, m.races(reported)...)
	if out.Result.Complete {
		m.outlasting()
	}
	if len(reported) == 0 && out.Result.Complete {
		v.Clean = len(uninit) == 0
		for r := range m.uninit {
			if !uninit[r] {
				m.fail("uninitialised read not reported: %v", r)
			}
		}
		for r := range uninit {
			if !m.uninit[r] {
				m.fail("uninitialised read reported: %v", r)
			}
		}
		for _, s := range m.values {
			m.fail("a wrong value: %s", s)
		}
		m.host()
	}
	slices.Sort(m.wrong)
	v.Wrong = slices.Compact(m.wrong)
	return v
}

// host compares the memory of the host.
func (m *model) host() {
	i := 0
	for d := range m.p.Devices {
		for b := range m.p.Bufs {
			if !m.p.Bufs[b].Host {
				break
			}
			c := m.contents(home{-1, -1, -1, d, b}, side*m.p.Grid)
			if !same(c.data, m.out.Host[i]) {
				m.fail("%s of device %d holds %v, should hold %v", m.p.Bufs[b].Name, d, m.out.Host[i], c.data)
			}
			i++
		}
	}
}

// Class is the first word or two of what is wrong: what shrinking keeps.
func (v *Verdict) Class() string {
	if len(v.Wrong) == 0 {
		return ""
	}
	f := strings.FieldsFunc(v.Wrong[0], func(r rune) bool { return r == ':' || r == ',' })
	return f[0]
}

func (v *Verdict) String() string {
	return fmt.Sprintf("ended %q, %d races\n  %s", v.Ended, v.Races, strings.Join(v.Wrong, "\n  "))
}
