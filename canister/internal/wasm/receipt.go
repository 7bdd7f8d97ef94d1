package wasm

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/cpu"
)

// A receipt names the file of the engine's own cache that holds the compiled form of a module, with its checksum. The
// engine checks the machine code in such a file, but not the table of functions before it, and would jump to wrong
// entries there.
type receipt struct {
	file string
	size int64
	sum  uint32
}

// receiptEnd is the end of the names of receipts.
const receiptEnd = ".receipt"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// receiptOf reads a file of compiled code, and makes its receipt.
func receiptOf(path string) (receipt, error) {
	f, err := os.Open(path)
	if err != nil {
		return receipt{}, err
	}
	defer func() { _ = f.Close() }()
	return receiptOfCode(filepath.Base(path), f)
}

// receiptOfCode reads compiled code, piece by piece, and makes the receipt of its file.
func receiptOfCode(file string, code io.Reader) (receipt, error) {
	r := receipt{file: file}
	piece := make([]byte, 64<<10)
	for {
		n, err := code.Read(piece)
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

// receiptPath returns the path of a module's receipt for this processor: compiled code needs the features of the one that
// it was compiled on. A folder that a service for continuous integration keeps is used on several.
func (d *diskCache) receiptPath(hash [32]byte) string {
	return filepath.Join(d.dir, fmt.Sprintf("%x-%x%s", hash, d.processor[:8], receiptEnd))
}

// processorFingerprint distinguishes processors for which the engine makes different code.
func processorFingerprint() [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s %+v %+v", runtime.GOARCH, cpu.X86, cpu.ARM64))
}

func readReceipt(path string) (receipt, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return receipt{}, err
	}
	return parseReceipt(text)
}

// parseReceipt reads the text of a receipt, which names a file of the engine's own cache.
func parseReceipt(text []byte) (r receipt, err error) {
	if _, err = fmt.Sscanf(string(text), "%s %d %x\n", &r.file, &r.size, &r.sum); err == nil && !isHash(r.file) {
		err = fmt.Errorf("%w: %q is no name of compiled code", errDamaged, r.file)
	}
	return r, err
}

// compiled returns the files of the engine's own cache.
func (d *diskCache) compiled() []string {
	files, _ := filepath.Glob(filepath.Join(d.root, "wazero-*", "*"))
	return files
}

// has reports whether the compiled form of a module was there when the module was last used.
func (d *diskCache) has(hash [32]byte) bool {
	_, err := os.Stat(d.receiptPath(hash))
	return err == nil
}

// check reports whether the compiled form of a module is there, and removes it if it has changed since it was made.
func (d *diskCache) check(hash [32]byte) bool {
	want, err := readReceipt(d.receiptPath(hash))
	if err != nil {
		return false
	}
	folders, _ := filepath.Glob(filepath.Join(d.root, "wazero-*"))
	for _, folder := range folders { // not a list of all files: there may be thousands
		path := filepath.Join(folder, want.file)
		if got, err := receiptOf(path); err == nil && got == want {
			return true
		}
		_ = os.Remove(path)
	}
	_ = os.Remove(d.receiptPath(hash))
	return false
}

// scratchPrefix begins the names of the folders that modules are compiled into.
const scratchPrefix = "compiling-"

// compile compiles a module into a separate folder, and moves the compiled form into the cache with a receipt. It needs
// no lock: the folder identifies the module.
func (d *diskCache) compile(hash [32]byte, build func(dir string) error) error {
	dir, err := os.MkdirTemp(d.root, scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder that another program has open is removed by dropScratch later
	if err := build(dir); err != nil {
		return err
	}
	files, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	for _, path := range files {
		if err := d.adopt(hash, path); err != nil {
			return err
		}
	}
	return nil
}

// adopt moves a file of compiled code into the cache. It writes the receipt first, so that every file in the cache can
// be checked.
func (d *diskCache) adopt(hash [32]byte, path string) error {
	r, err := receiptOf(path)
	if err != nil {
		return err
	}
	if err := d.replace(d.receiptPath(hash), fmt.Appendf(nil, "%s %d %x\n", r.file, r.size, r.sum)); err != nil {
		return err
	}
	folder := filepath.Join(d.root, filepath.Base(filepath.Dir(path)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return d.move(path, filepath.Join(folder, r.file))
}
