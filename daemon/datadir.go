package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultStateDir is the folder in which canisterd start keeps the network of this user, unless it is told otherwise.
// The error says that the user has no folder for data.
func DefaultStateDir() (string, error) {
	data, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("looking for the user's data folder: %w", err)
	}
	return filepath.Join(data, "canisterd", "state"), nil
}

// dataHome is the folder of this platform for the data of a user's programs.
func dataHome() (string, error) {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // others are ignored, as its specification wants
		return data, nil
	}
	if runtime.GOOS == "windows" { // where its folder for caches is the one for data of this machine
		return os.UserCacheDir()
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support"), nil
	}
	return filepath.Join(home, ".local", "share"), nil
}

// OwnStateDir is DefaultStateDir, where it makes a folder that other users cannot read, or checks that it is one.
func OwnStateDir() (string, error) {
	dir, err := DefaultStateDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", fmt.Errorf("making the folder of %s: %w", dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("making the folder for the state: %w", err)
	}
	info, err := os.Stat(dir) // a link to another disk is the user's own
	if err != nil {
		return "", fmt.Errorf("looking at the folder for the state: %w", err)
	}
	return dir, checkPrivate(dir, info)
}
