package wasm

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tidyRecord is the name of a file in a cache folder. It has the time at which the folder was last tidied, a new line, and
// an addedMark for each unit of bytes that was added since. All processes read and write it, without a lock: one that sees
// it half written tidies once more.
const (
	tidyRecord = "tidied"
	addedMark  = '+'
)

// tidyIsDue reports whether the folder should be tidied. Looking at all files of a folder takes longer than opening an
// engine, so engines read one file instead.
func (d *diskCache) tidyIsDue(now time.Time) bool {
	record, err := os.ReadFile(filepath.Join(d.root, tidyRecord))
	if err != nil {
		return true
	}
	text, marks, _ := bytes.Cut(record, []byte("\n"))
	last, err := time.Parse(time.RFC3339, string(text))
	return err != nil || now.Sub(last).Abs() >= maxTidyAge || len(marks) >= maxAdded // Abs: the clock may have been set back
}

// recordAdded adds the size of a new file to the record. A folder without a record is due already, and a failure delays the
// next tidying at most by maxTidyAge.
func (d *diskCache) recordAdded(size int64) {
	f, err := os.OpenFile(filepath.Join(d.root, tidyRecord), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	units := 1 + max(0, size-1)/addedUnit
	_, _ = f.Write(bytes.Repeat([]byte{addedMark}, int(min(units, maxAdded))))
	_ = f.Close()
}

// tidy removes what is not used from the folder, while this and other processes read it and add to it. It writes the record
// last, so that the next engine continues what the end of a process interrupted.
func (d *diskCache) tidy() {
	d.prune()
	d.dropOrphans()
	d.dropScratch()
	_ = os.WriteFile(filepath.Join(d.root, tidyRecord), time.Now().UTC().AppendFormat(nil, time.RFC3339+"\n"), 0o600)
}

// prune removes the oldest files of a cache that has become too big.
func (d *diskCache) prune() { pruneFiles(d.all(), maxDiskCache) }

func (d *diskCache) all() []string {
	modules, _ := filepath.Glob(filepath.Join(d.dir, "*"))
	return append(modules, d.compiled()...)
}

// listedFile is a file as it was when a folder was listed.
type listedFile struct {
	path string
	info os.FileInfo
}

// pruneFiles removes the oldest of some files if all have more bytes than a limit, until they have three quarters of it.
func pruneFiles(paths []string, limit int64) {
	var files []listedFile
	total := int64(0)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, listedFile{path, info})
			total += info.Size()
		}
	}
	if total <= limit {
		return
	}
	slices.SortFunc(files, func(a, b listedFile) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files {
		if total <= limit*3/4 {
			return
		}
		total -= f.info.Size()
		f.remove()
	}
}

// remove removes the file, unless another one is in its place now.
func (f listedFile) remove() {
	if now, err := os.Stat(f.path); err == nil && os.SameFile(now, f.info) && now.ModTime().Equal(f.info.ModTime()) {
		_ = os.Remove(f.path)
	}
}

// dropOrphans removes compiled code without a receipt: it cannot be checked. Code is listed before receipts, because adopt
// writes the receipt first. If the code is replaced after the list was made, it is young.
func (d *diskCache) dropOrphans() {
	compiled := d.compiled()
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return
	}
	known := map[string]bool{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), receiptEnd) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(d.dir, entry.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return // not even the receipts of good code can be read: there may be too many open files
		}
		if r, err := parseReceipt(text); err == nil {
			known[r.file] = true
		}
	}
	for _, path := range compiled {
		if !known[filepath.Base(path)] && abandoned(path) {
			_ = os.Remove(path)
		}
	}
}

// dropScratch removes the folders of interrupted compilations.
func (d *diskCache) dropScratch() {
	folders, _ := filepath.Glob(filepath.Join(d.root, scratchPrefix+"*"))
	for _, path := range folders {
		if abandoned(path) {
			_ = os.RemoveAll(path)
		}
	}
}

// abandoned reports whether no compilation can still be using a file or folder that has no receipt.
func abandoned(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) > maxScratchAge
}
