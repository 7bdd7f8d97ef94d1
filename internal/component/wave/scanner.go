package wave

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/internal/textwidth"
)

// maxShownWord limits a word, or a list of words, in the reason of a fault, in cells of a terminal.
const maxShownWord = 200

// scanner reads a text from left to right.
type scanner struct {
	text string
	at   int
}

// Fault says what is wrong with a text.
type Fault struct {
	Column int // in characters, from 1
	Reason string
}

func (f *Fault) Error() string { return fmt.Sprintf("at character %d: %s", f.Column, f.Reason) }

// faultf ends the reading.
func (s *scanner) faultf(at int, format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		if word, ok := arg.(string); ok {
			arg = textwidth.Fit(word, maxShownWord)
		}
		shown[i] = arg
	}
	panic(&Fault{utf8.RuneCountInString(s.text[:at]) + 1, fmt.Sprintf(format, shown...)})
}

// caught is deferred by the entry points.
func caught(err *error) {
	switch fault := recover().(type) {
	case nil:
	case *Fault:
		*err = fault
	default:
		panic(fault)
	}
}

// skip skips white space and comments.
func (s *scanner) skip() {
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.at++
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			s.at += len(line)
		default:
			return
		}
	}
}

// next gives the next character that is no white space; 0 at the end.
func (s *scanner) next() byte {
	s.skip()
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// take takes a punctuation mark, if it is next.
func (s *scanner) take(mark byte) bool {
	if s.next() != mark {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(mark byte, in string) {
	if !s.take(mark) {
		s.faultf(s.at, "expected %q in %s, found %s", mark, in, s.found())
	}
}

// found names what is next.
func (s *scanner) found() string {
	if s.next() == 0 {
		return "the end"
	}
	if word := s.peekWord(); word != "" {
		return word
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.at:])
	return fmt.Sprintf("%q", r)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '%' || c == '+' || c == '.'
}

// peekWord gives the label, keyword or number that is next.
func (s *scanner) peekWord() string {
	s.skip()
	end := s.at
	for end < len(s.text) && wordByte(s.text[end]) {
		end++
	}
	return s.text[s.at:end]
}

// word takes a label, keyword or number.
func (s *scanner) word(expected string) (word string, at int) {
	word = s.peekWord()
	at = s.at
	if word == "" {
		s.faultf(at, "expected %s, found %s", expected, s.found())
	}
	s.at += len(word)
	return word, at
}

// items reads items between brackets that commas separate; a comma may follow the last one.
func (s *scanner) items(open, end byte, in string, item func()) {
	s.expect(open, in)
	for !s.take(end) {
		item()
		if !s.take(',') {
			s.expect(end, in)
			return
		}
	}
}
