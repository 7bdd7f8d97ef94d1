package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/generated"
)

// header begins every module.
var header = []byte("\x00asm\x01\x00\x00\x00")

// Sections of a module.
const (
	exportSection = 7
	lastSection   = 13
)

// scan reads the sections of a module at the beginning of bytes, which may go on behind it. It returns the length of the
// module and the names that it exports.
func scan(b []byte) (length int, exports []string, err error) {
	if !bytes.HasPrefix(b, header) {
		return 0, nil, errors.New("a file that is no module")
	}
	length = len(header)
	last := byte(0)
	for length < len(b) && b[length] <= lastSection {
		kind := b[length]
		size, n := binary.Uvarint(b[length+1:])
		end := length + 1 + n + int(size)
		if n <= 0 || size > uint64(len(b)) || end > len(b) || kind != 0 && rank(kind) <= rank(last) {
			break // what follows the module in a program
		}
		if content := b[length+1+n : end]; kind == 0 && !custom(content) {
			break
		} else if kind == exportSection {
			if exports, err = readExports(content); err != nil {
				return 0, nil, err
			}
		}
		if length = end; kind != 0 {
			last = kind
		}
	}
	return length, exports, nil
}

// rank is the place of a section in a module: that of the number of data segments (12) is before the code (10), and that
// of tags (13) before the globals (6).
func rank(kind byte) int {
	switch kind {
	case 12:
		return 2*10 - 1
	case 13:
		return 2*6 - 1
	}
	return 2 * int(kind)
}

// custom reports whether bytes are a custom section: they begin with its name.
func custom(b []byte) bool {
	size, n := binary.Uvarint(b)
	if n <= 0 || size == 0 || size > uint64(len(b)-n) {
		return false
	}
	return !bytes.ContainsFunc(b[n:n+int(size)], func(r rune) bool { return r < ' ' || r > '~' })
}

// readExports reads the names of an export section.
func readExports(b []byte) (names []string, err error) {
	next := func() uint64 {
		value, n := binary.Uvarint(b)
		if n <= 0 {
			err, n = errors.New("an export section that ends too early"), len(b)
		}
		b = b[n:]
		return value
	}
	for range next() {
		size := next()
		if size >= uint64(len(b)) {
			return nil, errors.New("an export section that ends too early")
		}
		names, b = append(names, string(b[:size])), b[size+1:]
		next()
	}
	return names, err
}

// carried returns the module in a program that exports a method.
func carried(program []byte, method string) ([]byte, error) {
	for at := 0; ; at++ {
		next := bytes.Index(program[at:], header)
		if next < 0 {
			return nil, fmt.Errorf("no module that exports %s", method)
		}
		at += next
		if length, exports, err := scan(program[at:]); err == nil && slices.Contains(methods(exports), method) {
			return program[at : at+length], nil
		}
	}
}

// methods returns the names of the methods among exports, sorted, without those that compilers add.
func methods(exports []string) (names []string) {
	for _, export := range exports {
		for _, prefix := range []string{"canister_query ", "canister_update ", "canister_composite_query "} {
			if name, found := strings.CutPrefix(export, prefix); found && !generated.Method(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
