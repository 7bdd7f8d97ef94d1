package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// survivorsFile is relative to the repository.
const survivorsFile = "test/mutants/survivors.txt"

// survivors are the mutants that are known to survive: name to reason.
type survivors map[string]string

// readSurvivors reads lines of the form "name = reason". Empty lines and lines
// that begin with # are skipped.
func readSurvivors(path string) (survivors, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the list of survivors: %w", err)
	}
	known := survivors{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndex(line, " = ")
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: expected NAME = REASON", path, number)
		}
		known[line[:at]] = line[at+len(" = "):]
	}
	return known, nil
}

// check returns an error if a line names no mutant.
func (s survivors) check(all []mutant) error {
	names := map[string]bool{}
	for _, m := range all {
		names[m.name] = true
	}
	var stale []string
	for name := range s {
		if !names[name] {
			stale = append(stale, name)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	slices.Sort(stale)
	return fmt.Errorf("%s lists mutants that do not exist any more:\n  %s", survivorsFile, strings.Join(stale, "\n  "))
}
