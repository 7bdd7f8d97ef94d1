package wast

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// Read gives the commands of a script in order. Modules are cut out, not
// assembled. The error names line and column.
func Read(script string) (commands []Command, err error) {
	tokens, err := wat.Scan(script)
	if err != nil {
		return nil, fmt.Errorf("reading a script: %w", err)
	}
	r := &reader{text: script, tokens: tokens, line: 1}
	defer r.catch(&err)
	if r.bareModule() {
		return []Command{{Kind: Define, Line: 1, Module: &Module{Form: Text, Content: script}}}, nil
	}
	for r.kind() != wat.End {
		commands = append(commands, r.command())
	}
	return commands, nil
}

type reader struct {
	text    string
	tokens  []wat.Token
	at      int
	line    int // of the byte at counted
	counted int
}

// fault ends the reading from deep inside; it never leaves Read.
type fault struct{ err error }

func (r *reader) catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case fault:
		*err = p.err
	default:
		panic(p)
	}
}

func (r *reader) fail(format string, args ...any) {
	p := wat.PositionAt(r.text, r.tokens[r.at].Start)
	panic(fault{&wat.Error{Line: p.Line, Column: p.Column, Message: "reading a script: " + fmt.Sprintf(format, args...)}})
}

func (r *reader) kind() wat.Kind { return r.tokens[r.at].Kind }

func (r *reader) word() string {
	t := r.tokens[r.at]
	return r.text[t.Start:t.Stop]
}

func (r *reader) take(kind wat.Kind, wanted string) string {
	if r.kind() != kind {
		r.fail("unexpected %q, wanted %s", r.word(), wanted)
	}
	word := r.word()
	r.at++
	return word
}

func (r *reader) open() string {
	r.take(wat.Open, `"("`)
	return r.take(wat.Atom, "a keyword")
}

func (r *reader) close()         { r.take(wat.Close, `")"`) }
func (r *reader) string() string { return wat.Unquote(r.take(wat.Quoted, "a string")) }

// name passes an optional $name and gives it without the dollar.
func (r *reader) name() string {
	if r.kind() != wat.Name {
		return ""
	}
	word := r.take(wat.Name, "a name")[1:]
	if word[0] == '"' {
		return wat.Unquote(word)
	}
	return word
}

func (r *reader) keyword(word string) bool {
	if r.kind() != wat.Atom || r.word() != word {
		return false
	}
	r.at++
	return true
}

func (r *reader) head() string {
	if r.kind() != wat.Open || r.tokens[r.at+1].Kind != wat.Atom {
		return ""
	}
	t := r.tokens[r.at+1]
	return r.text[t.Start:t.Stop]
}

// bareModule says whether the script is a list of module fields.
func (r *reader) bareModule() bool {
	switch r.head() {
	case "func", "type", "rec", "import", "table", "memory", "global", "tag", "export", "start", "elem", "data":
		return true
	}
	return false
}

// lineAt counts lines up to an offset; offsets only grow.
func (r *reader) lineAt(offset int) int {
	r.line += strings.Count(r.text[r.counted:offset], "\n")
	r.counted = offset
	return r.line
}

func (r *reader) command() Command {
	start := r.at
	c := Command{Line: r.lineAt(r.tokens[r.at].Start)}
	switch keyword := r.open(); keyword {
	case "module":
		return r.module(c, start)
	case "register":
		c.Kind, c.As, c.Name = Register, r.string(), r.name()
	case "invoke", "get":
		r.at = start
		c.Kind, c.Action = Act, r.action()
		return c
	case "assert_return":
		c.Kind, c.Action = AssertReturn, r.action()
		for r.kind() == wat.Open {
			c.Results = append(c.Results, r.result())
		}
	case "assert_trap", "assert_exhaustion", "assert_exception":
		c.Kind = Kind(keyword)
		if r.head() == "module" {
			c.Module = r.asserted()
		} else {
			c.Action = r.action()
		}
		c.Message = r.message()
	case "assert_malformed", "assert_invalid", "assert_unlinkable":
		c.Kind, c.Module = Kind(keyword), r.asserted()
		c.Message = r.message()
	default:
		r.at = start
		r.fail("(%s is no command", keyword)
	}
	r.close()
	return c
}

func (r *reader) message() string {
	if r.kind() == wat.Quoted {
		return r.string()
	}
	return ""
}

func (r *reader) asserted() *Module {
	start := r.at
	r.open()
	return r.module(Command{}, start).Module
}

// module reads from behind "(module" on; start is the token of the parenthesis.
func (r *reader) module(c Command, start int) Command {
	c.Kind = Define
	if r.keyword("instance") {
		c.Kind, c.Name, c.Source = Instance, r.name(), r.name()
		r.close()
		return c
	}
	m := &Module{Form: Text, Definition: r.keyword("definition")}
	c.Name, c.Module = r.name(), m
	switch {
	case r.keyword("binary"):
		m.Form, m.Content = Binary, r.strings()
		r.close()
	case r.keyword("quote"):
		m.Form, m.Content = Quote, r.strings()
		r.close()
	default:
		r.at = start
		r.skip()
		from := r.tokens[start].Start
		m.Content = r.text[from:r.tokens[r.at-1].Stop]
		m.Origin = wat.Position{Line: r.lineAt(from), Column: from - strings.LastIndexByte(r.text[:from], '\n')}
	}
	return c
}

func (r *reader) strings() string {
	var out strings.Builder
	for r.kind() == wat.Quoted {
		out.WriteString(r.string())
	}
	return out.String()
}

// skip passes one parenthesis with all it contains.
func (r *reader) skip() {
	for depth := 0; ; {
		switch r.kind() {
		case wat.Open, wat.Annotation:
			depth++
		case wat.Close:
			depth--
		case wat.End:
			r.fail(`unexpected end, wanted ")"`)
		}
		if r.at++; depth == 0 {
			return
		}
	}
}

func (r *reader) action() *Action {
	a := &Action{}
	switch keyword := r.open(); keyword {
	case "invoke":
	case "get":
		a.Get = true
	default:
		r.fail("(%s is no action", keyword)
	}
	a.Instance, a.Export = r.name(), r.string()
	for r.kind() == wat.Open {
		a.Args = append(a.Args, r.result().Value)
	}
	r.close()
	return a
}
