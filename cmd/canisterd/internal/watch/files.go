package watch

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/canisterd/canisterd/internal/regular"
)

// File is a file at the time of a scan.
type File struct {
	hash [sha256.Size]byte
	info fs.FileInfo // nil for a file that could not be opened
}

// Files are the files of a set at the time of a scan, by their paths from the folder.
type Files map[string]File

// Changed returns the paths of files that are in only one of two scans or have other content, sorted.
func (f Files) Changed(since Files) []string {
	var changed []string
	for path, now := range f {
		if before, known := since[path]; !known || before.hash != now.hash {
			changed = append(changed, path)
		}
	}
	for path := range since {
		if _, remains := f[path]; !remains {
			changed = append(changed, path)
		}
	}
	return slices.Sorted(slices.Values(changed))
}

// Rewritten returns the paths of files that were written since an earlier scan and have the same content, sorted: it may
// have been another one in between.
func (f Files) Rewritten(since Files) []string {
	var rewritten []string
	for _, path := range slices.Sorted(maps.Keys(f)) {
		before, known := since[path]
		if now := f[path]; known && before.hash == now.hash && !before.sameVersion(now) {
			rewritten = append(rewritten, path)
		}
	}
	return rewritten
}

// sameVersion reports whether a file was not written between two scans.
func (f File) sameVersion(other File) bool {
	if f.info == nil || other.info == nil {
		return f.info == nil && other.info == nil
	}
	return os.SameFile(f.info, other.info) && f.info.ModTime().Equal(other.info.ModTime()) && f.info.Size() == other.info.Size()
}

// readFile returns a file as it is now. What cannot be read has its error as content.
func readFile(path string) (File, error) {
	opened, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, err
	}
	if err != nil {
		return File{hash: sha256.Sum256([]byte(err.Error()))}, nil
	}
	defer func() { _ = opened.Close() }() // it is only read
	var f File
	digest := sha256.New()
	if f.info, err = opened.Stat(); err == nil {
		_, err = io.Copy(digest, opened)
	}
	if err != nil {
		return File{hash: sha256.Sum256([]byte(err.Error()))}, nil
	}
	digest.Sum(f.hash[:0])
	return f, nil
}
