package wasi

// environmentFunctions return the arguments, of which there are none, and the environment variables of the canister.
func environmentFunctions() []function {
	return []function{
		{name: "args_get", params: "ii", body: func(*call) errno { return success }},
		{name: "args_sizes_get", params: "ii", body: func(c *call) errno { return c.putSizes(0, 0) }},
		{name: "environ_get", params: "ii", body: environGet},
		{name: "environ_sizes_get", params: "ii", body: func(c *call) errno {
			return c.putSizes(uint32(len(c.Variables)), uint32(c.environmentBytes()))
		}},
	}
}

// putSizes writes the number of strings, and their total size in bytes.
func (c *call) putSizes(count, bytes uint32) errno {
	if bad := c.put32(c.params[0], count); bad != success {
		return bad
	}
	return c.put32(c.params[1], bytes)
}

// environmentBytes returns the size of all variables as NAME=VALUE, each ended by a zero.
func (c *call) environmentBytes() uint64 {
	n := 0
	for _, v := range c.Variables {
		n += len(v.Name) + len(v.Value) + len("=\x00")
	}
	return uint64(n)
}

// environGet (pointers, text) writes the variables to text, one after the other, and the address of each to pointers.
func environGet(c *call) errno {
	size := c.environmentBytes()
	c.Guest.Charge(size)
	at := c.params[1]
	text, bad := c.view(at, size)
	if bad != success {
		return bad
	}
	if _, bad := c.view(c.params[0], 4*uint64(len(c.Variables))); bad != success {
		return bad
	}
	text = text[:0]
	for i, v := range c.Variables {
		if bad := c.put32(c.params[0]+4*uint64(i), uint32(at)+uint32(len(text))); bad != success {
			return bad
		}
		text = append(append(append(append(text, v.Name...), '='), v.Value...), 0)
	}
	return success
}
