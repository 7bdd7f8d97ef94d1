package wasm

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plain returns the keys of a module of these tests.
func plain(hash [32]byte) [][32]byte { return [][32]byte{hash} }

// exported is a cache file with one module.
func exported(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	e := newTestEngine(t, Config{CacheDir: dir})
	m := rewritten(t, counter)
	e.CacheModule(m.Hash, m)
	if _, err := e.Compile(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if content, err := ExportCache(dir, &out, plain); err != nil || content.Modules != 1 {
		t.Fatalf("exported %+v (%v)", content, err)
	}
	return out.Bytes()
}

// files are the files of a cache folder that programs read.
func files(t testing.TB, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAnImportedModuleIsNotCompiledAgain(t *testing.T) {
	file, dir := exported(t), t.TempDir()
	for range 2 { // the second import finds everything there
		content, err := ImportCache(dir, bytes.NewReader(file))
		if err != nil || content.Modules != 1 || content.Bytes == 0 {
			t.Fatalf("imported %+v (%v)", content, err)
		}
	}
	before := files(t, dir)
	if len(before) != 3 {
		t.Errorf("the cache has %q, want a module, a receipt and compiled code", before)
	}
	if !warm(t, dir) {
		t.Error("the module is not found")
	}
	if after := files(t, dir); len(after) != len(before) {
		t.Errorf("the module was compiled again: %q", after)
	}
}

// A compilation writes the receipt before it replaces the code.
func TestCodeThatDoesNotMatchItsReceiptStaysBehind(t *testing.T) {
	dir := t.TempDir()
	if _, err := ImportCache(dir, bytes.NewReader(exported(t))); err != nil {
		t.Fatal(err)
	}
	code, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	if err != nil || len(code) != 1 {
		t.Fatalf("the compiled code is in %q (%v)", code, err)
	}
	for _, change := range []func(code []byte) []byte{
		func(code []byte) []byte { return append(code, 0) },
		func(code []byte) []byte { return code[:len(code)-2] },
		func(code []byte) []byte { return append([]byte{code[0] ^ 1}, code[1:]...) },
	} {
		before, err := os.ReadFile(code[0])
		if err != nil {
			t.Fatal(err)
		}
		other := change(bytes.Clone(before))
		if err := os.WriteFile(code[0], other, 0o600); err != nil {
			t.Fatal(err)
		}
		if content, err := ExportCache(dir, io.Discard, plain); err != nil || content.Modules != 0 {
			t.Errorf("exported %+v (%v)", content, err)
		}
		if after, err := os.ReadFile(code[0]); err != nil || !bytes.Equal(after, other) {
			t.Errorf("the export changed the code (%v)", err)
		}
		if err := os.WriteFile(code[0], before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if content, err := ExportCache(dir, io.Discard, plain); err != nil || content.Modules != 1 {
		t.Errorf("exported %+v (%v)", content, err)
	}
}

func TestModulesOfOtherBuildsStayBehind(t *testing.T) {
	dir := t.TempDir()
	if _, err := ImportCache(dir, bytes.NewReader(exported(t))); err != nil {
		t.Fatal(err)
	}
	d, err := openDiskCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	ours := d.path(rewritten(t, counter).Hash)
	d.build[0]++
	if err := os.Rename(ours, d.path(rewritten(t, counter).Hash)); err != nil {
		t.Fatal(err)
	}
	if content, err := ExportCache(dir, io.Discard, plain); err != nil || content.Modules != 0 {
		t.Errorf("exported %+v (%v)", content, err)
	}
}

// entry is a file of a cache file.
type entry struct {
	name    string
	content []byte
}

func unpacked(t *testing.T, file []byte) (entries []entry) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(file)); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		content, readErr := io.ReadAll(r)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{head.Name, content})
	}
}

