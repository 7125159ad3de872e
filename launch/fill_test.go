package launch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// initialise reads the --arg "x=" + spec and returns the buffer's content, element by
// element, or the errors.
func initialise(t *testing.T, spec string) string {
	t.Helper()
	r := &flagReader{plan: &Plan{dir: "."}}
	r.dir = "testdata"
	r.arg(0, "x="+spec, 1<<30)
	if len(r.errs) > 0 {
		return r.errs.Error()
	}
	b := r.plan.buffers[0]
	data := make([]byte, b.size())
	if err := b.init.write(data, b.dtype, r.path, never); err != nil {
		return err.Error()
	}
	words := make([]string, b.count)
	for i := range words {
		words[i] = b.dtype.format(b.dtype.get(data[i*b.dtype.Size:]))
	}
	return strings.Join(words, " ")
}

func TestInit(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"u8[3]", "0 0 0"}, {"u8[3]:zeros", "0 0 0"}, {"f32[2]:none", "0 0"},
		{"u32[5]:fill(7)", "7 7 7 7 7"}, {"f16[3]:fill(1.5)", "1.5 1.5 1.5"}, {"b32[2]:fill(0x3f800000)", "0x3f800000 0x3f800000"},
		{"i32[4]:range(5,-2)", "5 3 1 -1"}, {"u8[3]:range(254,1)", "254 255 0"}, {"f32[3]:range(0.5,0.25)", "0.5 0.75 1"},
		{"i8[2,2]:values(1;-2;3;4)", "1 -2 3 4"}, {"f64[2]:values(.nan; -.inf)", "NaN -Inf"},
		{"u16[2]:raw(four.raw)", "513 1027"}, {"f32[2]:npy(two.npy)", "1.5 -2"},
		{"u8[2]:values(1)", "--arg 'x=u8[2]:values(1)', column 16: 1 values, separated by ;, for the 2 elements of shape [2]"},
		{"u8[2]:fill(300)", "--arg 'x=u8[2]:fill(300)', column 14: 300 does not fit u8 (0 to 255)"},
		{"u8[2]:range(1)", "--arg 'x=u8[2]:range(1)', column 9: range(start,step) is expected"},
		{"u8[2]:random(1,5,5)", "--arg 'x=u8[2]:random(1,5,5)', column 16: high 5 is not above low 5 (high is exclusive)"},
		{"u8[2]:random(1,0,257)", "--arg 'x=u8[2]:random(1,0,257)', column 16: 0 to 257 does not fit u8 (0 to 255)"},
		{"u8[2]:random(x,0,2)", `--arg 'x=u8[2]:random(x,0,2)', column 16: seed "x" is not an integer from 0 to 2^64-1`},
		{"u8[2]:fil(1)", `--arg 'x=u8[2]:fil(1)', column 9: unknown initialiser "fil" (nearest: fill); known: zeros none fill range random values npy raw`},
		{"u8[2]:fill(1", "--arg 'x=u8[2]:fill(1', column 14: fill( has no closing )"},
		{"u8[2]:npy(none.npy)", "--arg 'x=u8[2]:npy(none.npy)', column 13: none.npy: no such file or directory"},
		{"u8[2]:raw(four.raw)", "--arg 'x=u8[2]:raw(four.raw)', column 13: four.raw has 4 bytes, x needs 2"},
		{"u8[2]:raw(.)", "--arg 'x=u8[2]:raw(.)', column 13: . is a directory"},
		{"u8[2]:raw(/dev/null)", "--arg 'x=u8[2]:raw(/dev/null)', column 13: /dev/null is not a regular file"},
		{"u8[2]:raw()", "--arg 'x=u8[2]:raw()', column 13: the path is empty"},
		{"u8[2", "--arg 'x=u8[2', column 6: the shape has no closing ]"},
		{"u8[0]", "--arg 'x=u8[0]', column 6: 0 is below 1"},
		{"u8[2,-1]", "--arg 'x=u8[2,-1]', column 8: -1 is below 1"},
		{"u8[2]fill(1)", `--arg 'x=u8[2]fill(1)', column 8: a colon and an initialiser are expected, not "fill(1)"`},
		{"u8", "--arg 'x=u8', column 5: a shape like u8[256] or a value like u8:1 is missing"},
		{"u9[2]", `--arg 'x=u9[2]', column 3: unknown type "u9" (nearest: u8); known: ` + strings.Join(dtypeNames(), " ")},
		{"u8[1099511627776]", "buffer x: u8 [1099511627776] needs 1.0 TiB; all buffers together may take 1.0 GiB (--max-memory)"},
		{"u64[4611686018427387904,4611686018427387904]", "buffer x: u64 [4611686018427387904, 4611686018427387904] needs more than 2^64 bytes; all buffers together may take 1.0 GiB (--max-memory)"},
		{"5", "--arg 'x=5', column 3: a scalar needs its type: x=i32:5"},
		{"u32:x", `--arg 'x=u32:x', column 7: "x" is not an integer`},
	} {
		if got := initialise(t, c.spec); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.spec, got, c.want)
		}
	}
}

