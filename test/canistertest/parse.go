package canistertest

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// maxNesting is how deep a text may nest, in brackets.
const maxNesting = 10_000

// Parse reads a program from text; the language is described at the top of the package.
// names are the principals that words of the text stand for. The error says where the text
// makes no sense and why.
func Parse(text string, names map[string]principal.Principal) (program *Program, err error) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case textError:
			program, err = nil, fmt.Errorf("program, character %d: %s", failure.at+1, failure.text)
		default:
			panic(failure)
		}
	}()
	p := parser{text: text, names: names}
	p.next()
	code := p.statements()
	if p.token.kind != endToken {
		p.fail(p.token.at, "%s where the program should end", p.token)
	}
	return &Program{code}, nil
}

// MustParse is Parse for texts that are part of a test.
func MustParse(text string, names map[string]principal.Principal) *Program {
	program, err := Parse(text, names)
	if err != nil {
		panic(err)
	}
	return program
}

type parser struct {
	text  string
	names map[string]principal.Principal
	at    int   // of what follows token
	token token // the next one
	depth int
}

func (t token) String() string {
	switch t.kind {
	case endToken:
		return "the end"
	case wordToken:
		return t.text
	case numberToken:
		return fmt.Sprint(t.value)
	case blobToken:
		return "a string"
	case actorToken:
		return "@" + t.text
	}
	return string(t.kind)
}

func (p *parser) expect(kind byte, what string) token {
	if p.token.kind != kind {
		p.fail(p.token.at, "%s where %s should be", p.token, what)
	}
	return p.next()
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.token.at, "brackets nest deeper than %d", maxNesting)
	}
}

// statements are the words that begin a statement and are no operations.
var statements = []string{"call", "on", "push", "raw"}

// states reports whether the next token begins a statement.
func (p *parser) states() bool {
	if p.token.kind != wordToken {
		return false
	}
	op := operationNamed(p.token.text)
	return op != nil && op.code > opBlob && len(op.gives) != 1 || slices.Contains(statements, p.token.text)
}

func (p *parser) statements() []byte {
	var code []byte
	for p.states() {
		code = append(code, p.statement()...)
		if p.token.kind != ';' {
			break
		}
		p.next()
	}
	return code
}

func (p *parser) statement() []byte {
	word := p.next()
	switch word.text {
	case "call":
		return p.call()
	case "on":
		return p.on()
	case "push":
		return p.operand("v", word.text)
	case "raw":
		return []byte(p.expect(blobToken, "a string").text)
	case "reply":
		code := p.operands(operationOf(opAppend), word)
		if len(code) > 0 {
			code = append(code, opAppend)
		}
		return append(code, opReply)
	}
	op := operationNamed(word.text)
	code := p.operands(op, word)
	if op.code == opRepeat || op.code == opIf {
		return sized(append(code, op.code), p.block())
	}
	return append(code, op.code)
}

// operands are those of a statement, separated by commas. Where there are fewer than the operation
// takes, the first ones come from the stack.
func (p *parser) operands(op *operation, word token) []byte {
	switch p.token.kind {
	case endToken, ';', ')', '}', '+', ',', '.':
		return nil
	case '{':
		if op.code == opRepeat || op.code == opIf {
			return nil
		}
	}
	return p.list(op, word)
}

type operand struct {
	at   int
	code []byte
	kind byte
}

func (p *parser) list(op *operation, word token) []byte {
	var all []operand
	for {
		at := p.token.at
		code, kind := p.expression()
		all = append(all, operand{at, code, kind})
		if p.token.kind != ',' {
			break
		}
		p.next()
	}
	if len(all) > len(op.takes) {
		p.fail(all[len(op.takes)].at, "%s takes %d operands", word.text, len(op.takes))
	}
	var code []byte
	takes := op.takes[len(op.takes)-len(all):]
	for i, o := range all {
		code = append(code, p.fit(o, takes[i], word.text)...)
	}
	return code
}

// operand is one expression that a word takes.
func (p *parser) operand(takes, word string) []byte {
	at := p.token.at
	code, kind := p.expression()
	return p.fit(operand{at, code, kind}, takes[0], word)
}

// fit makes bytes of a number where bytes are taken.
func (p *parser) fit(o operand, takes byte, word string) []byte {
	switch {
	case takes == 'b' && o.kind == 'n':
		return append(o.code, opToBlob)
	case takes == 'n' && o.kind != 'n':
		p.fail(o.at, "%s takes a number here, not bytes", word)
	case takes == 'p' && o.kind == 'n':
		p.fail(o.at, "%s takes a program here, not a number", word)
	}
	return o.code
}

// expression is terms joined by +: code that pushes one word, and what that is.
func (p *parser) expression() ([]byte, byte) {
	at := p.token.at
	code, kind := p.term()
	for p.token.kind == '+' {
		p.next()
		code = append(p.fit(operand{at, code, kind}, 'b', "+"), p.joined()...)
		kind = 'b'
	}
	return code, kind
}

func (p *parser) joined() []byte {
	at := p.token.at
	code, kind := p.term()
	return append(p.fit(operand{at, code, kind}, 'b', "+"), opConcat)
}

func (p *parser) term() ([]byte, byte) {
	switch t := p.token; t.kind {
	case numberToken:
		p.next()
		return Script().Int(t.value).code, 'n'
	case blobToken:
		p.next()
		return Script().Text(t.text).code, 'b'
	case actorToken:
		p.next()
		id, err := principal.Parse(t.text)
		if err != nil {
			p.fail(t.at, "@%s is no principal: %v", t.text, err)
		}
		return Script().Blob(id.Bytes()).code, 'b'
	case '{':
		return Script().Blob(p.block()).code, 'b'
	case '(':
		p.enter()
		p.next()
		code, kind := p.expression()
		p.expect(')', ")")
		p.depth--
		return code, kind
	case wordToken:
		p.next()
		return p.word(t)
	}
	p.fail(p.token.at, "%s where a value should be", p.token)
	return nil, 0
}

func (p *parser) word(t token) ([]byte, byte) {
	if id, ok := p.names[t.text]; ok {
		return Script().Blob(id.Bytes()).code, 'b'
	}
	op := operationNamed(t.text)
	if op == nil || op.code <= opBlob || len(op.gives) != 1 {
		p.fail(t.at, "%s is neither a name nor a value", t.text)
	}
	var code []byte
	if len(op.takes) > 0 && p.token.kind == '(' {
		p.enter()
		p.next()
		code = p.list(op, t)
		p.expect(')', ")")
		p.depth--
	}
	return append(code, op.code), op.gives[0]
}

// block is a program in braces.
func (p *parser) block() []byte {
	p.enter()
	p.expect('{', "a program in braces")
	code := p.statements()
	p.expect('}', "; or }")
	p.depth--
	return code
}

func (p *parser) on() []byte {
	name := p.expect(wordToken, "a hook")
	i := slices.Index(hookNames[:], name.text)
	if i < 0 {
		p.fail(name.at, "%s is no hook: they are %s", name.text, strings.Join(hookNames[:], ", "))
	}
	return Script().Int(uint64(i)).Blob(p.block()).op(opHook).code
}

// hookNames are the hooks by number.
var hookNames = [hookCount]string{"pre-upgrade", "timer", "low-memory", "inspect", "heartbeat"}

// sized appends a length and bytes.
func sized(code, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(code, uint32(len(body))), body...)
}
