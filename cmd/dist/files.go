package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file of a package.
type file struct {
	name  string // slash-separated, relative to the root of the package; a directory ends in a slash
	mode  os.FileMode
	data  []byte
	owner int // id of the user and of the group; archives other than tar have none
}

// sorted returns files by name, so that a package has one order.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// writeFile creates a file, and reports what its last bytes became.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	return write(f)
}

// writeTarGz writes files as tar.gz, with the directories that they are in.
func writeTarGz(w io.Writer, files []file, modified time.Time) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(zipped, files, modified); err != nil {
		return err
	}
	return zipped.Close()
}

// writeTar writes files as tar, with the directories that they are in.
func writeTar(w io.Writer, files []file, modified time.Time) error {
	archive := tar.NewWriter(w)
	for _, f := range withDirectories(files) {
		header := &tar.Header{
			Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: modified,
			Uid: f.owner, Gid: f.owner, Format: tar.FormatPAX,
		}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if f.mode&os.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
		if _, err := archive.Write(f.data); err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
	}
	return archive.Close()
}

// withDirectories returns files and the directories that they are in, sorted.
func withDirectories(files []file) []file {
	all := map[string]file{}
	for _, f := range files {
		all[f.name] = f
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")); dir != "."; dir = path.Dir(dir) {
			if _, known := all[dir+"/"]; !known {
				all[dir+"/"] = file{name: dir + "/", mode: 0o755}
			}
		}
	}
	var list []file
	for _, f := range all {
		list = append(list, f)
	}
	return sorted(list)
}

// writeZip writes files as zip.
func writeZip(w io.Writer, files []file, modified time.Time) error {
	archive := zip.NewWriter(w)
	for _, f := range sorted(files) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(f.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
		if _, err := entry.Write(f.data); err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
	}
	return archive.Close()
}
