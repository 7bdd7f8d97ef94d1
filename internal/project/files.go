package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/canisterd/canisterd/internal/regular"
)

// Sizes of files, in bytes. Ours; the daemon has limits of its own.
const (
	maxProjectFile   = 4 << 20   // canisterd.yaml
	maxModuleFile    = 256 << 20 // a module, plain or packed
	maxSourceMapFile = 128 << 20
	maxDebugFile     = 512 << 20
	MaxArgumentFile  = 64 << 20 // a file with arguments, in which text and JSON are longer than the bytes they stand for
)

// Reach says which files a project may name. A canister is given what is in them, and a project may be a stranger's.
type Reach uint8

// The reaches.
const (
	// Inside is the repository that the folder is in, or without one the folder.
	Inside Reach = iota
	// Anywhere is every file of the user.
	Anywhere
)

// repository marks the top folder of a repository.
const repository = ".git"

// Boundary returns the folder out of which the project in a folder may not lead, without links in its path.
func Boundary(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", err
	}
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = filepath.EvalSymlinks(home)
	}
	for top := folder; ; top = filepath.Dir(top) {
		if err == nil && top == home || top == filepath.Dir(top) {
			return folder, nil // a home that is a repository has the user's secrets
		}
		if exists(filepath.Join(top, repository)) {
			return top, nil
		}
	}
}

// read returns the content of a file that the project names, of at most so many bytes.
func (p *Project) read(name string, most int64) ([]byte, error) {
	file, err := p.open(name)
	if err != nil {
		return nil, err
	}
	return regular.ReadAll(file, p.Path(name), most)
}

// open opens a regular file that the project names.
func (p *Project) open(name string) (*os.File, error) {
	if p.reach == Anywhere {
		return regular.Open(p.Path(name))
	}
	top, err := Boundary(p.folder)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(p.folder)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return nil, err
	}
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(folder, name)
	}
	inside, err := filepath.Rel(top, path)
	if err != nil || !filepath.IsLocal(inside) {
		return nil, outside(name, top)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // the file stays open
	file, err := regular.OpenIn(root, inside)
	if leadsOutside(err) {
		return nil, outside(name, top)
	}
	return file, err
}

// leadsOutside reports whether a link leads out of a folder: package os has no value for that error.
func leadsOutside(err error) bool {
	failed, ok := errors.AsType[*os.PathError](err)
	return ok && failed.Err != nil && failed.Err.Error() == "path escapes from parent"
}

func outside(name, top string) error {
	return fmt.Errorf("%s is outside %s: copy it there, or pass --allow-outside if you trust %s", name, top, File)
}

// DebugInfo is the debug information beside the module of a canister; nil for none.
type DebugInfo struct {
	SourceMap, DebugFile []byte
	Beside               string // the path of a source map that was found beside the module, without a key
}

// DebugInfo returns the debug information beside the module of a canister.
func (p *Project) DebugInfo(name string) (d DebugInfo, err error) {
	spec := p.Canisters[name]
	name = spec.mapFile()
	if spec.Map == "" {
		d.Beside = SourceMapBeside(p.Path(spec.Wasm))
	}
	if spec.Map != "" || d.Beside != "" {
		if d.SourceMap, err = p.read(name, maxSourceMapFile); err != nil {
			return d, fmt.Errorf("reading the source map: %w", err)
		}
	}
	if spec.Debug != "" {
		if d.DebugFile, err = p.read(spec.Debug, maxDebugFile); err != nil {
			return d, fmt.Errorf("reading the debug file: %w", err)
		}
	}
	return d, nil
}

// SourceMapBeside returns the path of the source map beside the file of a module, NAME.wasm.map, or "" if it is not
// there.
func SourceMapBeside(module string) string {
	if path := mapBeside(module); exists(path) {
		return path
	}
	return ""
}

// mapBeside returns where the source map of a module is, if it is beside the module.
func mapBeside(module string) string { return strings.TrimSuffix(module, ".gz") + ".map" }

// mapFile returns the file of the source map of the module, which need not be there if it is the default.
func (s *Canister) mapFile() string { return cmp.Or(s.Map, mapBeside(s.Wasm)) }

// ModuleFiles returns the files of the module of a canister, from the directory of the project: the module itself, its
// source map and its debug file, or the file of a stand-in. Only the first has to be there.
func (p *Project) ModuleFiles(name string) []string {
	spec := p.Canisters[name]
	if spec.Clone != nil {
		if spec.Clone.StandIn != "" {
			return []string{spec.Clone.StandIn}
		}
		return nil
	}
	files := []string{spec.Wasm, spec.mapFile()}
	if spec.Debug != "" {
		files = append(files, spec.Debug)
	}
	return files
}

// OwnFiles returns what Read reads, from the directory of the project: its file, files of arguments, and without a file
// patterns for modules.
func (p *Project) OwnFiles() []string {
	files := []string{File}
	for _, suffix := range moduleSuffixes {
		if p.ofModules {
			files = append(files, "*"+suffix)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Canisters)) {
		if file := p.Canisters[name].initFile; file != "" {
			files = append(files, file)
		}
	}
	return files
}

// Description returns what the project says about its canisters as one text: projects with the same text are deployed
// alike.
func (p *Project) Description() (string, error) {
	text, err := yaml.Marshal(p.Canisters)
	return string(text), err
}

// Module returns the content of the module of a canister.
func (p *Project) Module(name string) ([]byte, error) {
	spec := p.Canisters[name]
	module, err := p.read(spec.Wasm, maxModuleFile)
	if errors.Is(err, fs.ErrNotExist) && spec.Built() {
		return nil, fmt.Errorf("%w: canisterd build %s makes it", err, name)
	}
	return module, err
}
