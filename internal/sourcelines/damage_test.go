package sourcelines_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

func TestADamagedSectionIsNamedWithWhatToDo(t *testing.T) {
	abbrev := func(b ...byte) []byte { return custom(".debug_abbrev", b) }
	info := func(b []byte) []byte { return custom(".debug_info", b) }
	line := func(b []byte) []byte { return custom(".debug_line", b) }
	good, table := unitOf(0, "/p"), tableOf(nil, []string{"0a.c"}, one(2, 10, 1)...)
	changed := func(b []byte, at int, to ...byte) []byte {
		return slices.Concat(b[:at], to, b[at+len(to):])
	}
	tables := func(tables ...[]byte) []byte { return debug("/p", tables...) }
	for name, c := range map[string]struct {
		sections []byte
		want     string
	}{
		"a unit that is cut off":          {slices.Concat(abbrev(abbreviation...), info(good[:len(good)-1])), ".debug_info is damaged at byte 0: a unit is cut off"},
		"a unit of version 6":             {slices.Concat(abbrev(abbreviation...), info(changed(good, 4, 6))), ".debug_info is damaged at byte 0: a unit has an unknown version"},
		"a unit without a header":         {slices.Concat(abbrev(abbreviation...), info(prefixed([]byte{4, 0}))), ".debug_info is damaged"},
		"an unknown abbreviation":         {slices.Concat(abbrev(abbreviation...), info(changed(good, 11, 2))), ".debug_info is damaged"},
		"abbreviations elsewhere":         {slices.Concat(abbrev(abbreviation...), info(changed(good, 6, 99))), ".debug_abbrev is damaged at byte 10: a unit has its abbreviations at byte 99"},
		"abbreviations that are cut off":  {slices.Concat(abbrev(abbreviation[:8]...), info(good)), ".debug_abbrev is damaged at byte 8: a table is cut off"},
		"a table elsewhere":               {slices.Concat(abbrev(abbreviation...), info(unitOf(999, "")), line(table)), ".debug_line is damaged at byte 0: a unit has its line table at byte 999"},
		"tables that overlap":             {slices.Concat(abbrev(abbreviation...), info(append(good, unitOf(1, "")...)), line(table)), "a unit has its line table at byte 1"},
		"a table that is cut off":         {tables(table[:len(table)-1]), ".debug_line is damaged at byte 0: a line table is cut off"},
		"a table of version 6":            {tables(changed(table, 4, 6)), "a line table of version 6"},
		"several operations":              {tables(changed(table, 11, 4)), "several operations in an instruction"},
		"no range of lines":               {tables(changed(table, 14, 0)), "without a range of lines"},
		"no opcodes":                      {tables(changed(table, 15, 0)), "without a range of lines or opcodes"},
		"a header beyond the table":       {tables(changed(table, 6, 255)), "a line table ends in its header"},
		"a header that is too short":      {tables(changed(table, 6, 19)), "a line table ends in its header"},
		"addresses that descend":          {tables(tableOf(nil, nil, slices.Concat(address(9), []byte{1}, address(8), []byte{1})...)), "addresses of a sequence descend"},
		"an end that descends":            {tables(tableOf(nil, nil, slices.Concat(address(9), []byte{1}, address(8), ended())...)), "addresses of a sequence descend"},
		"an instruction that is cut off":  {tables(tableOf(nil, nil, 2, 0x80)), "a line table ends within an instruction"},
		"an instruction without argument": {tables(tableOf(nil, nil, 0, 1, 2)), "an instruction that is too short"},
		"code beyond the module":          {tables(tableOf(nil, []string{"0a.c"}, slices.Concat(one(2, 10, 1), one(50, 10, 1), one(90, 1, 1))...)), ".debug_line does not fit the code: 2 of its 3 sequences"},
		"code between functions":          {tables(tableOf(nil, []string{"0a.c"}, one(3, 5, 1)...)), "A tool changed the module after it was compiled"},
	} {
		file, _ := wasm([]int{10}, c.sections)
		_, err := sourcelines.Read(file)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "strip its debug sections") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestADamagedModuleIsRefused(t *testing.T) {
	file, _ := wasm([]int{10})
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":            {nil, "the module does not begin as a Wasm module"},
		"a component":        {[]byte("\x00asm\x0d\x00\x01\x00"), "does not begin as a Wasm module of version 1"},
		"a cut":              {file[:len(file)-1], "the module is cut off in its section 10 at byte 8"},
		"a function too few": {append(slices.Clone(file[:10]), append([]byte{2}, file[11:]...)...), "the code section of the module, at byte 8, ends within a function"},
	} {
		if _, err := sourcelines.Read(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := sourcelines.Read(file, sourcelines.DebugFile([]byte("x"))); err == nil || !strings.Contains(err.Error(), "the debug file does not begin") {
		t.Errorf("a debug file that is none: %v", err)
	}
}

func TestCodeThatALinkerRemovedHasNoLines(t *testing.T) {
	removed := slices.Concat(one(0, 10, 1), one(0xffffffff, 10, 1), one(0xfffffffe, 10, 1), []byte{0, 9, 2, 255, 255, 255, 255, 255, 255, 255, 255, 1}, ended())
	file, base := wasm([]int{10, 10}, debug("/p", tableOf(nil, []string{"0a.c"}, append(removed, one(13, 10, 1)...)...)))
	lines := read(t, file)
	if _, ok := lines.At(base + 12); ok {
		t.Error("removed code has a line")
	}
	if line, ok := lines.At(base + 13); !ok || line.File != "a.c" {
		t.Errorf("the code beside it has line %v", line)
	}
}

// TestEveryInstructionOfALineTableIsRead has each in one sequence.
func TestEveryInstructionOfALineTableIsRead(t *testing.T) {
	define := []byte("\x03b.c\x00\x01\x00\x00") // in directory 1
	program := slices.Concat(
		[]byte{0, 9, 2}, binary.LittleEndian.AppendUint64(nil, 2), // the address in 64 bits
		[]byte{3, 9, 1},                                       // from 2: line 10
		[]byte{5, 7, 6, 7, 10, 11, 12, 1},                     // column, statement, block, prologue, epilogue, instruction set
		[]byte{13 + 10 + 2},                                   // from 3: line 12
		[]byte{3, 0x7e, 2, 2, 1},                              // from 5: line 10
		[]byte{9, 1, 0, 3, 5, 1},                              // from 6: line 15
		[]byte{0, byte(len(define))}, define, []byte{4, 2, 1}, // the same address, in b.c
		[]byte{0, 2, 4, 1},     // a discriminator
		[]byte{0, 3, 99, 1, 2}, // an unknown instruction
		[]byte{8, 3, 1, 1},     // from 30: line 16
		advance(2), ended())
	file, base := wasm([]int{30}, debug("/p", tableOf([]string{"d"}, []string{"0a.c"}, program...)))
	lines := read(t, file)
	for offset, want := range map[uint32]sourcelines.Line{
		2: {File: "a.c", Number: 10}, 3: {File: "a.c", Number: 12}, 5: {File: "a.c", Number: 10}, 6: {File: "d/b.c", Number: 15}, 29: {File: "d/b.c", Number: 15},
		30: {File: "d/b.c", Number: 16}, 31: {File: "d/b.c", Number: 16},
	} {
		if got, ok := lines.At(base + offset); !ok || got != want {
			t.Errorf("the code at %d has line %v, want %v", offset, got, want)
		}
	}
	if line, ok := lines.At(base + 32); ok {
		t.Errorf("after the end is line %v", line)
	}
}

// TestNoChangeOfAByteMakesReadingFailBadly changes each byte of real modules.
func TestNoChangeOfAByteMakesReadingFailBadly(t *testing.T) {
	for name, changes := range map[string][]byte{"c5.wasm": {0xff, 0x80, 0x01}, "rust.wasm": {0xff}} {
		file := fixture(t, name)
		from := bytes.Index(file, []byte(".debug_"))
		for at := from; at < len(file); at++ {
			for _, change := range changes {
				file[at] ^= change
				probe(t, file)
				file[at] ^= change
			}
		}
	}
}

// probe reads a module and asks for lines, which may not panic. The lines must not contradict each other.
func probe(t *testing.T, file []byte, options ...sourcelines.Option) {
	lines, err := sourcelines.Read(file, options...)
	if err != nil {
		if lines != nil || err.Error() == "" {
			t.Errorf("lines and error %v", err)
		}
		return
	}
	var all []sourcelines.Line
	for offset := range uint32(len(file)) {
		if line, ok := lines.At(offset); ok && !slices.Contains(all, line) {
			all = append(all, line)
			if line.Number < 1 || !slices.Contains(lines.Files(), line.File) {
				t.Errorf("byte %d has line %v", offset, line)
			}
		}
	}
	if between := lines.Between(0, uint32(len(file))); !slices.Equal(between, all) {
		t.Errorf("between 0 and %d are %v, want %v", len(file), between, all)
	}
}

func FuzzModule(f *testing.F) {
	for _, name := range []string{"c4.wasm", "rust.wasm", "stripped.wasm"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, file []byte) { probe(t, file) })
}

// FuzzDebugSections changes sections of a module whose code stays, with functions where those of the fixtures are.
func FuzzDebugSections(f *testing.F) {
	for _, name := range []string{"c4.wasm", "c5.wasm", "rust.wasm"} {
		file := fixture(f, name)
		f.Add(section(file, ".debug_abbrev"), section(file, ".debug_info"), section(file, ".debug_line"), section(file, ".debug_str"), section(file, ".debug_line_str"), section(file, ".debug_str_offsets"))
	}
	f.Add(abbreviation, unitOf(0, "/p"), tableOf([]string{"d"}, []string{"1a.c"}, one(2, 10, 1)...), []byte{}, []byte{}, []byte{})
	ranges := section(fixture(f, "c5.wasm"), ".debug_rnglists")
	f.Fuzz(func(t *testing.T, abbrev, info, line, texts, lineTexts, offsets []byte) {
		file, _ := wasm([]int{57, 18, 50}, custom(".debug_abbrev", abbrev), custom(".debug_info", info), custom(".debug_line", line),
			custom(".debug_str", texts), custom(".debug_line_str", lineTexts), custom(".debug_str_offsets", offsets), custom(".debug_rnglists", ranges))
		probe(t, file)
	})
}

// section is the content of a custom section of a fixture; empty if it has none.
func section(file []byte, name string) []byte {
	for rest := file[8:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		content := rest[1+n : 1+n+int(size)]
		if found, ok := bytes.CutPrefix(content, sized([]byte(name))); ok && rest[0] == 0 {
			return found
		}
		rest = rest[1+n+int(size):]
	}
	return nil
}

func FuzzSourceMap(f *testing.F) {
	module := fixture(f, "stripped.wasm")
	f.Add(mapOf(`"a.mo", "b.mo"`, vlq(0x50, 0, 0, 0)+","+vlq(9, 1, 3, 0)+","+vlq(2)))
	f.Add([]byte(`{"version": 3, "sourceRoot": "/p", "sources": [null, "x"], "mappings": ";AAAA"}`))
	f.Fuzz(func(t *testing.T, text []byte) { probe(t, module, sourcelines.SourceMap(text)) })
}
