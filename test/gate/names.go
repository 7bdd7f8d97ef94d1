package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// names is the command gate names.
func names(ctx context.Context, flags *flag.FlagSet, args []string) error {
	since := flags.String("since", "", "the commit whose scripts, seeds and golden files are compared with those here")
	renamed := flags.String("renamed", "", "a file with a line for each name that is gone: the name, then => and its successors")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("names: expected two outputs of go test -json, before and after the change")
	}
	before, err := namesOf(ctx, flags.Arg(0), *since)
	if err != nil {
		return err
	}
	after, err := namesOf(ctx, flags.Arg(1), "")
	if err != nil {
		return err
	}
	moved, err := readSuccessors(*renamed)
	if err != nil {
		return err
	}
	gone, lost := compare(before, after, moved)
	fmt.Printf("%d names before, %d after, %d gone\n", len(before), len(after), len(gone))
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		fmt.Printf("%s => %s\n", name, strings.Join(gone[name], ", "))
	}
	if len(lost) > 0 {
		return fmt.Errorf("%d names are gone and have no successor:\n%s", len(lost), strings.Join(lost, "\n"))
	}
	return nil
}

// namesOf returns the names of the tests in a file, and those of the scripts, seeds and golden files at a commit; an
// empty commit means the files here.
func namesOf(ctx context.Context, file, commit string) (map[string]bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	all, err := testNames(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	files := []string{"ls-files"}
	if commit != "" {
		files = []string{"ls-tree", "-r", "--name-only", commit}
	}
	paths, err := git(ctx, files...)
	for _, path := range paths {
		if strings.Contains(path, "testdata/") {
			all[path] = true
		}
	}
	return all, err
}

// testNames returns the names of tests and subtests that ran, with their package.
func testNames(output io.Reader) (map[string]bool, error) {
	all := map[string]bool{}
	scanner := bufio.NewScanner(output)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(scanner.Bytes(), &event) != nil {
			continue // what a compiler says is no event
		}
		if event.Test != "" && event.Action == "run" {
			all[event.Package+" "+event.Test] = true
		}
	}
	return all, scanner.Err()
}

// readSuccessors reads lines NAME => NAME, NAME. Lines that begin with # are comments.
func readSuccessors(file string) (successors, error) {
	all := successors{}
	if file == "" {
		return all, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, list, ok := strings.Cut(line, " => ")
		if !ok {
			return nil, fmt.Errorf("%s: expected NAME => SUCCESSOR: %q", file, line)
		}
		all[name] = strings.Split(list, ", ")
	}
	return all, nil
}

// compare returns the names that are gone, each with its successors, and those of them whose successors are not all there.
func compare(before, after map[string]bool, moved successors) (gone map[string][]string, lost []string) {
	gone = map[string][]string{}
	for name := range before {
		if after[name] {
			continue
		}
		heirs := moved.of(name)
		gone[name] = heirs
		if len(heirs) == 0 || slices.ContainsFunc(heirs, func(heir string) bool { return !after[heir] }) {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return gone, lost
}

// successors are the names that stand in place of others. A name that ends with * stands for all names with the same
// beginning, and its successor gives them another beginning.
type successors map[string][]string

func (s successors) of(name string) []string {
	if exact := s[name]; exact != nil {
		return exact
	}
	for pattern, heirs := range s {
		prefix, ok := strings.CutSuffix(pattern, "*")
		if !ok || !strings.HasPrefix(name, prefix) {
			continue
		}
		moved := make([]string, len(heirs))
		for i, heir := range heirs {
			moved[i] = strings.Replace(heir, "*", strings.TrimPrefix(name, prefix), 1)
		}
		return moved
	}
	return nil
}
