package wasi

import "encoding/binary"

// The descriptors that are open.
const (
	stdin = iota
	stdout
	stderr
)

// Rights of descriptors (WASI preview 1, "rights").
const (
	rightRead  = 1 << 1
	rightWrite = 1 << 6
	rightPoll  = 1 << 27 // poll_fd_readwrite
)

// descriptorFunctions are the functions of the standard streams. No other descriptor is open.
func descriptorFunctions() []function {
	return []function{
		{name: "fd_close", params: "i", body: func(c *call) errno { return c.open() }},
		{name: "fd_fdstat_get", params: "ii", body: fdstatGet},
		{name: "fd_fdstat_set_flags", params: "ii", body: func(c *call) errno { return c.open() }},
		{name: "fd_fdstat_set_rights", params: "ill", body: setRights},
		{name: "fd_prestat_get", params: "ii", body: func(*call) errno { return badFile }},
		{name: "fd_prestat_dir_name", params: "iii", body: func(*call) errno { return badFile }},
		{name: "fd_read", params: "iiii", body: fdRead},
		{name: "fd_seek", params: "ilii", body: func(c *call) errno {
			if bad := c.open(); bad != success {
				return bad
			}
			return noSeek
		}},
		{name: "fd_write", params: "iiii", body: fdWrite},
	}
}

// open reports whether the first parameter is an open descriptor. The streams stay open: closing one does nothing.
func (c *call) open() errno {
	if c.params[0] > stderr {
		return badFile
	}
	return success
}

// rights returns the rights of the descriptor in the first parameter.
func (c *call) rights() uint64 {
	if c.params[0] == stdin {
		return rightRead | rightPoll
	}
	return rightWrite | rightPoll
}

// fdstatGet (descriptor, to) writes 24 bytes: the type (1), flags (2, at 2), rights (8, at 8), inherited rights (8).
func fdstatGet(c *call) errno {
	const characterDevice, appends = 2, 1
	if bad := c.open(); bad != success {
		return bad
	}
	to, bad := c.view(c.params[1], 24)
	if bad != success {
		return bad
	}
	clear(to)
	to[0] = characterDevice
	if c.params[0] != stdin {
		to[2] = appends
	}
	binary.LittleEndian.PutUint64(to[8:], c.rights())
	return success
}

// setRights (descriptor, rights, inherited) removes rights, which has no effect; it adds none.
func setRights(c *call) errno {
	if bad := c.open(); bad != success {
		return bad
	}
	if c.params[1]&^c.rights() != 0 || c.params[2] != 0 {
		return notCapable
	}
	return success
}

// fdRead (descriptor, vectors, count, read) reads the end of the input.
func fdRead(c *call) errno {
	if c.params[0] != stdin {
		return badFile
	}
	if _, bad := c.vectors(c.params[1], c.params[2]); bad != success {
		return bad
	}
	return c.put32(c.params[3], 0)
}
