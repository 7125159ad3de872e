package pallas_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gpusim/array"
	"gpusim/device"
	"gpusim/kernel"
	"gpusim/pallas"
)

// run executes an exported program of testdata (made of python/tests/kernels.py).
func run(t *testing.T, name string, o device.Options) (map[string][]byte, []kernel.Finding, device.LaunchResult) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := pallas.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return execute(t, m, "testdata", o, pallas.Settings{})
}

// execute runs a program; buffers have the contents that it holds, or the files of a
// directory.
func execute(t *testing.T, m *pallas.Module, dir string, o device.Options, s pallas.Settings) (map[string][]byte, []kernel.Finding, device.LaunchResult) {
	t.Helper()
	d, err := device.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	data := map[string][]byte{}
	var addresses []uint64
	for n := range m.Devices {
		for i := range m.Buffers {
			spec := &m.Buffers[i]
			shard, name := pallas.Shard{Data: spec.Data, File: spec.File}, spec.Name
			if spec.Shards != nil {
				shard = spec.Shards[n]
			}
			content := shard.Data
			if shard.File != "" {
				content, err = os.ReadFile(filepath.Join(dir, filepath.Base(shard.File)))
				if err != nil {
					t.Fatal(err)
				}
			}
			if m.Devices > 1 {
				name = fmt.Sprintf("%s@%d", name, n)
			}
			b, err := d.Alloc(name, spec.Bytes(), content != nil)
			if err != nil {
				t.Fatal(err)
			}
			copy(b.Data, content)
			addresses, data[name] = append(addresses, b.Base), b.Data
		}
	}
	p, err := m.Program(addresses, s)
	if err != nil {
		t.Fatal(err)
	}
	grid, block := p.(*array.Program).Extent()
	r := d.Launch(p, device.Spec{Kernel: m.Name, Grid: grid, Block: block})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return data, d.Findings(), r
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func ints(b []byte) []int {
	out := make([]int, len(b)/4)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

func count(n int, f func(i int) int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Kernels with all the rest of the primitives: their values, with every schedule and
// whenever asynchronous operations take effect.
func TestWide(t *testing.T) {
	files, err := filepath.Glob("testdata/wide/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var known struct{ Want [][][]byte } // by device, of each result
			if err := json.Unmarshal(text, &known); err != nil {
				t.Fatal(err)
			}
			m, err := pallas.Load(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, completion := range pallas.Completions {
				for _, o := range schedules[:3] { // some of them need all blocks at once
					data, findings, r := execute(t, m, filepath.Dir(f), o, pallas.Settings{Completion: completion})
					if known.Want == nil {
						if r.Complete || !slices.ContainsFunc(findings, func(f kernel.Finding) bool { return f.Kind == kernel.Assert }) {
							t.Fatalf("%s %+v: %+v", completion, o, findings)
						}
						continue
					}
					if len(findings) > 0 || !r.Complete {
						t.Fatalf("%s %+v: %s %+v", completion, o, r.Stopped, findings)
					}
					for d, want := range known.Want {
						for i, w := range want {
							name := m.Buffers[m.Results[i]].Name
							if m.Devices > 1 {
								name = fmt.Sprintf("%s@%d", name, d)
							}
							if !slices.Equal(data[name], w) {
								t.Errorf("%s %+v: %s is %v\nwant %v", completion, o, name, data[name], w)
							}
						}
					}
				}
			}
		})
	}
}

var schedules = []device.Options{{Seed: 1}, {Seed: 2}, {Schedule: "rr"}, {Seed: 3, Resident: 1}}

// Kernels without defects: what they compute, and silence.
func TestValues(t *testing.T) {
	plusOne := count(32, func(i int) int { return i + 1 })
	for name, want := range map[string][]int{
		"copy_in":              plusOne,
		"copy_out":             count(8, func(i int) int { return 2 * i }),
		"copy_out_read_only":   count(8, func(i int) int { return 2 * i }),
		"grid":                 count(24, func(i int) int { return 10*i + i/8 }),
		"loops":                {28, 112, 7},
		"producer_consumer":    count(8, func(i int) int { return i + 1 }),
		"ring":                 count(128, func(i int) int { return 3 * i }),
		"threads_own_elements": {0, 1, 4, 9},
		"write_then_copy_in":   count(8, func(i int) int { return i }),
		"grid_of_copies":       count(32, func(i int) int { return 2 * i }),
		"many_arrivals":        count(16, func(i int) int { return 2 * ((i + 1) % 16) }),
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range schedules {
				data, findings, r := run(t, name, o)
				if len(findings) > 0 || !r.Complete {
					t.Fatalf("%s: %+v", r.Stopped, findings)
				}
				out := data["o"]
				if got := ints(out); !slices.Equal(got, want) {
					t.Errorf("%v\nwant %v", got, want)
				}
			}
		})
	}
}

