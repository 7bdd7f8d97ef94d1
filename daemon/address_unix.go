//go:build !windows

package daemon

import "syscall"

// addressInUse is the system's error for a port that is taken.
const addressInUse = syscall.EADDRINUSE
