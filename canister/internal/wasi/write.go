package wasi

import "bytes"

// fdWrite (descriptor, vectors, count, written) writes to the canister's log.
func fdWrite(c *call) errno {
	file := uint32(c.params[0])
	if file != stdout && file != stderr {
		return badFile
	}
	all, bad := c.vectors(c.params[1], c.params[2])
	if bad != success {
		return bad
	}
	if _, bad := c.view(c.params[3], 4); bad != success {
		return bad
	}
	written := uint64(0)
	for _, v := range all {
		if written+v.size > 1<<32-1 {
			return invalid
		}
		written += v.size
	}
	for _, v := range all {
		for v.size > 0 {
			n := min(v.size, pieceBytes)
			c.Guest.Charge(n + c.LogCost(n))
			piece, bad := c.view(v.ptr, n)
			if bad != success {
				return bad
			}
			c.write(file, piece)
			v.ptr, v.size = v.ptr+n, v.size-n
		}
	}
	return c.put32(c.params[3], uint32(written))
}

// write adds bytes to the line of a stream, and logs the lines that they complete. It first ends the unfinished line of
// the other stream.
func (c *call) write(file uint32, text []byte) {
	if s := &c.Stream; s.File != file {
		c.EndLine()
		s.File = file
	}
	for len(text) > 0 {
		rest := maxLine - len(c.Stream.Line)
		end := bytes.IndexByte(text[:min(len(text), rest)], '\n')
		switch {
		case end >= 0:
			c.Stream.Line = append(c.Stream.Line, text[:end]...)
			text = text[end+1:]
		case len(text) < rest:
			c.Stream.Line = append(c.Stream.Line, text...)
			return
		default:
			c.Stream.Line = append(c.Stream.Line, text[:rest]...)
			text = text[rest:]
		}
		c.EndLine()
	}
}
