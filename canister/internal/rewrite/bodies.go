package rewrite

// bodies are the functions of the code section, without imports. They are written callees first, because a call of a
// function that is known to need little of the call stack makes no check. If the walk over a body finds a call of a
// function that was not begun, it waits for another walk that writes that function. A callee that is itself being
// walked, as in a recursion, counts as one that checks.
type bodies struct {
	code    []reader
	written []writtenBody
	idle    []*body // to reuse for another walk
	walks   int
	failed  int // the first invalid function; later ones need not be written
	invalid *Invalid
}

// writtenBody is the position of a function in the output.
type writtenBody struct{ from, to int }

// locateBodies finds the bodies of the code section.
func (c *codeWriter) locateBodies() {
	s, r := c.s, c.s.bodies
	c.frames, c.stackNeeds = make([]uint32, s.bodyCount), make([]uint32, s.bodyCount)
	c.bodies = bodies{code: make([]reader, 0, s.bodyCount), written: make([]writtenBody, s.bodyCount)}
	if s.options.offsets != nil {
		c.marks = make([][]markBlock, s.bodyCount)
	}
	for range s.bodyCount {
		at := r.pos
		size := r.u32()
		if r.err == nil && size > maxFunctionBytes {
			r.failAt(at, "function body size is out of bounds")
		}
		code := r.sub(int(size))
		if r.err != nil {
			break
		}
		c.bodies.code = append(c.bodies.code, code)
	}
	if !r.done() {
		r.fail("unexpected content after last item in section")
	}
	c.bodies.failed, c.bodies.invalid = len(c.bodies.code), r.err
}

// writeBody writes a function, after the functions that it calls.
func (c *codeWriter) writeBody(i int) {
	bodies := &c.bodies
	var b *body
	if last := len(bodies.idle) - 1; last >= 0 {
		b, bodies.idle = bodies.idle[last], bodies.idle[:last]
	} else {
		b = &body{s: c.s, wide: c.s.wide(), code: c}
	}
	c.stackNeeds[i] = unboundedStack
	b.self, b.place = c.s.shifted(uint32(c.s.importedFunctions+i)), i
	bodies.walks++
	bad := b.run(bodies.code[i], c.s.types[c.s.functions[c.s.importedFunctions+i]])
	bodies.walks--
	switch {
	case bad == nil:
		c.append(b)
		c.judge(i, b)
	case i < bodies.failed:
		bodies.failed, bodies.invalid = i, bad
	}
	bodies.idle = append(bodies.idle, b)
}

// stackNeed returns how much of the call stack a function takes with all its callees. It is unboundedStack for a
// function that checks.
func (c *codeWriter) stackNeed(i int) uint32 {
	if c.stackNeeds[i] == 0 && c.bodies.walks < maxWalks && i < c.bodies.failed {
		c.writeBody(i)
	}
	if c.stackNeeds[i] == 0 {
		return unboundedStack
	}
	return c.stackNeeds[i]
}

// size returns the number of bytes that appendBodies appends.
func (c *codeWriter) size() int {
	size := len(c.out)
	for _, b := range c.bodies.written {
		size += sizeU32(uint32(b.to - b.from))
	}
	return size
}

// appendBodies appends the bodies in the order of the functions.
func (c *codeWriter) appendBodies(out []byte) []byte {
	for _, b := range c.bodies.written {
		out = appendCode(out, c.out[b.from:b.to])
	}
	return out
}
