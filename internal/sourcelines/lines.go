package sourcelines

import (
	"cmp"
	"slices"
	"strconv"
)

// Line is a line of a source file.
type Line struct {
	File   string // relative to Lines.Root, or as Own describes it
	Number int    // from 1
}

// String returns the line as FILE:LINE; empty for none.
func (l Line) String() string {
	if l == (Line{}) {
		return ""
	}
	return l.File + ":" + strconv.Itoa(l.Number)
}

// Lines are the source lines of a module. They do not change; nil and the zero value are empty.
type Lines struct {
	root      string
	files     []string
	rows      []row  // with ascending offsets; each holds up to the next
	functions []body // offsets are those in the module's file
}

// row says that code has a line, from an offset in the module's file on.
type row struct {
	offset uint32
	file   int32 // index in Lines.files; -1 if the code has no line
	number int32
}

const noFile = -1

// Empty reports whether there are no lines.
func (l *Lines) Empty() bool { return l == nil || len(l.rows) == 0 }

// Root is the directory to which names of files are relative, as the compiler knew it; empty if unknown.
func (l *Lines) Root() string {
	if l == nil {
		return ""
	}
	return l.root
}

// Files returns the names of all files that have lines, sorted.
func (l *Lines) Files() []string {
	if l == nil {
		return nil
	}
	return slices.Clone(l.files)
}

// At returns the line of the operator at an offset in the module's file; false if it has none.
func (l *Lines) At(offset uint32) (Line, bool) {
	if l.Empty() {
		return Line{}, false
	}
	if i := l.after(offset) - 1; i >= 0 && l.rows[i].file != noFile {
		return l.line(l.rows[i]), true
	}
	return Line{}, false
}

// Functions returns how many functions the code section has.
func (l *Lines) Functions() int {
	if l == nil {
		return 0
	}
	return len(l.functions)
}

// OfFunction returns the first line of a function of the code section, by its place there; false if it has none.
func (l *Lines) OfFunction(place int) (Line, bool) {
	if place < 0 || place >= l.Functions() || l.Empty() {
		return Line{}, false
	}
	f := l.functions[place]
	for i := max(l.after(f.from)-1, 0); i < len(l.rows) && l.rows[i].offset < f.end; i++ {
		if l.rows[i].file != noFile {
			return l.line(l.rows[i]), true
		}
	}
	return Line{}, false
}

// Bytes returns about how much memory the lines take.
func (l *Lines) Bytes() int {
	if l == nil {
		return 0
	}
	const perRow, perFunction, perFile = 12, 12, 16
	size := perRow*len(l.rows) + perFunction*len(l.functions)
	for _, name := range l.files {
		size += perFile + len(name)
	}
	return size
}

// Between returns the lines of the operators from an offset in the module's file up to, and without, another: each
// once, in the order of the code.
func (l *Lines) Between(from, to uint32) []Line {
	if l.Empty() || from >= to {
		return nil
	}
	const few = 16 // up to which a list is faster than a map
	var out []Line
	var seen map[Line]bool
	for i := max(l.after(from)-1, 0); i < len(l.rows) && l.rows[i].offset < to; i++ {
		if l.rows[i].file == noFile {
			continue
		}
		line := l.line(l.rows[i])
		if seen[line] || seen == nil && slices.Contains(out, line) {
			continue
		}
		out = append(out, line)
		switch {
		case seen != nil:
			seen[line] = true
		case len(out) == few:
			seen = make(map[Line]bool, 2*few)
			for _, line := range out {
				seen[line] = true
			}
		}
	}
	return out
}

// after is the index of the first row that begins after an offset.
func (l *Lines) after(offset uint32) int {
	i, _ := slices.BinarySearchFunc(l.rows, uint64(offset)+1, func(r row, o uint64) int { return cmp.Compare(uint64(r.offset), o) })
	return i
}

func (l *Lines) line(r row) Line { return Line{l.files[r.file], int(r.number)} }

// arrange makes the rows of Lines. Of rows at the same offset the last counts. No line goes on into the next function.
func (m *module) arrange(rows []row) []row {
	all := make([]row, 0, len(m.bodies)+len(rows))
	for _, b := range m.bodies {
		all = append(all, row{m.base + b.from, noFile, 0})
	}
	all = append(all, rows...)
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.offset, b.offset) })
	kept := all[:0]
	for i, r := range all {
		if i+1 < len(all) && all[i+1].offset == r.offset {
			continue
		}
		if n := len(kept); n == 0 && r.file == noFile || n > 0 && kept[n-1].file == r.file && kept[n-1].number == r.number {
			continue
		}
		kept = append(kept, r)
	}
	return slices.Clip(kept)
}

// sorted drops files without rows, merges files of the same name, sorts them, and renumbers the files of the rows.
func (l *Lines) sorted() *Lines {
	if len(l.rows) == 0 {
		return &Lines{}
	}
	used := make([]bool, len(l.files))
	for _, r := range l.rows {
		if r.file != noFile {
			used[r.file] = true
		}
	}
	var names []string
	for i, name := range l.files {
		if used[i] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	number := make([]int32, len(l.files))
	for i, name := range l.files {
		at, _ := slices.BinarySearch(names, name)
		number[i] = int32(at)
	}
	for i := range l.rows {
		if f := l.rows[i].file; f != noFile {
			l.rows[i].file = number[f]
		}
	}
	l.files = names
	return l
}

// offsetBodies returns where functions are in the file.
func (m *module) offsetBodies() []body {
	all := make([]body, len(m.bodies))
	for i, b := range m.bodies {
		all[i] = body{m.base + b.from, m.base + b.locals, m.base + b.end}
	}
	return all
}
