package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fs returns the file system of the options.
func (o *Options) fs() vfs.FS {
	if o.FS == nil {
		return vfs.Default
	}
	return o.FS
}

// removedPrefix begins the name of a state directory that is being removed.
const removedPrefix = "removed~"

// List returns the sorted names in a folder of state directories, none if the folder does not exist. It also removes
// what a crash left of directories that were being removed.
func List(dir string, o Options) ([]string, error) {
	names, err := o.fs().List(dir)
	if err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("reading the folder %q of state directories: %w", dir, err)
	}
	kept := names[:0]
	for _, name := range names {
		if !strings.HasPrefix(name, removedPrefix) {
			kept = append(kept, name)
		} else if err := o.fs().RemoveAll(o.fs().PathJoin(dir, name)); err != nil {
			return nil, fmt.Errorf("removing what is left of state directory %q: %w", name, err)
		}
	}
	slices.Sort(kept)
	return kept, nil
}

// Remove removes a state directory that is not open. A crash leaves all of it, or a directory that List removes: a
// directory with only some of its files would count as damaged.
func Remove(dir string, o Options) error {
	fs := o.fs()
	leaving := fs.PathJoin(fs.PathDir(dir), removedPrefix+fs.PathBase(dir))
	err := fs.RemoveAll(leaving)
	if err == nil {
		err = fs.Rename(dir, leaving)
	}
	if err == nil {
		err = fs.RemoveAll(leaving)
	}
	if err != nil && !isNotExist(err) {
		return fmt.Errorf("removing state directory %q: %w", dir, err)
	}
	return nil
}
