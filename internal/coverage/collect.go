package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

// collector collects what ran of files.
type collector struct {
	others bool // whether the sources of others count
	counts map[string]bool
	files  map[place]*collected
}

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

func newCollector(others bool) *collector {
	return &collector{others: others, counts: map[string]bool{}, files: map[place]*collected{}}
}

func (c *collector) file(at place) *collected {
	f := c.files[at]
	if f == nil {
		f = &collected{lines: map[int]Ratio{}, begins: map[begin]bool{}}
		c.files[at] = f
	}
	return f
}

// counting returns the lines that count.
func (c *collector) counting(lines []sourcelines.Line) []sourcelines.Line {
	return slices.DeleteFunc(lines, func(l sourcelines.Line) bool {
		own, known := c.counts[l.File]
		if !known {
			own = c.others || sourcelines.Own(l.File)
			c.counts[l.File] = own
		}
		return !own
	})
}

// line counts a block with an operator on a line.
func (c *collector) line(l sourcelines.Line, ran bool) {
	c.file(place{name: l.File}).line(l.Number, ran)
}

// line counts a block.
func (c *collected) line(number int, ran bool) {
	r := c.lines[number]
	r.count(ran)
	c.lines[number] = r
}

// function notes where a function begins.
func (c *collected) function(f *Called, line int) {
	at := begin{line, f.Name}
	c.begins[at] = c.begins[at] || f.Ran()
}

// measure adds up a module: for the canister, and in the collector of all canisters.
func (c *Canister) measure(m *Module, others bool, all *collector) {
	mine := newCollector(others)
	for i := range m.Functions {
		c.measureLines(m, &m.Functions[i], mine, all)
	}
	if c.HasLines = len(c.Functions) > 0; !c.HasLines {
		c.LeftOut = 0
		for i := range m.Functions {
			c.measureBlocks(&m.Functions[i], mine, all)
		}
	}
	c.Files = mine.list()
	c.Lines = ownLines(c.Files)
}

// measureLines adds up the blocks of a function that have lines that count.
func (c *Canister) measureLines(m *Module, f *Function, collectors ...*collector) {
	called := f.called()
	for _, b := range f.Blocks {
		lines := collectors[0].counting(m.Lines.Between(b.From, b.To))
		if len(lines) == 0 {
			continue
		}
		if called.Blocks.count(b.Ran); called.File == "" {
			called.File, called.Line = lines[0].File, lines[0].Number
		}
		for _, l := range lines {
			for _, collector := range collectors {
				collector.line(l, b.Ran)
			}
		}
	}
	if called.Blocks.Total == 0 {
		c.LeftOut++
		return
	}
	for _, collector := range collectors {
		collector.file(place{name: called.File}).function(&called, called.Line)
	}
	called.File = printable(called.File)
	c.append(called)
}

// measureBlocks adds up a function of a module without lines.
func (c *Canister) measureBlocks(f *Function, collectors ...*collector) {
	called := f.called()
	for _, b := range f.Blocks {
		called.Blocks.count(b.Ran)
	}
	for _, collector := range collectors {
		file := collector.file(place{c.Label + ".wasm", true})
		for _, b := range f.Blocks {
			file.line(int(f.Index), b.Ran)
		}
		file.function(&called, int(f.Index))
	}
	c.append(called)
}

func (f *Function) called() Called {
	name := printable(f.Name)
	if name == "" {
		name = fmt.Sprintf("function %d", f.Index)
	}
	return Called{Name: name, Kind: printable(f.Kind), Index: f.Index}
}

func (c *Canister) append(called Called) {
	c.Functions = append(c.Functions, called)
	c.Totals.Functions.count(called.Ran())
	c.Blocks.add(called.Blocks)
}

// list returns the files in the order of names.
func (c *collector) list() []File {
	var all []File
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(hit(a.module), hit(b.module)))
	}
	for _, at := range slices.SortedFunc(maps.Keys(c.files), order) {
		f := c.files[at]
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
