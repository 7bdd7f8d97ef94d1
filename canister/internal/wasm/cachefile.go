package wasm

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// A cache file has the modules in a cache folder that this program uses on this processor, as a tar archive: a head, the
// rewritten modules, and the receipt and the compiled form of each code.
const (
	cacheFileFormat = 1
	cacheFileHead   = "canisterd-cache.json"
	cachedModules   = "modules"
	cachedReceipts  = "receipts"
	cachedCode      = "code"
)

// cacheHead says which programs can use the modules of a cache file.
type cacheHead struct {
	Format    int    `json:"format"`
	Platform  string `json:"platform"`
	Engine    string `json:"engine"` // the engine's own folder, whose name has its version and the platform
	Build     string `json:"build"`
	Processor string `json:"processor"`
}

// usableBy returns why a program with another head cannot use the modules, nil if it can.
func (h cacheHead) usableBy(own cacheHead) error {
	switch {
	case h.Format != own.Format:
		return fmt.Errorf("it has format %d, and this program reads format %d: export it with this version", h.Format, own.Format)
	case h.Platform != own.Platform:
		return fmt.Errorf("its modules are compiled for %s, and this is %s: export it here", h.Platform, own.Platform)
	case h.Engine != own.Engine || h.Build != own.Build:
		return errors.New("its modules are compiled by another build of canisterd: export it with this one")
	case h.Processor != own.Processor:
		return errors.New("its modules are compiled for a processor with other features: export it here, and keep one file for each kind of processor")
	}
	return nil
}

// CacheContent says what was written to a cache file, or read from it.
type CacheContent struct {
	Modules int   // compiled
	Bytes   int64 // of all files
}

// cacheFolder is a cache folder with a folder for files on their way into it.
type cacheFolder struct {
	*diskCache
	stage string
	head  cacheHead
}

func openCacheFolder(root string) (*cacheFolder, error) {
	d, err := openDiskCache(root)
	if err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp(root, scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled modules: %w", err)
	}
	f := &cacheFolder{diskCache: d, stage: stage}
	cache, err := wazero.NewCompilationCacheWithDir(stage) // makes the engine's own folder, whose name it does not tell
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the cache of compiled code: %w", err), f.close())
	}
	if err := cache.Close(context.Background()); err != nil {
		return nil, errors.Join(fmt.Errorf("open the cache of compiled code: %w", err), f.close())
	}
	folders, _ := filepath.Glob(filepath.Join(stage, "wazero-*"))
	if len(folders) != 1 {
		panic(fmt.Sprintf("wasm: bug: the engine keeps compiled code in %q", folders))
	}
	f.head = cacheHead{
		Format: cacheFileFormat, Platform: runtime.GOOS + "/" + runtime.GOARCH, Engine: filepath.Base(folders[0]),
		Build: hex.EncodeToString(d.build[:]), Processor: hex.EncodeToString(d.processor[:]),
	}
	return f, nil
}

func (f *cacheFolder) close() error { return os.RemoveAll(f.stage) }

// ExportCache writes the modules in a cache folder that this program uses on this processor to a cache file. keys returns
// the keys of all rewritten forms of the module with a hash. Files of other builds and processors stay behind.
func ExportCache(root string, out io.Writer, keys func(hash [32]byte) [][32]byte) (CacheContent, error) {
	f, err := openCacheFolder(root)
	if err != nil {
		return CacheContent{}, err
	}
	w := cacheWriter{folder: f, archive: tar.NewWriter(out), written: map[[32]byte]bool{}}
	err = w.write(keys)
	return w.content, errors.Join(err, f.close())
}

// cacheWriter writes a cache file.
type cacheWriter struct {
	folder  *cacheFolder
	archive *tar.Writer
	written map[[32]byte]bool // codes
	content CacheContent
}

