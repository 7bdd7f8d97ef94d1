package sourcelines

import (
	"bytes"
	"debug/dwarf"
	"errors"
	"fmt"
)

// unit is what is needed of a unit of debug information.
type unit struct {
	directory string // in which the compiler ran
	table     int64  // offset of its line table in .debug_line
}

// sections are the custom sections of a file with debug information.
type sections map[string][]byte

const remedy = "build the canister again, or strip its debug sections to go without source lines"

// damaged is the error for a section that cannot be read.
func damaged(section string, at int, problem string) error {
	return fmt.Errorf("the section %s is damaged at byte %d: %s; %s", section, at, problem, remedy)
}

// undecoded is the error for what debug/dwarf cannot read; at is where in .debug_info, if it does not say.
func undecoded(at int, err error) error {
	if d, ok := errors.AsType[dwarf.DecodeError](err); ok {
		return damaged(".debug_"+d.Name, int(d.Offset), d.Err)
	}
	return damaged(".debug_info", at, err.Error())
}

// units reads the units that have a line table, in their order. debug/dwarf gets nothing that could make it take long:
// headers and abbreviations were counted, and no string is long.
func (s sections) units() (all []unit, err error) {
	defer func() {
		if problem := recover(); problem != nil { // debug/dwarf does on some damage
			all, err = nil, damaged(".debug_info", 0, fmt.Sprint(problem))
		}
	}()
	roots, err := s.roots()
	if err != nil || len(roots) == 0 {
		return nil, err
	}
	data, err := dwarf.New(s[".debug_abbrev"], nil, nil, s[".debug_info"], nil, nil, nil, shortStrings(s[".debug_str"]))
	if err != nil {
		return nil, undecoded(0, err)
	}
	for _, name := range []string{".debug_line_str", ".debug_str_offsets", ".debug_addr", ".debug_rnglists"} {
		content := s[name]
		if name == ".debug_line_str" {
			content = shortStrings(content)
		}
		if err := data.AddSection(name, content); err != nil {
			return nil, damaged(name, 0, err.Error())
		}
	}
	for _, at := range roots {
		r := data.Reader()
		r.Seek(dwarf.Offset(at))
		entry, err := r.Next()
		if err != nil {
			return nil, undecoded(at, err)
		}
		if entry == nil {
			continue
		}
		table, ok := entry.Val(dwarf.AttrStmtList).(int64)
		directory, _ := entry.Val(dwarf.AttrCompDir).(string)
		if ok {
			all = append(all, unit{directory, table})
		}
	}
	return all, nil
}

// roots returns where the first entry of each unit is.
func (s sections) roots() (all []int, err error) {
	abbreviations := abbreviations{data: s[".debug_abbrev"], known: map[uint64]bool{}}
	for c := (&cursor{data: s[".debug_info"]}); c.left() > 0; {
		at := c.at
		n, wide := c.length()
		base := c.at
		content := c.sub(n)
		if c.failed {
			return nil, damaged(".debug_info", at, "a unit is cut off")
		}
		if n == 0 {
			continue
		}
		if len(all) == MaxUnits {
			return nil, fmt.Errorf("the section .debug_info has more than %d units: build with fewer debug information (Rust: debug = \"line-tables-only\")", MaxUnits)
		}
		table, size := unitHeader(&content, wide)
		if content.failed {
			return nil, damaged(".debug_info", at, "a unit has an unknown version, or ends in its header")
		}
		if err := abbreviations.check(table); err != nil {
			return nil, err
		}
		if content.left() > 0 {
			all = append(all, base+size)
		}
	}
	return all, nil
}

// unitHeader reads the header of a unit after its length: where its abbreviations are, and the size of the header.
func unitHeader(c *cursor, wide bool) (table uint64, size int) {
	const skeleton, typeUnit, splitCompile, splitType = 4, 2, 5, 6
	version, kind := c.u16(), byte(0)
	switch {
	case version < 2 || version > 5:
		c.failed = true
	case version == 5:
		kind = c.u8()
		c.u8() // size of addresses
		table = c.offset(wide)
	default:
		table = c.offset(wide)
		c.u8()
	}
	switch kind {
	case skeleton, splitCompile:
		c.u64()
	case typeUnit, splitType:
		c.u64()
		c.offset(wide)
	}
	return table, c.at
}

// abbreviations counts what reading the tables of abbreviations costs.
type abbreviations struct {
	data  []byte
	known map[uint64]bool // tables that were counted
	read  int             // bytes of all tables
}

func (a *abbreviations) check(table uint64) error {
	const section = ".debug_abbrev"
	if a.known[table] {
		return nil
	}
	a.known[table] = true
	if table > uint64(len(a.data)) {
		return damaged(section, len(a.data), fmt.Sprintf("a unit has its abbreviations at byte %d", table))
	}
	c := cursor{data: a.data, at: int(table)}
	for c.uleb() != 0 && !c.failed {
		at := c.at
		c.uleb() // the tag
		c.u8()   // whether it has children
		if n := attributes(&c); n > MaxAttributes {
			return damaged(section, at, fmt.Sprintf("an entry has more than %d attributes", MaxAttributes))
		}
	}
	if c.failed {
		return damaged(section, c.at, "a table is cut off")
	}
	if a.read += c.at - int(table); a.read > MaxAbbreviationBytes {
		return fmt.Errorf("the tables of the section .debug_abbrev have more than %d bytes together: %s", MaxAbbreviationBytes, remedy)
	}
	return nil
}

// attributes skips the attributes of an abbreviation and counts them, up to one above the maximum.
func attributes(c *cursor) (n int) {
	const implicitConst = 0x21
	for ; n <= MaxAttributes; n++ {
		attribute, form := c.uleb(), c.uleb()
		if attribute == 0 && form == 0 || c.failed {
			break
		}
		if form == implicitConst {
			c.sleb()
		}
	}
	return n
}

// shortStrings returns a section of strings in which none is longer than a name: the rest of a longer one is cut off.
func shortStrings(section []byte) []byte {
	copied := false
	for at := 0; at < len(section); {
		n := bytes.IndexByte(section[at:min(at+MaxNameBytes+1, len(section))], 0)
		if n < 0 {
			if at+MaxNameBytes >= len(section) {
				break
			}
			if !copied {
				section, copied = bytes.Clone(section), true
			}
			n = MaxNameBytes
			section[at+n] = 0
		}
		at += n + 1
	}
	return section
}
