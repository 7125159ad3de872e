package lower_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/ptx"
)

// try loads a text and launches every kernel of it for a few instructions. The error tells
// of a bug of ours: a panic.
func try(text []byte, g exec.Granularity) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	m, bad := ptx.Load([]ptx.Source{{Name: "k.ptx", Text: text}})
	if bad != nil {
		return nil
	}
	d, err := device.New(device.Options{MaxInstructions: 20_000, MaxMemory: 64 << 20, Seed: 1, Granularity: g})
	if err != nil {
		return err
	}
	defer d.Close()
	if m.Instantiate(d) != nil {
		return nil
	}
	for _, k := range m.Kernels() {
		args := make([]byte, k.ParamBytes())
		for i, p := range k.Params {
			if p.Size != 8 {
				args[p.Offset] = 32 // a count, most often
				continue
			}
			b, err := d.Alloc(fmt.Sprint("a", i), 1<<12, i%2 == 0)
			if err != nil {
				return err
			}
			for j := range 8 {
				args[p.Offset+j] = byte(b.Base >> (8 * j))
			}
		}
		p, bad := k.Program(args)
		if bad != nil {
			continue
		}
		r := d.Launch(p, device.Spec{Kernel: k.Name, Grid: kernel.Dim3{X: 2, Y: 1, Z: 1}, Block: kernel.Dim3{X: 40, Y: 1, Z: 1}, DynShared: 64})
		var internal *device.InternalError
		if errors.As(r.Err, &internal) {
			return fmt.Errorf("%w\n%s", internal, internal.Stack)
		}
		d.Findings()
	}
	return nil
}

var (
	register = regexp.MustCompile(`%[a-z]+\d+`)
	number   = regexp.MustCompile(`\b\d+\b`)
	modifier = regexp.MustCompile(`\.[a-z]+\d*`)
)

// mutate changes a few places of a text so that most of it still parses.
func mutate(rng *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	registers, modifiers := register.FindAllString(text, -1), modifier.FindAllString(text, -1)
	pick := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return list[rng.IntN(len(list))]
	}
	swap := func(re *regexp.Regexp, line, by string) string {
		at := re.FindAllStringIndex(line, -1)
		if len(at) == 0 {
			return line
		}
		x := at[rng.IntN(len(at))]
		return line[:x[0]] + by + line[x[1]:]
	}
	numbers := []string{"0", "1", "3", "31", "32", "64", "255", "4096", "65536", "2147483647", "-1", "18446744073709551615"}
	for range 1 + rng.IntN(4) {
		i := 0
		for range 20 { // an instruction, most often
			i = rng.IntN(len(lines))
			if strings.HasSuffix(strings.TrimSpace(lines[i]), ";") {
				break
			}
		}
		switch rng.IntN(9) {
		case 0:
			lines[i] = ""
		case 1, 2:
			lines[i] = swap(register, lines[i], pick(registers))
		case 3:
			lines[i] = swap(modifier, lines[i], pick(modifiers))
		case 4:
			lines[i] = swap(modifier, lines[i], "")
		case 5:
			lines[i] = swap(number, lines[i], pick(numbers))
		case 6:
			lines[i] = swap(register, lines[i], pick(numbers))
		case 7:
			j := rng.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
		case 8: // an operand less
			if k := strings.LastIndex(lines[i], ","); k > 0 {
				lines[i] = lines[i][:k] + ";"
			}
		}
	}
	return strings.Join(lines, "\n")
}

func corpus(t testing.TB) []string {
	files, err := filepath.Glob("../../testdata/*/ptx/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	return files
}

// TestMutatedCorpus: whatever is wrong with a program, the answer is an error, findings or
// a result. GPUSIM_MUTATIONS asks for more than the default number.
func TestMutatedCorpus(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("GPUSIM_MUTATIONS"))
	if n == 0 {
		n = 400
	}
	files := corpus(t)
	const seed = 1
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		file := files[rng.IntN(len(files))]
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := mutate(rng, string(text))
		if err := try([]byte(changed), exec.Granularity(i%2)); err != nil {
			t.Errorf("mutation %d of %s: %v", i, file, err)
			if dir := os.Getenv("GPUSIM_KEEP"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.ptx", i)), []byte(changed), 0o644)
			}
		}
	}
}

func FuzzLower(f *testing.F) {
	for i, file := range corpus(f) {
		if text, err := os.ReadFile(file); err == nil && i%40 == 0 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := try(text, exec.ByWarp); err != nil {
			t.Fatal(err)
		}
	})
}
