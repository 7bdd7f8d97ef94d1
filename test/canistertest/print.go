package canistertest

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// String is the program as text. Parse makes the same bytes of it, whatever the bytes
// are: those that are no operations stand behind the word raw.
func (p *Program) String() string {
	var w printer
	w.program(decode(p.Bytes()))
	return w.String()
}

type printer struct {
	strings.Builder
	blocks int
}

func (w *printer) write(parts ...string) {
	for _, part := range parts {
		w.WriteString(part)
	}
}

func (w *printer) program(statements []*node) {
	for i := 0; i < len(statements); {
		if i > 0 {
			w.write("; ")
		}
		i += w.statement(statements[i:])
	}
}

// statement prints the first statement and gives how many nodes it is made of.
func (w *printer) statement(rest []*node) int {
	n := rest[0]
	switch {
	case n.op == nil:
		w.write("raw 0x", hex.EncodeToString(n.bytes))
		return 1
	case n.is(opCall):
		if count := w.call(rest); count > 0 {
			return count
		}
	case n.is(opAppend) && len(n.args) == 1 && len(rest) > 1 && rest[1].is(opReply):
		w.write("reply")
		w.operands(n)
		return 2
	case n.is(opHook) && w.on(n):
		return 1
	}
	w.write(n.op.name)
	w.operands(n)
	if n.is(opRepeat) || n.is(opIf) {
		w.write(" ")
		w.body(n.bytes)
	}
	return 1
}

func (w *printer) operands(n *node) {
	takes := n.op.takes[len(n.op.takes)-len(n.args):]
	for i, arg := range n.args {
		if i > 0 {
			w.write(",")
		}
		w.write(" ")
		w.operand(arg, takes[i])
	}
}

func (w *printer) operand(arg *node, takes byte) {
	if takes != 'p' || !arg.constant() || !w.block(arg.bytes) {
		w.value(arg)
	}
}

// block prints bytes as a program in braces, where they are one.
func (w *printer) block(code []byte) bool {
	statements := decode(code)
	if !sound(statements) || w.blocks == maxBlocks {
		return false
	}
	w.braced(statements)
	return true
}

func (w *printer) braced(statements []*node) {
	w.blocks++
	w.write("{")
	w.program(statements)
	w.write("}")
	w.blocks--
}

// body prints the body of a loop or a condition, which is always in braces.
func (w *printer) body(code []byte) {
	statements := decode(code)
	if w.blocks == maxBlocks && len(code) > 0 {
		statements = []*node{{bytes: code}}
	}
	w.braced(statements)
}

func (w *printer) value(n *node) {
	switch {
	case n.is(opInt):
		w.write(strconv.FormatUint(n.number, 10))
	case n.constant():
		w.blob(n.bytes)
	case n.is(opConcat) && len(n.args) == 2:
		w.value(n.args[0])
		w.write(" + ")
		w.term(n.args[1])
	default:
		w.write(n.op.name)
		if len(n.args) > 0 {
			w.arguments(n)
		}
	}
}

func (w *printer) arguments(n *node) {
	w.write("(")
	for i, arg := range n.args {
		if i > 0 {
			w.write(", ")
		}
		w.value(arg)
	}
	w.write(")")
}

// term prints a value so that nothing around it can take a part of it.
func (w *printer) term(n *node) {
	if n.is(opConcat) && len(n.args) == 2 {
		w.write("(")
		w.value(n)
		w.write(")")
		return
	}
	w.value(n)
}

func (w *printer) blob(b []byte) {
	if !printable(b) {
		w.write("0x", hex.EncodeToString(b))
		return
	}
	w.write(`"`)
	for _, c := range b {
		switch c {
		case '"', '\\':
			w.write(`\`, string(c))
		case '\n':
			w.write(`\n`)
		case '\t':
			w.write(`\t`)
		default:
			w.WriteByte(c)
		}
	}
	w.write(`"`)
}

// on prints an operation hook, where it names a hook and has a program.
func (w *printer) on(n *node) bool {
	if len(n.args) < 2 || !n.args[0].is(opInt) || n.args[0].number >= uint64(hookCount) || !n.args[1].constant() {
		return false
	}
	if !sound(decode(n.args[1].bytes)) || w.blocks == maxBlocks {
		return false
	}
	w.write("on ", hookNames[n.args[0].number], " ")
	return w.block(n.args[1].bytes)
}

// call prints a call that Parse or Program.Call made, and gives how many nodes it is; 0 for
// any other.
func (w *printer) call(rest []*node) int {
	c, count := recognize(rest)
	if count == 0 || w.blocks == maxBlocks {
		return 0
	}
	w.write("call ")
	w.callee(c.callee)
	w.write(".")
	w.method(c.method)
	w.write("(")
	w.argument(c.arg)
	w.write(")")
	w.option("cycles", c.cycles)
	w.option("within", c.within)
	w.callback("on-reply", c.onReply, len(c.onReply) > 0)
	w.callback("on-reject", c.onReject, len(c.onReject) > 0)
	w.callback("on-cleanup", c.onCleanup, c.hasCleanup)
	w.callback("not-sent", c.notSent, c.hasNotSent)
	return count
}

func (w *printer) callee(n *node) {
	if n.constant() {
		if id, err := principal.FromBytes(n.bytes); err == nil {
			w.write("@", id.String())
			return
		}
	}
	w.term(n)
}

func (w *printer) method(n *node) {
	name := n.bytes
	switch {
	case !n.constant():
		w.write("(")
		w.value(n)
		w.write(")")
	case len(name) > 0 && letter(name[0]) && bytes.IndexFunc(name, func(r rune) bool { return r > 0x7e || !wordly(byte(r)) }) < 0:
		w.write(string(name))
	default:
		w.blob(name)
	}
}

func (w *printer) argument(n *node) {
	if n.constant() {
		if len(n.bytes) == 0 {
			return
		}
		if statements := decode(n.bytes); sound(statements) {
			w.nested(statements)
			return
		}
	}
	w.value(n)
}

func (w *printer) nested(statements []*node) {
	w.blocks++
	w.program(statements)
	w.blocks--
}

func (w *printer) option(name string, n *node) {
	if n != nil {
		w.write(" ", name, " ")
		w.value(n)
	}
}

func (w *printer) callback(name string, code []byte, given bool) {
	if given {
		w.write(" ", name, "(")
		w.nested(decode(code))
		w.write(")")
	}
}

// GoString is what makes the program in Go, which property tests print.
func (p *Program) GoString() string {
	return "canistertest.MustParse(" + strconv.Quote(p.String()) + ", nil)"
}
