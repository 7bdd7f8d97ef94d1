package journal

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// PageFile describes a file with memory pages, as one checkpoint uses it. The file never changes.
type PageFile struct {
	Name  string `json:"name"`  // in the directory
	Bytes int64  `json:"bytes"` // of the file
	Used  int64  `json:"used"`  // bytes that the checkpoint refers to
	Sum   uint32 `json:"sum"`   // CRC-32C of the file
}

// pagesPrefix begins the names of page files.
const pagesPrefix = "pages-"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// PageFiles holds the page files of one checkpoint. A new checkpoint refers to the bytes that it shares with the one
// before, if their file is at least half used. Bytes in other files are copied to the new file, and the old ones are
// removed with the last checkpoint that refers to them. It is not safe for concurrent use.
type PageFiles struct {
	journal *Journal
	known   []PageFile             // of the checkpoint that is read, or of the one before a new one
	used    map[string]int64       // bytes that the new checkpoint refers to, by name of a known file that stays
	open    map[string]*sharedFile // by name
	name    string                 // of the new file
	made    PageFile               // describes the new file; the name is empty before finish
	file    vfs.File               // the new file; nil before the first Put and after finish
	to      *bufio.Writer
}

// sharedFile is an open file with a reference count.
type sharedFile struct {
	vfs.File
	users atomic.Int64
}

func (f *sharedFile) release() error {
	if f.users.Add(-1) == 0 {
		return f.File.Close()
	}
	return nil
}

// sharedReader is one reference to a file.
type sharedReader struct {
	*sharedFile
	dir    string // of the file
	closed atomic.Bool
}

// Folder returns the state directory of the file.
func (r *sharedReader) Folder() string { return r.dir }

// Close drops the reference.
func (r *sharedReader) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	return r.release()
}

// Put appends bytes to the new file and returns their place. It may overwrite b.
func (p *PageFiles) Put(b []byte) (file string, offset int64, err error) {
	if p.file == nil {
		if p.file, err = p.journal.fs.Create(p.journal.path(p.name+tempSuffix), vfs.WriteCategoryUnspecified); err != nil {
			return "", 0, err
		}
		p.to = bufio.NewWriterSize(p.file, writeBuffer)
	}
	offset = p.made.Bytes
	p.made.Bytes += int64(len(b))
	p.made.Sum = crc32.Update(p.made.Sum, castagnoli, b) // before Write: a vfs.File may overwrite b
	_, err = p.to.Write(b)
	return p.name, offset, err
}

// Keep returns the place that bytes of an earlier file have in the new checkpoint. It returns "" if the previous
// checkpoint does not have that file.
func (p *PageFiles) Keep(file string, offset, size int64) (now string, at int64, err error) {
	i := slices.IndexFunc(p.known, func(f PageFile) bool { return f.Name == file })
	if i < 0 || offset < 0 || size > p.known[i].Bytes || offset > p.known[i].Bytes-size {
		return "", 0, nil
	}
	if used, stays := p.used[file]; stays {
		p.used[file] = used + size
		return file, offset, nil
	}
	return p.move(file, offset, size)
}

// move copies bytes to the new file.
func (p *PageFiles) move(file string, offset, size int64) (now string, at int64, err error) {
	from, err := p.openFile(file)
	if err != nil {
		return "", 0, err
	}
	part := make([]byte, min(size, writeBuffer))
	for first := int64(0); first < size; first += int64(len(part)) {
		part = part[:min(int64(len(part)), size-first)]
		if _, err := from.ReadAt(part, offset+first); err != nil {
			return "", 0, fmt.Errorf("reading %d bytes at %d: %w", len(part), offset+first, err)
		}
		_, to, err := p.Put(part)
		if err != nil {
			return "", 0, err
		}
		if first == 0 {
			at = to
		}
	}
	return p.name, at, nil
}

// Open opens a file of the checkpoint. The reader stays valid if the file is removed or the journal is closed.
func (p *PageFiles) Open(file string) (interface {
	io.ReaderAt
	io.Closer
	Folder() string
}, error,
) {
	f, err := p.openFile(file)
	if err != nil {
		return nil, err
	}
	f.users.Add(1)
	return &sharedReader{sharedFile: f, dir: p.journal.dir}, nil
}

