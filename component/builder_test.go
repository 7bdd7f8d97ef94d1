package component

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// The functions here write components of the binary format, for tests of faults that no compiler makes.

func number(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) }

// typeIndex writes an index where the code of a type could be, too.
func typeIndex(n int) string {
	if n < 0x40 {
		return number(n)
	}
	return string([]byte{byte(n) | 0x80}) + number(n>>7)
}

func text(s string) string { return number(len(s)) + s }

func vector(items ...string) string { return number(len(items)) + strings.Join(items, "") }

func repeated(n int, item string) string { return number(n) + strings.Repeat(item, n) }

func section(code byte, content string) string { return string([]byte{code}) + text(content) }

func build(sections ...string) string {
	return string(componentPreamble) + strings.Join(sections, "")
}

// emptyCore is a core module.
var emptyCore = string(bytes.Clone(corePreamble))
