package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// launchFile is the part of a launch file that a peer needs. gpusim itself reads the file
// in full; here only what the benchmark's own files use is known.
type launchFile struct {
	Buffers  map[string]bufferSpec `yaml:"buffers"`
	Launches []launchSpec          `yaml:"launches"`
}

type bufferSpec struct {
	DType string `yaml:"dtype"`
	Shape []int  `yaml:"shape"`
	Init  any    `yaml:"init"`
}

type launchSpec struct {
	Kernel string `yaml:"kernel"`
	Grid   []int  `yaml:"grid"`
	Block  []int  `yaml:"block"`
	Args   []any  `yaml:"args"`
}

func readLaunchFile(path string) (*launchFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &launchFile{}
	if err := yaml.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

var elementSize = map[string]int64{"u8": 1, "f32": 4, "u32": 4, "i32": 4}

// bytes is the sum of the buffers' sizes.
func (f *launchFile) bytes() (int64, error) {
	sum := int64(0)
	for name, b := range f.Buffers {
		n, ok := elementSize[b.DType]
		if !ok {
			return 0, fmt.Errorf("buffer %s: dtype %q is not known here", name, b.DType)
		}
		for _, extent := range b.Shape {
			n *= int64(extent)
		}
		sum += n
	}
	return sum, nil
}

// role is how clrun treats the buffer: what gpusim leaves in it is its content in both
// cases, before the kernel or after it.
func (b bufferSpec) role() string {
	switch b.Init {
	case nil, "zeros":
		return "zero"
	case "none":
		return "out"
	}
	return "in"
}

// clrun are the arguments of clrun for the file's launch, with the buffers' contents as
// files in dir.
func (f *launchFile) clrun(clFile, dir string, repetitions int) ([]string, error) {
	if len(f.Launches) != 1 {
		return nil, fmt.Errorf("%d launches, not the one that a peer can run", len(f.Launches))
	}
	l := f.Launches[0]
	if len(l.Grid) != len(l.Block) {
		return nil, fmt.Errorf("grid and block differ in their dimensions")
	}
	global := make([]int, len(l.Grid))
	for i := range global {
		global[i] = l.Grid[i] * l.Block[i]
	}
	args := []string{clFile, l.Kernel, commas(global), commas(l.Block), fmt.Sprint(repetitions)}
	for _, a := range l.Args {
		switch a := a.(type) {
		case string:
			args = append(args, f.Buffers[a].role()+":"+filepath.Join(dir, a+".npy"))
		case map[string]any:
			v, ok := a["i32"]
			if !ok {
				return nil, fmt.Errorf("argument %v is no i32", a)
			}
			args = append(args, fmt.Sprintf("i32:%v", v))
		default:
			return nil, fmt.Errorf("argument %v is not known here", a)
		}
	}
	return args, nil
}

// saves are the flags that make gpusim write every buffer to a file in dir.
func (f *launchFile) saves(dir string) []string {
	var flags []string
	for name := range f.Buffers {
		flags = append(flags, "--save", name+"="+filepath.Join(dir, name+".npy"))
	}
	return flags
}

func commas(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}
