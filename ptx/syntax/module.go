package syntax

import (
	"strconv"
	"strings"
)

// alias is an .alias directive; its names are bound at the end.
type alias struct {
	pos        Pos
	name, main string
}

// parseModule reads the directives of the outermost level.
func (p *parser) parseModule() {
	p.read("the module", "")
	if p.directive() != ".version" {
		p.unexpected("the .version directive that every PTX text begins with")
		p.bad = false
		if p.tok.kind == tokEOF || p.tok.kind == tokBad {
			p.stop() // not PTX at all: one error says it
			return
		}
	}
	for p.tok.kind != tokEOF {
		p.read("the module", "")
		start := p.tok.off
		p.moduleStatement()
		if p.bad {
			p.recoverModule(start)
		}
	}
}

// recoverModule passes over what is left of the wrong directive at start, a function's body included.
func (p *parser) recoverModule(start int) {
	for {
		switch p.tok.kind {
		case tokEOF:
			p.bad = false
			return
		case ';':
			p.bad = false
			p.next()
			return
		case '{':
			if p.opensList() {
				break
			}
			p.bad = false
			if !p.lex.skipBraces() {
				p.stop()
				return
			}
			p.next()
			return
		case tokDirective:
			if p.tok.off != start && startsStatement[p.text(p.tok)] && p.startsLine(p.tok) {
				p.bad = false
				return
			}
		}
		p.next()
	}
}

// startsLine tells whether only white space stands before t in its line.
func (p *parser) startsLine(t token) bool {
	for i := t.off - 1; i >= 0 && p.lex.src[i] != '\n'; i-- {
		if !is(p.lex.src[i], classSpace) {
			return false
		}
	}
	return true
}

// startsStatement are the directives that recovery takes, at the start of a line, for the beginning
// of something new.
var startsStatement = map[string]bool{".visible": true, ".extern": true, ".weak": true, ".common": true, ".entry": true,
	".func": true, ".version": true, ".target": true, ".address_size": true, ".pragma": true, ".global": true, ".const": true, ".shared": true, ".section": true, ".file": true, ".alias": true}

var linkageByName = map[string]Linkage{".extern": LinkExtern, ".visible": LinkVisible, ".weak": LinkWeak, ".common": LinkCommon}

var spaceByName = map[string]Space{".reg": SpaceReg, ".global": SpaceGlobal, ".shared": SpaceShared, ".const": SpaceConst,
	".local": SpaceLocal, ".param": SpaceParam, ".tex": SpaceTex}

func (p *parser) moduleStatement() {
	at := p.tok
	if at.kind == ';' {
		p.next()
		return
	}
	word := p.directive()
	if word == "" {
		p.unexpected("a directive")
		p.next()
		return
	}
	link := linkageByName[word]
	if link != LinkNone {
		p.next()
		word = p.directive()
	}
	space := spaceByName[word]
	switch {
	case word == ".entry" || word == ".func":
		p.next()
		p.function(link, word == ".entry")
	case space == SpaceGlobal || space == SpaceConst || space == SpaceShared || space == SpaceTex:
		p.next()
		p.variables(link, space)
	case link != LinkNone:
		p.unexpected("a function or variable after " + p.text(at))
	case space != SpaceNone:
		p.fail(at, "a "+word+" declaration outside of a function")
	default:
		p.moduleDirective(word)
	}
}

func (p *parser) moduleDirective(word string) {
	at := p.tok
	p.read("the directive", word)
	p.next()
	switch word {
	case ".version":
		if p.module.Version != "" {
			p.fail(at, "a second one: several modules in one text must be given as several files")
			return
		}
		p.module.Version = p.version()
	case ".target":
		p.target(at)
	case ".address_size":
		size := p.integer("32 or 64", 32, 64)
		if size != 32 && size != 64 {
			p.fail(at, "the size must be 32 or 64")
		}
		p.module.AddressSize = int(size)
	case ".file":
		p.fileDirective()
	case ".section":
		p.section()
	case ".loc": // belongs to no instruction here
		p.location()
	case ".pragma":
		p.module.Pragmas = append(p.module.Pragmas, p.pragma()...)
	case ".alias":
		a := alias{pos: p.pos(at)}
		a.name, _ = p.identifier("the alias")
		p.expect(',')
		a.main, _ = p.identifier("the function it stands for")
		p.expect(';')
		if !p.bad {
			p.aliases = append(p.aliases, a)
		}
	default:
		p.fail(at, "unknown here")
	}
}

// version reads "7.8", a floating-point token.
func (p *parser) version() string {
	t := p.tok
	major, minor, ok := strings.Cut(p.text(t), ".")
	if t.kind != tokFloat || !ok || !isNumber(major) || !isNumber(minor) {
		p.unexpected("a version like 7.8")
		return ""
	}
	p.next()
	return p.text(t)
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// target reads "sm_90a, debug": the architecture and options, in any order.
func (p *parser) target(at token) {
	for {
		word, t := p.identifier("an architecture like sm_80")
		if p.bad {
			return
		}
		if digits, ok := strings.CutPrefix(word, "sm_"); ok {
			arch, err := strconv.Atoi(strings.TrimRight(digits, "af"))
			if err != nil || arch <= 0 || arch > 9999 {
				p.fail(t, "unknown architecture "+word)
				return
			}
			p.module.Target, p.module.Arch = word, arch
		} else {
			p.module.TargetOpts = append(p.module.TargetOpts, word)
		}
		if !p.accept(',') {
			break
		}
	}
	if p.module.Target == "" {
		p.fail(at, "no architecture like sm_80")
	}
}

// pragma reads the rest of a .pragma directive.
func (p *parser) pragma() []string {
	var list []string
	for !p.bad {
		list = append(list, p.stringLiteral("a string"))
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
	return list
}

// finish binds what could only be known at the end of the text.
func (p *parser) finish() {
	p.read("the module", "")
	if len(p.errors) == 0 {
		if p.module.Target == "" {
			p.report(p.tok, "no .target directive")
		}
	}
	for _, r := range p.inits {
		sym, ok := p.globals[r.name]
		if !ok {
			p.read("the initialiser of", r.v.Name)
			p.reportPos(r.pos, "undeclared name "+r.name)
			continue
		}
		r.v.Init[r.index].Var, r.v.Init[r.index].Func = sym.v, sym.fn
	}
	for _, a := range p.aliases {
		p.read("the directive", ".alias")
		from, to := p.globals[a.name].fn, p.globals[a.main].fn
		switch {
		case from == nil:
			p.reportPos(a.pos, "undeclared function "+a.name)
		case to == nil:
			p.reportPos(a.pos, "undeclared function "+a.main)
		case from == to || !from.Decl:
			p.reportPos(a.pos, "the function "+a.name+" cannot be an alias")
		default:
			from.AliasOf = to
		}
	}
	if len(p.errors) == 0 {
		p.debug.resolve(p.module)
	}
	p.debug.explain(p.module)
}
