package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd/internal/knownmodules"
)

// written is the file that is written, in the folder OUT if it is set.
const written = "internal/knownmodules/modules.json"

// maxInterface is how many bytes of the names of methods describe a module.
const maxInterface = 100

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "knownmodules:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	list := &knownmodules.List{Format: knownmodules.Format}
	for i := range origins {
		m, err := origins[i].known(root)
		if err != nil {
			return fmt.Errorf("%s in %s: %w", origins[i].name, origins[i].path, err)
		}
		list.Modules = append(list.Modules, m)
	}
	text, err := list.Marshal()
	if err != nil {
		return err
	}
	if _, err := knownmodules.Parse(text); err != nil {
		return err
	}
	file := filepath.Join(cmp.Or(os.Getenv("OUT"), root), written)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making the folder of the list: %w", err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // it is part of the repository
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}

// known reads the module of an origin.
func (o *origin) known(root string) (m knownmodules.Module, err error) {
	module, err := os.ReadFile(filepath.Join(root, o.path))
	if err != nil {
		return m, err
	}
	if o.exports != "" {
		if module, err = carried(module, o.exports); err != nil {
			return m, err
		}
	}
	plain := module
	if strings.HasSuffix(o.path, ".gz") {
		if plain, err = unpacked(module); err != nil {
			return m, err
		}
	}
	if o.packed {
		module = plain
	}
	length, exports, err := scan(plain)
	if err == nil && length != len(plain) {
		err = errors.New("something follows the module")
	}
	if err != nil {
		return m, err
	}
	return knownmodules.Module{
		Hash: sha256.Sum256(module), Name: o.name, Version: o.version, Source: o.source, Interface: listed(methods(exports)), Init: o.init,
	}, nil
}

// listed lists names, and says how many are left out.
func listed(names []string) string {
	text := ""
	for i, name := range names {
		next := strings.TrimPrefix(text+", "+name, ", ")
		if len(next) > maxInterface {
			return fmt.Sprintf("%s and %d more", text, len(names)-i)
		}
		text = next
	}
	return text
}

func unpacked(module []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(module))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
