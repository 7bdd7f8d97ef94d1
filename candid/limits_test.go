package candid

import (
	"bytes"
	"strings"
	"testing"
)

// bounded is something with a limit: it is done with the most that is allowed
// and with one more, which is refused with words.
type bounded struct {
	most  int
	words string
	do    func(n int) error
}

// options is a message of n values within each other.
func options(n int) []byte {
	return concat("DIDL\x01\x6e\x00\x01\x00", bytes.Repeat([]byte{1}, n-1), "\x00")
}

// nested is a value of n values within each other, and its type.
func nested(n int) (Value, *Type) {
	typ, define := Recursive("Deep")
	define(OptOf(typ))
	v := Value(Opt{})
	for range n - 1 {
		v = Opt{v}
	}
	return v, typ
}

func TestEachLimitLetsTheMostThroughAndRefusesOneMore(t *testing.T) {
	decode := func(message []byte) error {
		_, _, err := Decode(message)
		return err
	}
	parse := func(text string) error {
		_, err := ParseValue(text)
		return err
	}
	for name, c := range map[string]bounded{
		"a message nests": {10_000, "values nest deeper than 10000 levels", func(n int) error {
			return decode(options(n))
		}},
		"a value is written": {10_000, "values nest deeper than 10000 levels", func(n int) error {
			v, typ := nested(n)
			_, err := Encode([]Value{v}, []*Type{typ})
			return err
		}},
		"a text nests": {10_000, "values nest deeper than 10000 levels", func(n int) error {
			return parse(strings.Repeat("opt ", n-1) + "null")
		}},
		"a table has types": {10_000, "the type table has too many types", func(n int) error {
			return decode(append(chain(n), 0))
		}},
		"a table has parts": {100_000, "the type table has too many arguments", func(n int) error {
			return decode(concat("DIDL\x00", n, bytes.Repeat([]byte{0x7f}, n)))
		}},
		// 12 bytes cause 100,120 units: one for the vec, six for each null in it.
		"a message causes work": {16_686, "a message of 12 bytes may cause 100120 units of work", func(n int) error {
			return decode(concat("DIDL\x01\x6d\x7f\x01\x00", n))
		}},
		"a text has bytes": {16_777_216, "the text has 16777217 bytes, at most 16777216 are read", func(n int) error {
			return parse("null" + strings.Repeat(" ", n-4))
		}},
		"a number has digits": {100_000, "a number has at most 100000 digits", func(n int) error {
			return parse(strings.Repeat("1", n))
		}},
	} {
		if err := c.do(c.most); err != nil {
			t.Errorf("%s, %d times: %v", name, c.most, err)
		}
		if err := c.do(c.most + 1); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s, %d times: got %v, want %q", name, c.most+1, err, c.words)
		}
	}
}

func TestALengthAloneTakesLittleMemory(t *testing.T) {
	message := concat("DIDL\x01\x6d\x78\x01\x00", 5_000) // 5,000 nat64, of which none follows
	var small []uint64
	if err := Unmarshal(message, &small); err == nil || cap(small) != 1_024 {
		t.Errorf("room was made for %d numbers of 8 bytes, want 1,024 (%v)", cap(small), err)
	}
	message = concat("DIDL\x02\x6d\x01\x6c\x01\x00\x78\x01\x00", 5_000) // 5,000 records of a nat64
	var large []struct {
		N    uint64     `ic:"0"`
		Rest [63]uint64 `ic:"-"`
	}
	if err := Unmarshal(message, &large); err == nil || cap(large) != 128 {
		t.Errorf("room was made for %d records of 512 bytes, want 64 KiB or 128 (%v)", cap(large), err)
	}
	if got := (&decoder{}).room(5_000); got != 1_024 {
		t.Errorf("room is made for %d values, want 1,024", got)
	}
}
