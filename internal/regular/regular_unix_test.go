//go:build unix

package regular

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	outside := filepath.Join(t.TempDir(), "secret")
	for _, path := range []string{in("file"), outside} {
		if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, to := range map[string]string{"near": "file", "far": outside, "null": os.DevNull} {
		if err := os.Symlink(to, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, row := range []struct {
		name   string
		most   int64
		anyway string // error of Read; "" for the content
		within string // likewise of ReadIn
	}{
		{"file", 7, "", ""},
		{"file", 6, "has more than 6 bytes", "has more than 6 bytes"},
		{"near", 7, "", ""},
		{"far", 7, "", "path escapes from parent"},
		{"pipe", 7, "is a named pipe: it must be a regular file", "is a named pipe"},
		{"socket", 7, "is a socket", "is a socket"},
		{".", 7, "is a directory", "is a directory"},
		{"null", 7, "is a device", "path escapes from parent"},
		{"missing", 7, "no such file", "no such file"},
	} {
		for want, read := range map[*string]func() ([]byte, error){
			&row.anyway: func() ([]byte, error) { return Read(in(row.name), row.most) },
			&row.within: func() ([]byte, error) { return ReadIn(root, row.name, row.most) },
		} {
			content, err := read()
			if *want == "" && (err != nil || string(content) != "content") || *want != "" && (err == nil || !strings.Contains(err.Error(), *want)) {
				t.Errorf("%s, at most %d bytes: %q, %v, want %q", row.name, row.most, content, err, *want)
			}
		}
	}
}

func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a named pipe", link: "is a device", dir: "is a directory"} {
		err := Replace(path, func(io.Writer) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("the directory has %q", left)
	}
}
