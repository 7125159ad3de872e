package tensor

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// conformanceCase is a line of testdata/cases.jsonl.gz, which generate.py there describes.
type conformanceCase struct {
	Prim   string  `json:"prim"`
	Params Params  `json:"params"`
	In     []array `json:"in"`
	Out    []array `json:"out"`
	ULP    int64   `json:"ulp"`
	Flush  bool    `json:"flush"`
}

type array struct{ Value }

func (a *array) UnmarshalJSON(b []byte) error {
	var parts [3]json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var name, data string
	if err := json.Unmarshal(parts[0], &name); err != nil {
		return err
	}
	d, ok := FindDType(name)
	if !ok {
		return fmt.Errorf("type %s", name)
	}
	a.Type = d
	if err := json.Unmarshal(parts[1], &a.Shape); err != nil {
		return err
	}
	if err := json.Unmarshal(parts[2], &data); err != nil {
		return err
	}
	var err error
	a.Data, err = base64.StdEncoding.DecodeString(data)
	return err
}

func readCases(t testing.TB) []conformanceCase {
	f, err := os.Open("testdata/cases.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var cases []conformanceCase
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c conformanceCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// flush makes zeros of the numbers that XLA on a CPU takes for zero, and of subnormal ones of
// float16 where results may differ.
func flush(v Value, ulp int64) Value {
	least := map[DType]float64{F32: 0x1p-126, BF16: 0x1p-126, F64: 0x1p-1022, F8E8M0FNU: 0x1p-126}[v.Type]
	if v.Type == F16 && ulp > 0 {
		least = 0x1p-14
	}
	w := Make(v.Type, v.Shape)
	copy(w.Data, v.Data)
	for i := range w.Len() {
		if x := v.Float(i); v.Type.Float() && math.Abs(x) < least {
			w.setBits(i, w.Type.encode(math.Copysign(0, x)))
		}
	}
	return w
}

// distance is in units of the last place; NaN is as far from NaN as it is from itself.
func distance(a, b Value, i int) int64 {
	x, y := a.bits(i), b.bits(i)
	if x == y {
		return 0
	}
	if !a.Type.Float() {
		return math.MaxInt64
	}
	p, q := a.Float(i), b.Float(i)
	if p != p || q != q {
		if p != p && q != q {
			return 0
		}
		return math.MaxInt64
	}
	k := totalKeys(Value{Type: a.Type, Data: append(append([]byte(nil), a.Data[i*a.Type.Size():(i+1)*a.Type.Size()]...), b.Data[i*a.Type.Size():(i+1)*a.Type.Size()]...)})
	n := 64 - a.Type.Bits()
	d := k[0]>>n - k[1]>>n
	return max(d, -d)
}

func TestJAXHasTheSameResults(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range readCases(t) {
		seen[c.Prim] = true
		f, ok := Find(c.Prim)
		if !ok {
			t.Errorf("case %d: %s is not known", i, c.Prim)
			continue
		}
		var in []Value
		for _, a := range c.In {
			v := a.Value
			if c.Flush {
				v = flush(v, 0)
			}
			in = append(in, v)
		}
		var types []Type
		for _, a := range c.Out {
			types = append(types, Type{a.Type, a.Shape})
		}
		out, err := f(&c.Params, types, in)
		if err != nil {
			t.Errorf("case %d: %v", i, err)
			continue
		}
		for j, want := range c.Out {
			compareValues(t, fmt.Sprintf("case %d: %s %s result %d", i, c.Prim, describeAll(in), j), out[j], want.Value, in, c)
		}
	}
	if len(seen) < 80 {
		t.Errorf("%d primitives in the cases", len(seen))
	}
}

func describeAll(in []Value) string {
	s := ""
	for _, v := range in {
		s += describe(v.Type, v.Shape) + " "
	}
	return s
}

func compareValues(t *testing.T, what string, got, want Value, in []Value, c conformanceCase) {
	t.Helper()
	if got.Type != want.Type || !sameShape(got.Shape, want.Shape) || len(got.Data) != len(want.Data) {
		t.Errorf("%s: is %s with %d bytes, want %s", what, describe(got.Type, got.Shape), len(got.Data), describe(want.Type, want.Shape))
		return
	}
	if c.Flush {
		got, want = flush(got, c.ULP), flush(want, c.ULP)
	}
	wrong := 0
	for i := range want.Len() {
		d := distance(got, want, i)
		if d <= c.ULP {
			continue
		}
		if wrong++; wrong > 3 {
			continue
		}
		s := ""
		for _, v := range in {
			if v.Len() == want.Len() {
				s += fmt.Sprintf(" %v", v.Float(i))
			}
		}
		t.Errorf("%s: element %d of%s is %v, want %v (%d ulp)", what, i, s, got.Float(i), want.Float(i), d)
	}
	if wrong > 3 {
		t.Errorf("%s: %d elements of %d differ", what, wrong, want.Len())
	}
}
