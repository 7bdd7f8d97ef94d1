package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/regular"
)

// errNoBrowser is for a system on which no program to open a page is known.
var errNoBrowser = errors.New("no program to open pages is known here")

// openInspector opens an address with the token in the user's browser. Other users of this machine see the arguments of
// programs, so the browser gets a page that leads to the address, which they cannot read.
func openInspector(ctx context.Context, at string) error {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		command = []string{"xdg-open"}
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return errNoBrowser
	}
	folder, err := browserFolder(ctx)
	if err != nil {
		return err
	}
	page, err := writeLeadingPage(folder, at)
	if err != nil {
		return err
	}
	return exec.CommandContext(ctx, program, append(command[1:], page)...).Run()
}

// leadingPage leads a browser to an address.
const leadingPage = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%[1]s">
<title>canisterd</title>
<a href="%[1]s">Open the inspector</a>
`

// writeLeadingPage writes a page that leads to an address, in a folder that only this user can read, and returns its
// path. It stays there: the folder of this user's data has the token anyway.
func writeLeadingPage(folder, at string) (string, error) {
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("making a folder for the page that leads to the inspector: %w", err)
	}
	path := filepath.Join(folder, "open.html")
	err = regular.Replace(path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, leadingPage, html.EscapeString(at))
		return err
	})
	return path, err
}

// snapDesktop is the name of the desktop file of a program in a snap: SNAP_PROGRAM.desktop.
var snapDesktop = regexp.MustCompile(`^([a-z0-9-]+)_[^_\s]+\.desktop\s*$`)

// browserFolder returns a folder that the user's browser can read. One in a snap, as Firefox is on Ubuntu, reads no hidden
// folders, but one of its own.
func browserFolder(ctx context.Context) (string, error) {
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS == "linux" {
		ctx, cancel := patient(ctx, healthPatience)
		defer cancel()
		name, _ := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser").Output() // without it, the other folder
		if snap := snapDesktop.FindSubmatch(name); snap != nil {
			own := filepath.Join(home, "snap", string(snap[1]), "common")
			if info, err := os.Stat(own); err == nil && info.IsDir() {
				return filepath.Join(own, "canisterd"), nil
			}
		}
	}
	data, err := daemon.DataDir()
	return filepath.Join(data, "browser"), err
}
