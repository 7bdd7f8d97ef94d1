package checkpoint

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/windows"
)

// create makes a named file: Windows cannot remove an open file, so Close does it.
func create(dir string) (f *os.File, remove string, memory bool, err error) {
	f, err = os.CreateTemp(dir, "checkpoint-*")
	if err != nil {
		return nil, "", false, err
	}
	return f, f.Name(), false, nil
}

// prepare makes the file sparse; without that, extending it would write zeros.
func prepare(f *os.File) error {
	var n uint32
	return windows.DeviceIoControl(windows.Handle(f.Fd()), windows.FSCTL_SET_SPARSE, nil, 0, nil, 0, &n, nil)
}

func punch(f *os.File, offset, size int64) error {
	var span [16]byte
	binary.LittleEndian.PutUint64(span[:8], uint64(offset))
	binary.LittleEndian.PutUint64(span[8:], uint64(offset+size))
	var n uint32
	return windows.DeviceIoControl(windows.Handle(f.Fd()), windows.FSCTL_SET_ZERO_DATA, &span[0], uint32(len(span)), nil, 0, &n, nil)
}

func reserve(*os.File, int64, int64) error { return nil }

func mapWindow(*os.File, bool) []byte { return nil }

func unmapWindow([]byte) error { return nil }
