package tensor

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParamsInJSON(t *testing.T) {
	fill := 1.5
	want := Params{
		Axes: []int{0, 2}, Dim: 1, Sizes: []int{3}, Start: []int{4}, Strides: []int{5}, Y: -2, Dot: [4][]int{{1}, {0}, {2}, {3}}, Padding: [][3]int{{1, -2, 0}}, Reverse: true,
		Keys: 2, Exponent: 5, Mantissa: 10,
		Gather: &Indexing{Window: []int{1}, Collapsed: []int{0}, Map: []int{0}, Batch: []int{2}, IndexBatch: []int{1}, Mode: "fill", Fill: &fill},
	}
	text := `{"axes":[0,2],"dim":1,"sizes":[3],"start":[4],"strides":[5],"y":-2,"dot":[[1],[0],[2],[3]],"padding":[[1,-2,0]],"reverse":true,"keys":2,"exponent":5,"mantissa":10,
		"gather":{"window":[1],"collapsed":[0],"map":[0],"batch":[2],"index_batch":[1],"mode":"fill","fill":1.5}}`
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	var got Params
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if b, err := json.Marshal(Params{}); err != nil || string(b) != "{}" {
		t.Errorf("%s %v", b, err)
	}
}

func TestErrorsSayWhatDoesNotFit(t *testing.T) {
	a := Make(F32, []int{2, 3})
	for _, c := range []struct {
		name string
		p    *Params
		out  []Type
		in   []Value
		want string
	}{
		{"add", nil, []Type{{F32, []int{2, 3}}}, []Value{a, Make(I32, nil)}, "add: operands are float32 and int32"},
		{"add", nil, []Type{{F32, []int{2, 3}}}, []Value{a, Make(F32, []int{3})}, "add: operands float32[2,3] and float32[3] do not give float32[2,3]"},
		{"add", nil, []Type{{F32, nil}}, []Value{a}, "add: 1 operands, it takes 2"},
		{"and", nil, []Type{{F32, []int{2, 3}}}, []Value{a, a}, "and: not defined for float32"},
		{"reshape", nil, []Type{{F32, []int{7}}}, []Value{a}, "reshape: float32[7] is not float32[2,3] reshaped"},
		{"transpose", &Params{Axes: []int{0, 0}}, []Type{{F32, []int{2, 3}}}, []Value{a}, "transpose: [0 0] is no permutation of the dimensions of float32[2,3]"},
		{"concatenate", &Params{Dim: 2}, []Type{{F32, []int{2, 3}}}, []Value{a}, "concatenate: float32[2,3] has no dimension 2"},
		{"neg", nil, []Type{{F32, []int{2, 3}}}, []Value{{Type: F32, Shape: []int{2, 3}, Data: make([]byte, 8)}}, "neg: operand 0: 8 bytes for float32[2,3]"},
		{"neg", nil, []Type{{99, nil}}, []Value{a}, "neg: result 0: type 99 is not known"},
		{"iota", nil, []Type{{F64, []int{1 << 20, 1 << 20}}}, nil, "iota: result 0: float64[1048576,1048576] is too large"},
		{"gather", nil, []Type{{F32, nil}}, []Value{a, Make(I32, []int{1})}, "gather: dimension numbers are missing"},
	} {
		f, _ := Find(c.name)
		if _, err := f(c.p, c.out, c.in); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, ok := Find("conv_general_dilated"); ok {
		t.Error("conv_general_dilated is known")
	}
}

func TestThePackageCommentNamesEveryPrimitive(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "# Primitives")
	list, _, _ = strings.Cut(list, "# Numerics")
	words := strings.Fields(list)
	for name := range table {
		if !slices.Contains(words, name) {
			t.Errorf("%s is not there", name)
		}
	}
}
