package modulecache

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
)

// Default returns the default folder for compiled modules: in the user's cache, or without a usable home a folder
// in the shared temporary one. The modules are native code that runs, so no other user may write to it. Without such a
// folder modules are compiled at each start ("").
func Default(log *slog.Logger) string {
	home, err := os.UserCacheDir()
	if err == nil {
		home = filepath.Join(home, "canisterd")
		if err = makePrivate(home); err == nil {
			return madeModules(home, log)
		}
	}
	shared := filepath.Join(os.TempDir(), "canisterd-"+strconv.Itoa(os.Getuid()))
	if failed := makePrivate(shared); failed != nil {
		log.Warn("compiled modules are not kept: name a directory for them with --cache-dir", "error", errors.Join(err, failed))
		return ""
	}
	log.Warn("compiled modules are kept in a temporary directory: the home cannot be used", "folder", shared, "error", err)
	return madeModules(shared, log)
}

// Check makes the folder for compiled modules that a user names, or checks that others cannot write to it. A link
// to another disk is the user's own.
func Check(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("looking at it: %w", err)
	}
	return checkOwner(dir, info)
}

// madeModules returns the folder for modules in a private one.
func madeModules(private string, log *slog.Logger) string {
	dir := filepath.Join(private, "modules")
	if err := makePrivate(dir); err != nil {
		log.Warn("compiled modules are not kept: name a directory for them with --cache-dir", "error", err)
		return ""
	}
	return dir
}

// makePrivate makes a folder that only this user can write, or checks an existing one.
func makePrivate(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("creating the directory for %s: %w", dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("creating the directory: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("looking at the directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory but %s: remove it", dir, info.Mode().Type())
	}
	return checkOwner(dir, info)
}
