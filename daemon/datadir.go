package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultStateDir returns the folder in which canisterd start keeps the network of this user by default. The error says
// that the user has no folder for data.
func DefaultStateDir() (string, error) {
	data, err := DataDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(data, "state"), nil
}

// DataDir returns the folder for what canisterd keeps of this user. The error says that the user has no folder for data.
func DataDir() (string, error) {
	data, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("looking for the user's data directory: %w", err)
	}
	return filepath.Join(data, "canisterd"), nil
}

// KnownModulesFile returns the file with the modules that the user added to those that canisterd knows; "" if the user has
// no folder for data.
func KnownModulesFile() string {
	data, err := DataDir()
	if err != nil {
		return ""
	}
	return filepath.Join(data, "known-modules.json")
}

// dataHome returns this platform's folder for the data of a user's programs.
func dataHome() (string, error) {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // its specification says to ignore others
		return data, nil
	}
	if runtime.GOOS == "windows" { // its folder for caches is also for local data
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

// OwnStateDir returns DefaultStateDir. It makes the folder private to this user, or checks that it is.
func OwnStateDir() (string, error) {
	dir, err := DefaultStateDir()
	if err != nil {
		return "", err
	}
	return dir, MakeStateDir(dir)
}

// MakeStateDir makes a folder for state private to this user, or checks that it is: it holds the keys of the network.
func MakeStateDir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("creating the directory for %s: %w", dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("creating the state directory: %w", err)
	}
	info, err := os.Stat(dir) // a link to another disk is the user's own
	if err != nil {
		return fmt.Errorf("looking at the state directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: the state needs one", dir)
	}
	return checkPrivate(dir, info)
}
