package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// printTable prints a row per attack: latencies with their ratio to quiet, memory, pauses.
func printTable(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "attack\tsame p50\tx quiet\tp99\tx quiet\tother p50\tx quiet\tp99\tx quiet\tpeak MiB\tback s\tpause ms\trequests\trefused\t\t")
	for i := range rows {
		r := &rows[i]
		verdict := "ok"
		if len(r.Failures) > 0 {
			verdict = "FAILED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.1f\t%s\t%d\t%d\t%s\t\n", r.Name, columns(&r.Same, &r.QuietSame), columns(&r.Other, &r.QuietOther),
			r.Memory>>20, r.Back.Seconds(), milliseconds(r.Pause), r.Requests, r.Refused, verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range rows {
		for _, failure := range rows[i].Failures {
			fmt.Fprintf(out, "%s: %s\n", rows[i].Name, failure)
		}
	}
	return nil
}

func columns(attacked, quiet *latency) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s", milliseconds(attacked.P50), ratio(attacked.P50, quiet.P50), milliseconds(attacked.P99), ratio(attacked.P99, quiet.P99))
}

func ratio(attacked, quiet time.Duration) string {
	if quiet == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(attacked)/float64(quiet))
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}
