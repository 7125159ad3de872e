package lint_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gpusim/kernel"
	"gpusim/pallas"
	"gpusim/pallas/lint"
)

func check(t *testing.T, text []byte, arch string) []kernel.Finding {
	t.Helper()
	m, err := pallas.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	found := lint.Check(m, arch)
	again := lint.Check(m, arch)
	if fmt.Sprint(found) != fmt.Sprint(again) {
		t.Errorf("two checks of a program differ:\n%v\n%v", found, again)
	}
	for _, f := range found {
		if f.Kind != kernel.WouldNotLower || f.Severity != kernel.Warning || f.Message == "" || f.Kernel != m.Name || f.Count != 1 {
			t.Errorf("the finding %+v", f)
		}
	}
	return found
}

// judge compares what is found with a part of a message, or "" for silence.
func judge(t *testing.T, found []kernel.Finding, says string) {
	t.Helper()
	if says == "" {
		if len(found) > 0 {
			t.Errorf("of a program that compiles it is said: %s", found[0].Message)
		}
		return
	}
	if !slices.ContainsFunc(found, func(f kernel.Finding) bool { return strings.Contains(f.Message, says) }) {
		t.Errorf("%q is not said: %v", says, found)
	}
}

// The kernels of python/tests/test_lint.py, where the compiler itself judges them.
func TestExported(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	good, bad := 0, 0
	for lines.Scan() {
		var c struct {
			Name    string
			Says    string
			Program json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Says == "" {
			good++
		} else {
			bad++
		}
		t.Run(c.Name, func(t *testing.T) { judge(t, check(t, c.Program, ""), c.Says) })
	}
	if good < 60 || bad < 100 {
		t.Errorf("%d programs that compile, %d that do not", good, bad)
	}
}

// program is a kernel of these equations (with the variables 0 and 1, arrays x and o of 128
// float32 in global memory), and other keys.
func program(eqns, keys string) []byte {
	if keys != "" {
		keys = ", " + keys
	}
	return fmt.Appendf(nil, `{"gpusim-pallas": 2, "name": "k",
		"buffers": [{"name": "x", "dtype": "float32", "shape": [128], "input": true}, {"name": "o", "dtype": "float32", "shape": [128]}],
		"operands": [{"kind": "gmem", "buffer": 0}, {"kind": "gmem", "buffer": 1}], "results": [1],
		"kernel": {"vars": 9, "in": [0, 1], "eqns": [%s]}, "sources": [["k.py", 7, "k"], ["k.py", 8, "k"]]%s}`, eqns, keys)
}

// scope is a run_scoped of an allocation, with a body of these equations; 2 is what it has
// allocated.
func scope(scratch string, threads bool, eqns string) string {
	return fmt.Sprintf(`{"prim": "run_scoped", "src": 1, "in": [0, 1], "params": {"threads": %v, "scratch": [%s],
		"body": {"vars": 9, "in": [0, 1, 2], "eqns": [%s]}}}`, threads, scratch, eqns)
}

const (
	smem    = `{"name": "s", "kind": "array", "space": "smem", "dtype": "float32", "shape": [128]}`
	threads = `"threads": 2, "thread_axis": true`
	load    = `{"prim": "get", "src": 0, "in": [{"ref": 0}], "out": [{"var": 3, "dtype": "float32", "shape": [128]}]}`
)

func tmem(rest string) string {
	return `{"name": "t", "kind": "array", "space": "tmem", "dtype": "float32", ` + rest + `}`
}

// What JAX refuses before a program is exported, or this package knows from elsewhere.
func TestHandMade(t *testing.T) {
	for _, c := range []struct {
		name, says  string
		eqns, extra string
		arch        string
	}{
		{"load", "", load, "", ""},
		{"scope of each thread", "in a kernel with threads", scope(smem, false, ""), threads, ""},
		{"scope of all threads", "", scope(smem, true, ""), threads, ""},
		{"scope without threads", "", scope(smem, false, ""), "", ""},
		{"barrier of each thread", "in a kernel with threads", scope(`{"name": "b", "kind": "barrier", "shape": [], "arrivals": 1}`, false, ""), threads, ""},
		{"accumulator for all threads", "each thread has its own", scope(`{"name": "a", "kind": "accumulator", "dtype": "float32", "shape": [64, 64]}`, true, ""), threads, ""},
		{"array in warps", "array of shape (128,) from outside", load + `, {"prim": "warps", "src": 0, "in": [3], "params": {"body": {"vars": 1, "in": [0], "eqns": []}}}`, "", ""},
		{"references in warps", "", `{"prim": "warps", "src": 0, "in": [0, 1], "params": {"body": {"vars": 2, "in": [0, 1], "eqns": []}}}`, "", ""},
		{"8 threads", "", "", `"threads": 8, "thread_axis": true`, ""},
		{"9 threads", "1152 threads of hardware", "", `"threads": 9, "thread_axis": true`, ""},
		{"tensor memory of 128 rows", "", scope(tmem(`"shape": [128, 32]`), false, ""), "", "sm_100"},
		{"tensor memory of 96 rows", "96 rows", scope(tmem(`"shape": [96, 32]`), false, ""), "", "sm_100"},
		{"copies waited for by number", "wait_gmem_to_smem", `{"prim": "wait_gmem_to_smem", "src": 0, "params": {"n": 0}}`, "", ""},
		{"fence", "", `{"prim": "commit_smem", "src": 0}`, "", ""},
		{"fence in warps", "commit_smem inside of a warp", `{"prim": "warps", "src": 0, "in": [], "params": {"body": {"vars": 0, "in": [], "eqns": [{"prim": "commit_smem", "src": 1}]}}}`, "", ""},
		{"fence in PTX in warps", "", `{"prim": "warps", "src": 0, "in": [], "params": {"body": {"vars": 0, "in": [], "eqns": [{"prim": "commit_smem", "src": 1, "params": {"inline": true}}]}}}`, "", ""},
		{"erased", "stop_gradient", load, `"erased": [{"prim": "stop_gradient", "src": 0}]`, ""},
		{"erased, and known", "", load, `"erased": [{"prim": "layout_cast", "src": 0}]`, ""},
		{"erased inside of a warp", "layout_cast inside of a warp", load, `"erased": [{"prim": "layout_cast", "src": 0, "warp": true}]`, ""},
		{"Triton's", "", `{"prim": "sort", "src": 0, "in": [], "out": []}`, `"lowering": "triton"`, ""},
		{"nobody's", "pl.pallas_call", load, `"lowering": "none"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) { judge(t, check(t, program(c.eqns, c.extra), c.arch), c.says) })
	}
}

func TestPlace(t *testing.T) {
	found := check(t, program(scope(smem, false, ""), threads), "")
	if len(found) != 1 || len(found[0].Accesses) != 1 {
		t.Fatalf("%v", found)
	}
	if s := found[0].Accesses[0].Source; s.File != "k.py" || s.Line != 8 || s.Function != "k" {
		t.Errorf("the place is %v", s)
	}
}

// One place is told once, however often the program comes by.
func TestOnce(t *testing.T) {
	found := check(t, program(load, `"erased": [{"prim": "stop_gradient", "src": 0}, {"prim": "stop_gradient", "src": 0}, {"prim": "stop_gradient", "src": 1}]`), "")
	if len(found) != 2 {
		t.Errorf("%d findings: %v", len(found), found)
	}
}

// The examples compile, which python/tests/test_examples.py makes sure of.
func TestExamples(t *testing.T) {
	folders, err := os.ReadDir("../../examples/pallas")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, d := range folders {
		text, err := os.ReadFile("../../examples/pallas/" + d.Name() + "/fixed.json")
		if err != nil {
			continue
		}
		n++
		t.Run(d.Name(), func(t *testing.T) { judge(t, check(t, text, ""), "") })
	}
	if n < 8 {
		t.Errorf("%d examples", n)
	}
}
