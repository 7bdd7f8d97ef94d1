package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Replace writes a file completely or not at all. A reader finds either the old content or the new. Anything but a regular
// file is refused: the new file would take the place of a device.
func Replace(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil {
		if err := check(path, info); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".canisterd-*")
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	err = write(f)
	if closed := f.Close(); err == nil && closed != nil {
		err = fmt.Errorf("writing %s: %w", path, closed)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
