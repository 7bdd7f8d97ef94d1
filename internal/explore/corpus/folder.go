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

// The extensions of the files: runs that showed something new, and findings. Other files of the folder are left alone.
const (
	runExtension     = ".run.yaml"
	findingExtension = ".finding.yaml"
)

// Folder is a folder of runs.
type Folder struct {
	path  string
	added int
}

// Run is a file of the folder.
type Run struct {
	Name    string
	Text    string
	Finding bool
}

// Skipped is a file that was not read.
type Skipped struct {
	Name   string
	Reason error
}

// Open returns a folder, which it makes if there is none. It fails if no file can be added: an exploration would say so only after
// its first runs.
func Open(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the corpus: %w", err)
	}
	trial, err := os.CreateTemp(path, ".writable-")
	if err != nil {
		return nil, fmt.Errorf("the folder of the corpus is not writable: %w", err)
	}
	if err := errors.Join(trial.Close(), os.Remove(trial.Name())); err != nil {
		return nil, fmt.Errorf("the folder of the corpus is not writable: %w", err)
	}
	return &Folder{path: path}, nil
}

// entry is a file of the folder without its content.
type entry struct {
	name    string
	size    int64
	since   int64 // when it was written, in ns
	finding int   // 1: the file is that of a finding; 0: it is not
}

// list returns the files in the order in which they are removed: the oldest first, and findings after the others.
func (f *Folder) list() (all []entry, err error) {
	files, err := os.ReadDir(f.path)
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	for _, file := range files {
		info, err := file.Info()
		finding := 0
		if strings.HasSuffix(file.Name(), findingExtension) {
			finding = 1
		}
		switch {
		case finding == 0 && !strings.HasSuffix(file.Name(), runExtension) || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("reading the corpus: %w", err)
		default:
			all = append(all, entry{file.Name(), info.Size(), info.ModTime().UnixNano(), finding})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.finding, b.finding), cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// Read returns the runs of the folder, oldest first, and findings after the others. A damaged file is skipped.
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
			runs = append(runs, Run{e.name, text, e.finding == 1})
		}
	}
	return runs, skipped, nil
}

func (f *Folder) read(name string) (string, error) {
	text, err := regular.Read(filepath.Join(f.path, name), maxFileBytes)
	if hash, _, _ := strings.Cut(name, "."); err == nil && hashOf(text) != hash {
		err = errors.New("the file is damaged: its content is not what its name says")
	}
	return string(text), err
}

// hashOf returns the name of the file with some content, without its extension.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:10])
}

// Add adds the run of a finding, or another run. From time to time it removes the oldest ones, if the folder has too many or too large files. A run that is too
// large is left out.
func (f *Folder) Add(text string, finding bool) error {
	if len(text) > maxFileBytes {
		return nil
	}
	extension := runExtension
	if finding {
		extension = findingExtension
	}
	path := filepath.Join(f.path, hashOf([]byte(text))+extension)
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
