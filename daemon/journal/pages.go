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

// PageFile describes a file with pages of memories, as a checkpoint uses it. It never changes.
type PageFile struct {
	Name  string `json:"name"`  // in the directory
	Bytes int64  `json:"bytes"` // of the file
	Used  int64  `json:"used"`  // bytes that the checkpoint needs
	Sum   uint32 `json:"sum"`   // CRC-32C of the file
}

// pagesFile begins the names of page files.
const pagesFile = "pages-"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Pages are the page files of a checkpoint. One that is written takes over what it needs of those of the checkpoint
// before it: most of that stays where it is, and what lies in a file that is mostly unused is copied to the new file.
// Pages are for one goroutine.
type Pages struct {
	journal *Journal
	known   []PageFile           // of the checkpoint that is read, or of the one before the one that is written
	used    map[string]int64     // bytes of those that stay, which are needed
	open    map[string]*pageFile // that were opened
	name    string               // of the file that is written
	made    PageFile             // its description; without a name until the first Put
	file    vfs.File
	to      *bufio.Writer
}

// pageFile is an open file, which several have.
type pageFile struct {
	vfs.File
	users atomic.Int64
}

func (f *pageFile) release() error {
	if f.users.Add(-1) == 0 {
		return f.File.Close()
	}
	return nil
}

// pageReader is the file for one of those who have it.
type pageReader struct {
	*pageFile
	closed atomic.Bool
}

// Close gives the file back.
func (r *pageReader) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	return r.release()
}

// Put writes bytes behind those that were put before, and says where they are. The bytes may change.
func (p *Pages) Put(b []byte) (file string, offset int64, err error) {
	if p.file == nil {
		if p.file, err = p.journal.fs.Create(p.journal.path(p.name+temporary), vfs.WriteCategoryUnspecified); err != nil {
			return "", 0, err
		}
		p.to = bufio.NewWriterSize(p.file, writeBuffer)
	}
	offset = p.made.Bytes
	p.made.Bytes += int64(len(b))
	p.made.Sum = crc32.Update(p.made.Sum, castagnoli, b) // before Write, after which a vfs.File may have changed it
	_, err = p.to.Write(b)
	return p.name, offset, err
}

// Keep says where bytes of an earlier file are from now on, "" if the checkpoint before does not have that file.
func (p *Pages) Keep(file string, offset, size int64) (now string, at int64, err error) {
	i := slices.IndexFunc(p.known, func(f PageFile) bool { return f.Name == file })
	if i < 0 || size > p.known[i].Bytes || offset > p.known[i].Bytes-size {
		return "", 0, nil
	}
	if used, stays := p.used[file]; stays {
		p.used[file] = used + size
		return file, offset, nil
	}
	return p.move(file, offset, size)
}

// move copies bytes to the file that is written.
func (p *Pages) move(file string, offset, size int64) (now string, at int64, err error) {
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

// Open opens a file of the checkpoint. Its bytes can be read until it is closed, even if the file is removed or the
// directory is given back.
func (p *Pages) Open(file string) (interface {
	io.ReaderAt
	io.Closer
}, error,
) {
	f, err := p.openFile(file)
	if err != nil {
		return nil, err
	}
	f.users.Add(1)
	return &pageReader{pageFile: f}, nil
}

func (p *Pages) openFile(name string) (*pageFile, error) {
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
	f := &pageFile{File: file}
	f.users.Store(1)
	if p.open == nil {
		p.open = make(map[string]*pageFile)
	}
	p.open[name] = f
	return f, nil
}

// openPages opens a page file. The file belongs to its reader: it stays open after a failure of the journal.
func (j *Journal) openPages(f *PageFile) (vfs.File, error) {
	file, err := j.fs.FS.Open(j.path(f.Name))
	if err != nil {
		return nil, &DamagedError{j.dir, f.Name, err}
	}
	info, err := file.Stat()
	if err == nil && info.Size() != f.Bytes {
		err = fmt.Errorf("it has %d bytes, and had %d", info.Size(), f.Bytes)
	}
	if err != nil {
		return nil, &DamagedError{j.dir, f.Name, errors.Join(err, file.Close())}
	}
	return file, nil
}

// pagesOf are the page files of a checkpoint that is read.
func (j *Journal) pagesOf(c *Checkpoint) *Pages { return &Pages{journal: j, known: c.Pages} }

// newPages are the page files of a checkpoint that is written. The caller holds j.keeping.
func (j *Journal) newPages(c *Checkpoint) *Pages {
	p := &Pages{journal: j, name: fmt.Sprintf("%s%020d-%s", pagesFile, c.Position, rand.Text()[:8]), used: make(map[string]int64)}
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

// Adopt makes the page files of another directory those of this one too, without a copy, for a base: a network that goes
// on from one that is kept there. Files that cannot be linked are left out: the base is written as a whole then.
func (j *Journal) Adopt(from *Journal) {
	all := from.Checkpoints()
	j.keeping.Lock()
	defer j.keeping.Unlock()
	for _, c := range all {
		for _, f := range c.Pages {
			known := slices.ContainsFunc(j.adopted, func(a PageFile) bool { return a.Name == f.Name })
			if !known && j.fs.Link(from.path(f.Name), j.path(f.Name)) == nil {
				j.adopted = append(j.adopted, f)
			}
		}
	}
}

// finish brings the file that was written to disk, and describes all that the checkpoint needs.
func (p *Pages) finish() (files []PageFile, err error) {
	if p.file != nil {
		err = p.to.Flush()
		if err == nil {
			err = p.file.Sync()
		}
		err = errors.Join(err, p.file.Close())
		p.file = nil
		if err == nil {
			err = p.journal.fs.Rename(p.journal.path(p.name+temporary), p.journal.path(p.name))
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

// close gives back what is open. A file that was not finished is removed.
func (p *Pages) close() error {
	var err error
	if p.file != nil {
		err = errors.Join(p.file.Close(), p.journal.fs.Remove(p.journal.path(p.name+temporary)))
	}
	for _, f := range p.open {
		err = errors.Join(err, f.release())
	}
	return err
}

// checkPages reads the page files of a checkpoint. The error is a *DamagedError for the checkpoint.
func (j *Journal) checkPages(c *Checkpoint) error {
	for i := range c.Pages {
		f := &c.Pages[i]
		file, err := j.openPages(f)
		if err == nil {
			sum := crc32.New(castagnoli)
			_, err = io.Copy(sum, file)
			if err = errors.Join(err, file.Close()); err == nil && sum.Sum32() != f.Sum {
				err = fmt.Errorf("page file %q is not what was written", f.Name)
			}
		}
		if err != nil {
			return &DamagedError{j.dir, c.File, err}
		}
	}
	return nil
}
