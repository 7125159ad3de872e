package serve

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client talks to a server in this process.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	w     *bufio.Writer
	r     *bufio.Reader
	log   bytes.Buffer
	ended chan error
}

func start(t *testing.T) *client {
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	c := &client{t: t, in: in, w: bufio.NewWriter(in), r: bufio.NewReader(out), ended: make(chan error, 1)}
	go func() {
		err := Serve(requests, answers, &c.log, 1<<30)
		answers.Close()
		requests.CloseWithError(io.ErrClosedPipe)
		c.ended <- err
	}()
	t.Cleanup(func() { in.Close() })
	return c
}

// end closes the input and returns how the server ended.
func (c *client) end() error {
	c.t.Helper()
	c.in.Close()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(20 * time.Second):
		c.t.Fatal("the server does not end")
		return nil
	}
}

func (c *client) send(header any, parts ...[]byte) {
	c.t.Helper()
	if err := writeFrame(c.w, header, parts...); err != nil {
		c.t.Fatal(err)
	}
}

// reply is an answer with its body.
type reply struct {
	answer
	report  map[string]any
	outputs [][]byte
}

func (c *client) receive() reply {
	c.t.Helper()
	var a reply
	b, err := readFrame(c.r, &a.answer)
	if err != nil {
		c.t.Fatal(err)
	}
	take := func(n int64) []byte {
		p := make([]byte, n)
		if err := b.fill(p); err != nil {
			c.t.Fatal(err)
		}
		return p
	}
	if a.Report > 0 {
		if err := json.Unmarshal(take(int64(a.Report)), &a.report); err != nil {
			c.t.Fatal(err)
		}
	}
	for _, n := range a.Outputs {
		a.outputs = append(a.outputs, take(n))
	}
	if b.left != 0 {
		c.t.Fatalf("the answer has %d bytes too many", b.left)
	}
	return a
}

func (c *client) call(header any, parts ...[]byte) reply {
	c.t.Helper()
	c.send(header, parts...)
	return c.receive()
}

// testProgram is a program of pallas/testdata whose inputs the requests give.
func testProgram(t testing.TB, name string) (text []byte, inputs [][]byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "pallas", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for _, x := range p["buffers"].([]any) {
		b := x.(map[string]any)
		data, ok := b["data"].(string)
		if !ok {
			continue
		}
		var raw []byte
		if err := json.Unmarshal([]byte(`"`+data+`"`), &raw); err != nil {
			t.Fatal(err)
		}
		delete(b, "data")
		b["input"] = true
		inputs = append(inputs, raw)
	}
	if text, err = json.Marshal(p); err != nil {
		t.Fatal(err)
	}
	return text, inputs
}

func lengths(parts [][]byte) []int64 {
	out := make([]int64, len(parts))
	for i, p := range parts {
		out[i] = int64(len(p))
	}
	return out
}

func (c *client) load(name string) (int, [][]byte) {
	c.t.Helper()
	text, inputs := testProgram(c.t, name)
	a := c.call(request{Op: "load", Name: name}, text)
	if a.Error != "" {
		c.t.Fatal(a.Error)
	}
	return a.Program, inputs
}

