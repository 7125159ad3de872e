package serve

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// FuzzServe: whatever comes, the server answers in frames and ends with its input.
func FuzzServe(f *testing.F) {
	text, in := testProgram(f, "copy_in")
	frames := func(list ...func(w *bufio.Writer) error) []byte {
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		for _, x := range list {
			if err := x(w); err != nil {
				f.Fatal(err)
			}
		}
		return b.Bytes()
	}
	load := func(w *bufio.Writer) error { return writeFrame(w, request{Op: "load", Name: "p"}, text) }
	run := func(w *bufio.Writer) error {
		return writeFrame(w, request{Op: "run", Program: 1, Inputs: lengths(in), Outputs: []string{"o"}}, in...)
	}
	f.Add(frames(load, run))
	f.Add(frames(run))
	f.Add(frames(load, run)[:700])
	huge := frames(load)
	binary.LittleEndian.PutUint64(huge[8:], 1<<61)
	f.Add(huge)
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		err := Serve(bytes.NewReader(input), &out, io.Discard, 1<<20)
		r := bufio.NewReader(&out)
		for {
			var a answer
			b, e := readFrame(r, &a)
			if e == io.EOF {
				break
			}
			if e != nil {
				t.Fatalf("an answer is no frame: %v (ended with %v)", e, err)
			}
			if e := b.drop(); e != nil {
				t.Fatal(e)
			}
		}
	})
}
