package schema_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"gpusim/docs/schema"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/report"
)

func compile(t *testing.T, text []byte) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s, doc.(map[string]any)
}

// read reads YAML as the validator wants it; what JSON has no number for becomes a word.
func read(text []byte) (any, error) {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	var convert func(v any) any
	convert = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = convert(v[k])
			}
		case []any:
			for i := range v {
				v[i] = convert(v[i])
			}
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return strings.ToLower(fmt.Sprint(v))
			}
		}
		return v
	}
	return convert(v), nil
}

// TestLaunchFiles validates every launch file of the project.
func TestLaunchFiles(t *testing.T) {
	s, _ := compile(t, schema.Launch)
	n := 0
	for _, pattern := range []string{"../../examples/*/*.yaml", "../../bench/kernels/*.yaml", "../../testdata/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			n++
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			v, err := read(text)
			if err == nil {
				err = s.Validate(v)
			}
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if n < 250 {
		t.Errorf("only %d launch files", n)
	}
}

// TestDocumented validates the launch file of the documentation.
func TestDocumented(t *testing.T) {
	s, _ := compile(t, schema.Launch)
	text, err := os.ReadFile("../launch-files.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	v, err := read([]byte(example))
	if err == nil {
		err = s.Validate(v)
	}
	if !ok || err != nil {
		t.Errorf("%v in\n%s", err, example)
	}
}

const base = `program: a.ptx
buffers:
  a: {dtype: f32, shape: [4, 4]}
launches:
  - {grid: [1], block: [32], args: [a]}
`

// TestLaunchSchema compares the schema's verdict on single changes with what it should be.
func TestLaunchSchema(t *testing.T) {
	s, _ := compile(t, schema.Launch)
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"", "", true},
		{"a.ptx", "[a.ptx, b.cu]", true},
		{"a.ptx", "a.exe", false},
		{"program: a.ptx\n", "", false},
		{"program", "programme", false},
		{"dtype: f32", "dtype: f23", false},
		{"[4, 4]}", "4}", true},
		{"[4, 4]}", "[4, 0]}", false},
		{"[4, 4]}", "[]}", false},
		{"[4, 4]}", "[4], init: none}", true},
		{"[4, 4]}", "[4], init: nothing}", false},
		{"[4, 4]}", "[4], init: {fill: .inf}}", true},
		{"[4, 4]}", "[4], init: {fill: x}}", false},
		{"[4, 4]}", "[4], init: {range: {start: 1}}}", true},
		{"[4, 4]}", "[4], init: {random: {seed: 1, low: 0}}}", false},
		{"[4, 4]}", "[4], init: {random: {seed: 1, low: -1, high: 1.5}}}", true},
		{"[4, 4]}", "[4], init: {values: [[1, 2], [3, .nan]]}}", true},
		{"[4, 4]}", "[4], init: {npy: a.npy, fill: 1}}", false},
		{"[4, 4]}", "[4], init: {addresses: [a, {buffer: a, offset: -4}]}}", true},
		{"[4, 4]}", "[4], symbol: table}", true},
		{"grid: [1]", "grid: [1, 2, 3, 4]", false},
		{"grid: [1]", "grid: 7", true},
		{"grid: [1], ", "", false},
		{"args: [a]", "free: a", false},
		{"{grid: [1], block: [32], args: [a]}", "{free: a}", true},
		{"[a]", "[a, {u32: 5}, {f16: -.inf}, {bytes: 00ff}, {shared: 64}, {buffer: a, offset: 8}]", true},
		{"[a]", "[{u33: 5}]", false},
		{"[a]", "[5]", false},
		{"[a]", "[{u32: 5, i32: 5}]", false},
		{"[a]", "[{pad: 4}]", false},
		{"[a]", "[{struct: [{buffer: a}, {pad: 4}, {struct: [{i8: 1}]}]}]", true},
		{"[a]", "[{bytes: 0f0}]", false},
		{"launches", "expect: {a: {fill: 0, rtol: 1e-5}}\nlaunches", true},
		{"launches", "expect: {a: {rtol: 1e-5}}\nlaunches", false},
		{"launches", "expect: {a: {fill: 0, npy: a.npy}}\nlaunches", false},
		{"launches", "compile: {arch: sm_90, flags: [-O2]}\nlaunches", true},
		{"launches", "compile: {arc: sm_90}\nlaunches", false},
	} {
		text := strings.Replace(base, c.from, c.to, 1)
		v, err := read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != c.ok {
			t.Errorf("%s: valid %v, want %v: %v", c.to, err == nil, c.ok, err)
		}
	}
}

// TestWords compares the words of the schemas with those of the code.
func TestWords(t *testing.T) {
	_, l := compile(t, schema.Launch)
	_, r := compile(t, schema.Report)
	var dtypes, kinds []any
	for _, d := range launch.DTypes {
		dtypes = append(dtypes, d.Name)
	}
	for _, k := range kernel.Kinds {
		kinds = append(kinds, string(k))
	}
	at := func(v any, path ...string) any {
		for _, p := range path {
			v = v.(map[string]any)[p]
		}
		return v
	}
	finding := at(r, "$defs", "finding", "properties")
	for _, c := range []struct {
		got  any
		want []any
	}{
		{at(l, "$defs", "dtype", "enum"), dtypes},
		{at(finding, "kind", "enum"), kinds},
		{at(finding, "severity", "enum"), []any{kernel.Error.String(), kernel.Warning.String(), kernel.Info.String()}},
		{at(finding, "edge", "enum"), []any{"", string(kernel.NoBarrier), string(kernel.Scoped), string(kernel.NoRelease), string(kernel.NoAcquire),
			string(kernel.ProxyFence), string(kernel.NoWait), string(kernel.ReadOnly)}},
		{at(finding, "space", "enum"), []any{"", kernel.Generic.String(), kernel.Global.String(), kernel.Shared.String(), kernel.Local.String(),
			kernel.Const.String(), kernel.Param.String()}},
	} {
		if !slices.Equal(c.got.([]any), c.want) {
			t.Errorf("schema: %v\ncode:   %v", c.got, c.want)
		}
	}
	if got := at(r, "properties", "schema", "const"); got != report.Schema {
		t.Errorf("report schema %v, want %s", got, report.Schema)
	}
}

// TestReports validates the reports that the package's tests keep, and broken ones.
func TestReports(t *testing.T) {
	s, _ := compile(t, schema.Report)
	files, err := filepath.Glob("../../report/testdata/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d reports, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = s.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, change := range [][2]string{{`"seed": `, `"sead": `}, {`"verdict": "`, `"verdict": "very `}, {`"launches": [`, `"more": 1, "launches": [`},
			{"gpusim-report/1", "gpusim-report/2"}, {`"errors": [`, `"errors": [{}, `}} {
			broken := strings.Replace(string(text), change[0], change[1], 1)
			broken = strings.Replace(broken, "{}, ]", "{}]", 1)
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(broken))
			if err != nil {
				t.Fatal(err)
			}
			if s.Validate(v) == nil {
				t.Errorf("%s passes with %s", file, change[1])
			}
		}
	}
}
