package coverage

import (
	"fmt"
	"slices"
)

// Ratio is how many of a number of things ran.
type Ratio struct{ Ran, Total int }

func (r *Ratio) count(ran bool) {
	r.Total++
	if ran {
		r.Ran++
	}
}

func (r *Ratio) add(o Ratio) { r.Ran, r.Total = r.Ran+o.Ran, r.Total+o.Total }

// Percent is the ratio in percent with one decimal, rounded down: it is 100.0 only if all ran. It is "-" of nothing.
func (r Ratio) Percent() string {
	if r.Total == 0 {
		return "-"
	}
	tenths := uint64(r.Ran) * 1000 / uint64(r.Total)
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// Totals are sums over what counts.
type Totals struct{ Functions, Blocks, Lines Ratio }

func (t *Totals) add(o Totals) {
	t.Functions.add(o.Functions)
	t.Blocks.add(o.Blocks)
	t.Lines.add(o.Lines)
}

// Options are what a summary takes in and what its forms show.
type Options struct {
	// All takes in the sources of others: standard libraries, packages.
	All bool
	// Source returns the text of a source file by its name in sourcelines.Lines; false if it is not at hand. nil: none
	// is. Names come from the module, so it must refuse those that lead out of the project.
	Source func(file string) ([]byte, bool)
	// Milliseconds is the time of the report since 1970, which Cobertura has.
	Milliseconds int64
}

// Summary is what ran, added up.
type Summary struct {
	Canisters []Canister // in the order of labels
	Files     []File     // of all canisters, in the order of names
	Totals               // lines of a file that several canisters have count once
	roots     []string
	options   Options
}

// Canister is the part of a summary about a module of a canister. It is complete if [Summarize] or [NewCanister] made it.
type Canister struct {
	// Label is the printable name of the canister; if it has several modules, with the beginning of the hash.
	Label string
	Totals
	HasLines  bool // whether Totals.Lines says something
	Functions []Called
	Files     []File // in the order of names
	LeftOut   int    // functions without own sources
	// Root is the folder to which the names of files are relative; empty if it is unknown.
	Root  string
	lines map[string]map[int]Ratio // by the file's name in sourcelines
}

// NewCanister returns a canister that was added up elsewhere: its functions, and the lines of its files, which need no
// functions.
func NewCanister(label string, functions []Called, files []File, leftOut int, root string) Canister {
	c := Canister{Label: label, Functions: functions, LeftOut: leftOut, Root: root, lines: map[string]map[int]Ratio{}}
	for i := range functions {
		functions[i].file = functions[i].File
	}
	for i := range files {
		lines := map[int]Ratio{}
		for _, m := range files[i].Lines {
			lines[m.Number] = m.Blocks
		}
		c.lines[files[i].Name] = lines
	}
	c.complete()
	return c
}

// complete adds up functions and lines.
func (c *Canister) complete() {
	for i := range c.Functions {
		c.Totals.Functions.count(c.Functions[i].Ran())
		c.Blocks.add(c.Functions[i].Blocks)
	}
	c.HasLines = len(c.lines) > 0
	c.Files = filesOf(*c)
	c.Lines = ownLines(c.Files)
}

// Called is a function that counts, with its blocks that count.
type Called struct {
	Name, Kind string // printable
	Index      uint32
	File       string // where it begins; empty if the module has no lines
	Line       int
	Blocks     Ratio
	file       string // as sourcelines has it
}

// Ran reports whether the function was called.
func (c *Called) Ran() bool { return c.Blocks.Ran > 0 }

// File is what ran of a source file, or of a module without lines.
type File struct {
	Name      string // printable
	Module    bool   // a module without lines: numbers of lines are indices of functions
	Lines     []Mark // in the order of numbers
	Functions []Begin
	name      string // as sourcelines has it
}

// Mark is what ran of a line: how many of the blocks with an operator on it.
type Mark struct {
	Number int
	Blocks Ratio
}

// Begin is a function at the line where it begins.
type Begin struct {
	Name string // printable, one of a kind in its file
	Line int
	Ran  bool
}

// Covered is how many of the lines of a file ran, if only in part.
func (f *File) Covered() (r Ratio) {
	for _, m := range f.Lines {
		r.count(m.Blocks.Ran > 0)
	}
	return r
}

// Called is how many of the functions of a file ran.
func (f *File) Called() (r Ratio) {
	for _, b := range f.Functions {
		r.count(b.Ran)
	}
	return r
}

// Summarize adds up a report.
func Summarize(r *Report, options Options) *Summary {
	several := map[string]int{}
	for i := range r.Modules {
		several[r.Modules[i].Name]++
	}
	canisters := make([]Canister, len(r.Modules))
	for i := range r.Modules {
		m := &r.Modules[i]
		label := printable(m.Name)
		if several[m.Name] > 1 {
			label += fmt.Sprintf(" (%x)", m.Hash[:4])
		}
		canisters[i] = measure(label, m, options.All)
		canisters[i].Root = m.Lines.Root()
	}
	return Join(canisters, options)
}

// Join returns the summary of canisters.
func Join(canisters []Canister, options Options) *Summary {
	s := &Summary{Canisters: canisters, Files: filesOf(canisters...), options: options}
	for i := range canisters {
		c := &canisters[i]
		s.add(c.Totals)
		if c.Root != "" && !slices.Contains(s.roots, c.Root) {
			s.roots = append(s.roots, c.Root)
		}
	}
	slices.Sort(s.roots)
	s.Lines = ownLines(s.Files)
	return s
}

// ownLines is how many of the lines of source files ran.
func ownLines(files []File) (r Ratio) {
	for i := range files {
		if !files[i].Module {
			r.add(files[i].Covered())
		}
	}
	return r
}
