package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// disk is the file system under a directory. A write that fails in the store is reported at once: the store might try it
// again, and a file system may say that the second fsync succeeded although data of the first is lost. Once it is cut
// off, all files are closed and every operation fails, so that nothing more reaches the directory.
type disk struct {
	vfs.FS
	store  string      // folder of the store
	fail   func(error) // takes a write that failed in the store
	counts *Statistics // of how long syncs take; may be nil
	off    atomic.Bool // nothing more is done

	mu    sync.Mutex // guards what follows
	files map[*diskFile]struct{}
	locks []*diskLock
	holds bool     // files of the store are not removed yet
	held  []string // files to be removed
}

// errCut is the error of a file system that was cut off.
var errCut = errors.New("the state directory was given up after a failure")

// cut closes all files and gives all locks back. Operations under way end by themselves.
func (d *disk) cut() {
	d.off.Store(true)
	d.mu.Lock()
	files, locks := d.files, d.locks
	d.files, d.locks = nil, nil
	d.mu.Unlock()
	for _, l := range locks {
		_ = l.Close() // the failure is told
	}
	for f := range files {
		// The system may take long for an operation of a disk that fails. What fails here is told already.
		if f.using.TryLock() {
			f.using.Unlock()
			_ = f.closeNow()
			continue
		}
		go func() { _ = f.closeNow() }()
	}
}

// write does something that changes files. After a failure in the store it never returns: the store panics in some
// places, and tries again without a pause in others. Its goroutines stay as they are, with a few MiB, until the process
// ends.
func (d *disk) write(what, name string, do func() error) error {
	err := errCut
	if !d.off.Load() {
		err = do()
	}
	if err != nil && d.ofStore(name) {
		d.fail(fmt.Errorf("%s %s: %w", what, d.PathBase(name), err))
		select {}
	}
	return err
}

// ofStore reports whether a file is one of the store, or of one that a repair makes.
func (d *disk) ofStore(name string) bool { return strings.HasPrefix(name, d.store) }

// hold has files of the store stay for a while: the store removes what it takes for old when it is opened, and it may
// have lost its knowledge of a file that is needed.
func (d *disk) hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holds = true
}

// release removes the files that were to be removed since.
func (d *disk) release() {
	d.mu.Lock()
	held := d.held
	d.holds, d.held = false, nil
	d.mu.Unlock()
	for _, name := range held {
		_ = d.Remove(name) // the store removes what stays at the next start
	}
}

// keeps reports whether a file stays for a while.
func (d *disk) keeps(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.holds || !d.ofStore(name) {
		return false
	}
	d.held = append(d.held, name)
	return true
}

// opened is a file of the disk.
func (d *disk) opened(name string, do func() (vfs.File, error)) (vfs.File, error) {
	if d.off.Load() {
		return nil, errCut
	}
	file, err := do()
	if err != nil {
		return nil, err
	}
	f := &diskFile{File: file, disk: d, name: name}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off.Load() {
		return nil, errors.Join(errCut, file.Close())
	}
	if d.files == nil {
		d.files = make(map[*diskFile]struct{})
	}
	d.files[f] = struct{}{}
	return f, nil
}

// made is a file that is written.
func (d *disk) made(name string, do func() (vfs.File, error)) (file vfs.File, err error) {
	err = d.write("creating", name, func() error {
		file, err = d.opened(name, do)
		return err
	})
	return file, err
}

// Create implements vfs.FS.
func (d *disk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return d.made(name, func() (vfs.File, error) {
		if err := d.syncTarget(name); err != nil {
			return nil, err
		}
		return d.FS.Create(name, category)
	})
}

// markerPrefix begins the names of the files by which the store says which of its files it uses.
const markerPrefix = "marker."

// syncTarget syncs the directory of a marker before the marker exists. The store makes a manifest, syncs it, makes the
// marker that names it, and syncs the directory after both. A power failure before that sync could leave the marker
// without the manifest's directory entry, and the store did not open again.
func (d *disk) syncTarget(name string) error {
	if !strings.HasPrefix(d.PathBase(name), markerPrefix) {
		return nil
	}
	dir, err := d.FS.OpenDir(d.PathDir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// OpenReadWrite implements vfs.FS.
func (d *disk) OpenReadWrite(name string, category vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return d.made(name, func() (vfs.File, error) { return d.FS.OpenReadWrite(name, category, o...) })
}

// ReuseForWrite implements vfs.FS.
func (d *disk) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return d.made(name, func() (vfs.File, error) { return d.FS.ReuseForWrite(old, name, category) })
}

// Open implements vfs.FS.
func (d *disk) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	return d.opened(name, func() (vfs.File, error) { return d.FS.Open(name, o...) })
}