func TestFloats(t *testing.T) {
	data, findings, _ := run(t, "add", device.Options{})
	if len(findings) > 0 {
		t.Error(findings)
	}
	for i := range 8 {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(data["o"][4*i:])); got != float32(3*i) {
			t.Errorf("element %d is %v", i, got)
		}
	}
	data, _, _ = run(t, "matmul", device.Options{})
	for _, at := range [][2]int{{0, 0}, {3, 5}, {15, 15}} {
		var want float32
		for k := range 16 {
			want += float32(16*at[0]+k) * float32(16*at[1]+k)
		}
		if got := math.Float32frombits(binary.LittleEndian.Uint32(data["o"][4*(16*at[0]+at[1]):])); got != want {
			t.Errorf("element %v is %v, want %v", at, got, want)
		}
	}
}

// Kernels with a defect: each is found with every schedule.
func TestDefects(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   kernel.Kind
		edge   kernel.Edge
		object string
		text   string
	}{
		{"two_threads_one_element", kernel.DataRace, kernel.NoBarrier, "o", "writes o"},
		{"producer_consumer_without_wait", kernel.DataRace, kernel.NoBarrier, "smem", "nothing orders the two"},
		{"copy_in_without_wait", kernel.DataRace, kernel.NoWait, "smem", "which the copy issued by thread 0"},
		{"write_then_copy_in_without_fence", kernel.DataRace, kernel.ProxyFence, "smem", "the copy issued by"},
		{"copy_out_without_fence", kernel.DataRace, kernel.ProxyFence, "smem", "the copy issued by"},
		{"copy_out_read_only_then_read", kernel.DataRace, kernel.NoWait, "o", "reads o"},
		{"copy_out_without_wait", kernel.AsyncMisuse, "", "", "Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread"},
		{"blocks_race", kernel.DataRace, kernel.NoBarrier, "o", "of block"},
		{"collective_scratch_race", kernel.DataRace, kernel.NoBarrier, "s", "nothing orders the two"},
		{"two_copies_into_one_tile", kernel.DataRace, kernel.NoWait, "smem", "nothing orders the two"},
		{"out_of_bounds_read", kernel.OutOfBounds, "", "x", "Out-of-bounds read of x: reading [8] but buffer has shape (8,)."},
		{"first_wait_too_late", kernel.BarrierMisuse, "", "bar", "for the first time, but barrier is already at phase 2."},
		{"barrier_twice", kernel.BarrierMisuse, "", "bar", "Barrier completed phase 1, but no threads observed phase 0."},
		{"deadlock", kernel.Deadlock, "", "", "thread 1 waits at phase 0 of barrier bar (kernels.py:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range schedules {
				_, findings, _ := run(t, c.name, o)
				i := slices.IndexFunc(findings, func(f kernel.Finding) bool {
					return f.Kind == c.kind && f.Edge == c.edge && f.Object == c.object && strings.Contains(f.Message, c.text)
				})
				if i < 0 {
					t.Fatalf("%+v", findings)
				}
				for _, a := range findings[i].Accesses {
					if a.Source.File != "kernels.py" {
						t.Errorf("%+v", a)
					}
				}
			}
		})
	}
}

// Without race detection there are no races, and the values are the same.
func TestWithoutRaces(t *testing.T) {
	_, findings, r := run(t, "copy_in_without_wait", device.Options{NoRaces: true, NoUninit: true})
	for _, f := range findings {
		if f.Kind == kernel.DataRace {
			t.Errorf("%+v", f)
		}
	}
	if !r.Complete {
		t.Error(r.Stopped)
	}
}

// One seed, one result: every program twice.
func TestDeterminism(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		a, findings, _ := run(t, name, device.Options{Seed: 7})
		b, again, _ := run(t, name, device.Options{Seed: 7})
		if !reflect.DeepEqual(findings, again) {
			t.Errorf("%s: %+v\nand %+v", name, findings, again)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the values differ", name)
		}
	}
}

// Every actor and coroutine ends, also those of kernels that do not come to their end.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An empty grid does nothing: the results are uninitialised.
func TestEmptyGrid(t *testing.T) {
	text, err := os.ReadFile("testdata/copy_in.json")
	if err != nil {
		t.Fatal(err)
	}
	for grid, want := range map[string]int{`[]`: 7, `[3, 0]`: math.MaxInt32} {
		m, err := pallas.Load([]byte(strings.Replace(string(text), `"grid": []`, `"grid": `+grid, 1)))
		if err != nil {
			t.Fatal(err)
		}
		out, findings, result := execute(t, m, "testdata", device.Options{Seed: 1}, pallas.Settings{})
		if !result.Complete || len(findings) > 0 {
			t.Errorf("grid %s: %+v, %v", grid, result, findings)
		}
		if got := ints(out["o"])[6]; got != want {
			t.Errorf("grid %s: %d, want %d", grid, got, want)
		}
	}
}
