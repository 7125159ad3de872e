package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Whatever comes in, a primitive gives a result of the type asked for or an error.
func TestBadInputGivesErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	good := map[string]int{}
	for _, name := range names {
		f, _ := Find(name)
		for range 3000 {
			in, out, p := randomOperands(r), randomTypes(r), randomParams(r)
			if r.IntN(2) == 0 && len(in) > 0 { // operands that fit each other get further
				for i := range in {
					in[i] = randomValue(r, in[0].Type, in[0].Shape)
				}
				if r.IntN(2) == 0 {
					out = []Type{{in[0].Type, in[0].Shape}}
				}
			}
			func() {
				defer func() {
					if e := recover(); e != nil {
						t.Fatalf("%s %+v %v %v: panic: %v", name, p, out, describeAll(in), e)
					}
				}()
				vs, err := f(p, out, in)
				if err != nil {
					if !strings.HasPrefix(err.Error(), name+": ") {
						t.Fatalf("%s: error %q does not name it", name, err)
					}
					return
				}
				good[name]++
				for i, v := range vs {
					if v.Type != out[i].DType || !slices.Equal(v.Shape, out[i].Shape) || len(v.Data) != Count(v.Shape)*v.Type.Size() {
						t.Fatalf("%s %+v %v: %s with %d bytes, want %s", name, p, describeAll(in), describe(v.Type, v.Shape), len(v.Data), out[i])
					}
				}
			}()
		}
	}
	for _, name := range []string{"add", "neg", "reshape", "convert_element_type", "sort", "copy", "clamp"} {
		if good[name] == 0 {
			t.Errorf("no operands were good for %s, so that the test shows little", name)
		}
	}
}

func randomType(r *rand.Rand) DType {
	if r.IntN(20) == 0 {
		return DType(r.IntN(256))
	}
	return []DType{F32, I32, Bool, BF16, U8, I4, F64, F8E4M3FN, F4E2M1FN, DType(r.IntN(int(dtypeCount)))}[r.IntN(10)]
}

func randomShape(r *rand.Rand) []int {
	s := make([]int, r.IntN(4))
	for i := range s {
		s[i] = []int{0, 1, 2, 3, 4, 1, 2, 3, 4, -1}[r.IntN(10)]
		if r.IntN(60) == 0 {
			s[i] = []int{math.MaxInt, 1 << 40, math.MinInt}[r.IntN(3)]
		}
	}
	return s
}

func randomValue(r *rand.Rand, d DType, shape []int) Value {
	if checkType(d, shape) != nil || Count(shape) > 1000 {
		return Value{Type: d, Shape: shape}
	}
	v := Make(d, shape)
	for i := range v.Len() {
		v.setBits(i, []uint64{r.Uint64(), uint64(r.IntN(4))}[r.IntN(2)])
	}
	if r.IntN(30) == 0 && len(v.Data) > 0 {
		v.Data = v.Data[1:]
	}
	return v
}

func randomOperands(r *rand.Rand) []Value {
	in := make([]Value, r.IntN(5))
	for i := range in {
		in[i] = randomValue(r, randomType(r), randomShape(r))
	}
	return in
}

func randomTypes(r *rand.Rand) []Type {
	out := make([]Type, 1+r.IntN(5)/3)
	for i := range out {
		for {
			out[i] = Type{randomType(r), randomShape(r)}
			if n := out[i]; checkType(n.DType, n.Shape) != nil || Count(n.Shape) < 1000 {
				break
			}
		}
	}
	return out
}

func randomInts(r *rand.Rand) []int {
	s := make([]int, r.IntN(4))
	for i := range s {
		s[i] = randomInt(r)
	}
	return s
}

func randomInt(r *rand.Rand) int {
	if r.IntN(30) == 0 {
		return []int{math.MaxInt, math.MinInt, 1 << 40, -1 << 40}[r.IntN(4)]
	}
	return r.IntN(6) - 1
}

func randomParams(r *rand.Rand) *Params {
	if r.IntN(50) == 0 {
		return nil
	}
	p := &Params{Axes: randomInts(r), Dim: randomInt(r), Sizes: randomInts(r), Start: randomInts(r), Strides: randomInts(r), Y: randomInt(r), Reverse: r.IntN(2) == 0,
		Keys: randomInt(r), Exponent: randomInt(r), Mantissa: randomInt(r), Dot: [4][]int{randomInts(r), randomInts(r), randomInts(r), randomInts(r)}}
	for range r.IntN(4) {
		p.Padding = append(p.Padding, [3]int{randomInt(r), randomInt(r), randomInt(r)})
	}
	if r.IntN(4) != 0 {
		p.Gather = &Indexing{Window: randomInts(r), Collapsed: randomInts(r), Map: randomInts(r), Mode: []string{"", "clip", "fill", "drop", "odd"}[r.IntN(5)]}
		if r.IntN(4) == 0 {
			p.Gather.Batch, p.Gather.IndexBatch = randomInts(r), randomInts(r)
		}
	}
	return p
}

