package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// tolerance is the change that counts as none: single runs of one build differ by as much.
const tolerance = 0.03

// Change is one benchmark in two checkouts. Ratios and quotients are medians over the turns, each of two runs one after
// the other.
type Change struct {
	Name     string  `json:"name"`
	Base     float64 `json:"base"`          // the ratio in the base
	BaseHigh float64 `json:"base_high"`     // its upper quartile
	Ratio    float64 `json:"ratio"`         // the ratio here
	Low      float64 `json:"low"`           // its lower quartile
	Ratios   float64 `json:"ratios"`        // quotient of the ratios, here / base
	Measured float64 `json:"measured"`      // quotient of what is measured, here / base
	Floor    float64 `json:"floor"`         // quotient of the floors, here / base
	CPU      float64 `json:"cpu,omitempty"` // quotient of the ratios of CPU times, here / base; 0: not measured in both
	Turns    int     `json:"turns"`
	Again    *Change `json:"again,omitempty"` // the second run of a row that was worse in the first
}

// slower is the verdict about a product that became slower.
const slower = "WORSE"

// verdict is that of the second run, if there was one: a row is worse only if it is in both of two runs.
func (c Change) verdict() string {
	if c.Again != nil {
		return c.Again.verdict()
	}
	return c.verdictOfARun()
}

// verdictOfARun tells apart a product that became slower from a floor that became faster: a floor is often a part of the
// product, such as a message in the engine alone. If the CPU time is the same, the machine was busy with something else,
// and if the quartiles overlap, the row changes as much from turn to turn.
func (c Change) verdictOfARun() string {
	switch {
	case c.Ratios < 1-tolerance:
		return "better"
	case c.Ratios <= 1+tolerance:
		return "same"
	case c.Measured <= 1+tolerance:
		return "floor faster"
	case c.CPU > 0 && c.CPU <= 1+tolerance:
		return "machine busy"
	case c.Low <= c.BaseHigh:
		return "within quartiles"
	}
	return slower
}

