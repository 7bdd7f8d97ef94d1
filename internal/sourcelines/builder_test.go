package sourcelines_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// uleb appends a number in LEB128.
func uleb(out []byte, n uint64) []byte {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// sized is bytes after their number.
func sized(content []byte) []byte { return append(uleb(nil, uint64(len(content))), content...) }

// custom is a custom section.
func custom(name string, content []byte) []byte {
	return append([]byte{0}, sized(append(sized([]byte(name)), content...))...)
}

// wasm is a module of functions with bodies of some sizes, and more sections. The content of its code section begins at
// byte base of the file: a body of size n takes n+1 bytes.
func wasm(bodies []int, sections ...[]byte) (file []byte, base uint32) {
	code := uleb(nil, uint64(len(bodies)))
	for _, n := range bodies {
		code = append(code, sized(make([]byte, n))...)
	}
	file = append([]byte("\x00asm\x01\x00\x00\x00\x0a"), sized(code)...)
	base = uint32(len(file) - len(code))
	return append(file, slices.Concat(sections...)...), base
}

func u32(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// prefixed is bytes after their number in 32 bits.
func prefixed(content []byte) []byte { return append(u32(uint32(len(content))), content...) }

// abbreviation is a table of one entry: a compile unit with a line table and a directory.
var abbreviation = []byte{1, 0x11, 0, 0x10, 0x06, 0x1b, 0x08, 0, 0, 0}

// unitOf is a unit of version 4 with a line table at an offset.
func unitOf(table uint32, directory string) []byte {
	return prefixed(slices.Concat([]byte{4, 0, 0, 0, 0, 0, 4, 1}, u32(table), []byte(directory), []byte{0}))
}

// tableOf is a line table of version 4: files lie in its directories by their first character, in the unit's directory
// if that is 0. Special opcodes of the program, from 13 on, advance the line by opcode-13 and the address by 0, up to 22.
func tableOf(directories, files []string, program ...byte) []byte {
	header := []byte{1, 1, 1, 0, 10, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}
	for _, d := range directories {
		header = append(append(header, d...), 0)
	}
	header = append(header, 0)
	for _, f := range files {
		header = append(append(header, f[1:]...), 0, f[0]-'0', 0, 0)
	}
	return prefixed(slices.Concat([]byte{4, 0}, prefixed(append(header, 0)), program))
}

// Parts of programs.
func address(n uint32) []byte { return append([]byte{0, 5, 2}, u32(n)...) }
func advance(n uint64) []byte { return uleb([]byte{2}, n) }
func ended() []byte           { return []byte{0, 1, 1} }

// one is the program of a function: its code from an address on, of a size, has line 1 of a file.
func one(from uint32, size, file uint64) []byte {
	return slices.Concat(address(from), uleb([]byte{4}, file), []byte{1}, advance(size), ended())
}

// debug are the sections of units with line tables.
func debug(directory string, tables ...[]byte) []byte {
	var units, all []byte
	for _, t := range tables {
		units = append(units, unitOf(uint32(len(all)), directory)...)
		all = append(all, t...)
	}
	return slices.Concat(custom(".debug_abbrev", abbreviation), custom(".debug_info", units), custom(".debug_line", all))
}

// vlq is a segment of a source map.
func vlq(numbers ...int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var out strings.Builder
	for _, n := range numbers {
		v := n << 1
		if n < 0 {
			v = -n<<1 | 1
		}
		for ; v >= 32; v >>= 5 {
			out.WriteByte(alphabet[v&31|32])
		}
		out.WriteByte(alphabet[v])
	}
	return out.String()
}

// mapOf is a source map.
func mapOf(sources, mappings string) []byte {
	return fmt.Appendf(nil, `{"version": 3, "sources": [%s], "sourcesContent": [null], "mappings": "%s"}`, sources, mappings)
}
