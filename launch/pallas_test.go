package launch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/pallas"
)

// twoDevices copies x to o on each of two devices; %s is more of x.
const twoDevices = `{"gpusim-pallas": 2, "name": "copy", "devices": 2, "axes": [{"name": "d", "size": 2}], "threads": 1,
	"options": {"detect_races": true},
	"buffers": [{"name": "x", "dtype": "int32", "shape": [2]%s}, {"name": "o", "dtype": "int32", "shape": [2]}],
	"operands": [{"kind": "gmem", "buffer": 0}, {"kind": "gmem", "buffer": 1}], "results": [1],
	"kernel": {"vars": 4, "in": [0, 1], "out": [], "eqns": [
		{"prim": "get", "src": -1, "in": [{"ref": 0, "view": []}], "out": [{"var": 2, "dtype": "int32", "shape": [2]}]},
		{"prim": "swap", "src": -1, "in": [{"ref": 1, "view": []}, 2], "out": [{"var": 3, "dtype": "int32", "shape": [2]}]}]}}`

// runPallas runs a program file and returns its buffers at the end.
func runPallas(t *testing.T, text string, o Options) (map[string][]byte, *Result, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "kernel.json")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x1.bin"), []byte{7, 0, 0, 0, 8, 0, 0, 0}, 0o666); err != nil {
		t.Fatal(err)
	}
	plan, errs := Read(Input{File: file}, 1<<20)
	return execute(plan, errs, o)
}

func execute(plan *Plan, errs InputErrors, o Options) (map[string][]byte, *Result, error) {
	prepared, err := plan.Prepare(PTX, errs)
	if err != nil {
		return nil, nil, err
	}
	data := map[string][]byte{}
	o.Output = func(name string, b []byte) { data[name] = bytes.Clone(b) }
	o.NewDevice = func(seed uint64) (Device, error) { return device.New(device.Options{Seed: seed}) }
	r, err := prepared.Run(o)
	return data, r, err
}

func TestPallasShards(t *testing.T) {
	data, r, err := runPallas(t, fmt.Sprintf(twoDevices, `, "input": true, "shards": [{"data": "AQAAAAIAAAA="}, {"file": "x1.bin"}]`), Options{})
	if err != nil || !r.Complete || len(r.Findings) > 0 {
		t.Fatal(err, r)
	}
	for name, want := range map[string]string{"x@0": "\x01\x00\x00\x00\x02\x00\x00\x00", "o@0": "\x01\x00\x00\x00\x02\x00\x00\x00",
		"x@1": "\x07\x00\x00\x00\x08\x00\x00\x00", "o@1": "\x07\x00\x00\x00\x08\x00\x00\x00"} {
		if string(data[name]) != want {
			t.Errorf("%s is %x, want %x", name, data[name], want)
		}
	}
}

func TestPallasMistakes(t *testing.T) {
	for more, want := range map[string]string{
		`, "input": true`:                                                "kernel.json: buffer x@0: it is an input of the kernel and has neither data nor file",
		`, "shards": [{"data": "AQAAAAIAAAA="}]`:                         "buffer x has 1 shards for 2 devices",
		`, "shards": [{"data": "AQAAAAIAAAA="}, {"data": "AQAAAA=="}]`:   "buffer x has 4 bytes of data, its shape needs 8",
		`, "shards": [{"data": "AQAAAAIAAAA="}, {"file": "absent.bin"}]`: "buffer x@1: absent.bin: ",
		`, "file": "kernel.json"`:                                        "x@0 needs 8",
	} {
		_, _, err := runPallas(t, fmt.Sprintf(twoDevices, more), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", more, err, want)
		}
	}
	plan, errs := LoadPallas("k", []byte(fmt.Sprintf(twoDevices, "")), 20)
	if _, err := plan.Prepare(PTX, errs); err == nil || !strings.Contains(err.Error(), "they have 32 bytes in all") {
		t.Errorf("too much memory: %v", err)
	}
}

// TestPallasInput: buffers that the run fills, in the order of the plan.
func TestPallasInput(t *testing.T) {
	var order []string
	o := Options{Input: func(name string, data []byte) error {
		order = append(order, name)
		data[0] = byte(40 + len(order))
		return nil
	}}
	plan, errs := LoadPallas("k", []byte(fmt.Sprintf(twoDevices, `, "input": true`)), 1<<20)
	data, r, err := execute(plan, errs, o)
	if err != nil || !r.Complete || len(r.Findings) > 0 {
		t.Fatal(err, r)
	}
	if got := fmt.Sprint(order, data["o@0"][0], data["o@1"][0]); got != "[x@0 x@1] 41 42" {
		t.Error(got)
	}
	o.Input = func(string, []byte) error { return fmt.Errorf("the pipe is broken") }
	if _, _, err := execute(plan, errs, o); err == nil || !strings.Contains(err.Error(), "buffer x@0: the pipe is broken") {
		t.Errorf("a failing input: %v", err)
	}
	o.Input = nil
	if _, _, err := execute(plan, errs, o); err == nil || !strings.Contains(err.Error(), "buffer x@0: its contents are missing") {
		t.Errorf("no input: %v", err)
	}
	o.Pallas = pallas.Settings{Completion: "late"}
	if _, _, err := execute(plan, errs, o); err == nil {
		t.Error("settings are not checked")
	}
}

func TestParsePolicy(t *testing.T) {
	p, err := ParsePolicy(map[string]string{"race": "off", "uninit": "warning", "deadlock": "info"})
	if err != nil || fmt.Sprint(p) != "map[data-race:off deadlock:info uninitialized-read:warning]" {
		t.Error(p, err)
	}
	for name, word := range map[string]string{"rase": "off", "race": "no"} {
		if _, err := ParsePolicy(map[string]string{name: word}); err == nil {
			t.Errorf("%s=%s is accepted", name, word)
		}
	}
}
