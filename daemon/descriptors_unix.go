//go:build unix

package daemon

import (
	"errors"
	"net"
	"syscall"
)

// descriptors is how many descriptors the process may have. The Go runtime has raised the
// soft limit to the hard one when the process started.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fallbackDescriptors
	}
	return limit.Cur
}

// outOfDescriptors reports whether an error says that no descriptor is free.
func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// unread reports whether a connection has bytes that wait to be read.
func unread(conn net.Conn) (yes bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		n, err := peek(int(fd))
		yes = err == nil && n > 0
	})
	return yes && err == nil
}

// awaitUnread waits until a connection has bytes that can be read, and leaves them there. It is false if they will not
// come: the next read tells why. It respects the deadline for reads.
func awaitUnread(conn net.Conn) (yes bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Read(func(fd uintptr) (done bool) {
		n, err := peek(int(fd))
		yes = err == nil && n > 0
		return !errors.Is(err, syscall.EAGAIN)
	})
	return yes && err == nil
}

// peek looks at the next byte of a socket, and leaves it there. n is 0 at the end; EAGAIN: nothing has come yet.
func peek(fd int) (n int, err error) {
	for {
		var one [1]byte
		n, _, err = syscall.Recvfrom(fd, one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
