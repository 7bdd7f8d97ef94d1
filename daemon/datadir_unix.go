//go:build unix

package daemon

import (
	"fmt"
	"os"
	"syscall"
)

// checkPrivate refuses a state folder that belongs to another user, or that others can open.
func checkPrivate(dir string, info os.FileInfo) error {
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (HOME may be theirs)", dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return fmt.Errorf("%s is open to other users (mode %04o), and it has the keys of the network: make it yours alone (chmod 700)", dir, info.Mode().Perm())
}
