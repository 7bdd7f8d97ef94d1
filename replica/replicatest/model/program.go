package model

import (
	"strconv"
	"strings"
)

// step is one word of a puppet's program with its arguments.
type step struct {
	word, text               string
	number, cycles           uint64
	within                   uint64
	bounded                  bool
	body                     string
	then, otherwise, finally string
}

// reader reads a program word by word.
type reader struct{ rest string }

func (r *reader) skip() { r.rest = strings.TrimLeft(r.rest, " ") }

// next returns the next word, empty at the end.
func (r *reader) next() string {
	r.skip()
	end := strings.IndexAny(r.rest, " ()")
	if end < 0 {
		end = len(r.rest)
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	return word
}

func (r *reader) number() uint64 {
	n, _ := strconv.ParseUint(r.next(), 10, 64)
	return n
}

// option reads a word if it comes next.
func (r *reader) option(word string) bool {
	r.skip()
	if !strings.HasPrefix(r.rest, word+" ") && !strings.HasPrefix(r.rest, word+"(") {
		return false
	}
	r.rest = r.rest[len(word):]
	return true
}

// block returns the text in parentheses.
func (r *reader) block() string {
	r.skip()
	open := 0
	for i := range len(r.rest) {
		switch r.rest[i] {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			block := r.rest[1:i]
			r.rest = r.rest[i+1:]
			return block
		}
	}
	panic("model: a block without an end: " + r.rest)
}

// step reads the next step; false at the end.
func (r *reader) step(s *step) bool {
	*s = step{word: r.next()}
	switch s.word {
	case "":
		return false
	case "reply", "reject", "trap":
		s.text = r.next()
	case "spend", "accept", "burn", "timer":
		s.number = r.number()
	case "call":
		s.number = r.number()
		r.call(s)
	case "manage":
		s.text = r.next()
		r.call(s)
	}
	return true
}

func (r *reader) call(s *step) {
	for {
		if r.option("cycles") {
			s.cycles = r.number()
		} else if r.option("within") {
			s.within, s.bounded = r.number(), true
		} else {
			break
		}
	}
	s.body = r.block()
	for {
		switch {
		case r.option("then"):
			s.then = r.block()
		case r.option("else"):
			s.otherwise = r.block()
		case r.option("finally"):
			s.finally = r.block()
		default:
			return
		}
	}
}
