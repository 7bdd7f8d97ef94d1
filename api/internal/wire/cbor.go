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
	c := checker{budget: maxItems}
	return c.document(data)
}

func (c *checker) document(data []byte) (item, error) {
	if rest, ok := bytes.CutPrefix(data, selfDescribed); ok {
		data = rest
	}
	it, rest, err := c.check(data, 0)
	if err != nil {
		return item{}, err
	}
	if len(rest) > 0 {
		return item{}, fmt.Errorf("%d bytes after the end of the CBOR data item", len(rest))
	}
	return it, nil
}

// requestFields reads a document that is a map with a map `content`, and returns the fields of both. They are collected
// while the document is checked: a request is read once. content is nil if there is no such map.
func requestFields(data []byte) (outer, content fields, err error) {
	c := checker{budget: maxItems, isRequest: true}
	root, err := c.document(data)
	if err != nil {
		return nil, nil, phrased("Invalid CBOR encoding: %v", err)
	}
	if root.kind != kindMap {
		return nil, nil, notAMap(root, "the envelope")
	}
	return c.outer, c.content, nil
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
	for _, b := range data[:size] {
		arg = arg<<8 | uint64(b)
	}
	return major, info, arg, data[size:], nil
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
	if data[0] == stopCode {
		return item{}, nil, errStopCode
	}
	return item{kind: simpleKind(info), num: arg}, rest, nil
}

// simpleKind returns the kind of a simple value or floating point number: null and undefined are both null.
func simpleKind(info byte) kind {
	if info == 22 || info == 23 {
		return kindNull
	}
	return kindOther
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
type checker struct {
	budget int // of data items

	isRequest      bool   // the fields below are wanted
	outer, content fields // of the document, and of the map under its key `content`
	inContent      bool   // that key's value is checked
}

// check reads the first data item of data.
func (c *checker) check(data []byte, depth int) (it item, rest []byte, err error) {
	if c.budget--; c.budget < 0 {
		return item{}, nil, fmt.Errorf("more than %d CBOR data items in one body", maxItems)
	}
	if depth > maxNesting {
		return item{}, nil, fmt.Errorf("CBOR nested more than %d deep", maxNesting)
	}
	major, info, arg, rest, err := head(data)
	if err != nil {
		return item{}, nil, err
	}
	switch major {
	case majorBlob, majorText:
		it.kind = kindBlob + kind(major-majorBlob)
		if it.body, rest, err = stringBody(major, info, arg, rest); err != nil {
			return item{}, nil, err
		}
		if major == majorText && !utf8.Valid(it.body) {
			return item{}, nil, errors.New("a CBOR text is not UTF-8")
		}
		return it, rest, nil
	case majorArray, majorMap:
		return c.checkContainer(major, info, arg, rest, depth)
	case majorTag:
		if info == indefinite {
			return item{}, nil, errors.New("a CBOR tag without a number")
		}
		return bignum(arg, rest)
	case majorSimple:
		switch {
		case info == indefinite:
			return item{}, nil, errStopCode
		case info == 24 && arg < 32:
			return item{}, nil, fmt.Errorf("CBOR simple value %d in two bytes", arg)
		}
		return item{kind: simpleKind(info), num: arg}, rest, nil
	}
	if info == indefinite {
		return item{}, nil, errors.New("a CBOR number of indefinite length")
	}
	return item{kind: kindNat + kind(major), num: arg}, rest, nil
}

func (c *checker) checkContainer(major, info byte, arg uint64, start []byte, depth int) (it item, rest []byte, err error) {
	it.kind = kindArray + kind(major-majorArray)
	if major == majorMap {
		it.num, rest, err = c.checkMap(info, arg, start, depth)
	} else {
		it.num, rest, err = c.checkArray(info, arg, start, depth)
	}
	if err != nil {
		return item{}, nil, err
	}
	it.body = start[:len(start)-len(rest)]
	if info == indefinite {
		it.body = it.body[:len(it.body)-1] // the stop code
	}
	return it, rest, nil
}

func (c *checker) checkArray(info byte, arg uint64, rest []byte, depth int) (num uint64, after []byte, err error) {
	for n := uint64(0); ; n++ {
		if done, after := ended(info, arg, n, rest); done {
			return n, after, nil
		}
		if _, rest, err = c.check(rest, depth+1); err != nil {
			return 0, nil, err
		}
	}
}

func (c *checker) checkMap(info byte, arg uint64, rest []byte, depth int) (num uint64, after []byte, err error) {
	collected := c.collected(depth)
	var seen [maxPairs][]byte
	for n := uint64(0); ; n++ {
		if done, after := ended(info, arg, n, rest); done {
			return n, after, nil
		}
		if n == maxPairs {
			return 0, nil, fmt.Errorf("a CBOR map of more than %d fields", maxPairs)
		}
		var key, value item
		if key, rest, err = c.check(rest, depth+1); err != nil {
			return 0, nil, err
		}
		if key.kind != kindText {
			return 0, nil, fmt.Errorf("a CBOR map key is %s, not a text", key.kind)
		}
		for _, k := range seen[:n] {
			if bytes.Equal(k, key.body) {
				return 0, nil, fmt.Errorf("duplicate field `%s`", key.body)
			}
		}
		seen[n] = key.body
		c.inContent = depth == 0 && string(key.body) == "content"
		if value, rest, err = c.check(rest, depth+1); err != nil {
			return 0, nil, err
		}
		if collected != nil && value.kind != kindNull {
			*collected = append(*collected, field{key.body, value})
		}
	}
}

// collected returns where to put the fields of a map that begins at this depth, nil if they are not wanted.
func (c *checker) collected(depth int) *fields {
	switch {
	case c.isRequest && depth == 0:
		c.outer = make(fields, 0, envelopeFields)
		return &c.outer
	case c.isRequest && depth == 1 && c.inContent:
		c.content = make(fields, 0, contentFields)
		return &c.content
	}
	return nil
}

// How many fields the maps of a request have at most in the specification.
const (
	envelopeFields = 4
	contentFields  = 8
)

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
