// Command bench measures gpusim beside its peers, Oclgrind and PoCL, on the same kernels,
// and writes the tables of results.md.
//
//	go run ./bench [-only WORD] [-repetitions N] [-oclgrind N] [-o FILE]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"gpusim/bench/table"
)

// bench is one run of the command.
type bench struct {
	root         string // of the repository
	dir          string // for what is built and saved
	tool         string // gpusim
	host         string // clrun
	prototype    string
	repetitions  int
	oclgrindRuns int
	only         string
}

func main() {
	b := &bench{}
	flag.StringVar(&b.only, "only", "", "only workloads with this `word` in their names")
	flag.IntVar(&b.repetitions, "repetitions", 5, "`number` of runs of gpusim and PoCL")
	flag.IntVar(&b.oclgrindRuns, "oclgrind", 1, "`number` of runs of Oclgrind, which takes up to a minute for one; 0 leaves it out")
	flag.StringVar(&b.prototype, "prototype", "", "also compare with this `program`, the prototype that the interpreter's design was measured with (not in this repository)")
	output := flag.String("o", "", "`file` for the tables (default bench/results.md, or with -only the terminal)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.main(ctx, *output); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) main(ctx context.Context, output string) (err error) {
	if b.repetitions < 1 || b.oclgrindRuns < 0 || flag.NArg() > 0 {
		return errors.New("at least one repetition, and no arguments")
	}
	versions, err := peerVersions(ctx)
	if err != nil {
		return err
	}
	p, err := start(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	b.root = strings.TrimSpace(p.stdout)
	if b.dir, err = os.MkdirTemp("", "gpusim-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	b.tool = filepath.Join(b.dir, "gpusim")
	if _, err := start(ctx, nil, "go", "build", "-o", b.tool, filepath.Join(b.root, "cmd", "gpusim")); err != nil {
		return err
	}
	if err := b.buildHost(ctx); err != nil {
		return err
	}

	report := &table.Report{Repetitions: b.repetitions, OclgrindRuns: b.oclgrindRuns}
	failure := b.measure(ctx, report)
	report.Setting = b.setting(context.WithoutCancel(ctx), versions)
	if failure != nil { // what has been measured so far is shown, but does not replace a whole run
		return errors.Join(report.Write(os.Stdout), failure)
	}
	switch {
	case output != "":
	case b.only == "":
		output = filepath.Join(b.root, "bench", "results.md")
	default:
		return report.Write(os.Stdout)
	}
	old, err := os.ReadFile(output)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	report.Pallas = table.PallasSection(string(old))
	file, err := os.Create(output)
	if err != nil {
		return err
	}
	return errors.Join(report.Write(file), file.Close())
}

func (b *bench) measure(ctx context.Context, report *table.Report) error {
	for _, w := range suite {
		if !strings.Contains(w.name, b.only) {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring:", w.name)
		r, err := b.workload(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		report.Results = append(report.Results, r)
	}
	for _, h := range hotKernels {
		if b.prototype == "" || !strings.Contains(h.name, b.only) {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring beside the prototype:", h.name)
		r, err := b.hot(ctx, h)
		if err != nil {
			return err
		}
		report.Hot = append(report.Hot, r)
	}
	if len(report.Results) == 0 {
		return fmt.Errorf("no workload has %q in its name", b.only)
	}
	var err error
	report.StartUp, err = b.startUp(ctx)
	return err
}
