package journal

import (
	"archive/tar"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// countingReader counts the bytes that are read.
type countingReader struct {
	from io.Reader
	read int64
}

// Read reads and counts.
func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.read += int64(n)
	return n, err
}

// Unpack writes the files of an archive to a folder. The archive is not trusted: nothing is written outside the folder,
// and no more than is read, because an archive may declare holes in a file.
func Unpack(dir string, from io.Reader) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Mkdir(storeFolder, 0o700); err != nil {
		return err
	}
	input, sum := &countingReader{from: from}, sha256.New()
	written := int64(0)
	for archive := tar.NewReader(input); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			err = errors.New("it ends before its checksum")
		}
		if err != nil {
			return fmt.Errorf("at byte %d: %w", input.read, err)
		}
		if header.Name == sumFile {
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

// checkSum compares the sum at the end of an archive with the sum of its files.
func checkSum(archive io.Reader, now []byte, input *countingReader) error {
	was, err := io.ReadAll(io.LimitReader(archive, 1<<10))
	if err != nil {
		return fmt.Errorf("its checksum at byte %d: %w", input.read, err)
	}
	if string(was) != fmt.Sprintf("%x", now) {
		return fmt.Errorf("its content before byte %d has the checksum %x, and had %.64q when it was written", input.read, now, was)
	}
	return nil
}
