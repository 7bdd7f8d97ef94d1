package wasm

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// A receipt says which file of the engine's own cache holds the compiled form of a module, and its checksum. The engine checks the machine
// code in such a file but not the table of functions before it, and wrong entries there would be jumped to.
type receipt struct {
	file string
	size int64
	sum  uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// receiptOf reads a file of compiled code, piece by piece, and makes its receipt.
func receiptOf(path string) (receipt, error) {
	f, err := os.Open(path)
	if err != nil {
		return receipt{}, err
	}
	defer func() { _ = f.Close() }()
	r := receipt{file: filepath.Base(path)}
	piece := make([]byte, 64<<10)
	for {
		n, err := f.Read(piece)
		r.size += int64(n)
		r.sum = crc32.Update(r.sum, castagnoli, piece[:n])
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return receipt{}, err
		}
	}
}

func (d *diskCache) receiptPath(hash [32]byte) string {
	return filepath.Join(d.dir, fmt.Sprintf("%x.receipt", hash))
}

func readReceipt(path string) (r receipt, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscanf(string(text), "%s %d %x\n", &r.file, &r.size, &r.sum)
	}
	return r, err
}

// compiled are the files of the engine's own cache.
func (d *diskCache) compiled() []string {
	files, _ := filepath.Glob(filepath.Join(d.root, "wazero-*", "*"))
	return files
}

// check reports whether the compiled form of a module is there, and removes it if it is not what it was when it was made.
func (d *diskCache) check(hash [32]byte) bool {
	want, err := readReceipt(d.receiptPath(hash))
	if err != nil {
		return false
	}
	for _, path := range d.compiled() {
		if filepath.Base(path) != want.file {
			continue
		}
		if got, err := receiptOf(path); err == nil && got == want {
			return true
		}
		_ = os.Remove(path)
	}
	_ = os.Remove(d.receiptPath(hash))
	return false
}

// compile runs a compilation and makes a receipt for the file that it left in the cache.
func (d *diskCache) compile(ctx context.Context, hash [32]byte, run func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.check(hash) && run() == nil {
		return nil
	}
	before := d.compiled()
	if err := run(); err != nil {
		if ctx.Err() != nil {
			return err
		}
		d.dropOrphans() // a damaged file without a receipt is reported like a compile error
		before = d.compiled()
		if err := run(); err != nil {
			return err
		}
	}
	for _, path := range d.compiled() {
		if slices.Contains(before, path) || filepath.Ext(path) != "" {
			continue
		}
		r, err := receiptOf(path)
		if err == nil {
			err = d.replace(d.receiptPath(hash), fmt.Appendf(nil, "%s %d %x\n", r.file, r.size, r.sum))
		}
		if err != nil {
			_ = os.Remove(path) // never use what cannot be checked
		}
	}
	return nil
}

// dropOrphans removes compiled code without a receipt: it cannot be checked.
func (d *diskCache) dropOrphans() {
	receipts, _ := filepath.Glob(filepath.Join(d.dir, "*.receipt"))
	known := map[string]bool{}
	for _, path := range receipts {
		if r, err := readReceipt(path); err == nil {
			known[r.file] = true
		}
	}
	for _, path := range d.compiled() {
		if !known[filepath.Base(path)] {
			_ = os.Remove(path)
		}
	}
}
