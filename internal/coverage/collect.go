package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

// collector collects what ran of files.
type collector map[place]*collected

// place is what lines and functions lie in.
type place struct {
	name   string
	module bool // a module without lines
}

type collected struct {
	lines  map[int]Ratio
	begins map[begin]bool // whether it ran
}

// begin is a function as a file has it. Copies of a generic function are one.
type begin struct {
	line int
	name string
}

func (c collector) file(at place) *collected {
	f := c[at]
	if f == nil {
		f = &collected{lines: map[int]Ratio{}, begins: map[begin]bool{}}
		c[at] = f
	}
	return f
}

// line adds blocks with code of a line.
func (c *collected) line(number int, blocks Ratio) {
	r := c.lines[number]
	r.add(blocks)
	c.lines[number] = r
}

// function notes where a function begins.
func (c *collected) function(f *Called, line int) {
	at := begin{line, f.Name}
	c.begins[at] = c.begins[at] || f.Ran()
}

// filesOf returns the files of canisters in the order of names.
func filesOf(canisters ...Canister) []File {
	all := collector{}
	for i := range canisters {
		all.add(&canisters[i])
	}
	return all.list()
}

// add adds the files of a canister.
func (c collector) add(of *Canister) {
	if !of.HasLines {
		file := c.file(place{of.Label + ".wasm", true})
		for i := range of.Functions {
			f := &of.Functions[i]
			if f.Blocks.Total > 0 {
				file.line(int(f.Index), f.Blocks)
			}
			file.function(f, int(f.Index))
		}
		return
	}
	for name, lines := range of.lines {
		for number, blocks := range lines {
			c.file(place{name: name}).line(number, blocks)
		}
	}
	for i := range of.Functions {
		f := &of.Functions[i]
		c.file(place{name: f.file}).function(f, f.Line)
	}
}

// measuring is the state of measure.
type measuring struct {
	Canister
	all bool            // whether the sources of others count
	own map[string]bool // whether a file counts
}

// measure adds up the module of a canister.
func measure(label string, m *Module, all bool) Canister {
	c := measuring{Canister{Label: label, lines: map[string]map[int]Ratio{}}, all, map[string]bool{}}
	for i := range m.Functions {
		c.measureLines(m, &m.Functions[i])
	}
	if len(c.Functions) == 0 {
		c.LeftOut = 0
		for i := range m.Functions {
			c.measureBlocks(&m.Functions[i])
		}
	}
	c.complete()
	return c.Canister
}

// counting returns the lines that count.
func (c *measuring) counting(lines []sourcelines.Line) []sourcelines.Line {
	return slices.DeleteFunc(lines, func(l sourcelines.Line) bool {
		own, known := c.own[l.File]
		if !known {
			own = c.all || sourcelines.Own(l.File)
			c.own[l.File] = own
		}
		return !own
	})
}

// measureLines adds up the blocks of a function that have lines that count.
func (c *measuring) measureLines(m *Module, f *Function) {
	called := f.called()
	for _, b := range f.Blocks {
		lines := c.counting(m.Lines.Between(b.From, b.To))
		if len(lines) == 0 {
			continue
		}
		if called.Blocks.count(b.Ran); called.file == "" {
			called.file, called.File, called.Line = lines[0].File, printable(lines[0].File), lines[0].Number
		}
		for _, l := range lines {
			if c.lines[l.File] == nil {
				c.lines[l.File] = map[int]Ratio{}
			}
			r := c.lines[l.File][l.Number]
			r.count(b.Ran)
			c.lines[l.File][l.Number] = r
		}
	}
	if called.Blocks.Total == 0 {
		c.LeftOut++
		return
	}
	c.Functions = append(c.Functions, called)
}

// measureBlocks adds up a function of a module without lines.
func (c *measuring) measureBlocks(f *Function) {
	called := f.called()
	for _, b := range f.Blocks {
		called.Blocks.count(b.Ran)
	}
	c.Functions = append(c.Functions, called)
}

func (f *Function) called() Called {
	name := printable(f.Name)
	if name == "" {
		name = fmt.Sprintf("function %d", f.Index)
	}
	return Called{Name: name, Kind: printable(f.Kind), Index: f.Index}
}

// list returns the files in the order of names.
func (c collector) list() []File {
	var all []File
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(hit(a.module), hit(b.module)))
	}
	for _, at := range slices.SortedFunc(maps.Keys(c), order) {
		f := c[at]
		file := File{Name: at.name, Module: at.module, name: at.name}
		if !at.module {
			file.Name = printable(at.name)
		}
		for _, n := range slices.Sorted(maps.Keys(f.lines)) {
			file.Lines = append(file.Lines, Mark{n, f.lines[n]})
		}
		file.Functions = f.functions()
		all = append(all, file)
	}
	return all
}

// functions returns the functions of a file in the order of lines. If several have the same name, their lines tell them
// apart.
func (c *collected) functions() []Begin {
	order := func(a, b begin) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.name, b.name)) }
	lines := map[string]int{}
	begins := slices.SortedFunc(maps.Keys(c.begins), order)
	for _, b := range begins {
		lines[b.name]++
	}
	var all []Begin
	for _, b := range begins {
		name := b.name
		if lines[name] > 1 {
			name = fmt.Sprintf("%s (line %d)", name, b.line)
		}
		all = append(all, Begin{name, b.line, c.begins[b]})
	}
	return all
}
