package table

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Write writes the report as Markdown.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by the command below; not edited by hand.\n\n")
	for _, line := range r.Setting {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	fmt.Fprintf(&b, `
How it was measured:

- gpusim: one worker, each number from %d processes: the median of whole processes, the best of kernel times (`+"`--timing`"+`), the largest of peak memory (maximum resident set).
- Oclgrind: `+"`--data-races --uninitialized`"+` with its default threads, the median of %d whole processes.
- PoCL: the best of %d kernel times on one compute unit, from OpenCL's profiling events, after an untimed execution.
- The OpenCL kernels do the same work as the CUDA ones. All results are checked: what gpusim computes from the PTX must be what the OpenCL kernel leaves in its buffers, in Oclgrind and in PoCL.
- Whole processes include start-up, reading or generating the input, compiling or parsing the kernel, and checking the result (gpusim only where its launch file expects one).
`, r.Repetitions, r.OclgrindRuns, max(r.Repetitions, 2))
	r.writeTargets(&b)
	r.writePeers(&b)
	r.writeChecks(&b)
	r.writeHot(&b)
	if r.Pallas != "" {
		b.WriteString("\n" + r.Pallas)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeTargets(b *strings.Builder) {
	t := newGrid(b, "Targets", "`bench/README.md` says why those that are not met are not.", "target", "-limit", "-measured", "met")
	for _, x := range r.targets() {
		met := "yes"
		if !x.met {
			met = "**no**"
		}
		t.row(x.what, x.limit, x.measured, met)
	}
}

// writePeers leaves out what no peer has run, and the table if that is all.
func (r *Report) writePeers(b *strings.Builder) {
	var factors, slower []float64
	var t *grid
	for _, x := range r.Results {
		if x.Oclgrind.Wall == 0 && x.PoCL == 0 {
			continue
		}
		if t == nil {
			t = newGrid(b, "Beside the peers", "Times in ms. \"Faster\" and \"slower\" are gpusim check against the peer; \"reports\" is what Oclgrind says against these kernels, which are free of errors.",
				"kernel", "-check, process", "-Oclgrind, process", "-faster", "-reports", "-check, kernel", "-PoCL, kernel", "-slower")
		}
		factors, slower = append(factors, x.overOclgrind()), append(slower, x.underPoCL())
		reports := "-"
		if x.Oclgrind.Wall > 0 {
			reports = fmt.Sprint(x.Oclgrind.Reports)
		}
		t.row(x.Name, ms(x.Check.Wall), ms(x.Oclgrind.Wall), times(x.overOclgrind(), 0), reports, ms(x.Check.Kernel), ms(x.PoCL), times(x.underPoCL(), 1))
	}
	if t != nil {
		t.row("geometric mean", "", "", times(geomean(factors), 0), "", "", "", times(geomean(slower), 1))
	}
}

func (r *Report) writeChecks(b *strings.Builder) {
	t := newGrid(b, "What the detectors cost", "`gpusim check` (all detectors) against `gpusim run` (bounds and alignment only). Times in ms, memory in MiB.",
		"kernel", "-check, process", "-run, process", "-check, kernel", "-run, kernel", "-slower", "-buffers", "-check, peak", "-limit", "-run, peak")
	var slower []float64
	for _, x := range r.Results {
		slower = append(slower, x.overRun())
		t.row(x.Name, ms(x.Check.Wall), ms(x.Run.Wall), ms(x.Check.Kernel), ms(x.Run.Kernel), times(x.overRun(), 2),
			mib(x.Buffers), mib(x.Check.RSS), mib(x.memoryLimit()), mib(x.Run.RSS))
	}
	t.row("geometric mean", "", "", "", "", times(geomean(slower), 2), "", "", "", "")
}

func (r *Report) writeHot(b *strings.Builder) {
	if len(r.Hot) == 0 {
		return
	}
	t := newGrid(b, "Beside the prototype", "The prototype is the throw-away interpreter that the design was measured with: kernels lowered by hand, no parser, no actors, no metrics, no reports; scalar build, one worker. "+
		"Kernel times in ms, the best of as many processes on both sides, in turns.",
		"kernel", "-check", "-prototype, all on", "-slower", "-run", "-prototype, off", "-slower")
	var check, run []float64
	for _, h := range r.Hot {
		c, f := ratio(h.Check, h.PrototypeCheck), ratio(h.Run, h.PrototypeRun)
		check, run = append(check, c), append(run, f)
		t.row(h.Name, ms(h.Check), ms(h.PrototypeCheck), times(c, 2), ms(h.Run), ms(h.PrototypeRun), times(f, 2))
	}
	t.row("geometric mean", "", "", times(geomean(check), 2), "", "", times(geomean(run), 2))
}

// grid is a Markdown table that is being written.
type grid struct{ b *strings.Builder }

// newGrid writes heading, remark and the table's header; a column whose name begins with
// "-" is aligned to the right.
func newGrid(b *strings.Builder, heading, remark string, columns ...string) *grid {
	fmt.Fprintf(b, "\n## %s\n\n", heading)
	if remark != "" {
		fmt.Fprintf(b, "%s\n\n", remark)
	}
	g := &grid{b}
	rules := make([]string, len(columns))
	for i, c := range columns {
		name, right := strings.CutPrefix(c, "-")
		columns[i], rules[i] = name, "---"
		if right {
			rules[i] = "---:"
		}
	}
	g.row(columns...)
	g.row(rules...)
	return g
}

func (g *grid) row(cells ...string) {
	fmt.Fprintf(g.b, "| %s |\n", strings.Join(cells, " | "))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// ms shows three digits or more; what was not measured is a dash.
func ms(d time.Duration) string {
	v := milliseconds(d)
	switch {
	case d == 0:
		return "-"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func times(factor float64, digits int) string {
	if factor == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*fx", digits, factor)
}

func mib(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/mebibyte)
}
