package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// affected is the command gate affected.
func affected(ctx context.Context, flags *flag.FlagSet, args []string) error {
	since := flags.String("since", "", "the commit before the change")
	changedOnly := flags.Bool("changed", false, "list only the packages whose files changed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *since == "" {
		return errors.New("affected: -since names the commit before the change")
	}
	files, err := changedFiles(ctx, *since)
	if err != nil {
		return err
	}
	all, err := listPackages(ctx)
	if err != nil {
		return err
	}
	changed := all.changed(files)
	if !*changedOnly {
		changed = all.reached(changed)
	}
	for _, p := range changed {
		fmt.Println(p)
	}
	return nil
}

// changedFiles returns the files that differ from a commit, also those that git does not have yet.
func changedFiles(ctx context.Context, since string) ([]string, error) {
	changed, err := git(ctx, "diff", "--name-only", since)
	if err != nil {
		return nil, err
	}
	added, err := git(ctx, "ls-files", "--others", "--exclude-standard")
	return append(changed, added...), err
}

// packages are those of the module.
type packages struct {
	module string
	needs  map[string]map[string]bool // by import path: what the package and its tests are compiled of
}

// listPackages asks the go command.
func listPackages(ctx context.Context) (packages, error) {
	all := packages{needs: map[string]map[string]bool{}}
	out, err := exec.CommandContext(ctx, "go", "list", "-test", "-json=ImportPath,ForTest,Deps,Module", "./...").Output()
	if err != nil {
		return all, fmt.Errorf("go list: %w", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, ForTest string
			Deps                []string
			Module              struct{ Path string }
		}
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, fmt.Errorf("go list: %w", err)
		}
		all.module = p.Module.Path
		all.add(p.ImportPath, p.Deps)
	}
}

// add adds what a package, or the program of its tests, is compiled of.
func (p packages) add(importPath string, deps []string) {
	name, _, _ := strings.Cut(importPath, " ") // "p [q.test]" is p as the tests of q have it
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".test"), "_test")
	if p.needs[name] == nil {
		p.needs[name] = map[string]bool{name: true}
	}
	for _, dep := range deps {
		dep, _, _ := strings.Cut(dep, " ")
		p.needs[name][dep] = true
	}
}

// everything are files on which all packages depend.
var everything = []string{"go.mod", "go.sum"}

// readers are packages whose tests read files of other folders, by the beginning or the end of the file's path.
var readers = []struct{ prefix, suffix, reader string }{
	{"", "", "internal/architecture"},
	{"", ".md", "cmd/canisterd"},
	{"docs/", "", "cmd/canisterd"},
	{"docs/", ".md", "api/control"},
	{"examples/", "", "cmd/canisterd"},
	{"proto/", "", "api/control"},
	{"docs/go.md", "", ""},
	{"README.md", "", ""},
}

// changed returns the packages to which files belong: the nearest folder above that is a package, and those whose tests
// read the file. An empty reader is the package of the root.
func (p packages) changed(files []string) (all []string) {
	for _, file := range files {
		if slices.Contains(everything, file) {
			return p.names()
		}
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			if name := path.Join(p.module, dir); p.needs[name] != nil && (dir != "." || path.Dir(file) == "." && strings.HasSuffix(file, ".go")) {
				all = append(all, name)
				break
			}
			if dir == "." {
				break
			}
		}
		for _, r := range readers {
			if strings.HasPrefix(file, r.prefix) && strings.HasSuffix(file, r.suffix) {
				all = append(all, path.Join(p.module, r.reader))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reached returns the packages that have one of the changed packages in themselves or in their tests.
func (p packages) reached(changed []string) (all []string) {
	for _, name := range p.names() {
		if slices.ContainsFunc(changed, func(c string) bool { return p.needs[name][c] }) {
			all = append(all, name)
		}
	}
	return all
}

func (p packages) names() (all []string) {
	for name := range p.needs {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
