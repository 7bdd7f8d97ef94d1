package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// disk is the file system under a directory. It reports a failed write of the store at once: the store might retry it,
// and a file system may let the second fsync succeed although data of the first is lost. After cut, all files are
// closed and every operation fails, so that nothing more reaches the directory.
type disk struct {
	vfs.FS
	store  string      // folder of the store
	fail   func(error) // gets the error of a failed write of the store
	counts *Statistics // counts syncs; may be nil
	off    atomic.Bool // set by cut

	mu      sync.Mutex // guards the fields below
	files   map[*diskFile]struct{}
	locks   []*diskLock
	holding bool     // removals in the store are deferred
	held    []string // paths of the deferred removals
}

// errCut is returned by all operations after cut.
var errCut = errors.New("the state directory was given up after a failure")

// cut closes all files and releases all locks. It does not wait for running operations.
func (d *disk) cut() {
	d.off.Store(true)
	d.mu.Lock()
	files, locks := d.files, d.locks
	d.files, d.locks = nil, nil
	d.mu.Unlock()
	for _, l := range locks {
		_ = l.Close() // the first failure is reported
	}
	for f := range files {
		// An operation on a failing disk may take long: it is not waited for. The failure is already reported.
		if f.using.TryLock() {
			f.using.Unlock()
			_ = f.closeNow()
			continue
		}
		go func() { _ = f.closeNow() }()
	}
}

// write runs an operation that changes files. If one in the store fails, write never returns: the store would panic in
// some places, and retry without a pause in others. Its goroutines stay blocked, with a few MiB, until the process
// ends.
func (d *disk) write(what, name string, do func() error) error {
	err := errCut
	if !d.off.Load() {
		err = do()
	}
	if err != nil && d.inStore(name) {
		d.fail(fmt.Errorf("%s %s: %w", what, d.PathBase(name), err))
		select {}
	}
	return err
}

// inStore reports whether a file belongs to the store, or to one that a repair writes.
func (d *disk) inStore(name string) bool { return strings.HasPrefix(name, d.store) }

// holdRemovals defers the removal of files of the store. The store removes files that it considers obsolete when it is
// opened, and a damaged one may no longer know that a file is needed.
func (d *disk) holdRemovals() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holding = true
}

// releaseRemovals does the deferred removals, and ends the deferral.
func (d *disk) releaseRemovals() {
	d.mu.Lock()
	held := d.held
	d.holding, d.held = false, nil
	d.mu.Unlock()
	for _, name := range held {
		_ = d.Remove(name) // the store tries again at the next start
	}
}

// deferRemoval reports whether the removal of a file is deferred.
func (d *disk) deferRemoval(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.holding || !d.inStore(name) {
		return false
	}
	d.held = append(d.held, name)
	return true
}

// open opens a file and registers it for cut.
func (d *disk) open(name string, do func() (vfs.File, error)) (vfs.File, error) {
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

// openForWrite is open for an operation that changes the directory.
func (d *disk) openForWrite(name string, do func() (vfs.File, error)) (file vfs.File, err error) {
	err = d.write("creating", name, func() error {
		file, err = d.open(name, do)
		return err
	})
	return file, err
}

// Create implements vfs.FS.
func (d *disk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return d.openForWrite(name, func() (vfs.File, error) {
		if err := d.syncTarget(name); err != nil {
			return nil, err
		}
		return d.FS.Create(name, category)
	})
}

// markerPrefix begins the names of the files that tell the store which of its files are current.
const markerPrefix = "marker."

// syncTarget syncs the directory of a marker before the marker is created. The store creates a manifest, syncs it,
// creates the marker that names it, and then syncs the directory. A power failure before that sync could leave the
// marker without the manifest's directory entry, and the store did not open again.
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
	return d.openForWrite(name, func() (vfs.File, error) { return d.FS.OpenReadWrite(name, category, o...) })
}

// ReuseForWrite implements vfs.FS.
func (d *disk) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return d.openForWrite(name, func() (vfs.File, error) { return d.FS.ReuseForWrite(old, name, category) })
}

// Open implements vfs.FS.
func (d *disk) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	return d.open(name, func() (vfs.File, error) { return d.FS.Open(name, o...) })
}

// OpenDir implements vfs.FS.
func (d *disk) OpenDir(name string) (vfs.File, error) {
	return d.open(name, func() (vfs.File, error) { return d.FS.OpenDir(name) })
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

// Remove implements vfs.FS. Its failure does not end the journal: the file is removed at the next start.
func (d *disk) Remove(name string) error {
	if d.off.Load() {
		return errCut
	}
	if d.deferRemoval(name) {
		return nil
	}
	return d.FS.Remove(name)
}

// Lock implements vfs.FS. The store gets a lock that does nothing, because the directory is locked already and a store
// that cannot be closed would keep its own.
func (d *disk) Lock(name string) (io.Closer, error) {
	if d.off.Load() {
		return nil, errCut
	}
	if d.inStore(name) {
		return &diskLock{held: io.NopCloser(nil)}, nil
	}
	held, err := d.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	l := &diskLock{held: held}
	if d.FS == vfs.Default {
		if l.folder, err = lockFolder(filepath.Dir(name)); err != nil {
			return nil, errors.Join(err, held.Close())
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off.Load() {
		return nil, errors.Join(errCut, l.Close())
	}
	d.locks = append(d.locks, l)
	return l, nil
}

// diskLock is a lock that is released only once.
type diskLock struct {
	once   sync.Once
	held   io.Closer
	folder *os.File // the folder that is locked itself; nil without that
}

// lost returns an error if the folder is no longer at its path, where another process may have made one.
func (l *diskLock) lost() error {
	if l.folder == nil {
		return nil
	}
	held, err := l.folder.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(l.folder.Name()); err != nil || !os.SameFile(held, now) {
		return fmt.Errorf("%s was moved or removed while it was in use", l.folder.Name())
	}
	return nil
}

// Close releases the lock.
func (l *diskLock) Close() (err error) {
	l.once.Do(func() {
		if l.folder != nil {
			err = l.folder.Close()
		}
		err = errors.Join(err, l.held.Close())
	})
	return err
}

// Unwrap implements vfs.FS.
func (d *disk) Unwrap() vfs.FS { return d.FS }

// diskFile is an open file.
type diskFile struct {
	vfs.File
	disk   *disk
	name   string
	using  sync.RWMutex // held to read or write the file, and exclusively to close it
	closed bool         // guarded by using
}

// Close implements vfs.File. After cut the file is already closed, and the store must not get an error: it ends the
// process if it cannot close a log. Its next step, to create the next log, never returns.
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

// use runs an operation on the file, unless it is closed.
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
	return f.write("syncing", func() error { return f.disk.counts.timeSync(do) })
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
