package pallas_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/pallas"
)

// program is a program whose kernel has an input x of eight int32 and an output o, both in
// global memory, and these equations.
func program(vars int, eqns string) string {
	return fmt.Sprintf(`{"gpusim-pallas": 2, "name": "k", "grid": [2], "cluster": [2], "threads": 2, "thread_axis": true, "sources": [["k.py", 7, "f"]],
		"buffers": [{"name": "x", "dtype": "int32", "shape": [8], "data": "AAAAAAEAAAACAAAAAwAAAAQAAAAFAAAABgAAAAcAAAA="}, {"name": "o", "dtype": "int32", "shape": [8]}],
		"operands": [{"kind": "gmem", "buffer": 0}, {"kind": "gmem", "buffer": 1}], "results": [1],
		"kernel": {"vars": %d, "in": [0, 1], "eqns": [%s], "out": []}}`, vars, eqns)
}

func TestBroken(t *testing.T) {
	const i32 = `"dtype": "int32", "shape": []`
	scoped := func(scratch, body string) string {
		return program(2, `{"prim": "run_scoped", "in": [0, 1], "params": {"threads": true, "scratch": [`+scratch+`], "body": {"vars": 9, "in": [0, 1, 2], "eqns": [`+body+`], "out": []}}}`)
	}
	const smem = `{"name": "s", "kind": "array", "space": "smem", "dtype": "int32", "shape": [8]}`
	const bar = `{"name": "b", "kind": "barrier", "shape": [2], "arrivals": 1}`
	for _, c := range []struct{ text, want string }{
		{`{`, "not an exported Pallas program"},
		{`[]`, "not an exported Pallas program"},
		{`{"gpusim-pallas": 99}`, "format 99"},
		{`{"gpusim-pallas": 1, "threads": 1, "jaxpr": {}}`, "format 1, and this gpusim reads format 2"},
		{program(3, `{"prim": "iota", "in": [], "out": [{"var": 2, "dtype": "float64", "shape": [1073741824]}], "params": {"dim": 0}}`), "8589934592 bytes: at most 1073741824"},
		{`{"gpusim-pallas": 2, "threads": 1}`, "no kernel"},
		{`{"gpusim-pallas": 2, "threads": 17, "kernel": {}}`, "17 threads"},
		{`{"gpusim-pallas": 2, "devices": 1000, "kernel": {}}`, "1000 devices"},
		{`{"gpusim-pallas": 2, "devices": 2, "axes": [{"name": "a", "size": 3}], "kernel": {}}`, "2 devices in a mesh of 3"},
		{`{"gpusim-pallas": 2, "devices": -1, "kernel": {}}`, "-1 devices"},
		{`{"gpusim-pallas": 2, "threads": -1, "kernel": {}}`, "-1 threads"},
		{`{"gpusim-pallas": 2, "arch": "sm_12", "kernel": {}}`, `the architecture "sm_12" is not known: sm_90, sm_100`},
		{`{"gpusim-pallas": 2, "buffers": [{"dtype": "bool"}], "kernel": {}}`, `buffer 0 has the name ""`},
		{`{"gpusim-pallas": 2, "buffers": [{"name": "x", "dtype": "bool"}, {"name": "x", "dtype": "bool"}], "kernel": {}}`, `buffer 1 has the name "x": each needs one of its own`},
		{`{"gpusim-pallas": 2, "buffers": [{"name": "x", "dtype": "bool", "shape": [-1]}], "kernel": {}}`, "an array of shape [-1]: an extent is out of range"},
		{`{"gpusim-pallas": 2, "buffers": [{"name": "x\u0007", "dtype": "int33"}], "kernel": {}}`, "buffer x\ufffd: "},
		{strings.Replace(program(3, `{"prim": "neg", "in": [2], "out": [{"var": 2, `+i32+`}]}`), `"k.py"`, `"k\u0085.py"`, 1), "k\ufffd.py:7: neg: "},
		{`{"gpusim-pallas": 2, "grid": [-1], "kernel": {}}`, "grid of shape [-1]"},
		{`{"gpusim-pallas": 2, "grid": [65536, 65536, 65536], "kernel": {}}`, "too large"},
		{`{"gpusim-pallas": 2, "cluster": [4, 5], "kernel": {}}`, "cluster of shape [4 5]"},
		{`{"gpusim-pallas": 2, "cluster": [2, 0], "kernel": {}}`, "a cluster of shape [2 0] has no blocks"},
		{`{"gpusim-pallas": 2, "grid": [2], "sequential": [1], "kernel": {}}`, "cannot be sequential"},
		{`{"gpusim-pallas": 2, "options": {"uninitialized_memory": "one"}, "kernel": {}}`, "nan or zero"},
		{`{"gpusim-pallas": 2, "buffers": [{"name": "x", "dtype": "int33"}], "kernel": {}}`, `"int33" is not known`},
		{`{"gpusim-pallas": 2, "buffers": [{"name": "x", "dtype": "int32", "shape": [2], "data": "AAAA"}], "kernel": {}}`, "3 bytes of data, its shape needs 8"},
		{`{"gpusim-pallas": 2, "operands": [{"kind": "gmem", "buffer": 3}], "kernel": {"vars": 1, "in": [0]}}`, "buffer 3 of 0"},
		{`{"gpusim-pallas": 2, "results": [0], "kernel": {}}`, "a result is buffer 0 of 0"},
		{`{"gpusim-pallas": 2, "kernel": {"in": [0]}}`, "1 parameters and 0 operands"},
		{`{"gpusim-pallas": 2, "operands": [{"kind": "rom"}], "buffers": [{"name": "x", "dtype": "bool"}], "kernel": {"vars": 1, "in": [0]}}`, `the kind "rom"`},
		{`{"gpusim-pallas": 2, "operands": [{"kind": "scratch"}], "kernel": {"vars": 1, "in": [0]}}`, "an allocation is missing"},
		{program(2, `null`), "an equation is missing"},
		{program(2, `{"prim": "make_coffee"}`), "the primitive make_coffee is not supported (k.py:7)"},
		{program(3, `{"prim": "neg", "in": [2], "out": [{"var": 2, `+i32+`}]}`), "k.py:7: neg: variable 2 is used before it is defined"},
		{program(3, `{"prim": "neg", "in": [5], "out": [{"var": 2, `+i32+`}]}`), "variable 5 of 3"},
		{program(2, `{"prim": "neg", "in": [0], "out": [{"var": -1, `+i32+`}]}`), "a reference to int32[8], and an array is expected"},
		{program(2, `{"prim": "neg", "in": [null], "out": []}`), "an operand is left out"},
		{program(2, `{"prim": "iota", "out": [{"var": 0, "dtype": "int32", "shape": [8]}]}`), "defined twice"},
		{program(3, `{"prim": "get", "in": [{"ref": 0}], "out": [{"var": 2, "dtype": "int32", "shape": [4]}]}`), "the result is int32[8], and said to be int32[4]"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"index": [{"at": 0}]}]}], "out": [{"var": 2, `+i32+`}]}`), "a reference to int32[8], and an integer is expected"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"index": [{"at": {"lit": 1.5, "dtype": "int32"}}]}]}], "out": []}`), "1.5 is no literal of int32"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"index": [{}]}]}], "out": [{"var": 2, `+i32+`}]}`), "neither at nor start nor list"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"transpose": [1]}]}], "out": [{"var": 2, `+i32+`}]}`), "no permutation"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"reshape": [3, 3]}]}], "out": [{"var": 2, `+i32+`}]}`), "cannot be reshaped to [3 3]"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"bitcast": "float64", "shape": [8]}]}], "out": [{"var": 2, `+i32+`}]}`), "cannot be seen as float64[8]"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"alias": "int8", "shape": [2]}]}], "out": [{"var": 2, `+i32+`}]}`), "a member of what is no union"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"expand": [3]}]}], "out": [{"var": 2, `+i32+`}]}`), "has no batch of [3]"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"cluster": [{"dim": 1, "at": {"lit": 0, "dtype": "int32"}}]}]}], "out": [{"var": 2, `+i32+`}]}`), "dimension 1 of a cluster of shape [2]"},
		{program(3, `{"prim": "get", "in": [{"ref": 0, "view": [{"device": {"mesh": [null]}}]}], "out": [{"var": 2, `+i32+`}]}`), "1 coordinates in a mesh of 0 dimensions"},
		{program(2, `{"prim": "swap", "in": [{"ref": 1}, {"lit": 1, "dtype": "int32"}]}`), "int32[] is to be stored in a view of int32[8]"},
		{program(2, `{"prim": "swap", "in": [{"ref": 1}]}`), "1 operands"},
		{program(2, `{"prim": "atomic_store", "in": [{"ref": 1}, {"lit": 1, "dtype": "int32"}], "params": {"op": "nand"}}`), `"nand" is not known`},
		{program(3, `{"prim": "get", "in": [{"ref": 0}], "out": [{"var": 2, "dtype": "int32", "shape": [8]}], "when": {"lit": true, "dtype": "bool"}}`), "happens only on a condition"},
		{program(2, `{"prim": "commit_group", "in": [0]}`), "1 operands"},
		{program(2, `{"prim": "wait_smem_to_gmem", "params": {"n": -1}}`), "waits for -1"},
		{program(2, `{"prim": "wait_smem_to_gmem", "params": {"n": "two"}}`), "the parameter n is no int"},
		{program(2, `{"prim": "copy_gmem_to_smem", "in": [{"ref": 0}, {"ref": 1}]}`), "the destination lies in global memory"},
		{program(2, `{"prim": "barrier_wait", "in": [{"ref": 1}]}`), "and barriers are expected"},
		{program(2, `{"prim": "wgmma", "in": [{"ref": 1}, {"ref": 1}, {"ref": 1}]}`), "is no accumulator"},
		{program(2, `{"prim": "axis_index", "out": [{"var": -1, `+i32+`}], "params": {"of": [{"kind": "warp"}]}}`), "outside of warps"},
		{program(2, `{"prim": "axis_index", "out": [{"var": -1, `+i32+`}], "params": {"of": [{"kind": "grid", "dim": 1}]}}`), "dimension 1 of 1 of the grid"},
		{program(2, `{"prim": "cond", "in": [{"lit": 0, "dtype": "int32"}]}`), "0 branches"},
		{program(2, `{"prim": "cond", "in": [{"lit": 0, "dtype": "int32"}], "params": {"branches": [{"out": [{"lit": 0, "dtype": "int32"}]}, {"out": [{"lit": 0, "dtype": "int8"}]}]}, "out": [{"var": -1, `+i32+`}]}`), "a branch: value 0 is int8[] in place of int32[]"},
		{program(2, `{"prim": "while", "in": [], "params": {"cond": {}, "body": {}}}`), "no truth value"},
		{program(2, `{"prim": "while", "in": [], "params": {"cond_consts": 7}}`), "of which 7 and 0 are constants"},
		{program(2, `{"prim": "scan", "in": [{"lit": 0, "dtype": "int32"}], "params": {"length": 3, "body": {"vars": 1, "in": [0]}}}`), "it goes through int32[] in 3 rounds"},
		{program(2, `{"prim": "warps", "in": [], "params": {"body": {"eqns": [{"prim": "warps", "params": {"body": {}}}]}}}`), "forked inside of a warp"},
		{program(2, `{"prim": "check", "in": []}`), "no operand"},
		{program(2, `{"prim": "debug_print", "in": [], "params": {"parts": [{"arg": 0}]}}`), "a part of its text"},
		{program(2, `{"prim": "set_max_registers", "params": {"n": 25}}`), "25 registers"},
		{program(2, `{"prim": "while", "in": [0, 1], "params": {"cond_consts": 1, "consts": 9223372036854775807}}`), "2 operands, of which 1 and 9223372036854775807 are constants"},
		{program(2, `{"prim": "scan", "in": [0, 1], "params": {"consts": 9223372036854775807, "carry": 1}}`), "of which 9223372036854775807 are constants"},
		{scoped(`{"name": "s", "kind": "list"}`, ``), `the kind "list"`},
		{scoped(`{"name": "s", "kind": "array", "space": "smem", "dtype": "int32", "shape": [67108865]}`, ``), "the allocation s has 268435460 bytes: at most 268435456 are possible"},
		{scoped(`{"name": "s", "kind": "union", "space": "tmem", "bytes": 268435457}`, ``), "the allocation s has 268435457 bytes"},
		{scoped(`{"name": "s", "kind": "accumulator", "dtype": "int32", "shape": [1000000, 1000]}`, ``), "the allocation s has 4000000000 bytes"},
		{scoped(`{"name": "b", "kind": "barrier", "shape": [256, 257], "arrivals": 1}`, ``), "the allocation b has 65792 elements: at most 65536 are possible"},
		{scoped(`{"name": "s", "kind": "semaphore", "shape": [65537]}`, ``), "the allocation s has 65537 elements"},
		{scoped(`{"name": "s\n\u001b[1m\u202e\u2028é", "kind": "rom"}`, ``), "the allocation s\ufffd\ufffd[1m\ufffd\ufffdé has"},
		{scoped(`{"name": "s", "kind": "array", "space": "rom", "dtype": "int8"}`, ``), `lies in "rom"`},
		{scoped(`{"name": "s", "kind": "barrier"}`, ``), "has 0 arrivals"},
		{scoped(`{"name": "s", "kind": "union", "space": "smem"}`, ``), "has 0 bytes"},
		{scoped(smem, `{"prim": "copy_gmem_to_smem", "in": [{"ref": 0, "view": [{"index": [{"start": {"lit": 0, "dtype": "int32"}, "size": 4}]}]}, {"ref": 2}]}`), "a copy from a reference to int32[4] to a reference to int32[8]"},
		{scoped(smem, `{"prim": "copy_gmem_to_smem", "in": [{"ref": 0}, {"ref": 2}], "params": {"cluster": [0]}}`), "a collective copy has no barrier"},
		{scoped(smem, `{"prim": "copy_gmem_to_smem", "in": [{"ref": 0}, {"ref": 2}], "params": {"cluster": [3]}}`), "dimension 3 of a cluster"},
		{scoped(smem, `{"prim": "try_cluster_cancel", "in": [{"ref": 2}, {"ref": 2}]}`), "the answer has 16 bytes"},
		{scoped(bar, `{"prim": "barrier_arrive", "in": [{"ref": 2}]}`), "does not select one of barriers of shape [2]"},
		{scoped(bar, `{"prim": "get", "in": [{"ref": 2}], "out": [{"var": 3, `+i32+`}]}`), "an operand is barriers[2], and a reference is expected"},
		{scoped(bar, `{"prim": "semaphore_read", "in": [{"ref": 2}], "out": [{"var": 3, `+i32+`}]}`), "and semaphores are expected"},
	} {
		if _, err := pallas.Load([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v, want %q", c.text, err, c.want)
		}
	}
}

// Programs of testdata with something changed are refused, or run: to their end or to a
// finding, without a panic.
func TestDamaged(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	rounds := 60
	if testing.Short() {
		rounds = 8
	}
	refused := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rounds {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			var tree any
			if err := json.Unmarshal(text, &tree); err != nil {
				t.Fatal(err)
			}
			for range 1 + r.IntN(3) {
				damage(tree, r)
			}
			bad, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			m, err := pallas.Load(bad)
			if err != nil {
				refused++
				continue
			}
			small := true
			for i := range m.Buffers {
				small = small && m.Buffers[i].Bytes() <= 1<<16 && m.Buffers[i].File == ""
			}
			if grid := m.Extent(); small && grid.Count() <= 64 {
				execute(t, m, "testdata", device.Options{MaxInstructions: 20000}, pallas.Settings{})
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// damage changes one place of a tree.
func damage(tree any, r *rand.Rand) {
	var places []func()
	values := []any{nil, -1.0, 0.0, 1.0, 2.0, 3.0, 1e9, 1.5, "int32", "float32", "int8", "smem", "gmem", true, []any{}, map[string]any{}, []any{1.0, 2.0}}
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for _, k := range sortedKeys(x) {
				if k == "sources" || k == "gpusim-pallas" {
					continue
				}
				places = append(places, func() { x[k] = values[r.IntN(len(values))] }, func() { delete(x, k) })
				walk(x[k])
			}
		case []any:
			for i := range x {
				places = append(places, func() { x[i] = values[r.IntN(len(values))] }, func() { x[i] = x[r.IntN(len(x))] })
				walk(x[i])
			}
		}
	}
	walk(tree)
	places[r.IntN(len(places))]()
}
