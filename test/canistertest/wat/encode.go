package wat

import "encoding/binary"

func appendUnsigned(out []byte, n uint64) []byte { return binary.AppendUvarint(out, n) }

func appendSigned(out []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func appendString(out []byte, text string) []byte {
	return append(appendUnsigned(out, uint64(len(text))), text...)
}

// sectionOrder is the order of sections in a module, by id.
var sectionOrder = [...]byte{
	secType, secImport, secFunction, secTable, secMemory, secTag, secGlobal,
	secExport, secStart, secElem, secDataCount, secCode, secData,
}

const (
	secCustom    = 0
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secTable     = 4
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secStart     = 8
	secElem      = 9
	secCode      = 10
	secData      = 11
	secDataCount = 12
	secTag       = 13
	sections     = 14
)

// section is a vector under construction.
type section struct {
	count uint32
	body  []byte
}

func appendSection(out []byte, id byte, content ...[]byte) []byte {
	size := 0
	for _, c := range content {
		size += len(c)
	}
	out = appendUnsigned(append(out, id), uint64(size))
	for _, c := range content {
		out = append(out, c...)
	}
	return out
}

// binary joins the sections, custom sections where they asked to be.
func (a *assembler) binary() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	if a.usesDataCount {
		a.sections[secDataCount].count = a.spaces[spaceData].count
	}
	out = a.placeCustom(out, place{first: true})
	for _, id := range sectionOrder {
		out = a.placeCustom(out, place{section: id})
		s := &a.sections[id]
		switch {
		case id == secStart && s.count > 0:
			out = appendSection(out, id, s.body)
		case id == secDataCount && a.usesDataCount:
			out = appendSection(out, id, appendUnsigned(nil, uint64(s.count)))
		case s.count > 0 && id != secStart && id != secDataCount:
			out = appendSection(out, id, appendUnsigned(nil, uint64(s.count)), s.body)
		}
		out = a.placeCustom(out, place{section: id, after: true})
	}
	if names := a.nameSection(); names != nil {
		out = appendSection(out, secCustom, appendString(nil, "name"), names)
	}
	return a.placeCustom(out, place{last: true})
}

// nameSection has the subsections 0 (module) and 1 (functions), nil if neither
// has a name (specification, appendix "Name Section").
func (a *assembler) nameSection() []byte {
	if a.options.OmitNames || a.moduleName == "" && len(a.functionNames) == 0 {
		return nil
	}
	var out []byte
	if a.moduleName != "" {
		out = appendSection(out, 0, appendString(nil, a.moduleName))
	}
	if len(a.functionNames) > 0 {
		names := appendUnsigned(nil, uint64(len(a.functionNames)))
		for _, f := range a.functionNames {
			names = appendString(appendUnsigned(names, uint64(f.index)), f.name)
		}
		out = appendSection(out, 1, names)
	}
	return out
}
