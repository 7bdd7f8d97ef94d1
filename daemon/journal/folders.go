package journal

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fs is the file system of the options.
func (o *Options) fs() vfs.FS {
	if o.FS == nil {
		return vfs.Default
	}
	return o.FS
}

// List gives the names of what is in a folder of state directories, in order: none where it does not exist.
func List(dir string, o Options) ([]string, error) {
	names, err := o.fs().List(dir)
	if err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("reading the folder %q of state directories: %w", dir, err)
	}
	slices.Sort(names)
	return names, nil
}

// Remove removes a state directory that is not open, with everything in it.
func Remove(dir string, o Options) error {
	if err := o.fs().RemoveAll(dir); err != nil {
		return fmt.Errorf("removing state directory %q: %w", dir, err)
	}
	return nil
}
