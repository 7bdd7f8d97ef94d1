package sourcelines

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// table is a line table: the names in its header, and its program.
type table struct {
	at          int // in .debug_line, for errors
	version     uint16
	wide        bool // the 64-bit format of DWARF
	step        int  // the minimum size of an instruction
	lineBase    int
	lineRange   int
	opcodes     int    // the first special opcode
	arguments   []byte // how many arguments standard opcodes have; [0] is of opcode 1
	directories [][]byte
	files       []fileName
	program     cursor
}

// fileName is a file as a table names it.
type fileName struct {
	directory uint64 // index in the table's directories
	name      []byte
}

// tables reads the line tables of units, in the order of the section. Each is read once; end is where the last ended.
type tables struct {
	sections
	end int
}

// read reads the header of the table at an offset. Offsets ascend.
func (t *tables) read(at int64) (*table, error) {
	const section = ".debug_line"
	data := t.sections[section]
	if at < int64(t.end) || at >= int64(len(data)) {
		return nil, damaged(section, t.end, fmt.Sprintf("a unit has its line table at byte %d", at))
	}
	c := cursor{data: data, at: int(at)}
	n, wide := c.length()
	content := c.sub(n)
	if c.failed {
		return nil, damaged(section, int(at), "a line table is cut off")
	}
	t.end = c.at
	out := &table{at: int(at), wide: wide}
	if problem := t.header(out, &content); problem != "" {
		return nil, damaged(section, int(at), problem)
	}
	return out, nil
}

// header reads a header after its length, and says what is wrong with it.
func (t *tables) header(out *table, c *cursor) (problem string) {
	if out.version = c.u16(); out.version < 2 || out.version > 5 {
		return fmt.Sprintf("a line table of version %d", out.version)
	}
	if out.version == 5 {
		c.take(2) // sizes of addresses and of segment selectors
	}
	head := c.sub(c.offset(out.wide))
	if out.program = *c; c.failed {
		return "a line table ends in its header"
	}
	out.step = int(head.u8())
	if out.version >= 4 && head.u8() != 1 {
		return "a line table with several operations in an instruction"
	}
	head.u8() // whether rows are statements
	out.lineBase = int(int8(head.u8()))
	out.lineRange = int(head.u8())
	out.opcodes = int(head.u8())
	if out.lineRange == 0 || out.opcodes == 0 {
		return "a line table without a range of lines or opcodes"
	}
	out.arguments = head.take(uint64(out.opcodes - 1))
	if out.version < 5 {
		problem = out.oldNames(&head)
	} else {
		problem = t.names(out, &head)
	}
	if problem == "" && head.failed {
		problem = "a line table ends in its header"
	}
	return problem
}

// oldNames reads the directories and files of versions 2 to 4, in which numbers begin with 1.
func (t *table) oldNames(c *cursor) (problem string) {
	t.directories, t.files = [][]byte{nil}, []fileName{{}}
	for {
		name := c.text()
		if len(name) == 0 {
			break
		}
		if len(t.directories) > MaxTableNames {
			return tooMany("directories")
		}
		t.directories = append(t.directories, clip(name))
	}
	for {
		name := c.text()
		if len(name) == 0 {
			return ""
		}
		if !t.define(name, c) {
			return tooMany("files")
		}
	}
}

// define adds a file of which the rest follows; false if there are too many.
func (t *table) define(name []byte, c *cursor) bool {
	if len(t.files) > MaxTableNames {
		return false
	}
	t.files = append(t.files, fileName{c.uleb(), clip(name)})
	c.uleb() // time
	c.uleb() // size
	return true
}

func tooMany(what string) string {
	return fmt.Sprintf("a line table with more than %d %s", MaxTableNames, what)
}

// names reads the directories and files of version 5.
func (t *tables) names(out *table, c *cursor) (problem string) {
	directories, problem := t.list(out.wide, c)
	if problem != "" {
		return problem
	}
	for _, d := range directories {
		out.directories = append(out.directories, d.name)
	}
	out.files, problem = t.list(out.wide, c)
	return problem
}

// list reads a list of names of version 5.
func (t *tables) list(wide bool, c *cursor) (all []fileName, problem string) {
	var format [][2]uint64
	for range c.u8() {
		format = append(format, [2]uint64{c.uleb(), c.uleb()})
	}
	n := c.uleb()
	if n > MaxTableNames {
		return nil, tooMany("directories or files")
	}
	for range n {
		if c.failed {
			break
		}
		f, ok := t.entry(format, wide, c)
		if !ok {
			return nil, "a line table whose names have an unknown form"
		}
		all = append(all, f)
	}
	return all, ""
}

// Contents and forms of names in version 5.
const (
	contentPath      = 1
	contentDirectory = 2

	formData2    = 0x05
	formData4    = 0x06
	formData8    = 0x07
	formString   = 0x08
	formBlock    = 0x09
	formData1    = 0x0b
	formStrp     = 0x0e
	formUdata    = 0x0f
	formData16   = 0x1e
	formLineStrp = 0x1f
)

// entry reads a name in its format.
func (t *tables) entry(format [][2]uint64, wide bool, c *cursor) (f fileName, ok bool) {
	for _, field := range format {
		var name []byte
		var number uint64
		switch field[1] {
		case formString:
			name = c.text()
		case formLineStrp:
			name = t.stringAt(".debug_line_str", c.offset(wide))
		case formStrp:
			name = t.stringAt(".debug_str", c.offset(wide))
		case formUdata:
			number = c.uleb()
		case formData1:
			number = uint64(c.u8())
		case formData2:
			number = uint64(c.u16())
		case formData4:
			number = uint64(c.u32())
		case formData8:
			number = c.u64()
		case formData16:
			c.take(16)
		case formBlock:
			c.take(c.uleb())
		default:
			return f, false
		}
		switch field[0] {
		case contentPath:
			f.name = clip(name)
		case contentDirectory:
			f.directory = number
		}
	}
	return f, true
}

// stringAt returns a string of a section; nil if it is not there.
func (t *tables) stringAt(section string, at uint64) []byte {
	data := t.sections[section]
	if at >= uint64(len(data)) {
		return nil
	}
	name := data[at:min(at+MaxNameBytes, uint64(len(data)))]
	if end := slices.Index(name, 0); end >= 0 {
		name = name[:end]
	}
	return name
}

// path returns the path of a file of the table; empty if it has no such file. directory is that of the unit.
func (t *table) path(file uint64, directory string) string {
	if file >= uint64(len(t.files)) {
		return ""
	}
	f := t.files[file]
	name := slashed(string(f.name))
	if f.directory < uint64(len(t.directories)) {
		name = joined(slashed(string(t.directories[f.directory])), name)
	}
	return joined(slashed(directory), name)
}

// joined returns a path below a directory, unless it is absolute.
func joined(directory, name string) string {
	if name == "" || directory == "" || absolute(name) {
		return name
	}
	return path.Join(directory, name)
}

// slashed returns a path with slashes. Only those with a drive or a host of Windows have backslashes.
func slashed(name string) string {
	if strings.HasPrefix(name, `\\`) || len(name) > 2 && name[1] == ':' && name[2] == '\\' {
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// absolute reports whether a path with slashes begins at a root, a drive, or is no path at all, as <moc-asset>.
func absolute(name string) bool {
	return name[0] == '/' || name[0] == '<' || len(name) > 2 && name[1] == ':' && name[2] == '/'
}
