package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxPageFile is the maximum size of a file of a front end. Ours.
const maxPageFile = 256 << 20

// wellKnown is the only hidden directory of a front end that is uploaded (RFC 8615).
const wellKnown = ".well-known"

// checkFrontend refuses a front end that is not there.
func (s *Canister) checkFrontend(p *Project) error {
	if s.Frontend == "" {
		return nil
	}
	info, err := os.Lstat(p.Path(s.Frontend))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("frontend: %s does not exist: build the front end first", p.Path(s.Frontend))
	case err != nil:
		return fmt.Errorf("frontend: %w", err)
	case !info.IsDir():
		return fmt.Errorf("frontend: %s is not a directory", p.Path(s.Frontend))
	}
	return nil
}

// FrontendFiles returns the files of the front end of a canister, by their paths in it, which begin with /. Hidden files are
// left out.
func (p *Project) FrontendFiles(name string) (map[string][]byte, error) {
	spec := p.Canisters[name]
	if err := spec.checkFrontend(p); err != nil {
		return nil, err
	}
	folder, all := p.Path(spec.Frontend), map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		switch {
		case err != nil:
			return err
		case inside != "." && strings.HasPrefix(entry.Name(), ".") && entry.Name() != wellKnown:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		all["/"+filepath.ToSlash(inside)], err = p.read(filepath.Join(spec.Frontend, inside), maxPageFile)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("frontend: %w", err)
	}
	return all, nil
}
