package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

type kind uint8

const (
	kindNat kind = iota
	kindNegative
	kindBlob
	kindText
	kindArray
	kindMap
	kindNull
	kindOther // booleans, floating point numbers, other simple values
)

var kindNames = [...]string{
	"a natural number", "a negative number", "a blob", "a text",
	"an array", "a map", "null", "a simple value or floating point number",
}

func (k kind) String() string { return kindNames[k] }

// CBOR major types and tags (RFC 8949, section 3.1 and "CBOR encoding" of the
// interface specification).
const (
	majorNat = iota
	majorNegative
	majorBlob
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple

	tagBignum       = 2
	tagSelfDescribe = 55799

	stopCode   = 0xff
	indefinite = 31
)

var (
	errTruncated = errors.New("the CBOR ends in the middle of a data item")
	errStopCode  = errors.New("CBOR stop code outside an indefinite-length item")
)

// item is one data item with encoded contents. num is the natural number, or n of the negative number -1-n, or the
// number of elements or pairs; body is the contents of a string, or the encoded elements of an array or map. body
// aliases the input except for chunked strings.
type item struct {
	kind kind
	num  uint64
	body []byte
}

// document reads the single data item in data, with or without the self-describe tag, and checks everything in it once:
// nesting, number of items, UTF-8, and the keys of maps. Time is linear in data, and a document without chunked strings
// needs no allocation.
func document(data []byte) (item, error) {
	if rest, ok := bytes.CutPrefix(data, selfDescribed); ok {
		data = rest
	}
	c := checker{budget: maxItems}
	rest, err := c.check(data, 0)
	if err != nil {
		return item{}, err
	}
	if len(rest) > 0 {
		return item{}, fmt.Errorf("%d bytes after the end of the CBOR data item", len(rest))
	}
	it, _, err := next(data)
	return it, err
}

// head reads the initial bytes of a data item: major type, additional information and argument.
func head(data []byte) (major, info byte, arg uint64, rest []byte, err error) {
	if len(data) == 0 {
		return 0, 0, 0, nil, errTruncated
	}
	major, info = data[0]>>5, data[0]&31
	data = data[1:]
	switch {
	case info < 24:
		return major, info, uint64(info), data, nil
	case info == indefinite:
		return major, info, 0, data, nil
	case info > 27:
		return 0, 0, 0, nil, fmt.Errorf("reserved CBOR additional information %d", info)
	}
	size := 1 << (info - 24)
	if len(data) < size {
		return 0, 0, 0, nil, errTruncated
	}
	var wide [8]byte
	copy(wide[8-size:], data[:size])
	return major, info, binary.BigEndian.Uint64(wide[:]), data[size:], nil
}

// next reads the first data item of data, whose structure document has checked.
func next(data []byte) (it item, rest []byte, err error) {
	major, info, arg, rest, err := head(data)
	if err != nil {
		return item{}, nil, err
	}
	switch major {
	case majorNat:
		return item{kind: kindNat, num: arg}, rest, nil
	case majorNegative:
		return item{kind: kindNegative, num: arg}, rest, nil
	case majorBlob, majorText:
		it.kind = kindBlob + kind(major-majorBlob)
		it.body, rest, err = stringBody(major, info, arg, rest)
		return it, rest, err
	case majorArray, majorMap:
		it.kind = kindArray + kind(major-majorArray)
		it.num, it.body, rest, err = containerBody(major, info, arg, rest)
		return it, rest, err
	case majorTag:
		return bignum(arg, rest)
	}
	switch {
	case data[0] == stopCode:
		return item{}, nil, errStopCode
	case info == 22 || info == 23:
		return item{kind: kindNull}, rest, nil
	}
	return item{kind: kindOther, num: arg}, rest, nil
}

func stringBody(major, info byte, arg uint64, rest []byte) (body, after []byte, err error) {
	if info != indefinite {
		if arg > uint64(len(rest)) {
			return nil, nil, errTruncated
		}
		return rest[:arg:arg], rest[arg:], nil
	}
	body = []byte{}
	for {
		if len(rest) == 0 {
			return nil, nil, errTruncated
		}
		if rest[0] == stopCode {
			return body, rest[1:], nil
		}
		m, i, n, after, err := head(rest)
		if err != nil {
			return nil, nil, err
		}
		if m != major || i == indefinite {
			return nil, nil, errors.New("a chunk of a CBOR string is not a string of the same type and of definite length")
		}
		if n > uint64(len(after)) {
			return nil, nil, errTruncated
		}
		body, rest = append(body, after[:n]...), after[n:]
	}
}

// containerBody finds the end of an array or map. It trusts counts only because document has walked the whole input
// before.
func containerBody(major, info byte, arg uint64, rest []byte) (num uint64, body, after []byte, err error) {
	per := uint64(1)
	if major == majorMap {
		per = 2
	}
	start := rest
	for n := uint64(0); ; n++ {
		if info == indefinite && len(rest) > 0 && rest[0] == stopCode {
			return n / per, start[:len(start)-len(rest)], rest[1:], nil
		}
		if info != indefinite && n/per == arg {
			return arg, start[:len(start)-len(rest)], rest, nil
		}
		if rest, err = skip(rest); err != nil {
			return 0, nil, nil, err
		}
	}
}

