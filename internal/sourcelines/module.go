package sourcelines

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Ids of sections.
const (
	sectionCustom = 0
	sectionCode   = 10
)

// module is what a Wasm module says about its code.
type module struct {
	custom map[string][]byte // the contents of custom sections; of those with the same name, the first
	code   []byte            // the content of the code section, to which DWARF's addresses are relative
	base   uint32            // its offset in the file
	bodies []body            // ascending
}

// body is where a function lies in the content of the code section.
type body struct {
	from, locals uint32 // of its size, and of what the size counts
	end          uint32
}

// parse reads the sections of a module. what is a name of the file, for errors.
func parse(file []byte, what string) (*module, error) {
	c := cursor{data: file}
	if head := c.take(8); !bytes.Equal(head, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, fmt.Errorf("the %s does not begin as a Wasm module of version 1: give the file that the compiler wrote, unpacked if it ends with .gz", what)
	}
	m := &module{custom: map[string][]byte{}}
	for c.left() > 0 {
		at := c.at
		id := c.u8()
		s := c.sub(c.uleb())
		switch {
		case c.failed:
			return nil, fmt.Errorf("the %s is cut off in its section %d at byte %d: give the whole file", what, id, at)
		case id == sectionCode && m.code == nil:
			m.code, m.base = s.data, uint32(c.at-len(s.data))
			if !m.readBodies(s) {
				return nil, fmt.Errorf("the code section of the %s, at byte %d, ends within a function, or has more than %d: give the file that the compiler wrote", what, at, MaxFunctions)
			}
		case id == sectionCustom:
			name := s.take(s.uleb())
			if _, again := m.custom[string(name)]; !s.failed && !again {
				m.custom[string(name)] = s.data[s.at:]
			}
		}
	}
	return m, nil
}

// readBodies reads where functions are; false if one ends after the code section, or if there are too many.
func (m *module) readBodies(c cursor) bool {
	n := c.uleb()
	if n > MaxFunctions {
		return false
	}
	for ; n > 0 && !c.failed; n-- {
		from := c.at
		size := c.uleb()
		locals := c.at
		c.take(size)
		m.bodies = append(m.bodies, body{uint32(from), uint32(locals), uint32(c.at)})
	}
	return !c.failed
}

// begins reports whether a function begins at an offset in the code section: with its size or with its locals.
func (m *module) begins(offset uint32) bool {
	i, _ := slices.BinarySearchFunc(m.bodies, offset, func(b body, o uint32) int { return cmp.Compare(b.locals, o) })
	return i < len(m.bodies) && (m.bodies[i].locals == offset || m.bodies[i].from == offset)
}

// clip cuts a name to its maximum length.
func clip(name []byte) []byte { return name[:min(len(name), MaxNameBytes)] }