// TestRandom fixes which numbers a random initialiser gives: launch files rely on them.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	want := fmt.Sprint(r.Uint64N(256), r.Uint64N(256), r.Uint64N(256), r.Uint64N(256))
	if got := initialise(t, "u32[4]:random(1,0,256)"); got != want {
		t.Errorf("random(1,0,256) = %s, want %s", got, want)
	}
	if a, b := initialise(t, "f32[64]:random(7,-1,1)"), initialise(t, "f32[64]:random(7,-1,1)"); a != b {
		t.Error("one seed, two results")
	}
	if a, b := initialise(t, "f32[64]:random(7,-1,1)"), initialise(t, "f32[64]:random(8,-1,1)"); a == b {
		t.Error("two seeds, one result")
	}
	// The loops for f32 and for the other floating-point types agree.
	if a, b := initialise(t, "f32[9]:random(5,0,8)"), initialise(t, "f64[9]:random(5,0,8)"); !agree(t, a, b) {
		t.Errorf("f32 %s, f64 %s", a, b)
	}
	if a, b := initialise(t, "f32[9]:range(0.1,0.3)"), initialise(t, "f64[9]:range(0.1,0.3)"); !agree(t, a, b) {
		t.Errorf("f32 %s, f64 %s", a, b)
	}
	for _, c := range []struct {
		spec      string
		low, high float64
	}{{"i8[2000]:random(3,-128,128)", -128, 128}, {"f32[2000]:random(3,-1,1)", -1, 1}, {"bf16[2000]:random(3,0.99,1)", 0.98, 1},
		{"u64[200]:random(3,0,18446744073709551616)", 0, 0x1p64}, {"e4m3[500]:random(3,0,2)", 0, 2}} {
		for _, w := range strings.Fields(initialise(t, c.spec)) {
			v, err := parseFloat(w)
			if err != nil || v < c.low || v >= c.high {
				t.Errorf("%s: %s", c.spec, w)
			}
		}
	}
}

// agree compares lists of numbers after rounding to f32.
func agree(t *testing.T, a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	for i := range x {
		f, errF := parseFloat(x[i])
		g, errG := parseFloat(y[i])
		if errF != nil || errG != nil {
			t.Fatal(errF, errG)
		}
		if float32(f) != float32(g) {
			return false
		}
	}
	return len(x) == len(y)
}

func never() bool { return false }

// A file that became something else after it was checked is not waited for.
func TestFillFromPipe(t *testing.T) {
	d, _ := findDType("u8")
	in := &initialiser{kind: initRaw, path: scalar{text: "/dev/null"}}
	err := in.write(make([]byte, 2), d, func(s string) string { return s }, func() bool { return false })
	if err == nil || err.Error() != "/dev/null is not a regular file" {
		t.Error(err)
	}
}
