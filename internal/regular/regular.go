package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file for reading. A link to one is followed.
func Open(path string) (*os.File, error) {
	return open(path, os.Stat, os.OpenFile)
}

// OpenIn opens a regular file in a folder for reading. Links are followed within the folder.
func OpenIn(folder *os.Root, name string) (*os.File, error) {
	return open(name, folder.Stat, folder.OpenFile)
}

// open opens a file after a look at it: opening some devices has an effect. Another file may be in its place by then, so
// the open one is looked at as well.
func open(path string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(path)
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &fs.PathError{Op: "open", Path: missing.Path, Err: missing.Err}
	}
	if err != nil {
		return nil, err
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	file, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for the writer of a pipe
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// check returns an error for anything but a regular file.
func check(path string, info fs.FileInfo) error {
	kind := "something else"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return fmt.Errorf("%s is %s: it must be a regular file", path, kind)
}

// Read returns the content of a regular file of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	return ReadAll(file, path, most)
}

// ReadIn is Read for a file in a folder, as OpenIn opens it.
func ReadIn(folder *os.Root, name string, most int64) ([]byte, error) {
	file, err := OpenIn(folder, name)
	if err != nil {
		return nil, err
	}
	return ReadAll(file, name, most)
}

// ReadAll reads an open file of at most so many bytes, and closes it. Errors name the path.
func ReadAll(file *os.File, path string, most int64) ([]byte, error) {
	size := int64(0)
	if info, err := file.Stat(); err == nil {
		size = info.Size() // some files have more bytes than that, such as those of /proc
	}
	// The buffer has room for a last read, which finds the end. It does not grow, which would copy large files many times.
	content := bytes.NewBuffer(make([]byte, 0, min(size, most)+bytes.MinRead))
	_, err := content.ReadFrom(io.LimitReader(file, most+1))
	_ = file.Close() // it was only read
	if err != nil {
		return nil, err
	}
	if int64(content.Len()) > most {
		return nil, fmt.Errorf("%s has more than %d bytes: that is the limit", path, most)
	}
	return content.Bytes(), nil
}
