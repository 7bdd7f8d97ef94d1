package knownmodules

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/canisterd/canisterd/internal/regular"
)

// File is the file with the modules that the user added; "" for none.
type File string

// Read returns the modules of the file, none if there is no file.
func (f File) Read() (*List, error) {
	empty := &List{Format: Format}
	if f == "" {
		return empty, nil
	}
	text, err := regular.Read(string(f), MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the known modules: %w", err)
	}
	list, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: remove the file, and add the modules again with canisterd modules update", f, err)
	}
	return list, nil
}

// Update adds the modules of a list to the file, and replaces those of the same hashes. Modules that the program knows are
// left out: a list cannot give them another name. It returns how many are new, and how many were replaced by others.
func (f File) Update(with *List) (added, replaced int, err error) {
	list, err := f.Read()
	if err != nil {
		return 0, 0, err
	}
	for _, m := range with.Modules {
		m.File = "" // it is beside the list, and the module in the folder of this file
		if BuiltIn().Find(m.Hash[:]) != nil {
			continue
		}
		switch now := list.Find(m.Hash[:]); {
		case now == nil:
			list.Modules = append(list.Modules, m)
			added++
		case *now != m:
			*now = m
			replaced++
		}
	}
	if err := list.check(); err != nil {
		return 0, 0, err
	}
	text, err := list.Marshal()
	if err != nil {
		return 0, 0, err
	}
	if len(text) > MaxBytes {
		return 0, 0, fmt.Errorf("%s would have %d bytes, and at most %d are kept", f, len(text), MaxBytes)
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return 0, 0, fmt.Errorf("creating the folder of the known modules: %w", err)
	}
	err = regular.Replace(string(f), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return added, replaced, err
}

// Index finds modules by hash: those of the program, and those of a file, which is read again when it has changed. It is
// safe for concurrent use.
type Index struct {
	file File
	last atomic.Pointer[loaded]
}

// loaded is what was read of the file.
type loaded struct {
	file    fs.FileInfo // nil: there was none
	modules map[Hash]*Module
}

// of reports whether it was read of a file, which may be nil.
func (l *loaded) of(file fs.FileInfo) bool {
	if l == nil || (l.file == nil) != (file == nil) {
		return false
	}
	return file == nil || os.SameFile(l.file, file) && l.file.ModTime().Equal(file.ModTime()) && l.file.Size() == file.Size()
}

// NewIndex returns an index with the modules of a file, "" for none.
func NewIndex(file File) *Index { return &Index{file: file} }

// Find returns the module of a hash, nil for none. A file that cannot be read has no modules: Read returns the error.
func (i *Index) Find(hash []byte) *Module {
	if len(hash) != len(Hash{}) {
		return nil
	}
	return i.load().modules[Hash(hash)]
}

// load returns the modules, and reads the file if it is another one than the last time.
func (i *Index) load() *loaded {
	now := loaded{modules: make(map[Hash]*Module)}
	if i.file != "" {
		now.file, _ = os.Stat(string(i.file)) // nil if there is none
	}
	if last := i.last.Load(); last.of(now.file) {
		return last
	}
	list, err := i.file.Read()
	if err != nil {
		list = &List{}
	}
	for _, modules := range [][]Module{list.Modules, BuiltIn().Modules} {
		for at := range modules {
			now.modules[modules[at].Hash] = &modules[at]
		}
	}
	i.last.Store(&now)
	return &now
}
