//go:build !unix

package portfile

import "os"

// lockFile does nothing: PocketIC's clients run its server in a Linux subsystem on Windows.
func lockFile(*os.File) error { return nil }