func ints(b []byte) []int32 {
	out := make([]int32, len(b)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func findings(r reply) (kinds []string) {
	for _, f := range r.report["findings"].([]any) {
		kinds = append(kinds, f.(map[string]any)["kind"].(string))
	}
	return kinds
}

func TestRun(t *testing.T) {
	c := start(t)
	copyIn, in := c.load("copy_in")
	ring, ringIn := c.load("ring")
	if copyIn == ring {
		t.Fatal("two programs have one number")
	}
	for range 2 { // a program is run many times, and between others
		a := c.call(request{Op: "run", Program: copyIn, Inputs: lengths(in), Outputs: []string{"o", "x"}, Options: options{Seed: 7}}, in...)
		if a.Error != "" || a.report["verdict"] != "clean" || a.report["seed"] != 7.0 || a.report["schema"] != "gpusim-report/1" {
			t.Fatalf("%s %v", a.Error, a.report)
		}
		for i, v := range ints(a.outputs[0]) {
			if v != int32(i)+1 {
				t.Fatalf("element %d is %d", i, v)
			}
		}
		if !bytes.Equal(a.outputs[1], in[0]) {
			t.Fatal("the input has changed")
		}
		a = c.call(request{Op: "run", Program: ring, Inputs: lengths(ringIn), Outputs: []string{"o"}}, ringIn...)
		if v := ints(a.outputs[0]); a.Error != "" || v[5] != 15 {
			t.Fatalf("%s %v", a.Error, v)
		}
	}
	if a := c.call(request{Op: "unload", Program: copyIn}); a.Error != "" {
		t.Fatal(a.Error)
	}
	if a := c.call(request{Op: "run", Program: copyIn, Inputs: lengths(in)}, in...); a.Error != "run: there is no program 1" {
		t.Fatalf("after unload: %q", a.Error)
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

func TestFindings(t *testing.T) {
	c := start(t)
	race, in := c.load("copy_in_without_wait")
	run := func(o options) reply {
		return c.call(request{Op: "run", Program: race, Inputs: lengths(in), Outputs: []string{"o"}, Options: o}, in...)
	}
	if got := findings(run(options{})); strings.Join(got, " ") != "data-race" {
		t.Errorf("findings %v, want a race", got)
	}
	if got := findings(run(options{NoRaces: true})); len(got) > 0 {
		t.Errorf("findings %v without detection", got)
	}
	if got := findings(run(options{Policy: map[string]string{"data-race": "off"}})); len(got) > 0 {
		t.Errorf("findings %v with the policy off", got)
	}
	deadlock, _ := c.load("deadlock")
	a := c.call(request{Op: "run", Program: deadlock, Outputs: []string{"o"}})
	if a.Error != "" || a.report["complete"] != false || len(a.outputs) > 0 || strings.Join(findings(a), " ") != "deadlock" {
		t.Errorf("deadlock: %q %v", a.Error, a.report)
	}
	if a := run(options{}); len(a.outputs) != 1 { // nothing is left over from the deadlock
		t.Errorf("after a deadlock: %v", a.report)
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

// TestBadRequests: each gets an error that names what is wrong, and the next request works.
func TestBadRequests(t *testing.T) {
	c := start(t)
	n, in := c.load("copy_in")
	good := request{Op: "run", Program: n, Inputs: lengths(in), Outputs: []string{"o"}}
	with := func(change func(r *request)) request {
		r := good
		change(&r)
		return r
	}
	for _, x := range []struct {
		name   string
		header any
		body   [][]byte
		want   string
	}{
		{"operation", request{Op: "dance"}, nil, `unknown request "dance"`},
		{"header", map[string]any{"op": 7}, in, "frame header: json: cannot unmarshal number"},
		{"program", request{Op: "load", Name: "p"}, [][]byte{[]byte("{")}, "p: Pallas program: not an exported Pallas program: unexpected end of JSON input"},
		{"version", request{Op: "load", Name: "p"}, [][]byte{[]byte(`{"gpusim-pallas": 99}`)}, "the program has format 99"},
		{"output", with(func(r *request) { r.Outputs = []string{"z"} }), in, `run of copy_in: there is no buffer "z"`},
		{"unload", request{Op: "unload", Program: 9}, nil, "unload: there is no program 9"},
		{"completion", with(func(r *request) { r.Options.Completion = "late" }), in, `completion "late"`},
		{"fence", with(func(r *request) { r.Options.ReadOverwriteFence = "x" }), in, `read_overwrite_fence "x"`},
		{"policy", with(func(r *request) { r.Options.Policy = map[string]string{"data-race": "bad"} }), in, "policy data-race=bad"},
		{"schedule", with(func(r *request) { r.Options.Schedule = "odd" }), in, `unknown schedule "odd"`},
		{"too many inputs", with(func(r *request) { r.Inputs = append(r.Inputs, 4) }), append(in[:1:1], make([]byte, 4)), "1 inputs and 4 bytes more than the program takes"},
		{"too few inputs", with(func(r *request) { r.Inputs = nil }), nil, "it is input 0, and 0 are given"},
		{"short input", with(func(r *request) { r.Inputs = []int64{5} }), [][]byte{make([]byte, 5)}, "it has 128 bytes, and 5 are given"},
		{"body too short", good, [][]byte{make([]byte, 5)}, "128 bytes are needed, and the frame has 5 left"},
	} {
		a := c.call(x.header, x.body...)
		got := a.Error
		if a.report != nil && got == "" {
			got = string(must(json.Marshal(a.report["errors"])))
		}
		if text := strings.ReplaceAll(got, `\"`, `"`); !strings.Contains(text, x.want) {
			t.Errorf("%s: %q, want %q in it", x.name, got, x.want)
		}
		if len(a.outputs) > 0 {
			t.Errorf("%s: there are results", x.name)
		}
		if a := c.call(good, in...); a.Error != "" || len(a.outputs) != 1 {
			t.Fatalf("after %s: %q %v", x.name, a.Error, a.report)
		}
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestLostFraming: the server says so and ends.
func TestLostFraming(t *testing.T) {
	c := start(t)
	if _, err := c.in.Write([]byte("this is no frame")); err != nil {
		t.Fatal(err)
	}
	if a := c.receive(); !strings.Contains(a.Error, "no longer made of frames") {
		t.Errorf("answer %q", a.Error)
	}
	if err := c.end(); !errors.Is(err, errFraming) {
		t.Errorf("ended with %v", err)
	}
}

func TestTruncatedFrame(t *testing.T) {
	c := start(t)
	if _, err := c.in.Write([]byte("GSM1\xff\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	c.in.Close()
	if a := c.receive(); !strings.Contains(a.Error, "unexpected EOF") {
		t.Errorf("answer %q", a.Error)
	}
	if err := c.end(); !errors.Is(err, errFraming) {
		t.Errorf("ended with %v", err)
	}
}

// endless is a program that adds one for ever.
const endless = `{"gpusim-pallas": 2, "name": "endless", "threads": 1, "kernel": {"vars": 1, "in": [], "eqns": [
	{"prim": "while", "in": [{"lit": 0, "dtype": "int32"}], "out": [{"var": 0, "dtype": "int32", "shape": []}], "src": -1, "params": {
		"cond": {"vars": 1, "in": [0], "out": [{"lit": true, "dtype": "bool"}]},
		"body": {"vars": 2, "in": [0], "eqns": [{"prim": "add", "in": [0, {"lit": 1, "dtype": "int32"}],
			"out": [{"var": 1, "dtype": "int32", "shape": []}], "src": -1}], "out": [1]}}}]}}`

// TestEndWhileRunning: the end of the input ends a program under way.
func TestEndWhileRunning(t *testing.T) {
	c := start(t)
	a := c.call(request{Op: "load", Name: "endless"}, []byte(endless))
	if a.Error != "" {
		t.Fatal(a.Error)
	}
	c.send(request{Op: "run", Program: a.Program})
	time.Sleep(50 * time.Millisecond)
	go io.Copy(io.Discard, c.r)
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

func TestInstructionLimit(t *testing.T) {
	c := start(t)
	a := c.call(request{Op: "load", Name: "endless"}, []byte(endless))
	r := c.call(request{Op: "run", Program: a.Program, Options: options{MaxInstructions: 1000}})
	if r.Error != "" || r.report["complete"] != false {
		t.Errorf("%q %v", r.Error, r.report)
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkSmallKernel is a whole request for a kernel of a few instructions.
func BenchmarkSmallKernel(b *testing.B) {
	var text []byte
	var in [][]byte
	t := &testing.T{}
	text, in = testProgram(t, "copy_in")
	requests, w := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(requests, out, io.Discard, 1<<30) }()
	c := &client{t: t, in: w, w: bufio.NewWriter(w), r: bufio.NewReader(answers)}
	a := c.call(request{Op: "load"}, text)
	for b.Loop() {
		if r := c.call(request{Op: "run", Program: a.Program, Inputs: lengths(in), Outputs: []string{"o"}}, in...); r.Error != "" {
			b.Fatal(r.Error)
		}
	}
	w.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
