package daemon

import (
	"errors"
	"net"
	"syscall"
)

// tooManySockets is WSAEMFILE.
const tooManySockets = syscall.Errno(10024)

// descriptors returns an assumed limit of open sockets: Windows does not report one.
func descriptors() uint64 { return fallbackDescriptors }

// outOfDescriptors reports whether an error says that no socket is free.
func outOfDescriptors(err error) bool { return errors.Is(err, tooManySockets) }

// unread always returns false. On Windows, the age of a silent connection alone decides whether it is closed for a new
// one.
func unread(net.Conn) bool { return false }

// awaitUnread always returns false: the connection is marked after its read.
func awaitUnread(net.Conn) bool { return false }
