package rewrite_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/test/canistertest/wast"
)

// appendValue encodes an argument for the engine: a v128 is two words, a null
// reference is 0, the host's reference n is n+1.
func appendValue(args []uint64, v wast.Value) []uint64 {
	switch v.Type {
	case "v128":
		return append(args, v.Low, v.High)
	case "ref":
		if v.Ref.Null {
			return append(args, 0)
		}
		return append(args, v.Ref.Host+1)
	}
	return append(args, v.Low)
}

func (s *stage) assertReturn(c wast.Command) error {
	got, err := s.act(c.Action)
	if err != nil {
		return err
	}
	words := got
	for i, want := range c.Results {
		width := 1
		if isVector(want) {
			width = 2
		}
		if len(words) < width {
			return fmt.Errorf("too few results: %#x", got)
		}
		if !matches(want, words) {
			return fmt.Errorf("result %d is %#x, want %+v", i, words[:width], want)
		}
		words = words[width:]
	}
	if len(words) > 0 {
		return fmt.Errorf("too many results: %#x", got)
	}
	return nil
}

func isVector(r wast.Result) bool {
	return r.Type == "v128" || len(r.Either) > 0 && r.Either[0].Type == "v128"
}

func matches(want wast.Result, words []uint64) bool {
	switch {
	case want.Type == "ref" && want.Ref.Null:
		return words[0] == 0
	case want.Type == "ref" && want.Ref.Pinned:
		return words[0] == want.Ref.Host+1
	case want.Type == "ref":
		return words[0] != 0
	case isVector(want):
		return want.Matches(words[0], words[1])
	case want.Type == "i32" || want.Type == "f32":
		return want.Matches(words[0]&0xffff_ffff, 0)
	}
	return want.Matches(words[0], 0)
}

// traps maps the suite's messages to the engine's, where they differ.
var traps = map[string]string{
	"uninitialized element":      "invalid table access",
	"undefined element":          "invalid table access",
	"out of bounds table access": "invalid table access",
	"call stack exhausted":       "stack overflow",
	"unhandled exception":        "uncaught exception",
}

func (s *stage) assertTrap(c wast.Command) error {
	var err error
	if c.Module != nil {
		err = s.trapOfModule(c.Module)
	} else {
		_, err = s.act(c.Action)
	}
	if isAbsent(err) {
		return err
	}
	want := c.Message
	for prefix, engine := range traps {
		if strings.HasPrefix(want, prefix) {
			want = engine
		}
	}
	if err == nil {
		return fmt.Errorf("got a result, want a trap: %s", c.Message)
	}
	if !strings.Contains(err.Error(), want) {
		return fmt.Errorf("want a trap: %s, got %w", c.Message, err)
	}
	return nil
}

func (s *stage) trapOfModule(m *wast.Module) error {
	binary, err := encodeAndPrepare(m)
	if err == nil {
		_, err = s.instantiate(binary)
	}
	return err
}

// assertRefused asks that nothing but the pass refuses the module; malformed
// text is the assembler's to refuse.
func assertRefused(c wast.Command) error {
	binary, err := c.Module.Encode()
	if err != nil {
		if c.Kind == wast.AssertMalformed && c.Module.Form != wast.Binary {
			return nil
		}
		return fmt.Errorf("assemble: %w", err)
	}
	if _, err = prepare(binary); err == nil {
		return fmt.Errorf("not refused, want: %s", c.Message)
	}
	return nil
}

func (s *stage) assertUnlinkable(c wast.Command) error {
	binary, err := encodeAndPrepare(c.Module)
	if err != nil {
		return err
	}
	_, err = s.instantiate(binary)
	if isAbsent(err) {
		return err
	}
	if err == nil {
		return errors.New("linked, want: " + c.Message)
	}
	return nil
}
