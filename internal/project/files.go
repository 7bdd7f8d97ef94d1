package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	path := spec.Map
	if path == "" {
		d.Beside = SourceMapBeside(p.Path(spec.Wasm))
		path = d.Beside
	}
	if path != "" {
		if d.SourceMap, err = p.read(path, maxSourceMapFile); err != nil {
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
	if path := strings.TrimSuffix(module, ".gz") + ".map"; exists(path) {
		return path
	}
	return ""
}

// Module returns the content of the module of a canister.
func (p *Project) Module(name string) ([]byte, error) {
	return p.read(p.Canisters[name].Wasm, maxModuleFile)
}
