//go:build !windows

package daemon

import "syscall"

// addressInUse is what the system says of a port that is taken.
const addressInUse = syscall.EADDRINUSE
