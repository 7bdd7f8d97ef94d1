package replicatest

import (
	"fmt"
	"strconv"
	"strings"
)

// op is one word of a program with its arguments.
type op struct {
	word                        string
	text                        string
	number                      uint64
	cycles                      uint64
	within                      uint32
	bounded                     bool
	body                        string
	then, otherwise, eventually string
}

// parse reads a program.
func parse(program string) ([]op, error) {
	s := &scanner{rest: program}
	var ops []op
	for {
		word := s.word()
		if word == "" {
			return ops, s.err
		}
		o := op{word: word}
		switch word {
		case "reply", "reject", "trap":
			o.text = s.word()
		case "spend", "accept", "burn", "timer":
			o.number = s.number()
		case "call":
			o.number = s.number()
			s.call(&o)
		case "manage":
			o.text = s.word()
			s.call(&o)
		case "echo", "count", "forever", "wide":
		default:
			return nil, fmt.Errorf("a puppet knows no word %q", word)
		}
		ops = append(ops, o)
	}
}

type scanner struct {
	rest string
	err  error
}

func (s *scanner) call(o *op) {
	for {
		switch s.peek() {
		case "cycles":
			s.word()
			o.cycles = s.number()
			continue
		case "within":
			s.word()
			o.within, o.bounded = uint32(s.number()), true
			continue
		}
		break
	}
	o.body = s.group()
	for {
		switch s.peek() {
		case "then":
			s.word()
			o.then = s.group()
			continue
		case "else":
			s.word()
			o.otherwise = s.group()
			continue
		case "finally":
			s.word()
			o.eventually = s.group()
			continue
		}
		return
	}
}

func (s *scanner) peek() string {
	saved := *s
	word := s.word()
	*s = saved
	return word
}

func (s *scanner) word() string {
	s.rest = strings.TrimLeft(s.rest, " \n\t")
	i := strings.IndexAny(s.rest, " \n\t()")
	if i < 0 {
		i = len(s.rest)
	}
	word := s.rest[:i]
	s.rest = s.rest[i:]
	return word
}

func (s *scanner) number() uint64 {
	n, err := strconv.ParseUint(s.word(), 10, 64)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n
}

// group returns the text between balanced parentheses.
func (s *scanner) group() string {
	s.rest = strings.TrimLeft(s.rest, " \n\t")
	depth := 0
	for i, c := range s.rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if i == 0 {
				break
			}
			group := s.rest[1:i]
			s.rest = s.rest[i+1:]
			return group
		}
	}
	if s.err == nil {
		s.err = fmt.Errorf("a program in parentheses is missing at %q", s.rest)
	}
	return ""
}
