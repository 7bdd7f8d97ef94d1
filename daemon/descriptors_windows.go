package daemon

import (
	"errors"
	"syscall"
)

// tooManySockets is WSAEMFILE.
const tooManySockets = syscall.Errno(10024)

// descriptors is how many sockets the process may have: Windows states no limit.
func descriptors() uint64 { return fallbackDescriptors }

// outOfDescriptors reports whether an error says that no socket is free.
func outOfDescriptors(err error) bool { return errors.Is(err, tooManySockets) }
