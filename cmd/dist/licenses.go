package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a Go module that is linked into a binary.
type module struct{ path, version string }

// licenseName matches names of files with the terms under which a module is used.
var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._].*)?$`)

// linkedModules reads the modules that a binary was linked from, this one excepted.
func linkedModules(binary string) ([]module, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var modules []module
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		modules = append(modules, module{m.Path, m.Version})
	}
	return modules, nil
}

// licenseFiles returns the licenses of everything that is linked into any of the builds: modules, the Go standard library,
// and what the pages of the inspector vendor. A module without one is an error: nobody may pass it on.
func licenseFiles(ctx context.Context, builds []build) ([]file, error) {
	var all []module
	for _, b := range builds {
		all = append(all, b.modules...)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	all = slices.Compact(all)
	directories, err := moduleDirectories(ctx, all)
	if err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("looking for the license of Go: %w", err)
	}
	files, err := licensesIn(strings.TrimSpace(string(root)), "go")
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		found, err := licensesIn(directories[m], m.path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	vendored, err := licensesIn(filepath.Join("api", "inspect", "page", "vendor"), "inspector")
	return append(files, vendored...), err
}

// licensesIn returns the licenses in a directory, to be packed under the name of what they are for.
func licensesIn(directory, name string) ([]file, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("looking for the license of %s: %w", name, err)
	}
	var files []file
	for _, e := range entries {
		if e.IsDir() || !licenseName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the license of %s: %w", name, err)
		}
		files = append(files, file{name: "licenses/" + name + "/" + e.Name(), mode: 0o644, data: text})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no license in %s", name, directory)
	}
	return files, nil
}

// moduleDirectories returns where modules lie. Only these are named: Go lists all modules of a build with files that go mod
// download does not bring, and so needs the network.
func moduleDirectories(ctx context.Context, modules []module) (map[module]string, error) {
	args := []string{"list", "-m", "-json"}
	for _, m := range modules {
		args = append(args, m.path)
	}
	listed, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the modules: %w", err)
	}
	directories := map[module]string{}
	decoder := json.NewDecoder(strings.NewReader(string(listed)))
	for {
		var m struct{ Path, Version, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return directories, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the list of modules: %w", err)
		}
		directories[module{m.Path, m.Version}] = m.Dir
	}
}