func (w *cacheWriter) write(keys func(hash [32]byte) [][32]byte) error {
	head, err := json.Marshal(w.folder.head)
	if err != nil {
		return err
	}
	if err := w.file(cacheFileHead, bytes.NewReader(head), int64(len(head))); err != nil {
		return err
	}
	modules, _ := filepath.Glob(filepath.Join(w.folder.dir, "*"))
	for _, path := range modules {
		if !isHash(filepath.Base(path)) {
			continue
		}
		if err := w.module(path, keys); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may remove it
			return err
		}
	}
	return w.archive.Close()
}

// module writes a rewritten module and its compiled form, unless it is of another build or not compiled.
func (w *cacheWriter) module(path string, keys func(hash [32]byte) [][32]byte) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	m, err := decodeModule(file)
	if err != nil || !slices.ContainsFunc(keys(m.Hash), func(key [32]byte) bool { return w.folder.path(key) == path }) {
		return nil //nolint:nilerr // of a build with another form of modules
	}
	if !w.written[m.BinaryHash] {
		if err := w.code(m); err != nil {
			return err
		}
		w.written[m.BinaryHash] = true
		w.content.Modules++
	}
	return w.file(cachedModules+"/"+filepath.Base(path), bytes.NewReader(file), int64(len(file)))
}

// code writes the compiled form of a module after its receipt.
func (w *cacheWriter) code(m *rewrite.Module) error {
	f := w.folder
	receipt, err := os.ReadFile(f.receiptPath(m.BinaryHash))
	if err != nil {
		return err
	}
	r, err := parseReceipt(receipt)
	if err != nil {
		return errors.Join(err, fs.ErrNotExist)
	}
	code, err := os.Open(filepath.Join(f.root, f.head.Engine, r.file))
	if err != nil {
		return err
	}
	defer func() { _ = code.Close() }()
	if got, err := receiptOfCode(r.file, code); err != nil || got != r {
		return errors.Join(err, fs.ErrNotExist) // another compilation replaces the code, and has written the receipt
	}
	if _, err := code.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.file(cachedReceipts+"/"+hex.EncodeToString(m.BinaryHash[:]), bytes.NewReader(receipt), int64(len(receipt))); err != nil {
		return err
	}
	return w.file(cachedCode+"/"+r.file, code, r.size)
}

func (w *cacheWriter) file(name string, content io.Reader, size int64) error {
	if err := w.archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: size}); err != nil {
		return err
	}
	w.content.Bytes += size
	_, err := io.Copy(w.archive, content)
	return err
}

// ImportCache adds the modules of a cache file to a cache folder, all or none of them. It refuses a file whose modules this
// program cannot use on this processor. Checksums find damage, and not forgery: compiled code is native code that runs.
func ImportCache(root string, in io.Reader) (CacheContent, error) {
	f, err := openCacheFolder(root)
	if err != nil {
		return CacheContent{}, err
	}
	r := newCacheReader(f, in)
	err = r.read()
	if err == nil {
		err = r.adopt()
	}
	return r.content, errors.Join(err, f.close())
}

// cacheReader reads a cache file.
type cacheReader struct {
	folder   *cacheFolder
	file     *endingReader
	archive  *tar.Reader
	seen     map[string]bool    // names of entries
	modules  []string           // names of files
	receipts map[string]receipt // of the compiled forms, by the hash of the binary
	content  CacheContent
}

func newCacheReader(f *cacheFolder, in io.Reader) *cacheReader {
	file := &endingReader{in: in}
	return &cacheReader{folder: f, file: file, archive: tar.NewReader(file), seen: map[string]bool{}, receipts: map[string]receipt{}}
}

// endingReader records whether its reader has no more bytes. A tar.Reader reads up to the mark at the end of an archive, so it
// sees the end of the file only if the mark is missing, and says nothing then.
type endingReader struct {
	in    io.Reader
	ended bool
}

func (r *endingReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.ended = r.ended || n == 0 && errors.Is(err, io.EOF)
	return n, err
}

var errNotACacheFile = errors.New("it is not a file of canisterd cache export")

