package knownmodules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd/internal/regular"
)

// ModulePath returns the file that keeps the bytes of a module, in a folder beside the file.
func (f File) ModulePath(hash Hash) string {
	return filepath.Join(strings.TrimSuffix(string(f), filepath.Ext(string(f))), hash.String()+".wasm")
}

// Module returns the bytes of a module that are kept, nil for none.
func (f File) Module(hash Hash) ([]byte, error) {
	if f == "" {
		return nil, nil
	}
	path := f.ModulePath(hash)
	module, err := regular.Read(path, MaxModuleBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading a known module: %w", err)
	case sha256.Sum256(module) != hash:
		return nil, fmt.Errorf("%s has another SHA-256 than its name: remove it, and add the module again with canisterd modules update", path)
	}
	return module, nil
}

// KeepModule keeps the bytes of a module of a list.
func (f File) KeepModule(m *Module, content []byte) error {
	if sum := sha256.Sum256(content); sum != m.Hash {
		return fmt.Errorf("%s has the SHA-256 %x, and the list says %s", m.File, sum, m.Hash)
	}
	path := f.ModulePath(m.Hash)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("creating the folder of known modules: %w", err)
	}
	return regular.Replace(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
