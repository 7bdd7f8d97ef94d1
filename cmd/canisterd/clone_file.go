package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/regular"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// isExportedFile reports whether a source is a file that instance export or state export wrote: no instance has such a name.
func isExportedFile(from string) bool {
	info, err := os.Stat(from)
	return err == nil && info.Mode().IsRegular() && strings.ContainsAny(from, "./\\")
}

// fileSource starts the network of a file in this process, where it stands still, as a source. The file is only read.
func (c *cli) fileSource(ctx context.Context, from string) (_ *clone.Source, closed func(), err error) {
	file, err := regular.Open(from)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", from, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", from, err)
	}
	n := &fileNetwork{}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.close())
		}
	}()
	instance, err := n.start(ctx, file)
	if err != nil {
		return nil, nil, fmt.Errorf("starting the network of %s: %w", from, err)
	}
	caller := &asController{cli: c, daemon: n.remote, instance: instance, callers: map[principal.Principal]clone.Caller{}}
	source := &clone.Source{Caller: caller, Asker: caller, From: from, Network: hex.EncodeToString(sum.Sum(nil))}
	return source, func() {
		if err := n.close(); err != nil {
			c.note("note: %v", err)
		}
	}, nil
}

// fileNetwork is a daemon in this process with the network of a file.
type fileNetwork struct {
	folder string // with the state directory of a journal; "": none
	daemon *daemon.Daemon
	remote *remote.Daemon
}

// start starts the network, and returns the name of its instance.
func (n *fileNetwork) start(ctx context.Context, file *os.File) (instance string, err error) {
	config := daemon.Config{Listen: "127.0.0.1:0", Pacing: daemon.Manual, CompileWorker: compileWorker()}
	journal := daemon.IsState(file)
	if journal {
		if n.folder, err = os.MkdirTemp("", "canisterd-clone-"); err != nil {
			return "", fmt.Errorf("creating a directory for the state: %w", err)
		}
		if err := daemon.UnpackState(n.folder, file); err != nil {
			return "", err
		}
		config.StateDir = n.folder
	}
	if n.daemon, err = daemon.Start(ctx, config); err != nil {
		return "", err
	}
	if n.remote, err = remote.Dial(n.daemon.URL()); err != nil || journal {
		return daemon.DefaultInstance, err
	}
	manual := &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
	made, err := n.remote.Import(ctx, &controlv1.ImportOptions{Pacing: manual, Ephemeral: true}, file, nil)
	return made.GetName(), err
}

func (n *fileNetwork) close() error {
	var errs []error
	if n.remote != nil {
		errs = append(errs, n.remote.Close())
	}
	if n.daemon != nil {
		errs = append(errs, n.daemon.Close())
	}
	if n.folder != "" {
		errs = append(errs, os.RemoveAll(n.folder))
	}
	return errors.Join(errs...)
}