func TestMatMulRefusesWhatDoesNotFit(t *testing.T) {
	a, b := Make(F32, []int{2, 3}), Make(F32, []int{3, 4})
	acc := Make(F32, []int{2, 4})
	bad := Make(BF16, []int{2, 4})
	for i, f := range []func() (Value, error){
		func() (Value, error) { return MatMul(nil, b, a, F32) },
		func() (Value, error) { return MatMul(nil, a, b, Bool) },
		func() (Value, error) { return MatMul(nil, a, b, DType(200)) },
		func() (Value, error) { return MatMul(&bad, a, b, F32) },
		func() (Value, error) { return MatMul(nil, a.WithShape([]int{6}), b, F32) },
		func() (Value, error) { return MatMul(nil, a.WithShape([]int{3, 3}), b, F32) },
		func() (Value, error) { return MatMul(&a, a, b, F32) },
	} {
		if v, err := f(); err == nil {
			t.Errorf("%d: no error but %v", i, v)
		}
	}
	if _, err := MatMul(&acc, a, b, F32); err != nil {
		t.Error(err)
	}
	empty, err := MatMul(nil, Make(F16, []int{2, 0}), Make(F16, []int{0, 2}), F32)
	if err != nil || fmt.Sprint(As[float32](empty)) != "[0 0 0 0]" {
		t.Error(empty, err)
	}
}

// Good equations with something changed get further than what is made up.
func TestChangedEquationsGiveErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i, c := range readCases(t) {
		f, _ := Find(c.Prim)
		for range 20 {
			var in []Value
			for _, a := range c.In {
				in = append(in, a.Value)
			}
			var out []Type
			for _, a := range c.Out {
				out = append(out, Type{a.Type, a.Shape})
			}
			p := c.Params
			for range 1 + r.IntN(2) {
				change(r, &p, out, in)
			}
			func() {
				defer func() {
					if e := recover(); e != nil {
						t.Fatalf("case %d: %s %+v %+v %v %v: panic: %v", i, c.Prim, p, p.Gather, out, describeAll(in), e)
					}
				}()
				vs, err := f(&p, out, in)
				for j, v := range vs {
					if err == nil && (v.Type != out[j].DType || !slices.Equal(v.Shape, out[j].Shape) || len(v.Data) != Count(v.Shape)*v.Type.Size()) {
						t.Fatalf("case %d: %s: %s with %d bytes, want %s", i, c.Prim, describe(v.Type, v.Shape), len(v.Data), out[j])
					}
				}
			}()
		}
	}
}

// change changes one thing of an equation.
func change(r *rand.Rand, p *Params, out []Type, in []Value) {
	lists := []*[]int{&p.Axes, &p.Sizes, &p.Start, &p.Strides, &p.Dot[0], &p.Dot[1], &p.Dot[2], &p.Dot[3]}
	if p.Gather != nil {
		g := *p.Gather
		p.Gather = &g
		lists = append(lists, &g.Window, &g.Collapsed, &g.Map, &g.Batch, &g.IndexBatch, &g.Window, &g.Collapsed, &g.Map)
	}
	switch r.IntN(7) {
	case 0:
		l := lists[r.IntN(len(lists))]
		*l = changeList(r, *l)
	case 1:
		l := lists[r.IntN(len(lists))]
		if len(*l) > 0 {
			*l = changeList(r, *l)
		}
	case 2:
		*[]*int{&p.Dim, &p.Y, &p.Keys, &p.Exponent, &p.Mantissa}[r.IntN(5)] = randomInt(r)
	case 3:
		p.Padding = slices.Clone(p.Padding)
		if len(p.Padding) > 0 {
			p.Padding[r.IntN(len(p.Padding))][r.IntN(3)] = randomInt(r)
		}
	case 4:
		o := &out[r.IntN(len(out))]
		if r.IntN(3) == 0 {
			o.DType = randomType(r)
		} else if shape := changeList(r, o.Shape); checkType(F64, shape) != nil || Count(shape) < 1e5 {
			o.Shape = shape
		}
	case 5:
		if len(in) == 0 {
			return
		}
		v := &in[r.IntN(len(in))]
		if r.IntN(3) == 0 {
			*v = randomValue(r, randomType(r), v.Shape)
		} else {
			*v = randomValue(r, v.Type, changeList(r, v.Shape))
		}
	case 6:
		if len(in) > 0 {
			v := &in[r.IntN(len(in))]
			*v = randomValue(r, v.Type, v.Shape)
		}
	}
}

// changeList is a list with an element changed, added or left out.
func changeList(r *rand.Rand, s []int) []int {
	s = slices.Clone(s)
	switch i := r.IntN(len(s) + 1); {
	case i == len(s):
		return append(s, randomInt(r))
	case r.IntN(3) == 0:
		return slices.Delete(s, i, i+1)
	default:
		s[i] = randomInt(r)
	}
	return s
}
