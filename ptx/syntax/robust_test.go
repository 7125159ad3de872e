package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostile are texts made to exhaust memory, stack or time. Each must be refused.
var hostile = map[string]string{
	"open braces":      ".entry k() {" + strings.Repeat("{", 1<<20),
	"module braces":    strings.Repeat("{", 1<<20),
	"close braces":     ".entry k() {" + strings.Repeat("}", 1<<20),
	"brackets":         ".entry k() { ld.b32 " + strings.Repeat("[", 1<<20),
	"vectors":          ".entry k() { ld.b32 " + strings.Repeat("{1,", 1<<18),
	"parentheses":      ".global .u32 x = " + strings.Repeat("(", 1<<20),
	"unary":            ".global .u32 x = " + strings.Repeat("-", 1<<20),
	"ternary":          ".global .u32 x = " + strings.Repeat("1?", 1<<19),
	"operators":        ".global .u32 x = " + strings.Repeat("1||1&&1|1^1&1==1<1<<1+1*", 1<<15),
	"nested init":      ".global .u32 x[2][2] = " + strings.Repeat("{", 1<<20),
	"registers":        ".entry k() { .reg .b32 %r<4000000000>; ret; }",
	"dimensions":       ".global .b8 x" + strings.Repeat("[1000000]", 1<<12) + ";",
	"undeclared":       ".entry k() {" + strings.Repeat("add.u32 a, b, c;", 1<<15) + "}",
	"unknown opcodes":  ".entry k() {" + strings.Repeat("abcdefgh;", 1<<16) + "}",
	"semicolons":       ".entry k() {" + strings.Repeat(";", 1<<20),
	"open comment":     ".entry k() {" + strings.Repeat("/*", 1<<19),
	"slashes":          ".entry k() {" + strings.Repeat("/", 1<<20) + "\n",
	"open string":      ".pragma \"" + strings.Repeat("\\", 1<<20),
	"labels":           ".entry k() {" + strings.Repeat("L:", 1<<19),
	"pending":          ".entry k() {" + strings.Repeat("{bra L;", 199) + strings.Repeat("bra L;", 1<<16) + strings.Repeat("}", 199) + "}",
	"alignments":       ".global " + strings.Repeat(".align 4 ", 1<<17),
	"directives":       strings.Repeat(".visible ", 1<<17),
	"garbage":          string(bytes.Repeat([]byte{0x80, 0xff, 0, 7}, 1<<18)),
	"long name":        ".entry k() { bra " + strings.Repeat("x", 1<<20) + "; }",
	"digits":           ".global .u64 x = " + strings.Repeat("9", 1<<20) + ";",
	"name of digits":   ".entry k() { .reg .b32 r<9>; mov.b32 r" + strings.Repeat("1", 1<<20) + ", 0; }",
	"opcode tail":      ".entry k() { ld" + strings.Repeat(" .x", 1<<18) + " }",
	"debug strings":    ".section .debug_str { " + strings.Repeat("L: .b8 1 ", 1<<16),
	"sections":         ".section .debug_x " + strings.Repeat("{", 1<<20),
	"offsets":          ".entry k() { .reg .b64 p; ld.b32 p, [p" + strings.Repeat("+1", 1<<19) + "}",
	"guards":           ".entry k() {" + strings.Repeat("@!", 1<<19),
	"recovery of list": ".entry k() {" + strings.Repeat("mov {{1,", 1<<17),
}

func TestHostileTexts(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("k.ptx", []byte(prologue+text))
			var list ErrorList
			if !errors.As(err, &list) || len(list) == 0 {
				t.Errorf("no errors but %v", err)
			}
			for _, e := range list {
				if len(e.Message) > 2*maxMessage || !e.Pos.IsValid() {
					t.Errorf("error at %v with %d bytes", e.Pos, len(e.Message))
				}
			}
			// Far above what any of them takes, with the race detector on a busy machine too; a
			// quadratic reader would need minutes.
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// TestTruncated cuts good texts at every place: no panic, and an error unless only white space,
// comments or debug information is missing.
func TestTruncated(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lastBody := bytes.LastIndex(text, []byte("ret;"))
		step := max(1, len(text)/700)
		for n := 0; n < len(text); n += step {
			m, err := Parse(file, text[:n])
			if (m == nil) == (err == nil) {
				t.Fatalf("%s cut at %d: %v, %v", file, n, m, err)
			}
			if err == nil && n <= lastBody {
				inBody := bytes.Count(text[:n], []byte("{")) != bytes.Count(text[:n], []byte("}"))
				if inBody && !strings.Contains(file, "syntax") {
					t.Errorf("%s cut at %d inside a body: no error", file, n)
				}
			}
		}
	}
}

// manyFunctions is a text of about the given size, of functions as a compiler writes them.
func manyFunctions(tb testing.TB, size int) []byte {
	body, err := os.ReadFile("testdata/golden/clang.O0.ptx")
	if err != nil {
		tb.Fatal(err)
	}
	start := bytes.Index(body, []byte(".visible .entry"))
	end := bytes.Index(body[start:], []byte("\n}")) + start + 3
	var b bytes.Buffer
	b.Write(body[:bytes.Index(body, []byte(".visible .func  (.param .b32 func_retval0) _Z4facti(\n"))])
	for i := 0; b.Len() < size; i++ {
		b.Write(bytes.ReplaceAll(body[start:end], []byte("_Z1kPi1Si"), fmt.Appendf(nil, "kernel%d", i)))
	}
	b.WriteString("\n.file 1 \"a.cu\"\n")
	return b.Bytes()
}

// TestLinear checks that eight times the text takes eight times the memory, not 64 times.
func TestLinear(t *testing.T) {
	measure := func(size int) uint64 {
		text := manyFunctions(t, size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Parse("k.ptx", text); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := measure(128<<10), measure(1<<20)
	if large > 12*small {
		t.Errorf("%d bytes for 128 KiB, %d bytes for 1 MiB", small, large)
	}
}

func BenchmarkParse(b *testing.B) {
	text := manyFunctions(b, 1<<20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("k.ptx", text); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParsePTX(f *testing.F) {
	for _, pattern := range []string{"testdata/golden/*.ptx", "testdata/errors/*.ptx"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, chunk := range bytes.Split(text, []byte("---\n")) {
				f.Add(append([]byte(prologue), chunk...))
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("fuzz.ptx", text)
		if err != nil {
			var list ErrorList
			if m != nil || !errors.As(err, &list) || len(list) == 0 || len(list) > maxErrors {
				t.Fatalf("module %v, error %v", m, err)
			}
			return
		}
		checkTree(t, m)
		dump(m)
	})
}
