package canistertest

import (
	"encoding/binary"
	"strings"
)

// Limits of printing: beyond them values go to the stack by statements of their own, and
// programs within programs are printed as bytes.
const (
	maxHeight = 64
	maxBlocks = 16
)

// node is an operation of a program with those of its operands that the program computes
// right before it; others, always the first ones, come from the stack.
type node struct {
	op     *operation // nil for bytes that are no operation
	args   []*node
	number uint64 // opInt
	bytes  []byte // opBlob: the blob; opRepeat and opIf: the body; no operation: what is left
	height int
}

// gives is the kind of what a node pushes, 0 where it is not exactly one word.
func (n *node) gives() byte {
	if n.op == nil || len(n.op.gives) != 1 {
		return 0
	}
	return n.op.gives[0]
}

func (n *node) is(code byte) bool { return n.op != nil && n.op.code == code }

// constant reports whether a node is a blob of the program.
func (n *node) constant() bool { return n.is(opBlob) }

// decoder makes nodes of operations.
type decoder struct {
	values     []*node // pushed and not yet used
	statements []*node
}

// decode reads any bytes. Bytes that are not an operation become the last node.
func decode(code []byte) []*node {
	var d decoder
	for len(code) > 0 {
		n, rest := decodeOne(code)
		d.add(n)
		code = rest
	}
	d.flush(len(d.values))
	return d.statements
}

func decodeOne(code []byte) (*node, []byte) {
	n := &node{op: operationOf(code[0])}
	rest := code[1:]
	var ok bool
	switch {
	case n.op == nil:
	case n.is(opInt):
		if len(rest) >= 8 {
			n.number = binary.LittleEndian.Uint64(rest)
			return n, rest[8:]
		}
	case n.is(opBlob), n.is(opRepeat), n.is(opIf):
		if n.bytes, rest, ok = cutSized(rest); ok {
			return n, rest
		}
	default:
		return n, rest
	}
	return &node{bytes: code}, nil
}

func cutSized(code []byte) (head, tail []byte, ok bool) {
	if len(code) < 4 {
		return nil, nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(code))
	if code = code[4:]; n > uint64(len(code)) {
		return nil, nil, false
	}
	return code[:n], code[n:], true
}

func (d *decoder) add(n *node) {
	if n.op != nil {
		d.take(n)
	}
	if n.gives() != 0 {
		d.values = append(d.values, n)
		return
	}
	d.flush(len(d.values))
	d.statements = append(d.statements, n)
}

// take gives a node its operands, unless they are of the wrong kind or too high.
func (d *decoder) take(n *node) {
	count := min(len(n.op.takes), len(d.values))
	args := d.values[len(d.values)-count:]
	takes := n.op.takes[len(n.op.takes)-count:]
	for i, arg := range args {
		n.height = max(n.height, arg.height+1)
		if !fits(takes[i], arg.gives()) || n.height > maxHeight {
			n.height = 0
			d.flush(len(d.values))
			return
		}
	}
	n.args = append(n.args, args...)
	d.values = d.values[:len(d.values)-count]
}

func fits(takes, gives byte) bool {
	return takes == gives || takes == 'v' || takes == 'p' && gives == 'b'
}

// flush makes statements of values that were pushed before others.
func (d *decoder) flush(count int) {
	for _, v := range d.values[:count] {
		d.statements = append(d.statements, &node{op: &pushing, args: []*node{v}})
	}
	d.values = d.values[count:]
}

// pushing is the statement push, which is not an operation: its operand pushes itself.
var pushing = operation{name: "push", takes: "v"}

// sound reports whether bytes are operations from end to end.
func sound(statements []*node) bool {
	return len(statements) == 0 || statements[len(statements)-1].op != nil
}

// printable reports whether bytes are better read as text.
func printable(b []byte) bool {
	return strings.IndexFunc(string(b), func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r > 0x7e }) < 0
}
