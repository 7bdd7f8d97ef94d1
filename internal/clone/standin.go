package clone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/internal/standin"
)

// recordingFile is the file with the recorded replies of a canister in the cache.
const recordingFile = "stand-in.yaml"

// RecordingPath returns the file with the recorded replies of a canister.
func (c Cache) RecordingPath(canister principal.Principal) string {
	return filepath.Join(string(c), canister.String(), recordingFile)
}

// Recording returns the recorded replies of a canister, nil if there are none.
func (c Cache) Recording(canister principal.Principal) (*standin.Recording, error) {
	r, err := ReadRecording(c.RecordingPath(canister))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

// PutRecording writes the recorded replies of a canister into the cache.
func (c Cache) PutRecording(r *standin.Recording) error {
	path := c.RecordingPath(r.Canister)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("creating the cache of clones: %w", err)
	}
	return WriteRecording(path, r)
}

// ReadRecording reads a file with recorded replies.
func ReadRecording(path string) (*standin.Recording, error) {
	text, err := regular.Read(path, standin.MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("reading the stand-in: %w", err)
	}
	r, err := standin.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// WriteRecording writes a file with recorded replies.
func WriteRecording(path string, r *standin.Recording) error {
	text, err := standin.Write(r)
	if err != nil {
		return err
	}
	return regular.Replace(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// StandIn makes the stand-in of a recording in an instance, or replaces the one that the instance has. It creates the
// canister, on a new subnet if no subnet has the id. A canister with other code is not replaced.
func (d *Destination) StandIn(ctx context.Context, r *standin.Recording, controller principal.Principal) error {
	module, err := standin.Module(r)
	if err != nil {
		return err
	}
	found, err := d.Existing(ctx, r.Canister)
	if err == nil && found == nil {
		found, err = &Existing{}, d.Create(ctx, r.Canister, controller, "")
	}
	if err != nil {
		return err
	}
	if found.HasCode {
		about, err := d.StandInAt(ctx, r.Canister)
		if err != nil {
			return err
		}
		if about == nil {
			return fmt.Errorf("canister %s exists already and is no stand-in: delete it first (canisterd canister delete %[1]s --stop)", r.Canister)
		}
	}
	return d.Install(ctx, r.Canister, module, nil, found.HasCode)
}

// StandInAt describes the stand-in that a canister is, nil if it is none.
func (d *Destination) StandInAt(ctx context.Context, canister principal.Principal) (*standin.About, error) {
	content, err := d.Metadata(ctx, canister, standin.Section)
	if err != nil || content == nil {
		return nil, err
	}
	return standin.ReadAbout(content)
}
