package corpus

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/regular"
)

// extension is that of the files. Other files of the folder are left alone.
const extension = ".run.yaml"

// Folder is a folder of runs.
type Folder struct {
	path  string
	added int
}

// Run is a file of the folder.
type Run struct {
	Name string
	Text string
}

// Skipped is a file that was not read.
type Skipped struct {
	Name   string
	Reason error
}

// Open returns a folder, which it makes if there is none.
func Open(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the corpus: %w", err)
	}
	return &Folder{path: path}, nil
}

// entry is a file of the folder without its content.
type entry struct {
	name  string
	size  int64
	since int64 // when it was written, in ns
}

// list returns the files, oldest first.
func (f *Folder) list() (all []entry, err error) {
	files, err := os.ReadDir(f.path)
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	for _, file := range files {
		info, err := file.Info()
		switch {
		case !strings.HasSuffix(file.Name(), extension) || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("reading the corpus: %w", err)
		default:
			all = append(all, entry{file.Name(), info.Size(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name)) })
	return all, nil
}

// Read returns the runs of the folder, oldest first. A damaged file is skipped.
func (f *Folder) Read() (runs []Run, skipped []Skipped, err error) {
	all, err := f.list()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range all[max(0, len(all)-maxFiles):] {
		text, err := f.read(e.name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // another exploration has removed it
		case err != nil:
			skipped = append(skipped, Skipped{e.name, err})
		default:
			runs = append(runs, Run{e.name, text})
		}
	}
	return runs, skipped, nil
}

func (f *Folder) read(name string) (string, error) {
	text, err := regular.Read(filepath.Join(f.path, name), maxFileBytes)
	if err == nil && nameOf(text) != name {
		err = errors.New("the file is damaged: its content is not what its name says")
	}
	return string(text), err
}

// nameOf returns the name of the file with some content.
func nameOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:10]) + extension
}

// Add adds a run. From time to time it removes the oldest ones, if the folder has too many or too large files. A run that is too
// large is left out.
func (f *Folder) Add(text string) error {
	if len(text) > maxFileBytes {
		return nil
	}
	path := filepath.Join(f.path, nameOf([]byte(text)))
	err := regular.Replace(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil {
		return fmt.Errorf("adding a run to the corpus: %w", err)
	}
	if f.added++; f.added%trimInterval != 0 {
		return nil
	}
	return f.trim()
}

// trim removes the oldest runs that are too many or too large.
func (f *Folder) trim() error {
	all, err := f.list()
	if err != nil {
		return err
	}
	bytes := int64(0)
	for i, e := range slices.Backward(all) { // from the newest
		if bytes += e.size; len(all)-i <= maxFiles && bytes <= maxBytes {
			continue
		}
		if err := os.Remove(filepath.Join(f.path, e.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a run from the corpus: %w", err)
		}
	}
	return nil
}
