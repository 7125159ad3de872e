package syntax

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// prologue is put before every chunk, as its line 1.
const prologue = ".version 8.0 .target sm_90 .address_size 64\n"

var wanted = regexp.MustCompile(`// error(?:@(\d+))?: (.*?)\s*(?:$|//)`)

// TestErrors reads the chunks of testdata/errors. "// error: PATTERN" stands on the line that the
// error is reported at, "// error@N: PATTERN" means line N of the chunk (the prologue is line 1).
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, chunk := range strings.Split(string(text), "---\n") {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(file), i+1), func(t *testing.T) { checkChunk(t, prologue+chunk) })
		}
	}
}

func checkChunk(t *testing.T, text string) {
	m, err := Parse("chunk.ptx", []byte(text))
	var list ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("no errors but %v", err)
	}
	if m != nil {
		t.Error("a module beside the errors")
	}
	want := map[int][]*regexp.Regexp{}
	for i, line := range strings.Split(text, "\n") {
		for rest := line; ; {
			at := wanted.FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}
			number := i + 1
			if at[2] >= 0 {
				number, _ = strconv.Atoi(rest[at[2]:at[3]])
			}
			want[number] = append(want[number], regexp.MustCompile(rest[at[4]:at[5]]))
			rest = rest[at[5]:]
		}
	}
	for _, e := range list {
		found := false
		for i, re := range want[e.Pos.Line] {
			if re.MatchString(e.Message) {
				want[e.Pos.Line] = append(want[e.Pos.Line][:i], want[e.Pos.Line][i+1:]...)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("unexpected: %v", e)
		}
	}
	for line, missing := range want {
		for _, re := range missing {
			t.Errorf("line %d: no error %q", line, re)
		}
	}
}

// TestErrorText checks the form of a message and that the list is sorted.
func TestErrorText(t *testing.T) {
	_, err := Parse("dir/k.ptx", []byte(prologue+".entry k() {\n\tbra L;\n\tadd.s32 x, 1;\n}"))
	want := "dir/k.ptx:3:6: instruction bra: undeclared label L\ndir/k.ptx:4:10: instruction add.s32: undeclared name x"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestErrorSource checks that an error in an instruction names the line that .loc gives it, also if .file comes last.
func TestErrorSource(t *testing.T) {
	_, err := Parse("k.ptx", []byte(prologue+".entry k() {\n\tfrobnicate;\n\t.loc 1 7 3\n\tfrobnicate;\n\t.loc 2 8 3\n\tfrobnicate;\n}\n.file 1 \"k.cu\"\n"))
	want := "k.ptx:3:2: instruction frobnicate: unknown opcode frobnicate\nk.ptx:5:2: instruction frobnicate: unknown opcode frobnicate (from k.cu:7)\n" +
		"k.ptx:7:2: instruction frobnicate: unknown opcode frobnicate"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestErrorLimit checks that a text full of errors is given up after 50.
func TestErrorLimit(t *testing.T) {
	_, err := Parse("k.ptx", []byte(prologue+".entry k() {"+strings.Repeat("oops;\n", 1000)+"}"))
	var list ErrorList
	if !errors.As(err, &list) || len(list) != maxErrors {
		t.Errorf("%d errors, want %d", len(list), maxErrors)
	}
}

// TestNotPTX checks texts that have nothing of PTX.
func TestNotPTX(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "k.ptx:1:1: the module: expected the .version directive that every PTX text begins with, found the end of the text",
		"\x00\x00":                             "found the end of the text",
		"\x7fELF\x02\x01":                      `found the character "\x7f"`,
		"__global__ void":                      `expected the .version directive that every PTX text begins with, found "__global__"`,
		".version 8.0":                         "the module: no .target directive",
		".version 8":                           `expected a version like 7.8, found "8"`,
		".version 8.x":                         `expected a version like 7.8`,
		".version 7.0 .target texmode_unified": "no architecture like sm_80",
		".version":                             "the directive .version: expected a version like 7.8, found the end of the text",
		".version 7.0 /* \n":                   "a comment that does not end",
	} {
		_, err := Parse("k.ptx", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
