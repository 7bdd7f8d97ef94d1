package archivetest

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// PageStore is an archive.PageStore in memory. The zero value has no files.
type PageStore struct {
	Files map[string][]byte // by name
	New   string            // name of the file that Put appends to
	Copy  int               // Keep copies one of so many memories to the new file; 0: none
	Kept  int               // calls of Keep that found their bytes

	open atomic.Int64 // readers
}

// Put appends bytes to the new file.
func (p *PageStore) Put(b []byte) (file string, offset int64, err error) {
	if p.Files == nil {
		p.Files = make(map[string][]byte)
	}
	offset = int64(len(p.Files[p.New]))
	p.Files[p.New] = append(p.Files[p.New], b...)
	return p.New, offset, nil
}

// Keep leaves bytes where they are, or copies them.
func (p *PageStore) Keep(file string, offset, size int64) (now string, at int64, err error) {
	content, found := p.Files[file]
	if !found {
		return "", 0, nil
	}
	if p.Kept++; p.Copy > 0 && p.Kept%p.Copy == 0 {
		return p.Put(content[offset:][:size])
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
	content, found := p.Files[file]
	if !found {
		return nil, errors.New("no such file")
	}
	p.open.Add(1)
	return &reader{bytes.NewReader(content), p}, nil
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
