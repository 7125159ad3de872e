package libdevice

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func lines(t *testing.T, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// The table has exactly the functions of testdata/declared.txt, which are those that
// clang's header declares, with their types.
func TestDeclared(t *testing.T) {
	want := map[string]string{}
	for _, l := range lines(t, "declared.txt") {
		name, sig, _ := strings.Cut(l, " ")
		want[name] = sig
	}
	have := map[string]bool{}
	for name := range table {
		have[name] = true
	}
	for _, name := range Norms {
		have[name] = true
		if want[name] == "" {
			t.Errorf("%s is not declared", name)
		}
	}
	for name, sig := range want {
		if !have[name] {
			t.Errorf("%s %s is missing", name, sig)
			continue
		}
		if f := table[name]; f != nil {
			got := string(byte(f.Result))
			for _, a := range f.Args {
				got += string(byte(a))
			}
			if got != sig {
				t.Errorf("%s is %s, declared as %s", name, got, sig)
			}
		}
	}
	for name := range table {
		if want[name] == "" {
			t.Errorf("%s is not declared", name)
		}
	}
}

// The list is the header's, where there is a clang.
func TestHeader(t *testing.T) {
	dir, err := exec.Command("clang-19", "-print-resource-dir").Output()
	if err != nil {
		t.Skip("no clang-19")
	}
	raw, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "include", "__clang_cuda_libdevice_declares.h"))
	if err != nil {
		t.Skip(err)
	}
	header := map[string]bool{}
	for _, name := range regexp.MustCompile(`__nv_\w+`).FindAllString(string(raw), -1) {
		header[name] = true
	}
	for _, l := range lines(t, "declared.txt") {
		name, _, _ := strings.Cut(l, " ")
		if !header[name] {
			t.Errorf("%s is not in the header", name)
		}
		delete(header, name)
	}
	if len(header) > 0 {
		t.Errorf("not in declared.txt: %v", header)
	}
}

// documented are the greatest errors of the double functions in units of the last place
// (CUDA Programming Guide, "Mathematical Functions"). 1 also where it says 0.5: the oracle is
// rounded itself.
var documented = map[string]float64{
	"acos": 2, "asin": 2, "atan": 2, "acosh": 3, "asinh": 3, "atanh": 2, "cbrt": 1, "cos": 2, "sin": 2, "tan": 2, "cosh": 1, "sinh": 2, "tanh": 1, "cospi": 2, "sinpi": 2,
	"exp": 1, "exp2": 1, "exp10": 1, "expm1": 1, "log": 1, "log1p": 1, "log2": 1, "log10": 1, "rsqrt": 1, "rcbrt": 1, "erf": 2, "erfc": 5, "erfinv": 5, "erfcinv": 6, "erfcx": 4,
	"normcdf": 5, "normcdfinv": 8, "tgamma": 10, "lgamma": 4, "j0": 7, "j1": 7, "y0": 7, "y1": 7, "cyl_bessel_i0": 6, "cyl_bessel_i1": 6, "atan2": 2, "hypot": 2, "rhypot": 1,
	"pow": 2, "norm3d": 1, "rnorm3d": 1,
}

// distance counts the doubles between two.
func distance(a, b uint64) float64 {
	order := func(x uint64) int64 {
		if x>>63 != 0 {
			return -int64(x &^ (1 << 63))
		}
		return int64(x)
	}
	return math.Abs(float64(order(a) - order(b)))
}

// Against values computed with 400 bits (testdata/oracle.py); the float versions too.
func TestAccuracy(t *testing.T) {
	worst := map[string]float64{}
	for _, l := range lines(t, "oracle.txt") {
		w := strings.Fields(l)
		var v []uint64
		for _, s := range w[1:] {
			x, err := strconv.ParseUint(s, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		want, args := v[len(v)-1], append(v[:len(v)-1:len(v)-1], 0, 0, 0, 0)
		f, ok := Lookup("__nv_" + w[0])
		if !ok {
			t.Fatal(w[0])
		}
		got := f.Fn(args[0], args[1], args[2], args[3])
		d := distance(got, want)
		if limit := documented[w[0]]; d > limit && limit > 0 {
			t.Errorf("%s: %v, want %v (%g ulp)", l, f64(got), f64(want), d)
		}
		worst[w[0]] = max(worst[w[0]], d)
	}
	if len(worst) != len(documented) {
		t.Errorf("%d functions have values, %d a documented error", len(worst), len(documented))
	}
	t.Log(worst)
}

// The float versions are the double ones, rounded, but for one unit of the last place.
func TestFloats(t *testing.T) {
	for name, f := range table {
		g := table[name+"f"]
		if g == nil || f.Result != Double || g.Result != Float || f.Fn == nil {
			continue
		}
		for i := range 200 {
			x, y := float32(i-100)/16, float32(i%17)/4+0.25
			args := [4]uint64{b64(float64(x)), b64(float64(y)), b64(1.5), b64(0.5)}
			small := [4]uint64{b32(float64(x)), b32(float64(y)), b32(1.5), b32(0.5)}
			for k, a := range f.Args {
				if a == Int {
					args[k], small[k] = uint64(i%5), uint64(i%5)
				}
			}
			want := float32(f64(f.Fn(args[0], args[1], args[2], args[3])))
			got := math.Float32frombits(uint32(g.Fn(small[0], small[1], small[2], small[3])))
			if name == "__nv_nextafter" || want != want && got != got {
				continue
			}
			if d := math.Abs(float64(int64(math.Float32bits(got)) - int64(math.Float32bits(want)))); d > 1 && got != want {
				t.Errorf("%sf(%v, %v) = %v, want %v", name, x, y, got, want)
			}
		}
	}
}
