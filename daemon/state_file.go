package daemon

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/canisterd/canisterd/daemon/journal"
)

const (
	// stateStore is the folder in a state directory that has the records.
	stateStore = "store"
	// fileSum is the last file of an archive: the SHA-256 of the names, sizes and contents before it. The store takes a
	// damaged end of its journal for what a crash left, and goes on without it.
	fileSum = "SHA256"
)

// ExportState writes a state directory to one file, from which ReplayFile replays it on any machine: checkpoints,
// records, and the modules in them. Other instances in the directory are left out.
func ExportState(dir string, to io.Writer) (err error) {
	j, err := journal.Open(dir, journal.Options{ReadOnly: true})
	if err != nil {
		return forState(err)
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	file, sum := tar.NewWriter(to), sha256.New()
	for _, folder := range []string{".", stateStore} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			return fmt.Errorf("reading the state directory: %w", err)
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() {
				continue
			}
			if err := addFile(file, sum, dir, path.Join(folder, entry.Name())); err != nil {
				return fmt.Errorf("writing %s of the state directory: %w", entry.Name(), err)
			}
		}
	}
	text := fmt.Sprintf("%x", sum.Sum(nil))
	if err := file.WriteHeader(&tar.Header{Name: fileSum, Size: int64(len(text)), Mode: 0o600}); err != nil {
		return err
	}
	if _, err := io.WriteString(file, text); err != nil {
		return err
	}
	return file.Close()
}

// addFile adds a file of a folder to an archive, and to its sum.
func addFile(to *tar.Writer, sum io.Writer, dir, name string) error {
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
	fmt.Fprintf(sum, "%s\n%d\n", name, info.Size())
	_, err = io.CopyN(io.MultiWriter(to, sum), from, info.Size())
	return err
}

// ReplayFile is ReplayState of a file that ExportState wrote. It unpacks the file in the folder for temporary files.
func ReplayFile(ctx context.Context, from io.Reader, config Config, traces int) (_ Replayed, err error) {
	dir, err := os.MkdirTemp("", "canisterd-replay-")
	if err != nil {
		return Replayed{}, fmt.Errorf("making a folder for the state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := unpackState(dir, from); err != nil {
		return Replayed{}, fmt.Errorf("the file is not one that canisterd state export wrote, or is damaged: %w", err)
	}
	replayed, err := ReplayState(ctx, dir, config, traces)
	if damaged, ok := errors.AsType[*journal.DamagedError](err); ok {
		err = fmt.Errorf("the file is damaged: %s in it: %w; take another copy of it", damaged.File, damaged.Err)
	}
	return replayed, err
}

// counted counts what is read.
type counted struct {
	from io.Reader
	read int64
}

// Read reads.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.read += int64(n)
	return n, err
}

// unpackState writes the files of an archive to a folder, and nothing outside it: the archive may be of a stranger. It
// writes no more than it reads: an archive may say that a file has holes.
func unpackState(dir string, from io.Reader) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Mkdir(stateStore, 0o700); err != nil {
		return err
	}
	input, sum := &counted{from: from}, sha256.New()
	written := int64(0)
	for archive := tar.NewReader(input); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			err = errors.New("it ends before its checksum")
		}
		if err != nil {
			return fmt.Errorf("at byte %d: %w", input.read, err)
		}
		if header.Name == fileSum {
			return checkSum(archive, sum.Sum(nil), input)
		}
		begun := input.read
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%.100q at byte %d is not a regular file", header.Name, begun)
		}
		file, err := root.Create(filepath.FromSlash(header.Name))
		if err != nil {
			return fmt.Errorf("%.100q at byte %d: %w", header.Name, begun, err)
		}
		fmt.Fprintf(sum, "%s\n%d\n", header.Name, header.Size)
		for err == nil {
			var n int64
			n, err = io.CopyN(io.MultiWriter(file, sum), archive, 1<<20)
			if written += n; written > input.read {
				err = errors.New("it is larger than the bytes it has")
			}
		}
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("%.100q, which begins at byte %d, at byte %d: %w", header.Name, begun, input.read, err)
		}
	}
}

// checkSum compares the sum at the end of an archive with that of what was read.
func checkSum(archive io.Reader, now []byte, input *counted) error {
	was, err := io.ReadAll(io.LimitReader(archive, 1<<10))
	if err != nil {
		return fmt.Errorf("its checksum at byte %d: %w", input.read, err)
	}
	if string(was) != fmt.Sprintf("%x", now) {
		return fmt.Errorf("its content before byte %d has the checksum %x, and had %.64q when it was written", input.read, now, was)
	}
	return nil
}
