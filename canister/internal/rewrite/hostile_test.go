package rewrite

import (
	"strings"
	"testing"
)

func TestHostileSizesAreRefusedBeforeTheyCost(t *testing.T) {
	header := "\x00asm\x01\x00\x00\x00"
	section := func(id byte, content ...byte) string { return string(appendSection(nil, id, content)) }
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	for name, raw := range map[string]string{
		"types":            header + section(sectionType, huge...),
		"parameters":       header + section(sectionType, append([]byte{1, 0x60}, huge...)...),
		"functions":        header + section(sectionFunction, huge...),
		"bodies":           header + section(sectionCode, huge...),
		"a section":        header + "\x01\xff\xff\xff\xff\x0f",
		"a name":           header + section(sectionImport, append([]byte{1}, huge...)...),
		"data":             header + section(sectionData, append([]byte{1, 1}, huge...)...),
		"elements":         header + section(sectionElement, append([]byte{1, 1, 0}, huge...)...),
		"locals":           header + section(sectionType, 1, 0x60, 0, 0) + section(sectionFunction, 1, 0) + section(sectionCode, 1, 8, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b),
		"groups of locals": header + section(sectionType, 1, 0x60, 0, 0) + section(sectionFunction, 1, 0) + section(sectionCode, 1, 6, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0b),
		"targets": header + section(sectionType, 1, 0x60, 0, 0) + section(sectionFunction, 1, 0) +
			section(sectionCode, 1, 10, 0, opI32Const, 0, opBrTable, 0xff, 0xff, 0xff, 0xff, 0x0f, opEnd),
		"a table":  header + section(sectionTable, append([]byte{1, 0x70, 0}, huge...)...),
		"a memory": header + section(sectionMemory, append([]byte{1, 0}, huge...)...),
	} {
		if _, err := Rewrite([]byte(raw), conformance); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestAModuleDeclaringMillionsOfLocalsIsRefused(t *testing.T) {
	text := "(module " + strings.Repeat("(func (local "+strings.Repeat("i32 ", 40_000)+"))", 5) + ")"
	raw := assemble(t, text)
	if _, err := Rewrite(raw, conformance); err != nil {
		t.Fatal(err)
	}
	locals := []byte{1, 0xc0, 0xb8, 0x02, 0x7f, opEnd} // 40,000 of i32
	out := appendSection([]byte("\x00asm\x01\x00\x00\x00"), sectionType, []byte{1, 0x60, 0, 0})
	out = appendSection(out, sectionFunction, append(appendU32(nil, 300), make([]byte, 300)...))
	out = appendSection(out, sectionCode, append(appendU32(nil, 300), strings.Repeat(string(appendCode(nil, locals)), 300)...))
	if _, err := Rewrite(out, conformance); err == nil || !strings.Contains(err.Error(), "declare more than 10000000") {
		t.Error(err)
	}
}

func TestDeepNestingIsAnAnswer(t *testing.T) {
	for _, depth := range []int{1000, 99_000} {
		code := append(append([]byte{0}, strings.Repeat("\x02\x40", depth)...), strings.Repeat("\x0b", depth+1)...)
		raw := appendSection([]byte("\x00asm\x01\x00\x00\x00"), sectionType, []byte{1, 0x60, 0, 0})
		raw = appendSection(raw, sectionFunction, []byte{1, 0})
		raw = appendSection(raw, sectionCode, appendCode([]byte{1}, code))
		if _, err := Rewrite(raw, conformance); err != nil {
			t.Errorf("%d: %v", depth, err)
		}
	}
}
