package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Row is one benchmark: medians over its runs.
type Row struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"` // of Measured and Floor: ns or bytes
	Measured float64 `json:"measured"`
	Floor    float64 `json:"floor"`
	Ratio    float64 `json:"ratio"`
	Limit    float64 `json:"limit,omitempty"`
	CPU      float64 `json:"cpu,omitempty"`    // the ratio of CPU times; 0: not measured
	Frozen   float64 `json:"frozen,omitempty"` // the ratio to a floor of the past; 0: none
	Bound    float64 `json:"bound,omitempty"`  // of Measured, in ns; 0: none
	Mean     float64 `json:"mean,omitempty"`   // of what was measured, in ns
	P99      float64 `json:"p99,omitempty"`
	Runs     int     `json:"runs"`
}

// Missed reports whether the ratio is over its limit, or what was measured over its bound. If both times are measured,
// both ratios must be over the limit: other work of the machine makes only the time of the clock longer, and the
// collector, which has a processor of its own on an idle machine, only the CPU time.
func (r Row) Missed() bool {
	over := r.Limit > 0 && r.Ratio > r.Limit && (r.CPU == 0 || r.CPU > r.Limit)
	return over || r.Bound > 0 && r.Measured > r.Bound
}

// missedLimits is an error that names the rows that missed their limits.
func missedLimits(rows []Row) error {
	var names []string
	for _, r := range rows {
		if r.Missed() {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d rows missed their limits: %s; they were repeated: if the machine was busy all the time, run them again with -only", len(names), len(rows), strings.Join(names, ", "))
}

var line = regexp.MustCompile(`^BenchmarkRatio(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// collect reads the output of go test -bench.
func collect(out io.Reader) ([]Row, error) {
	type samples struct {
		unit                                                         string
		measured, floor, ratio, limit, cpu, frozen, bound, mean, p99 []float64
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
		s.cpu = append(s.cpu, metrics["cpu-x"])
		s.frozen = append(s.frozen, metrics["frozen-x"])
		s.bound = append(s.bound, metrics["bound-ns"])
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
			CPU: median(s.cpu), Frozen: median(s.frozen), Bound: median(s.bound), Mean: median(s.mean), P99: median(s.p99), Runs: len(s.ratio),
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

func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile returns the value below which a share of the values lies, between two of them if need be.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

func table(out io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "name\tmeasured\tfloor\tratio\tcpu\tfrozen\tlimit\tbound\tmean\tp99\truns\t\t")
	for _, r := range rows {
		verdict := ""
		if r.Limit > 0 || r.Bound > 0 {
			verdict = "ok"
		}
		if r.Missed() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t\n", r.Name, amount(r.Measured, r.Unit), amount(r.Floor, r.Unit), r.Ratio,
			quotient(r.CPU), quotient(r.Frozen), quotient(r.Limit),
			spread(r.Bound), spread(r.Mean), spread(r.P99), r.Runs, verdict)
	}
	return w.Flush()
}

// quotient is a ratio that not all rows have.
func quotient(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

func amount(value float64, unit string) string {
	if unit != "ns" {
		return fmt.Sprintf("%.1f %s", value, unit)
	}
	return duration(value)
}

// spread is a bound, a mean or a percentile; a row about memory has none.
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
