package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/internal/regular"
)

// Sizes of files, in bytes. Ours; the daemon has limits of its own.
const (
	maxProjectFile  = 4 << 20   // canisterd.yaml
	maxModuleFile   = 256 << 20 // a module, plain or packed
	maxArgumentFile = 64 << 20  // init_file, in which text and JSON are longer than the bytes they stand for
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

// boundary returns the folder out of which the project may not lead, without links in its path.
func boundary(folder string) (string, error) {
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
	top, err := boundary(p.folder)
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

// Module returns the content of the module of a canister.
func (p *Project) Module(name string) ([]byte, error) {
	return p.read(p.Canisters[name].Wasm, maxModuleFile)
}
