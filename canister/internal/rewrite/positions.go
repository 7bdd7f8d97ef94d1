package rewrite

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// The engine keeps the offsets of compiled code only for a module with DWARF, and it adds the line of a frame to its
// text, after the frame's offset in the code section. So the line table of a module with positions has one line for all
// code: what the text says is the offset alone. The module's own table would say nothing else of use, since its offsets
// are those of the original code.

// positionFile is the name of the file in the line table of modules with positions. Its only line is 1.
const positionFile = "@"

// lineTableSection is the section of a module's own line table.
const lineTableSection = ".debug_line"

// hasLineTable reports whether the module has debug information of its own.
func (s *source) hasLineTable() bool {
	return slices.ContainsFunc(s.custom, func(c customItem) bool { return c.name == lineTableSection && len(c.content) > 0 })
}

// appendPositions appends the debug information of a module with positions. The engine takes the first and the last two
// addresses for those of removed code.
func appendPositions(out []byte) []byte {
	const first, end = 1, 0xfffffff0
	word := binary.LittleEndian.AppendUint32
	sized := func(content []byte) []byte { return append(word(nil, uint32(len(content))), content...) }

	// A compile unit with a line table (section offset), its first address, and its end.
	abbreviations := []byte{1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x01, 0, 0, 0}
	unit := append(word([]byte{4, 0}, 0), 4, 1) // version, abbreviations, bytes of an address, the abbreviation
	unit = word(word(word(unit, 0), first), end)

	// Version 4, instructions of a byte, statements, lines from 0 in a range of 1, opcodes from 10 with these arguments;
	// no directory, and one file without directory, time and size.
	head := append([]byte{1, 1, 1, 0, 1, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0}, positionFile+"\x00\x00\x00\x00\x00"...)
	table := append([]byte{4, 0}, sized(head)...)
	table = append(word(append(table, 0, 5, 2), first), 1)     // set the address; copy
	table = append(word(append(table, 0, 5, 2), end), 0, 1, 1) // set the address; end of the sequence
	for _, section := range []struct {
		name    string
		content []byte
	}{{".debug_abbrev", abbreviations}, {".debug_info", sized(unit)}, {lineTableSection, sized(table)}} {
		out = appendSection(out, sectionCustom, append(appendName(nil, section.name), section.content...))
	}
	return out
}

// ParsePosition parses a line of the engine's text below a frame, and returns the frame's offset in the code section. It
// returns false for any other line.
func ParsePosition(line string) (offset uint32, ok bool) {
	text, ok := strings.CutSuffix(strings.TrimPrefix(line, "\t"), ": "+positionFile+":1")
	n, err := strconv.ParseUint(text, 0, 32)
	return uint32(n), ok && err == nil
}
