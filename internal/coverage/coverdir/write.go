package coverdir

import (
	"crypto/rand"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/canister"
)

// Variable is the environment variable with the directory.
const Variable = "CANISTERD_COVER"

// Writer writes what the engines of this process run.
type Writer struct {
	Coverage *canister.Coverage // for the engines

	dir     string
	name    string
	written uint64 // version of the coverage
}

// process is the content of a file of a process.
type process struct {
	Format  int
	Modules []canister.CoveredModule // without Raw
}

// format is the version of the files.
const format = 1

// Open makes the directory if it does not exist.
func Open(dir string) (*Writer, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory for coverage: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for coverage: %w", err)
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	return &Writer{Coverage: canister.NewCoverage(), dir: dir, name: "ran-" + hex.EncodeToString(id[:]) + ".gob"}, nil
}

// Write writes what ran, if something did since the last time.
func (w *Writer) Write() error {
	version := w.Coverage.Version()
	if version == w.written {
		return nil
	}
	modules := w.Coverage.Modules()
	for i := range modules {
		if err := w.module(&modules[i]); err != nil {
			return fmt.Errorf("write a module for coverage: %w", err)
		}
		modules[i].Raw = nil
	}
	err := w.replace(w.name, func(f *os.File) error { return gob.NewEncoder(f).Encode(process{format, modules}) })
	if err != nil {
		return fmt.Errorf("write coverage: %w", err)
	}
	w.written = version
	return nil
}

// module writes a module unless it is there.
func (w *Writer) module(m *canister.CoveredModule) error {
	name := moduleName(m.Hash)
	if _, err := os.Stat(filepath.Join(w.dir, name)); !errors.Is(err, fs.ErrNotExist) || m.Raw == nil {
		return nil
	}
	return w.replace(name, func(f *os.File) error {
		_, err := f.Write(m.Raw)
		return err
	})
}

func moduleName(hash [32]byte) string { return hex.EncodeToString(hash[:]) + ".wasm" }

// replace writes a file so that no reader sees half of it.
func (w *Writer) replace(name string, write func(*os.File) error) error {
	f, err := os.CreateTemp(w.dir, "new-*")
	if err != nil {
		return err
	}
	err = write(f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(w.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
