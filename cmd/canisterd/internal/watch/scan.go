package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Set selects files of a folder. Paths and patterns are relative to the folder, with slashes.
type Set struct {
	// Files are files, which need not exist.
	Files []string
	// Patterns are files, directories with everything in them, and patterns of these with *, ?, [a-z] and **, which
	// stands for any number of directories. Directories of tools and files of editors are left out.
	Patterns []string
	// Except are files that are not selected by patterns.
	Except []string
}

// ignoredDirectories hold what tools make or fetch.
var ignoredDirectories = []string{".canisterd", ".git", ".mops", "node_modules", "target"}

// ignoredFiles are what editors and systems write beside a file.
var ignoredFiles = []string{"*~", ".#*", "#*#", "*.sw[a-z]", ".*.sw[a-z]", "4913", "*___jb_tmp___", "*___jb_old___", ".goutputstream-*", ".DS_Store"}

// everything is the pattern of all files in a directory.
var everything = []string{"**"}

// scan is one look at the files of a set.
type scan struct {
	folder  string
	set     Set
	watch   func(directory string) error // called with each directory before it is read
	found   Files
	visited map[string]bool // directories of which everything was taken
}

// path returns the path of a file of the folder for the operating system.
func (s *scan) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.folder, filepath.FromSlash(name))
}

// all reads the files of the set.
func (s *scan) all() error {
	for _, name := range s.set.Files {
		if err := s.named(path.Clean(name), nil); err != nil {
			return err
		}
	}
	for _, pattern := range s.set.Patterns {
		fixed, rest := split(path.Clean(filepath.ToSlash(pattern)))
		if err := s.named(fixed, rest); err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
	}
	return nil
}

// split returns the part of a pattern before the first element with a special character, and the elements after it.
func split(pattern string) (fixed string, rest []string) {
	elements := strings.Split(pattern, "/")
	at := slices.IndexFunc(elements, func(e string) bool { return strings.ContainsAny(e, `*?[\`) })
	if at < 0 {
		return pattern, nil
	}
	fixed = strings.Join(elements[:at], "/")
	if fixed == "" && at > 0 {
		fixed = "/"
	}
	return path.Clean(fixed), elements[at:]
}

// named takes the file at a path; of a directory, what the rest of a pattern selects in it, or everything. Each directory
// on the way is watched before the next one is looked for, so that the one that is missing is noticed when it appears.
func (s *scan) named(name string, rest []string) error {
	elements := strings.Split(name, "/")
	at := "."
	if elements[0] == "" {
		at = "/"
	}
	if err := s.watch(s.path(at)); err != nil {
		return err
	}
	for i, element := range elements {
		at = path.Join(at, element)
		info, err := os.Stat(s.path(at))
		switch last := i == len(elements)-1; {
		case err != nil:
			return nil //nolint:nilerr // there may be such a file later
		case !info.IsDir() && last && rest == nil:
			return s.take(at)
		case !info.IsDir():
			return nil
		case !last:
			if err := s.watch(s.path(at)); err != nil {
				return err
			}
		}
	}
	if rest == nil {
		rest = everything
	}
	return s.directory(at, rest)
}

// directory takes what elements of a pattern select in a directory.
func (s *scan) directory(name string, pattern []string) error {
	if whole := slices.Equal(pattern, everything); whole && s.visited[name] {
		return nil
	} else if whole {
		s.visited[name] = true
	}
	if err := s.watch(s.path(name)); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was removed
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := s.entry(path.Join(name, entry.Name()), entry, pattern); err != nil {
			return err
		}
	}
	return nil
}

// entry takes what a pattern, whose first element is for the entry of a directory, selects of the entry.
func (s *scan) entry(name string, entry fs.DirEntry, pattern []string) error {
	first, rest := pattern[0], pattern[1:]
	if entry.IsDir() && slices.Contains(ignoredDirectories, entry.Name()) {
		return nil
	}
	switch last := len(rest) == 0; {
	case first == "**":
		if !last {
			if err := s.entry(name, entry, rest); err != nil {
				return err
			}
		}
		if entry.IsDir() {
			return s.directory(name, pattern)
		}
		if last {
			return s.file(name, entry)
		}
		return nil
	case !matches(first, entry.Name()):
		return nil
	case entry.IsDir() && last:
		return s.directory(name, everything)
	case entry.IsDir():
		return s.directory(name, rest)
	case last:
		return s.file(name, entry)
	}
	return nil
}

// matches reports whether a name matches an element of a pattern.
func matches(element, name string) bool {
	matched, err := path.Match(element, name)
	return err == nil && matched
}

// file takes a file that a pattern has selected, unless it is left out. A link to a directory is not followed: it may lead
// in a circle.
func (s *scan) file(name string, entry fs.DirEntry) error {
	if slices.Contains(s.set.Except, name) || slices.ContainsFunc(ignoredFiles, func(pattern string) bool { return matches(pattern, entry.Name()) }) {
		return nil
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(s.path(name))
		if err != nil {
			return nil //nolint:nilerr // it leads nowhere
		}
		if info, err := os.Stat(target); err != nil || info.IsDir() {
			return nil //nolint:nilerr // it was removed
		}
		if err := s.watch(filepath.Dir(target)); err != nil {
			return err
		}
	}
	return s.take(name)
}

// take reads a file, which may be gone.
func (s *scan) take(name string) error {
	if _, taken := s.found[name]; taken {
		return nil
	}
	if len(s.found) == maxFiles {
		return fmt.Errorf("it selects more than %d files: select fewer", maxFiles)
	}
	file, err := readFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.found[name] = file
	return nil
}
