package lower

import (
	"slices"

	"gpusim/ptx/alu"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// wmmaShapes are the shapes of wmma by the type of a (PTX ISA, "Matrix Shape").
var wmmaShapes = map[string][]string{
	"f16": {"m16n16k16", "m8n32k16", "m32n8k16"}, "bf16": {"m16n16k16", "m8n32k16", "m32n8k16"},
	"s8": {"m16n16k16", "m8n32k16", "m32n8k16"}, "u8": {"m16n16k16", "m8n32k16", "m32n8k16"},
	"tf32": {"m16n16k8"}, "f64": {"m8n8k4"}, "s4": {"m8n8k32"}, "u4": {"m8n8k32"}, "b1": {"m8n8k128"},
}

// wmma lowers wmma.load, wmma.store and wmma.mma.
func (b *builder) wmma(in *syntax.Inst) {
	switch in.Mods[0] {
	case "load":
		b.wmmaMemory(in, false)
	case "store":
		b.wmmaMemory(in, true)
	case "mma":
		b.wmmaMultiply(in)
	default:
		b.unsupported("wmma.%s is not supported", in.Mods[0])
	}
}

// wmmaFragment is how a warp holds the matrix a, b or c (d) of a shape. The ISA leaves the
// layout open, except for the number of registers. Here a lane holds consecutive elements,
// lanes in row order; a .f16 fragment of a or b always has 8 registers, so that elements
// are held several times.
func wmmaFragment(which string, m, n, k int, typ string) *fragment {
	rows, cols := m, n
	switch which {
	case "a":
		cols = k
	case "b":
		rows = k
	}
	bits := tensorBits(typ)
	if typ == "b1" { // words
		bits = 32
		if which == "a" {
			cols /= 32
		} else if which == "b" {
			rows /= 32
		}
	}
	per := max(32/bits, 1)
	own := rows * cols / 32
	regs := max(own/per, 1)
	if typ == "f16" && which != "c" {
		regs = 8
	}
	return &fragment{rows, cols, regs, per, bits, func(lane, i int) (int, int) {
		e := lane*own + i%own
		return e / cols, e % cols
	}}
}

func (b *builder) wmmaMultiply(in *syntax.Inst) {
	x := parseMatrix(in.Mods)
	if len(x.types) == 2 { // .f16 has .dtype.ctype only
		x.d, x.a, x.b, x.c = x.types[0], "f16", "f16", x.types[1]
	}
	if len(x.rest) > 0 || x.d == "" || len(x.layouts) != 2 || len(in.Args) != 4 {
		b.unsupported("this form of wmma.mma is not supported")
		return
	}
	if !slices.Contains(wmmaShapes[x.a], x.shape) {
		b.unsupported("no such form: .%s has no shape .%s", x.a, x.shape)
		return
	}
	op, err := alu.LookupMMA(x.d, x.a, x.b, x.c, x.flags...)
	if err != nil {
		b.unsupported("%v", err)
		return
	}
	k := x.k
	if x.a == "b1" {
		k /= 32
	}
	b.multiply(in, wmmaFragment("a", x.m, x.n, x.k, x.a), wmmaFragment("b", x.m, x.n, x.k, x.b), wmmaFragment("c", x.m, x.n, x.k, x.c),
		wmmaFragment("c", x.m, x.n, x.k, x.d), op, k)
}

func (b *builder) wmmaMemory(in *syntax.Inst, store bool) {
	x := parseMatrix(in.Mods[2:])
	which := in.Mods[1]
	for i := 0; i < len(x.rest); { // the state space is in rest
		if _, ok := spaceNames[x.rest[i]]; ok {
			x.rest = slices.Delete(x.rest, i, i+1)
		} else {
			i++
		}
	}
	if store && which == "d" {
		which = "c"
	}
	if len(x.rest) > 0 || len(x.layouts) != 1 || len(x.types) != 1 || len(in.Args) < 2 || len(in.Args) > 3 || !slices.Contains([]string{"a", "b", "c"}, which) || store && which != "c" {
		b.unsupported("this form of wmma.%s is not supported", in.Mods[0])
		return
	}
	typ := x.types[0]
	if !wmmaHas(which, typ, x.shape) {
		b.unsupported("no such form: there is no .%s of .%s and shape .%s", which, typ, x.shape)
		return
	}
	f := wmmaFragment(which, x.m, x.n, x.k, typ)
	ai, di := 1, 0
	if store {
		ai, di = 0, 1
	}
	mem := &vm.Mem{Write: store, Opaque: true, Size: max(f.bits/8, 1)}
	b.addr(&in.Args[ai], mem)
	mem.Space, _ = spaceNamed(in.Mods)
	regs := b.fragmentRegs(&in.Args[di], f, !store)
	w := &vm.Wide{In: []vm.Reg{mem.Base, {}}}
	row := x.layouts[0] == "row"
	tile := &vm.Tile{Mem: mem, Bits: f.bits, Runs: f.rows, Length: f.cols, HasStride: len(in.Args) == 3}
	if !row {
		tile.Runs, tile.Length = f.cols, f.rows
	}
	if typ == "b1" {
		tile.StrideUnit = 32
	}
	if tile.HasStride {
		w.In[1] = b.value(&in.Args[2], 32, false)
	}
	places := f.places()
	tile.Lane = func(run, at int) []vm.Place {
		if row {
			return places[run*f.cols+at]
		}
		return places[at*f.cols+run]
	}
	w.Tile = tile
	if store {
		w.In = append(w.In, regs...)
	} else {
		w.Out = regs
	}
	mem.Site = b.site(race.SiteInfo{Read: !store, Write: store, Elem: mem.Size})
	b.wide(in, w)
}

// places are, for each element row after row, the registers that hold it.
func (f *fragment) places() [][]vm.Place {
	out := make([][]vm.Place, f.rows*f.cols)
	for l := range 32 {
		for i := range f.regs * f.per {
			row, col := f.at(l, i)
			e := row*f.cols + col
			out[e] = append(out[e], vm.Place{Lane: l, Reg: i / f.per, Bit: i % f.per * f.bits})
		}
	}
	return out
}

// wmmaHas tells whether a matrix of a type belongs to a shape.
func wmmaHas(which, typ, shape string) bool {
	if which != "c" {
		return slices.Contains(wmmaShapes[typ], shape)
	}
	for a, shapes := range wmmaShapes {
		if !slices.Contains(shapes, shape) {
			continue
		}
		switch a {
		case "f16":
			if typ == "f16" || typ == "f32" {
				return true
			}
		case "bf16", "tf32":
			if typ == "f32" {
				return true
			}
		case "f64":
			if typ == "f64" {
				return true
			}
		default:
			if typ == "s32" {
				return true
			}
		}
	}
	return false
}