// skip is next without reading the contents.
func skip(data []byte) ([]byte, error) {
	major, info, arg, rest, err := head(data)
	if err != nil {
		return nil, err
	}
	switch major {
	case majorBlob, majorText:
		if info != indefinite {
			if arg > uint64(len(rest)) {
				return nil, errTruncated
			}
			return rest[arg:], nil
		}
		for len(rest) > 0 && rest[0] != stopCode {
			if rest, err = skip(rest); err != nil {
				return nil, err
			}
		}
		if len(rest) == 0 {
			return nil, errTruncated
		}
		return rest[1:], nil
	case majorArray, majorMap:
		_, _, rest, err = containerBody(major, info, arg, rest)
		return rest, err
	case majorTag:
		return skip(rest)
	}
	return rest, nil
}

// bignum reads the item after a tag: a natural number as big-endian bytes. All other tags are errors.
func bignum(tag uint64, data []byte) (item, []byte, error) {
	if tag != tagBignum {
		return item{}, nil, fmt.Errorf("unexpected CBOR tag %d", tag)
	}
	major, info, arg, rest, err := head(data)
	if err != nil {
		return item{}, nil, err
	}
	if major != majorBlob {
		return item{}, nil, errors.New("a CBOR bignum that is not a blob")
	}
	body, rest, err := stringBody(major, info, arg, rest)
	if err != nil {
		return item{}, nil, err
	}
	digits := bytes.TrimLeft(body, "\x00")
	if len(digits) > 8 {
		return item{}, nil, errors.New("a natural number of more than 64 bits")
	}
	var wide [8]byte
	copy(wide[8-len(digits):], digits)
	return item{kind: kindNat, num: binary.BigEndian.Uint64(wide[:])}, rest, nil
}

// checker walks a document of unknown origin once.
type checker struct{ budget int }

func (c *checker) check(data []byte, depth int) ([]byte, error) {
	if c.budget--; c.budget < 0 {
		return nil, fmt.Errorf("more than %d CBOR data items in one body", maxItems)
	}
	if depth > maxNesting {
		return nil, fmt.Errorf("CBOR nested more than %d deep", maxNesting)
	}
	major, info, arg, rest, err := head(data)
	if err != nil {
		return nil, err
	}
	switch major {
	case majorBlob, majorText:
		return c.checkString(major, info, arg, rest)
	case majorArray:
		return c.checkArray(info, arg, rest, depth)
	case majorMap:
		return c.checkMap(info, arg, rest, depth)
	case majorTag:
		if info == indefinite {
			return nil, errors.New("a CBOR tag without a number")
		}
		_, rest, err = bignum(arg, rest)
		return rest, err
	case majorSimple:
		switch {
		case info == indefinite:
			return nil, errStopCode
		case info == 24 && arg < 32:
			return nil, fmt.Errorf("CBOR simple value %d in two bytes", arg)
		}
	default:
		if info == indefinite {
			return nil, errors.New("a CBOR number of indefinite length")
		}
	}
	return rest, nil
}

func (c *checker) checkString(major, info byte, arg uint64, rest []byte) ([]byte, error) {
	body, rest, err := stringBody(major, info, arg, rest)
	if err != nil {
		return nil, err
	}
	if major == majorText && !utf8.Valid(body) {
		return nil, errors.New("a CBOR text is not UTF-8")
	}
	return rest, nil
}

func (c *checker) checkArray(info byte, arg uint64, rest []byte, depth int) ([]byte, error) {
	var err error
	for n := uint64(0); ; n++ {
		if done, after := ended(info, arg, n, rest); done {
			return after, nil
		}
		if rest, err = c.check(rest, depth+1); err != nil {
			return nil, err
		}
	}
}

func (c *checker) checkMap(info byte, arg uint64, rest []byte, depth int) ([]byte, error) {
	var seen [maxPairs][]byte
	for n := uint64(0); ; n++ {
		if done, after := ended(info, arg, n, rest); done {
			return after, nil
		}
		if n == maxPairs {
			return nil, fmt.Errorf("a CBOR map of more than %d fields", maxPairs)
		}
		after, err := c.check(rest, depth+1)
		if err != nil {
			return nil, err
		}
		key, _, err := next(rest)
		if err != nil {
			return nil, err
		}
		if key.kind != kindText {
			return nil, fmt.Errorf("a CBOR map key is %s, not a text", key.kind)
		}
		for _, k := range seen[:n] {
			if bytes.Equal(k, key.body) {
				return nil, fmt.Errorf("duplicate field `%s`", key.body)
			}
		}
		seen[n] = key.body
		if rest, err = c.check(after, depth+1); err != nil {
			return nil, err
		}
	}
}

// ended reports whether all n entries of the container with this head were read, and returns what comes after it.
func ended(info byte, arg, n uint64, rest []byte) (bool, []byte) {
	if info != indefinite {
		return n == arg, rest
	}
	if len(rest) > 0 && rest[0] == stopCode {
		return true, rest[1:]
	}
	return false, nil
}
