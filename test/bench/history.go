package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shownColumns is how many of the newest tables the page of the history has.
const shownColumns = 6

// kept is a table that was kept at a release, or on a day before the first one.
type kept struct {
	name string
	rows []Row
}

// history reads the tables of a folder in the order of their names.
func history(folder string) ([]kept, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", folder, err)
	}
	slices.Sort(files)
	tables := make([]kept, 0, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a table of the history: %w", err)
		}
		table := kept{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if err := json.Unmarshal(text, &table.rows); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// historyTable is the newest tables side by side, in Markdown: the ratio of each row, and the limit that the newest has.
func historyTable(tables []kept) string {
	tables = tables[max(0, len(tables)-shownColumns):]
	var b strings.Builder
	b.WriteString("| row |")
	for _, t := range tables {
		fmt.Fprintf(&b, " %s |", t.name)
	}
	b.WriteString(" limit |\n|---|" + strings.Repeat("---|", len(tables)+1) + "\n")
	for _, name := range rowNames(tables) {
		fmt.Fprintf(&b, "| %s |", name)
		limit := ""
		for _, t := range tables {
			i := slices.IndexFunc(t.rows, func(r Row) bool { return r.Name == name })
			if i < 0 {
				b.WriteString(" |")
				continue
			}
			b.WriteString(" " + shortRatio(t.rows[i].Ratio) + " |")
			if limit = ""; t.rows[i].Limit > 0 {
				limit = " " + shortRatio(t.rows[i].Limit)
			}
		}
		b.WriteString(limit + " |\n")
	}
	return b.String()
}

// rowNames are the names of all rows, sorted.
func rowNames(tables []kept) (names []string) {
	for _, t := range tables {
		for _, r := range t.rows {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shortRatio formats a ratio with three digits, or all of those before the point.
func shortRatio(ratio float64) string {
	if ratio >= 1000 {
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.3g", ratio)
}
