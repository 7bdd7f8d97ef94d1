//go:build unix

package daemon

import (
	"errors"
	"net"
	"syscall"
)

// descriptors returns the limit of open descriptors. The Go runtime raises the soft limit to the
// hard limit when the process starts.
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

// unread reports whether the socket of a connection has unread bytes.
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

// awaitUnread waits until the socket of a connection has unread bytes, without reading them. It returns false if none will
// arrive; the next read returns the reason. The read deadline ends the wait.
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

// peek peeks at the next byte of a socket. n is 0 at the end of the stream. The error is EAGAIN if no byte has arrived.
func peek(fd int) (n int, err error) {
	for {
		var one [1]byte
		n, _, err = syscall.Recvfrom(fd, one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
