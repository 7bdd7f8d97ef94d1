package daemon

import (
	"errors"
	"net"
	"syscall"
)

// tooManySockets is WSAEMFILE.
const tooManySockets = syscall.Errno(10024)

// descriptors is how many sockets the process may have: Windows states no limit.
func descriptors() uint64 { return fallbackDescriptors }

// outOfDescriptors reports whether an error says that no socket is free.
func outOfDescriptors(err error) bool { return errors.Is(err, tooManySockets) }

// unread reports whether a connection has bytes that wait to be read: it cannot be told here.
func unread(net.Conn) bool { return false }

// awaitUnread waits until a connection has bytes that can be read: it cannot be told here either.
func awaitUnread(net.Conn) bool { return false }
