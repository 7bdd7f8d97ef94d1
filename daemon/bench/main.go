// Command bench runs the repository's ratio benchmarks and prints one table.
//
// A ratio benchmark is a Go benchmark whose name begins with BenchmarkRatio. It measures something and, in the same
// run, a floor: the least that the same work could cost. It reports three metrics: "measured-ns" and "floor-ns" for one
// operation each (about memory "measured-bytes" and "floor-bytes"), and "limit-x", the greatest ratio of the two that
// is accepted; 0 means no limit, the row is for information. It may report "mean-ns" and "p99-ns" of what it measured.
// Every benchmark runs several times; the table shows medians, so that a noisy machine shows as little as possible.
// Package ratio below measures and reports.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	jsonPath := flag.String("json", "", "also write the table to this file, as JSON")
	runs := flag.Int("count", 5, "how often each benchmark runs")
	benchtime := flag.String("benchtime", "0.5s", "how long each run lasts")
	only := flag.String("only", "", "only benchmarks whose name, after BenchmarkRatio, matches this expression")
	tags := flag.String("tags", "", "build tags, with commas between them")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	if err := bench(ctx, *jsonPath, *runs, *benchtime, *only, *tags, packages); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, jsonPath string, runs int, benchtime, only, tags string, packages []string) error {
	args := append([]string{
		"test", "-run", "^$", "-bench", "^BenchmarkRatio.*" + only, "-benchtime", benchtime,
		"-count", strconv.Itoa(runs), "-timeout", "60m", "-p", "1", "-tags", tags,
	}, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	var out bytes.Buffer
	cmd.Stdout = io.MultiWriter(&out, progress{os.Stderr})
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running go %s: %w\n%s", strings.Join(args, " "), err, out.Bytes())
	}
	rows, err := collect(&out)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("no benchmark matches BenchmarkRatio.*%s in %s", only, strings.Join(packages, " "))
	}
	if err := table(os.Stdout, rows); err != nil {
		return err
	}
	if jsonPath == "" {
		return nil
	}
	text, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the table: %w", err)
	}
	if err := os.WriteFile(jsonPath, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// Row is one benchmark: medians over its runs.
type Row struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"` // of Measured and Floor: ns or bytes
	Measured float64 `json:"measured"`
	Floor    float64 `json:"floor"`
	Ratio    float64 `json:"ratio"`
	Limit    float64 `json:"limit,omitempty"`
	Mean     float64 `json:"mean,omitempty"` // of what was measured, in ns
	P99      float64 `json:"p99,omitempty"`
	Runs     int     `json:"runs"`
}

// Missed reports whether the ratio is over its limit.
func (r Row) Missed() bool { return r.Limit > 0 && r.Ratio > r.Limit }

var line = regexp.MustCompile(`^BenchmarkRatio(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// collect reads the output of go test -bench.
func collect(out io.Reader) ([]Row, error) {
	type samples struct {
		unit                                     string
		measured, floor, ratio, limit, mean, p99 []float64
	}
	all := map[string]*samples{}
	var order []string
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		match := line.FindStringSubmatch(scanner.Text())
		if match == nil {
			continue
		}
		metrics, err := metricsOf(match[2])
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", scanner.Text(), err)
		}
		unit := "ns"
		if metrics["measured-bytes"] > 0 {
			unit = "bytes"
		}
		measured, floor := metrics["measured-"+unit], metrics["floor-"+unit]
		if measured <= 0 || floor <= 0 {
			return nil, fmt.Errorf("BenchmarkRatio%s reports no measured-%s or no floor-%s", match[1], unit, unit)
		}
		s := all[match[1]]
		if s == nil {
			s = &samples{unit: unit}
			all[match[1]] = s
			order = append(order, match[1])
		}
		s.measured = append(s.measured, measured)
		s.floor = append(s.floor, floor)
		s.ratio = append(s.ratio, measured/floor)
		s.limit = append(s.limit, metrics["limit-x"])
		s.mean = append(s.mean, metrics["mean-ns"])
		s.p99 = append(s.p99, metrics["p99-ns"])
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("reading the benchmarks' output: %w", err)
	}
	rows := make([]Row, 0, len(order))
	for _, name := range order {
		s := all[name]
		rows = append(rows, Row{
			Name: name, Unit: s.unit, Measured: median(s.measured), Floor: median(s.floor), Ratio: median(s.ratio), Limit: median(s.limit),
			Mean: median(s.mean), P99: median(s.p99), Runs: len(s.ratio),
		})
	}
	return rows, nil
}

// metricsOf reads "12 ns/op 3.5 floor-ns …": pairs of value and unit.
func metricsOf(text string) (map[string]float64, error) {
	fields := strings.Fields(text)
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("%d fields are no pairs of value and unit", len(fields))
	}
	metrics := map[string]float64{}
	for pair := range slices.Chunk(fields, 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil {
			return nil, err
		}
		metrics[pair[1]] = value
	}
	return metrics, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func table(out io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "name\tmeasured\tfloor\tratio\tlimit\tmean\tp99\truns\t\t")
	for _, r := range rows {
		limit, verdict := "", ""
		if r.Limit > 0 {
			limit, verdict = fmt.Sprintf("%.2f", r.Limit), "ok"
		}
		if r.Missed() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s\t%s\t%s\t%d\t%s\t\n", r.Name, amount(r.Measured, r.Unit), amount(r.Floor, r.Unit), r.Ratio, limit,
			spread(r.Mean), spread(r.P99), r.Runs, verdict)
	}
	return w.Flush()
}

func amount(value float64, unit string) string {
	if unit != "ns" {
		return fmt.Sprintf("%.1f %s", value, unit)
	}
	return duration(value)
}

// spread is a mean or a percentile; a row about memory has none.
func spread(ns float64) string {
	if ns == 0 {
		return ""
	}
	return duration(ns)
}

func duration(ns float64) string {
	d := time.Duration(ns)
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.1fns", ns)
	case d < time.Millisecond:
		return d.Round(10 * time.Nanosecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}

// progress shows which benchmark is done, on one stream, while the table waits.
type progress struct{ out io.Writer }

func (p progress) Write(text []byte) (int, error) {
	for l := range bytes.Lines(text) {
		if bytes.HasPrefix(l, []byte("BenchmarkRatio")) || bytes.HasPrefix(l, []byte("---")) {
			name, _, _ := bytes.Cut(l, []byte(" "))
			fmt.Fprintf(p.out, "%s\n", bytes.TrimSpace(name))
		}
	}
	return len(text), nil
}