// read unpacks the file into the stage, and checks everything in it.
func (r *cacheReader) read() error {
	first, err := r.archive.Next()
	var head cacheHead
	switch {
	case err != nil || first.Name != cacheFileHead:
		return errNotACacheFile
	case json.NewDecoder(io.LimitReader(r.archive, maxCacheHead)).Decode(&head) != nil:
		return errNotACacheFile
	}
	if err := head.usableBy(r.folder.head); err != nil {
		return err
	}
	for {
		entry, err := r.archive.Next()
		switch {
		case errors.Is(err, io.EOF) && !r.file.ended:
			return r.complete()
		case errors.Is(err, io.EOF):
			return errors.New("it is damaged: its end is missing")
		case err != nil:
			return fmt.Errorf("it is damaged: %w", err)
		}
		if entry.Size > maxDiskCache-r.content.Bytes {
			return fmt.Errorf("its modules have more than %d GiB, the limit of a cache directory", int64(maxDiskCache)>>30)
		}
		r.content.Bytes += entry.Size
		if err := r.entry(entry); err != nil {
			return fmt.Errorf("it is damaged at %q: %w", entry.Name, err)
		}
	}
}

// entry unpacks one file. An extended header would let a small archive describe a large file of holes.
func (r *cacheReader) entry(entry *tar.Header) error {
	folder, name := path.Split(entry.Name)
	switch {
	case entry.Typeflag != tar.TypeReg || len(entry.PAXRecords) > 0 || !isHash(name):
		return errors.New("it has no such files")
	case r.seen[entry.Name]:
		return errors.New("the file is there twice")
	}
	r.seen[entry.Name] = true
	switch strings.TrimSuffix(folder, "/") {
	case cachedModules:
		return r.module(name, entry.Size)
	case cachedReceipts:
		text, err := io.ReadAll(io.LimitReader(r.archive, maxReceipt))
		if err != nil {
			return err
		}
		r.receipts[name], err = parseReceipt(text)
		return err
	case cachedCode:
		return unpack(r.archive, filepath.Join(r.folder.stage, r.folder.head.Engine, name))
	}
	return errors.New("it has no such files")
}

// module unpacks a rewritten module.
func (r *cacheReader) module(name string, size int64) error {
	if size > maxCachedModule {
		return fmt.Errorf("it has %d bytes, and the limit of a module is %d", size, maxCachedModule)
	}
	file, err := io.ReadAll(r.archive)
	if err != nil {
		return err
	}
	if _, err := decodeModule(file); err != nil {
		return err
	}
	r.modules = append(r.modules, name)
	return os.WriteFile(filepath.Join(r.folder.stage, name), file, 0o600)
}

// complete checks that each compiled form is the one of its receipt, and of no other one.
func (r *cacheReader) complete() error {
	moduleOf := map[string]string{} // by the file of the code
	for hash, want := range r.receipts {
		if other, ok := moduleOf[want.file]; ok {
			return fmt.Errorf("it is damaged: modules %s and %s have the same compiled code", min(hash, other), max(hash, other))
		}
		moduleOf[want.file] = hash
		got, err := receiptOf(r.staged(want))
		if err != nil {
			return fmt.Errorf("it is damaged: it lacks the compiled code of module %s: %w", hash, err)
		}
		if got != want {
			return fmt.Errorf("it is damaged: the compiled code of module %s has another checksum than when it was exported", hash)
		}
	}
	return nil
}

// staged returns the path of an unpacked compiled form.
func (r *cacheReader) staged(code receipt) string {
	return filepath.Join(r.folder.stage, r.folder.head.Engine, code.file)
}

// adopt moves what was unpacked into the cache folder.
func (r *cacheReader) adopt() error {
	for name, code := range r.receipts {
		hash, err := hex.DecodeString(name)
		if err != nil {
			return err
		}
		if r.content.Modules++; r.folder.check([32]byte(hash)) {
			continue // a file that programs use is not replaced
		}
		if err := r.folder.adopt([32]byte(hash), r.staged(code)); err != nil {
			return err
		}
	}
	for _, name := range r.modules {
		if err := r.folder.move(filepath.Join(r.folder.stage, name), filepath.Join(r.folder.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// unpack writes a new file.
func unpack(in io.Reader, path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// isHash reports whether a file is named by a hash.
func isHash(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 64
}
