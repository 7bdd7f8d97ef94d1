package canistertest

// callNodes is a call found in a program.
type callNodes struct {
	callee, method, arg    *node
	cycles, within         *node // nil for none
	onReply, onReject      []byte
	onCleanup, notSent     []byte
	hasCleanup, hasNotSent bool
}

// recognize finds the operations of a call as Parse writes it at the beginning of
// statements, and gives how many nodes it is; 0 where it is not one.
func recognize(rest []*node) (c callNodes, count int) {
	first := rest[0]
	if len(first.args) != 4 || !first.args[2].constant() || !first.args[3].constant() {
		return c, 0
	}
	c.callee, c.method = first.args[0], first.args[1]
	c.onReply, c.onReject = first.args[2].bytes, first.args[3].bytes
	at := 1
	next := func(code byte) *node {
		if at < len(rest) && rest[at].is(code) && len(rest[at].args) == 1 {
			at++
			return rest[at-1].args[0]
		}
		return nil
	}
	if c.arg = next(opData); c.arg == nil {
		return c, 0
	}
	if cleanup := next(opCleanup); cleanup != nil {
		if !cleanup.constant() {
			return c, 0
		}
		c.onCleanup, c.hasCleanup = cleanup.bytes, true
	}
	c.cycles, c.within = next(opAttach), next(opTimeout)
	if at >= len(rest) || len(rest[at].args) != 1 || !rest[at].args[0].is(opPerform) {
		return c, 0
	}
	switch end := rest[at]; {
	case end.is(opDrop):
	case end.is(opIf):
		c.notSent, c.hasNotSent = end.bytes, true
	default:
		return c, 0
	}
	return c, at + 1
}
