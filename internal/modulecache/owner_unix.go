//go:build unix

package modulecache

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a folder that belongs to another user, or that others can write.
func checkOwner(dir string, info os.FileInfo) error {
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user, who could write what is run from there: remove it", dir)
	}
	if info.Mode().Perm()&0o022 == 0 {
		return nil
	}
	return fmt.Errorf("%s can be written by other users (mode %04o), but what is there is run: remove it, or make it yours alone (chmod 700)", dir, info.Mode().Perm())
}
