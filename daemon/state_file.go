package daemon

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/canisterd/canisterd/daemon/journal"
)

// stateStore is the folder in a state directory that has the records.
const stateStore = "store"

// ExportState writes a state directory to one file, from which ReplayFile replays it on any machine: checkpoints,
// records, and the modules in them. Other instances in the directory are left out.
func ExportState(dir string, to io.Writer) (err error) {
	j, err := journal.Open(dir, journal.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	file := tar.NewWriter(to)
	for _, folder := range []string{".", stateStore} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			return fmt.Errorf("reading the state directory: %w", err)
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() {
				continue
			}
			if err := addFile(file, dir, path.Join(folder, entry.Name())); err != nil {
				return fmt.Errorf("writing %s of the state directory: %w", entry.Name(), err)
			}
		}
	}
	return file.Close()
}

// addFile adds a file of a folder to an archive.
func addFile(to *tar.Writer, dir, name string) error {
	from, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it is only read
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if err := to.WriteHeader(&tar.Header{Name: name, Size: info.Size(), Mode: 0o600}); err != nil {
		return err
	}
	_, err = io.CopyN(to, from, info.Size())
	return err
}

// ReplayFile is ReplayState of a file that ExportState wrote. It unpacks the file in the folder for temporary files.
func ReplayFile(ctx context.Context, from io.Reader, config Config) (_ Replayed, err error) {
	dir, err := os.MkdirTemp("", "canisterd-replay-")
	if err != nil {
		return Replayed{}, fmt.Errorf("making a folder for the state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := unpackState(dir, from); err != nil {
		return Replayed{}, fmt.Errorf("the file is not one that canisterd state export wrote: %w", err)
	}
	return ReplayState(ctx, dir, config)
}

// unpackState writes the files of an archive to a folder, and nothing outside it: the archive may be of a stranger.
func unpackState(dir string, from io.Reader) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Mkdir(stateStore, 0o700); err != nil {
		return err
	}
	for archive := tar.NewReader(from); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		file, err := root.Create(filepath.FromSlash(header.Name))
		if err != nil {
			return err
		}
		_, err = io.Copy(file, archive)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
}
