package export

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a message of a file in the wire format of protobuf.
type message struct {
	bytes []byte
	at    int    // position in the unpacked file
	name  string // of its type in profile.proto
}

// field is a field of a message: a number, or bytes.
type field struct {
	number protowire.Number
	value  uint64
	bytes  []byte
	isText bool // it has bytes
	at     int
}

// fields calls each with every field of a message, in order. Fields of fixed size, which profile.proto does not have,
// are left out.
func (m message) fields(each func(f field) error) error {
	rest := m.bytes
	for len(rest) > 0 {
		at := m.at + len(m.bytes) - len(rest)
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return m.broken(at, protowire.ParseError(n))
		}
		rest = rest[n:]
		f := field{number: number, at: at}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(rest)
		case protowire.BytesType:
			f.isText = true
			f.bytes, n = protowire.ConsumeBytes(rest)
			f.at = m.at + len(m.bytes) - len(rest) + n - len(f.bytes)
		default:
			if n = protowire.ConsumeFieldValue(number, kind, rest); n >= 0 {
				rest = rest[n:]
				continue
			}
		}
		if n < 0 {
			return m.broken(at, fmt.Errorf("field %d: %w", number, protowire.ParseError(n)))
		}
		rest = rest[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

func (m message) broken(at int, err error) error {
	return fmt.Errorf("%s at byte %d of the unpacked file: %w", m.name, at, err)
}

// message returns the field as a message.
func (f field) message(name string) (message, error) {
	if !f.isText {
		return message{}, fmt.Errorf("field %d at byte %d of the unpacked file has a number in place of a %s", f.number, f.at, name)
	}
	return message{f.bytes, f.at, name}, nil
}

// numbers calls each with the numbers of a repeated field, packed or not.
func (f field) numbers(each func(n uint64) error) error {
	if !f.isText {
		return each(f.value)
	}
	for rest := f.bytes; len(rest) > 0; {
		v, n := protowire.ConsumeVarint(rest)
		if n < 0 {
			return fmt.Errorf("numbers at byte %d of the unpacked file: %w", f.at+len(f.bytes)-len(rest), protowire.ParseError(n))
		}
		rest = rest[n:]
		if err := each(v); err != nil {
			return err
		}
	}
	return nil
}