func (p *PageFiles) openFile(name string) (*sharedFile, error) {
	if f := p.open[name]; f != nil {
		return f, nil
	}
	i := slices.IndexFunc(p.known, func(f PageFile) bool { return f.Name == name })
	if i < 0 {
		return nil, &DamagedError{p.journal.dir, name, errors.New("the checkpoint does not have this file")}
	}
	file, err := p.journal.openPages(&p.known[i])
	if err != nil {
		return nil, err
	}
	f := &sharedFile{File: file}
	f.users.Store(1)
	if p.open == nil {
		p.open = make(map[string]*sharedFile)
	}
	p.open[name] = f
	return f, nil
}

// openPages opens a page file. A failure of the journal does not close it, because other networks may read it.
func (j *Journal) openPages(f *PageFile) (vfs.File, error) {
	file, err := j.fs.FS.Open(j.path(f.Name))
	if err != nil {
		return nil, openError(j.dir, f.Name, err)
	}
	info, err := file.Stat()
	if err == nil && info.Size() != f.Bytes {
		err = fmt.Errorf("it has %d bytes, but should have %d", info.Size(), f.Bytes)
	}
	if err != nil {
		return nil, &DamagedError{j.dir, f.Name, errors.Join(err, file.Close())}
	}
	return file, nil
}

// pagesOf returns the page files of a checkpoint for reading.
func (j *Journal) pagesOf(c *Checkpoint) *PageFiles { return &PageFiles{journal: j, known: c.Pages} }

// newPages returns the page files of a new checkpoint. The caller holds j.checkpointMu.
func (j *Journal) newPages(c *Checkpoint) *PageFiles {
	p := &PageFiles{journal: j, name: fmt.Sprintf("%s%020d-%s", pagesPrefix, c.Position, rand.Text()[:8]), used: make(map[string]int64)}
	p.known = slices.Clone(j.adopted)
	if len(j.kept) > 0 && !c.Base {
		p.known = append(p.known, j.kept[len(j.kept)-1].Pages...)
	}
	slices.SortStableFunc(p.known, func(a, b PageFile) int { return cmp.Compare(b.Used, a.Used) })
	for i, f := range p.known {
		if i < maxPageFiles-1 && f.Used >= f.Bytes/2 {
			p.used[f.Name] = 0
		}
	}
	return p
}

// Adopt links the page files of another directory into this one. The base of a fork then shares them with its source.
// If the file system cannot link a file, the base gets a copy of what it needs.
func (j *Journal) Adopt(from *Journal) {
	all := from.Checkpoints()
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	for _, c := range all {
		for _, f := range c.Pages {
			known := slices.ContainsFunc(j.adopted, func(a PageFile) bool { return a.Name == f.Name })
			if !known && j.fs.Link(from.path(f.Name), j.path(f.Name)) == nil {
				j.adopted = append(j.adopted, f)
			}
		}
	}
}

// finish syncs the new file and describes all files that the checkpoint refers to.
func (p *PageFiles) finish() (files []PageFile, err error) {
	if p.file != nil {
		err = p.to.Flush()
		if err == nil {
			err = p.file.Sync()
		}
		err = errors.Join(err, p.file.Close())
		p.file = nil
		if err == nil {
			err = p.journal.fs.Rename(p.journal.path(p.name+tempSuffix), p.journal.path(p.name))
		}
		if err == nil {
			err = p.journal.syncDir(p.journal.dir)
		}
		if err != nil {
			return nil, fmt.Errorf("writing pages: %w", err)
		}
		p.made.Name, p.made.Used = p.name, p.made.Bytes
		files = append(files, p.made)
	}
	for _, f := range p.known {
		if used := p.used[f.Name]; used > 0 {
			f.Used = used
			files = append(files, f)
		}
	}
	return files, nil
}

// close closes all files. An unfinished new file is removed.
func (p *PageFiles) close() error {
	var err error
	if p.file != nil {
		err = errors.Join(p.file.Close(), p.journal.fs.Remove(p.journal.path(p.name+tempSuffix)))
	}
	for _, f := range p.open {
		err = errors.Join(err, f.release())
	}
	return err
}

// checkPages verifies the page files of a checkpoint. The error is a *DamagedError for the checkpoint.
func (j *Journal) checkPages(c *Checkpoint) error {
	for i := range c.Pages {
		f := &c.Pages[i]
		file, err := j.openPages(f)
		if err == nil {
			sum := crc32.New(castagnoli)
			_, err = io.Copy(sum, file)
			if err = errors.Join(err, file.Close()); err == nil && sum.Sum32() != f.Sum {
				err = fmt.Errorf("page file %q: its checksum does not match", f.Name)
			}
		}
		if err != nil {
			return &DamagedError{j.dir, c.File, err}
		}
	}
	return nil
}
