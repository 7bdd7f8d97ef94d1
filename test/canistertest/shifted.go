package canistertest

import (
	"encoding/binary"
	"testing"
)

// codeSection is the id of a module's code section, and headerBytes are before its first section.
const (
	codeSection = 10
	headerBytes = 8
)

// Shifted is a module whose code lies somewhat further on: its first function begins with n operators that do nothing.
// Where code lies makes loops up to a fifth faster or slower.
func Shifted(t testing.TB, module []byte, n int) []byte {
	t.Helper()
	out := append([]byte{}, module[:headerBytes]...)
	for rest := module[headerBytes:]; len(rest) > 0; {
		id := rest[0]
		var section []byte
		section, rest = takeVector(t, rest[1:])
		if id == codeSection {
			section = shiftedCode(t, section, n)
		}
		out = appendVector(append(out, id), section)
	}
	return out
}

// shiftedCode is the code section with the first function made longer.
func shiftedCode(t testing.TB, section []byte, n int) []byte {
	t.Helper()
	const doesNothing = "\x41\x00\x04\x40\x0b" // i32.const 0 if end
	functions, read := binary.Uvarint(section)
	first, others := takeVector(t, section[read:])
	groups, at := binary.Uvarint(first)
	for range groups {
		_, read := binary.Uvarint(first[at:])
		at += read + 1
	}
	body := append([]byte{}, first[:at]...)
	for range n {
		body = append(body, doesNothing...)
	}
	body = append(body, first[at:]...)
	return append(appendVector(binary.AppendUvarint(nil, functions), body), others...)
}

// takeVector takes bytes with their length before them.
func takeVector(t testing.TB, data []byte) (vector, rest []byte) {
	t.Helper()
	n, read := binary.Uvarint(data)
	if read <= 0 || n > uint64(len(data)-read) {
		t.Fatal("the module is cut short")
	}
	return data[read : read+int(n)], data[read+int(n):]
}

func appendVector(out, vector []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(vector))), vector...)
}