// OpenDir implements vfs.FS.
func (d *disk) OpenDir(name string) (vfs.File, error) {
	return d.opened(name, func() (vfs.File, error) { return d.FS.OpenDir(name) })
}

// Link implements vfs.FS.
func (d *disk) Link(old, name string) error {
	return d.write("linking", name, func() error { return d.FS.Link(old, name) })
}

// Rename implements vfs.FS.
func (d *disk) Rename(old, name string) error {
	return d.write("renaming", name, func() error { return d.FS.Rename(old, name) })
}

// MkdirAll implements vfs.FS.
func (d *disk) MkdirAll(dir string, perm os.FileMode) error {
	return d.write("making", dir, func() error { return d.FS.MkdirAll(dir, perm) })
}

// Remove implements vfs.FS. A file that stays is no failure: it is removed at the next start.
func (d *disk) Remove(name string) error {
	if d.off.Load() {
		return errCut
	}
	if d.keeps(name) {
		return nil
	}
	return d.FS.Remove(name)
}

// Lock implements vfs.FS. The directory has a lock already: the store needs none of its own, which it would keep where it
// does not close.
func (d *disk) Lock(name string) (io.Closer, error) {
	if d.off.Load() {
		return nil, errCut
	}
	if d.ofStore(name) {
		return &diskLock{held: io.NopCloser(nil)}, nil
	}
	held, err := d.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	l := &diskLock{held: held}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off.Load() {
		return nil, errors.Join(errCut, l.Close())
	}
	d.locks = append(d.locks, l)
	return l, nil
}

// diskLock is a lock, which is given back once.
type diskLock struct {
	once sync.Once
	held io.Closer
}

// Close gives the lock back.
func (l *diskLock) Close() (err error) {
	l.once.Do(func() { err = l.held.Close() })
	return err
}

// Unwrap implements vfs.FS.
func (d *disk) Unwrap() vfs.FS { return d.FS }

// diskFile is an open file.
type diskFile struct {
	vfs.File
	disk   *disk
	name   string
	using  sync.RWMutex // held to use the file, and exclusively to close it
	closed bool         // guarded by using
}

// Close implements vfs.File. A file that was cut off is closed already. The store must not get an error: it closes one log and
// makes the next, and ends the process if the first fails. To make the next never returns.
func (f *diskFile) Close() error {
	f.disk.mu.Lock()
	delete(f.disk.files, f)
	f.disk.mu.Unlock()
	err := f.closeNow()
	if f.disk.off.Load() {
		return nil
	}
	return f.disk.write("closing", f.name, func() error { return err })
}

func (f *diskFile) closeNow() error {
	f.using.Lock()
	defer f.using.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	return f.File.Close()
}

// use does something with the file.
func (f *diskFile) use(do func() error) error {
	f.using.RLock()
	defer f.using.RUnlock()
	if f.closed || f.disk.off.Load() {
		return errCut
	}
	return do()
}

func (f *diskFile) write(what string, do func() error) error {
	return f.disk.write(what, f.name, func() error { return f.use(do) })
}

// Read implements vfs.File.
func (f *diskFile) Read(p []byte) (n int, err error) {
	err = f.use(func() (err error) {
		n, err = f.File.Read(p)
		return err
	})
	return n, err
}

// ReadAt implements vfs.File.
func (f *diskFile) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.use(func() (err error) {
		n, err = f.File.ReadAt(p, at)
		return err
	})
	return n, err
}

// Write implements vfs.File.
func (f *diskFile) Write(p []byte) (n int, err error) {
	err = f.write("writing", func() (err error) {
		n, err = f.File.Write(p)
		return err
	})
	return n, err
}

// WriteAt implements vfs.File.
func (f *diskFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.write("writing", func() (err error) {
		n, err = f.File.WriteAt(p, at)
		return err
	})
	return n, err
}

// Preallocate implements vfs.File.
func (f *diskFile) Preallocate(offset, length int64) error {
	return f.use(func() error { return f.File.Preallocate(offset, length) })
}

// Prefetch implements vfs.File.
func (f *diskFile) Prefetch(offset, length int64) error {
	return f.use(func() error { return f.File.Prefetch(offset, length) })
}

// Stat implements vfs.File.
func (f *diskFile) Stat() (info vfs.FileInfo, err error) {
	err = f.use(func() (err error) {
		info, err = f.File.Stat()
		return err
	})
	return info, err
}

func (f *diskFile) sync(do func() error) error {
	return f.write("syncing", func() error { return f.disk.counts.sync(do) })
}

// Sync implements vfs.File.
func (f *diskFile) Sync() error { return f.sync(f.File.Sync) }

// SyncData implements vfs.File.
func (f *diskFile) SyncData() error { return f.sync(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *diskFile) SyncTo(length int64) (full bool, err error) {
	err = f.sync(func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}
