package canistertest

// callText is the parts of a call as they are written.
type callText struct {
	callee, method, arg       []byte // code that pushes each
	onReply, onReject         []byte // programs
	onCleanup, notSent        []byte // nil where not written
	cycles, within            []byte // code that pushes a number
	hasCleanup, hasNotSent    bool
	hasOnReply, hasOnReject   bool
	hasCycles, hasWithinLimit bool
}

// call is "callee.method(argument)" and its options; the word call is passed.
func (p *parser) call() []byte {
	var c callText
	at := p.token.at
	code, kind := p.term()
	c.callee = p.fit(operand{at, code, kind}, 'b', "call")
	p.expect('.', ".")
	switch method := p.token; method.kind {
	case wordToken, blobToken:
		p.next()
		c.method = Script().Text(method.text).code
	default:
		c.method = p.operand("b", "call")
	}
	c.arg = p.argument()
	for p.token.kind == wordToken && p.option(&c) {
	}
	return c.encode()
}

// argument is a value or a program in brackets; empty brackets are no bytes.
func (p *parser) argument() []byte {
	p.enter()
	p.expect('(', "(")
	var code []byte
	switch {
	case p.token.kind == ')':
		code = Script().Blob(nil).code
	case p.states():
		code = Script().Blob(p.statements()).code
	default:
		code = p.operand("b", "call")
	}
	p.expect(')', ")")
	p.depth--
	return code
}

// option passes one option of a call, and is false if the next word is not an option.
func (p *parser) option(c *callText) bool {
	t := p.token
	program := func(to *[]byte, given *bool) bool {
		p.once(t, given)
		*to = p.program()
		return true
	}
	number := func(to *[]byte, given *bool) bool {
		p.once(t, given)
		*to = p.operand("n", t.text)
		return true
	}
	switch t.text {
	case "on-reply":
		return program(&c.onReply, &c.hasOnReply)
	case "on-reject":
		return program(&c.onReject, &c.hasOnReject)
	case "on-cleanup":
		return program(&c.onCleanup, &c.hasCleanup)
	case "not-sent":
		return program(&c.notSent, &c.hasNotSent)
	case "cycles":
		return number(&c.cycles, &c.hasCycles)
	case "within":
		return number(&c.within, &c.hasWithinLimit)
	}
	return false
}

// once passes the word of an option that may be given once.
func (p *parser) once(t token, given *bool) {
	if *given {
		p.fail(t.at, "%s is given twice", t.text)
	}
	*given = true
	p.next()
}

// program is a program in round brackets.
func (p *parser) program() []byte {
	p.enter()
	p.expect('(', "(")
	code := p.statements()
	p.expect(')', "; or )")
	p.depth--
	return code
}

// encode is the call in the order of Program.Call.
func (c *callText) encode() []byte {
	p := Script().Raw(c.callee...).Raw(c.method...).Blob(c.onReply).Blob(c.onReject).op(opCall)
	p.Raw(c.arg...).op(opData)
	if c.hasCleanup {
		p.Blob(c.onCleanup).op(opCleanup)
	}
	if c.hasCycles {
		p.Raw(c.cycles...).op(opAttach)
	}
	if c.hasWithinLimit {
		p.Raw(c.within...).op(opTimeout)
	}
	p.op(opPerform)
	if !c.hasNotSent {
		return p.op(opDrop).code
	}
	return sized(append(p.code, opIf), c.notSent)
}
