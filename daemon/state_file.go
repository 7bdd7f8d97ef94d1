package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/canisterd/canisterd/internal/journal"
)

// ExportState writes the checkpoints, the records and the modules of a state directory to one file, which ReplayFile
// replays on any machine. It leaves out other instances in the directory.
func ExportState(dir string, to io.Writer) (err error) {
	j, err := journal.Open(dir, journal.Options{ReadOnly: true})
	if locked, ok := errors.AsType[*journal.LockedError](err); ok {
		return fmt.Errorf("%w; or let it write the file: canisterd instance export --journal FILE", forState(locked))
	}
	if err != nil {
		return forState(err)
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	return j.Export(to)
}

// ReplayFile is ReplayState for a file that ExportState wrote. It unpacks the file in a temporary folder.
func ReplayFile(ctx context.Context, from io.Reader, config Config, traces Traces) (_ Replayed, err error) {
	dir, err := os.MkdirTemp("", "canisterd-replay-")
	if err != nil {
		return Replayed{}, fmt.Errorf("creating a directory for the state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := UnpackState(dir, from); err != nil {
		return Replayed{}, err
	}
	replayed, err := ReplayState(ctx, dir, config, traces)
	if damaged, ok := errors.AsType[*journal.DamagedError](err); ok {
		err = fmt.Errorf("the file is damaged: %s in it: %w; take another copy of it", damaged.File, damaged.Err)
	}
	return replayed, err
}

// UnpackState makes the state directory of a file that ExportState wrote, in an empty folder.
func UnpackState(dir string, from io.Reader) error {
	if err := journal.Unpack(dir, from); err != nil {
		return fmt.Errorf("the file is not one that canisterd state export or instance export --journal wrote, or is damaged: %w", err)
	}
	return nil
}

// IsState reports whether a file is one that ExportState wrote, and not one that an instance was exported to.
func IsState(file io.ReaderAt) bool {
	magic := make([]byte, len(tarMagic))
	_, err := file.ReadAt(magic, tarMagicAt)
	return err == nil && string(magic) == tarMagic
}

// tarMagic is in each header of a tar file at tarMagicAt (POSIX.1-1988, "ustar Interchange Format").
const (
	tarMagic   = "ustar"
	tarMagicAt = 257
)
