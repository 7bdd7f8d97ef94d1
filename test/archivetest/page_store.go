package archivetest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync/atomic"
)

// PageStore is an archive.PageStore in memory. The zero value has no files.
type PageStore struct {
	Files map[string]*File // by name
	New   string           // name of the file that Put appends to
	Copy  int              // Keep copies one of so many memories to the new file; 0: none
	Kept  int              // calls of Keep that found their bytes

	open atomic.Int64 // readers
}

// File is the content of a file, in the pieces in which it was written. The zero value and nil are empty.
type File struct {
	pieces [][]byte
	starts []int64 // of the pieces in the file
	size   int64
}

// Size returns the length in bytes.
func (f *File) Size() int64 {
	if f == nil {
		return 0
	}
	return f.size
}

// Increment adds 1 to the byte at an offset.
func (f *File) Increment(offset int64) { f.from(offset)[0]++ }

// from returns the rest of a piece from an offset on.
func (f *File) from(offset int64) []byte {
	at, found := slices.BinarySearch(f.starts, offset)
	if !found {
		at--
	}
	return f.pieces[at][offset-f.starts[at]:]
}

// ReadAt reads as an io.ReaderAt.
func (f *File) ReadAt(b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		if offset >= f.size {
			return n, io.EOF
		}
		copied := copy(b[n:], f.from(offset))
		n, offset = n+copied, offset+int64(copied)
	}
	return n, nil
}

// Put appends bytes to the new file.
func (p *PageStore) Put(b []byte) (file string, offset int64, err error) {
	if p.Files == nil {
		p.Files = make(map[string]*File)
	}
	to := p.Files[p.New]
	if to == nil {
		to = new(File)
		p.Files[p.New] = to
	}
	to.pieces, to.starts = append(to.pieces, bytes.Clone(b)), append(to.starts, to.size)
	to.size += int64(len(b))
	return p.New, to.size - int64(len(b)), nil
}

// Keep leaves bytes where they are, or copies them.
func (p *PageStore) Keep(file string, offset, size int64) (now string, at int64, err error) {
	from := p.Files[file]
	if from == nil {
		return "", 0, nil
	}
	if p.Kept++; p.Copy > 0 && p.Kept%p.Copy == 0 {
		content := make([]byte, size)
		if _, err := from.ReadAt(content, offset); err != nil {
			return "", 0, err
		}
		return p.Put(content)
	}
	return file, offset, nil
}

// Open opens a file.
func (p *PageStore) Open(file string) (interface {
	io.ReaderAt
	io.Closer
	Folder() string
}, error,
) {
	content := p.Files[file]
	if content == nil {
		return nil, errors.New("no such file")
	}
	p.open.Add(1)
	return &reader{content, p}, nil
}

// Folder returns the folder of all files.
func (r *reader) Folder() string { return "folder" }

// Readers returns the number of open files.
func (p *PageStore) Readers() int64 { return p.open.Load() }

type reader struct {
	io.ReaderAt
	of *PageStore
}

func (r *reader) Close() error {
	r.of.open.Add(-1)
	return nil
}