func packed(t *testing.T, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		err := w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.content)), Typeflag: tar.TypeReg})
		if _, writeErr := w.Write(e.content); err != nil || writeErr != nil {
			t.Fatal(err, writeErr)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// another returns a cache file whose head is another one.
func another(t *testing.T, file []byte, change func(*cacheHead)) []byte {
	t.Helper()
	entries := unpacked(t, file)
	var head cacheHead
	if err := json.Unmarshal(entries[0].content, &head); err != nil {
		t.Fatal(err)
	}
	change(&head)
	entries[0].content, _ = json.Marshal(head)
	return packed(t, entries)
}

func TestFilesThatCannotBeUsedAreRefusedAsAWhole(t *testing.T) {
	file := exported(t)
	with := func(change func(entries []entry) []entry) []byte { return packed(t, change(unpacked(t, file))) }
	for want, bad := range map[string][]byte{
		"it is not a file of canisterd cache export": []byte("text"),
		"it has format 7":                        another(t, file, func(h *cacheHead) { h.Format = 7 }),
		"compiled for plan9/mips":                another(t, file, func(h *cacheHead) { h.Platform = "plan9/mips" }),
		"compiled by another build of canisterd": another(t, file, func(h *cacheHead) { h.Build = "00" }),
		"a processor with other features":        another(t, file, func(h *cacheHead) { h.Processor = "00" }),
		"unexpected EOF":                         file[:len(file)/2],
		"it lacks the compiled code": with(func(all []entry) []entry {
			return append(all[:2:2], all[3])
		}),
		"another checksum": with(func(all []entry) []entry {
			all[2].content[0]++
			return all
		}),
		"damaged file in the cache of rewritten modules": with(func(all []entry) []entry {
			all[3].content[100]++
			return all
		}),
		"the file is there twice": with(func(all []entry) []entry {
			return append(all, all[3])
		}),
		"have the same compiled code": with(func(all []entry) []entry {
			return append(all, entry{"receipts/" + strings.Repeat("0", 64), all[1].content})
		}),
		"it has no such files": with(func(all []entry) []entry {
			all[3].name = "modules/../" + strings.Repeat("0", 64)
			return append(all, entry{"code/../../../escaped", nil})
		}),
	} {
		dir := t.TempDir()
		if _, err := ImportCache(dir, bytes.NewReader(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("%s: the folder has %q", want, left)
		}
	}
}

func TestAFileThatEndsAfterAnyOfItsFilesIsRefused(t *testing.T) {
	entries := unpacked(t, exported(t))
	for n := 1; n <= len(entries); n++ {
		whole := packed(t, entries[:n])
		for _, cut := range []int{tarBlock, 2 * tarBlock} {
			dir := t.TempDir()
			_, err := ImportCache(dir, bytes.NewReader(whole[:len(whole)-cut]))
			if err == nil || !strings.Contains(err.Error(), "its end is missing") {
				t.Errorf("%d files, and %d bytes less: %v", n, cut, err)
			}
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("%d files, and %d bytes less: the folder has %q", n, cut, left)
			}
		}
	}
}

// The sizes add up to a negative number, and the second file has nothing but a hole.
func TestASmallCacheFileCannotDescribeALargeOne(t *testing.T) {
	entries := unpacked(t, exported(t))
	start := packed(t, entries)
	start = start[:len(start)-2*tarBlock] // without the end of an archive
	name := "code/" + strings.Repeat("0", 64)
	for want, head := range map[string]*tar.Header{
		"more than 8 GiB":          {Name: name, Size: math.MaxInt64, Typeflag: tar.TypeReg},
		"the limit of a module is": {Name: "modules/" + strings.Repeat("0", 64), Size: maxCachedModule + 1, Typeflag: tar.TypeReg},
		"it has no such files":     {Name: name, Typeflag: tar.TypeReg, PAXRecords: map[string]string{"comment": "a hole"}},
	} {
		file := bytes.NewBuffer(bytes.Clone(start))
		if err := tar.NewWriter(file).WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := ImportCache(t.TempDir(), file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// tarBlock is the unit of an archive.
const tarBlock = 512

func FuzzReadCacheFile(f *testing.F) {
	file := exported(f)
	f.Add([]byte("text"))
	f.Add(file)
	f.Add(file[:len(file)/2])
	folder, err := openCacheFolder(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		own := *folder
		own.stage = t.TempDir()
		if err := os.Mkdir(filepath.Join(own.stage, own.head.Engine), 0o700); err != nil {
			t.Fatal(err)
		}
		r := newCacheReader(&own, bytes.NewReader(file))
		err := r.read()
		for _, code := range r.receipts {
			if _, missing := os.Stat(r.staged(code)); err == nil && missing != nil {
				t.Errorf("the code of a receipt is not there: %v", missing)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(own.dir, "*")); len(left) > 0 {
			t.Errorf("the cache has %q before the whole file was read", left)
		}
	})
}
