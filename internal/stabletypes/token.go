package stabletypes

import (
	"fmt"
	"strings"
)

// scanner divides the text of a signature into tokens: names, names of cases (#ok), texts in quotes, and signs.
type scanner struct {
	text  string
	at    int    // end of the current token
	begin int    // of the current token
	token string // "" at the end
	depth int    // of nested types
}

// signs are those of more than one character.
var signs = []string{"->", "<:"}

// next moves to the next token.
func (s *scanner) next() error {
	if err := s.skip(); err != nil {
		return err
	}
	s.begin = s.at
	rest := s.text[s.at:]
	length := min(1, len(rest))
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign) {
			length = len(sign)
		}
	}
	switch {
	case rest == "":
	case rest[0] == '"':
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			return s.failed("a text without its end")
		}
		length = end + 2
	case rest[0] == '#' || isLetter(rest[0]):
		for length < len(rest) && (isLetter(rest[length]) || rest[length] >= '0' && rest[length] <= '9') {
			length++
		}
	}
	s.at += length
	s.token = s.text[s.begin:s.at]
	return nil
}

// skip moves over spaces and comments.
func (s *scanner) skip() error {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest) - 1
			}
			s.at += end + 1
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return s.failed("a comment without its end")
			}
			s.at += end + 2
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.at++
		default:
			return nil
		}
	}
	return nil
}

func isLetter(c byte) bool {
	return c == '_' || c == '@' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isName reports whether the current token is a name.
func (s *scanner) isName() bool { return s.token != "" && isLetter(s.token[0]) }

// take moves over a token if it is the current one.
func (s *scanner) take(token string) (bool, error) {
	if s.token != token {
		return false, nil
	}
	return true, s.next()
}

// need moves over a token, which must be the current one.
func (s *scanner) need(token string) error {
	found, err := s.take(token)
	if err == nil && !found {
		return s.expected(fmt.Sprintf("%q", token))
	}
	return err
}

// name returns the current token, which must be a name, and moves over it.
func (s *scanner) name() (string, error) {
	if !s.isName() {
		return "", s.expected("a name")
	}
	name := s.token
	return name, s.next()
}

func (s *scanner) expected(what string) error {
	if s.token == "" {
		return s.failed("expected " + what + " before the end")
	}
	return s.failed(fmt.Sprintf("expected %s, found %q", what, s.token))
}

func (s *scanner) failed(what string) error {
	return fmt.Errorf("line %d: %s", strings.Count(s.text[:s.begin], "\n")+1, what)
}

// list reads entries with a sign between them, up to a token that ends the list. The sign may also follow the last one.
func (s *scanner) list(end, between string, entry func() error) error {
	for {
		if done, err := s.take(end); done || err != nil {
			return err
		}
		if err := entry(); err != nil {
			return err
		}
		if s.token != end {
			if err := s.need(between); err != nil {
				return err
			}
		}
	}
}