// compare runs the benchmarks of two checkouts in turns and prints a table of the changes.
func compare(ctx context.Context, o options) error {
	folder, err := os.MkdirTemp("", "canisterd-bench-")
	if err != nil {
		return fmt.Errorf("making a folder for test binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	here, err := build(ctx, o, ".", filepath.Join(folder, "here"))
	if err != nil {
		return err
	}
	base, err := build(ctx, o, o.base, filepath.Join(folder, "base"))
	if err != nil {
		return err
	}
	changes, err := compareAll(ctx, o, base, here)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return o.noMatch()
	}
	if err := repeatSlower(ctx, o, base, here, changes); err != nil {
		return err
	}
	return errors.Join(changeTable(os.Stdout, changes), writeJSON(o.json, changes), slowerRows(changes))
}

// compareAll takes turns of every benchmark that both checkouts have.
func compareAll(ctx context.Context, o options, base, here checkout) (changes []Change, err error) {
	for _, s := range here.suites {
		for _, name := range s.benchmarks {
			other, found := base.find(name)
			if !found {
				fmt.Fprintf(os.Stderr, "%s is new\n", name)
				continue
			}
			rows, err := takeTurns(ctx, o, name, other, s)
			if err != nil {
				return nil, err
			}
			changes = append(changes, rows...)
			fmt.Fprintln(os.Stderr, name)
		}
	}
	return changes, nil
}

// repeatSlower runs the benchmarks of rows that are worse a second time.
func repeatSlower(ctx context.Context, o options, base, here checkout, changes []Change) error {
	repeated := map[string]bool{}
	for _, c := range changes {
		benchmark, _, _ := strings.Cut("BenchmarkRatio"+c.Name, "/")
		if c.verdict() != slower || repeated[benchmark] {
			continue
		}
		repeated[benchmark] = true
		fmt.Fprintf(os.Stderr, "%s again: %s was worse\n", benchmark, c.Name)
		inBase, _ := base.find(benchmark)
		inHere, _ := here.find(benchmark)
		rows, err := takeTurns(ctx, o, benchmark, inBase, inHere)
		if err != nil {
			return err
		}
		for _, row := range rows {
			i := slices.IndexFunc(changes, func(c Change) bool { return c.Name == row.Name })
			if i >= 0 && changes[i].verdictOfARun() == slower {
				changes[i].Again = &row
			}
		}
	}
	return nil
}

// slowerRows returns an error that names the rows that are worse.
func slowerRows(changes []Change) error {
	var names []string
	for _, c := range changes {
		if c.verdict() == slower {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d rows are worse in both of two runs: %s", len(names), len(changes), strings.Join(names, ", "))
}

// takeTurns runs a benchmark in both checkouts, one run after the other. It may have several rows.
func takeTurns(ctx context.Context, o options, benchmark string, base, here suite) ([]Change, error) {
	var order []string
	turns := map[string]*series{}
	for range o.count {
		before, err := base.run(ctx, benchmark, o.benchtime)
		if err != nil {
			return nil, fmt.Errorf("in the base: %w", err)
		}
		now, err := here.run(ctx, benchmark, o.benchtime)
		if err != nil {
			return nil, err
		}
		for _, row := range now {
			i := slices.IndexFunc(before, func(b Row) bool { return b.Name == row.Name })
			if i < 0 {
				continue
			}
			if turns[row.Name] == nil {
				turns[row.Name] = &series{}
				order = append(order, row.Name)
			}
			turns[row.Name].add(before[i], row)
		}
	}
	changes := make([]Change, 0, len(order))
	for _, name := range order {
		changes = append(changes, turns[name].change(name))
	}
	return changes, nil
}

// series is what the turns of one row gave.
type series struct{ base, here, ratios, measured, floors, cpu []float64 }

func (s *series) add(base, here Row) {
	s.base, s.here = append(s.base, base.Ratio), append(s.here, here.Ratio)
	s.ratios = append(s.ratios, here.Ratio/base.Ratio)
	s.measured = append(s.measured, here.Measured/base.Measured)
	s.floors = append(s.floors, here.Floor/base.Floor)
	if base.CPU > 0 && here.CPU > 0 {
		s.cpu = append(s.cpu, here.CPU/base.CPU)
	}
}

func (s *series) change(name string) Change {
	c := Change{
		Name: name, Base: median(s.base), BaseHigh: quantile(s.base, 0.75), Ratio: median(s.here), Low: quantile(s.here, 0.25), Turns: len(s.ratios),
		Ratios: median(s.ratios), Measured: median(s.measured), Floor: median(s.floors),
	}
	if len(s.cpu) > 0 {
		c.CPU = median(s.cpu)
	}
	return c
}

// checkout is the test binaries of a checkout that have benchmarks of ratios.
type checkout struct{ suites []suite }

// suite is the test binary of one package.
type suite struct {
	binary     string
	folder     string // of the package, in which its tests run
	benchmarks []string
}

func (c checkout) find(benchmark string) (suite, bool) {
	i := slices.IndexFunc(c.suites, func(s suite) bool { return slices.Contains(s.benchmarks, benchmark) })
	if i < 0 {
		return suite{}, false
	}
	return c.suites[i], true
}

// build builds the test binaries of a checkout into a folder.
func build(ctx context.Context, o options, root, into string) (checkout, error) {
	fmt.Fprintf(os.Stderr, "building the tests of %s\n", root)
	packages, err := benchmarked(ctx, o, root)
	if err != nil {
		return checkout{}, err
	}
	var c checkout
	together := map[string][]string{} // packages by the folder of their binaries
	same := map[string]int{}          // packages so far whose binaries have the same name
	for _, p := range packages {
		name := path.Base(p.path) + ".test"
		dir := filepath.Join(into, strconv.Itoa(same[name]))
		same[name]++
		together[dir] = append(together[dir], p.path)
		c.suites = append(c.suites, suite{binary: filepath.Join(dir, name), folder: p.folder})
	}
	for _, dir := range slices.Sorted(maps.Keys(together)) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return checkout{}, fmt.Errorf("making a folder for test binaries: %w", err)
		}
		args := append(o.tagged("test", "-c", "-o", dir+string(filepath.Separator)), together[dir]...)
		if _, err := outputOf(ctx, root, "go", args...); err != nil {
			return checkout{}, err
		}
	}
	for i := range c.suites {
		s := &c.suites[i]
		names, err := outputOf(ctx, s.folder, s.binary, "-test.list", o.pattern())
		if err != nil {
			return checkout{}, err
		}
		s.benchmarks = strings.Fields(string(names))
	}
	return c, nil
}

// testedPackage is a package whose tests have benchmarks of ratios.
type testedPackage struct{ path, folder string }

// benchmarked lists the packages whose tests have benchmarks of ratios.
func benchmarked(ctx context.Context, o options, root string) ([]testedPackage, error) {
	const files = `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`
	out, err := outputOf(ctx, root, "go", append(o.tagged("list", "-f", files), o.packages...)...)
	if err != nil {
		return nil, err
	}
	var packages []testedPackage
	for line := range strings.Lines(string(out)) {
		importPath, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if importPath == "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("looking for benchmarks: %w", err)
		}
		p := testedPackage{importPath, filepath.Dir(file)}
		if bytes.Contains(text, []byte("\nfunc BenchmarkRatio")) && !slices.Contains(packages, p) {
			packages = append(packages, p)
		}
	}
	return packages, nil
}

// run runs a benchmark once.
func (s suite) run(ctx context.Context, benchmark, benchtime string) ([]Row, error) {
	out, err := outputOf(ctx, s.folder, s.binary, "-test.run", "^$", "-test.bench", "^"+benchmark+"$", "-test.benchtime", benchtime)
	if err != nil {
		return nil, err
	}
	return collect(bytes.NewReader(out))
}

// outputOf runs a command in a folder and returns what it printed.
func outputOf(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		text := out
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			text = append(text, exit.Stderr...)
		}
		return nil, fmt.Errorf("running %s %s in %s: %w\n%s", name, strings.Join(args, " "), folder, err, text)
	}
	return out, nil
}

func changeTable(out io.Writer, changes []Change) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "name\tbase\there\tratio\tmeasured\tfloor\tcpu\tturns\t\t")
	for _, c := range changes {
		changeRow(w, c, c.Name)
		if c.Again != nil {
			changeRow(w, *c.Again, "again")
		}
	}
	return w.Flush()
}

func changeRow(w io.Writer, c Change, name string) {
	cpu := ""
	if c.CPU > 0 {
		cpu = percent(c.CPU)
	}
	fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t%s\t%s\t%s\t%d\t%s\t\n", name, c.Base, c.Ratio, percent(c.Ratios), percent(c.Measured), percent(c.Floor), cpu, c.Turns,
		c.verdictOfARun())
}

// percent shows a quotient as a change.
func percent(quotient float64) string { return fmt.Sprintf("%+.1f %%", 100*(quotient-1)) }
