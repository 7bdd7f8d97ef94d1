package canistertest

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// A token's kind is its first character where it is punctuation, else one of these.
const (
	endToken    = 0
	wordToken   = 'w'
	numberToken = 'n'
	blobToken   = 'b' // a string, or 0x and hexadecimal digits
	actorToken  = '@' // a principal
)

type token struct {
	kind  byte
	at    int // byte of the text
	text  string
	value uint64
}

// textError says where a text makes no sense.
type textError struct {
	at   int
	text string
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(textError{at, fmt.Sprintf(format, args...)})
}

// next passes a token.
func (p *parser) next() token {
	t := p.token
	p.token = p.scan()
	return t
}

func (p *parser) scan() token {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	t := token{at: p.at}
	if p.at == len(p.text) {
		return t
	}
	switch c := p.text[p.at]; {
	case letter(c):
		t.kind, t.text = wordToken, p.run(wordly)
	case strings.HasPrefix(p.text[p.at:], "0x"):
		p.at += 2
		digits := p.run(wordly)
		raw, err := hex.DecodeString(digits)
		if err != nil {
			p.fail(t.at, "0x%s is not hexadecimal: bytes have two digits each", digits)
		}
		t.kind, t.text = blobToken, string(raw)
	case digit(c):
		digits := strings.ReplaceAll(p.run(wordly), "_", "")
		n, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			p.fail(t.at, "%s is not a number below 2^64", digits)
		}
		t.kind, t.value = numberToken, n
	case c == '"':
		t.kind, t.text = blobToken, p.quoted()
	case c == '@':
		p.at++
		t.kind, t.text = actorToken, p.run(wordly)
	case strings.IndexByte(";,.+(){}", c) >= 0:
		t.kind = c
		p.at++
	default:
		p.fail(t.at, "%q is not part of the language", c)
	}
	return t
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func wordly(c byte) bool { return letter(c) || digit(c) || c == '-' || c == '_' }

func (p *parser) run(of func(byte) bool) string {
	start := p.at
	for p.at < len(p.text) && of(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

// quoted passes a string. \n, \t, \", \\ and two hexadecimal digits after \ are escapes.
func (p *parser) quoted() string {
	start := p.at
	var out strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '"':
			p.at++
			return out.String()
		case '\\':
			out.WriteByte(p.escape())
		default:
			out.WriteByte(c)
		}
	}
	p.fail(start, "the string has no end")
	return ""
}

func (p *parser) escape() byte {
	rest := p.text[p.at+1:]
	if rest != "" {
		if i := strings.IndexByte(`nt"\`, rest[0]); i >= 0 {
			p.at++
			return "\n\t\"\\"[i]
		}
	}
	if len(rest) >= 2 {
		if n, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
			p.at += 2
			return byte(n)
		}
	}
	p.fail(p.at, `\ needs n, t, ", \ or two hexadecimal digits after it`)
	return 0
}
