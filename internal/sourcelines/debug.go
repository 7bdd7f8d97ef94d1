package sourcelines

import (
	"cmp"
	"fmt"
	"slices"
)

// gathering makes lines of the line tables of a module.
type gathering struct {
	*module
	rows      []row
	files     map[string]int32 // paths, numbered
	paths     []string
	below     map[string]int // how many own files lie below a unit's directory
	sequences int            // all, and those that begin with a function
	fitting   int
}

// readDebug reads the lines of a module from sections of debug information.
func readDebug(m *module, from sections) (*Lines, error) {
	units, err := from.units()
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return &Lines{}, nil
	}
	g := &gathering{module: m, files: map[string]int32{}, below: map[string]int{}}
	// Units may share a table: the first one counts.
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(a.table, b.table) })
	units = slices.CompactFunc(units, func(a, b unit) bool { return a.table == b.table })
	tables, left := &tables{sections: from}, MaxRows
	for _, u := range units {
		t, err := tables.read(u.table)
		if err != nil {
			return nil, err
		}
		if left, err = g.add(u, t, left); err != nil {
			return nil, err
		}
	}
	if 2*g.fitting < g.sequences {
		return nil, fmt.Errorf("the section .debug_line does not fit the code: %d of its %d sequences begin where no function does. "+
			"A tool changed the module after it was compiled (ic-wasm, wasm-opt): give the module as compiled, or strip its debug sections", g.sequences-g.fitting, g.sequences)
	}
	return g.lines(), nil
}

// add adds the rows of a table, of which left may come, and returns how many may come then.
func (g *gathering) add(u unit, t *table, left int) (int, error) {
	numbers := map[uint64]int32{}
	own := map[int32]bool{}
	number := func(file uint64) (int32, error) {
		if n, ok := numbers[file]; ok {
			return n, nil
		}
		n, err := g.file(t.path(file, u.directory))
		if err != nil {
			return 0, err
		}
		numbers[file] = n
		if directory := slashed(u.directory); n != noFile && !own[n] && under(directory, g.paths[n]) && Own(shortened(g.paths[n])) {
			own[n] = true
			g.below[directory]++
		}
		return n, nil
	}
	m := &machine{table: t, left: left, emit: func(sequence []step, end uint64) error { return g.sequence(sequence, end, number) }}
	err := m.run()
	return m.left, err
}

// sequence adds the rows of a sequence. Linkers leave those of functions that they remove at address 0 or -1.
func (g *gathering) sequence(steps []step, end uint64, number func(uint64) (int32, error)) error {
	const removed = 0xfffffff0
	start := steps[0].address
	if start == 0 || start >= removed {
		return nil
	}
	if g.sequences++; end > uint64(len(g.code)) {
		return nil // does not fit
	}
	if g.begins(uint32(start)) {
		g.fitting++
	}
	for i, s := range steps {
		if nextAddress(steps, i, end) == s.address {
			continue // it has no code
		}
		r := row{g.base + uint32(s.address), noFile, 0}
		if s.line > 0 && s.line <= MaxLine {
			n, err := number(s.file)
			if err != nil {
				return err
			}
			if n != noFile {
				r.file, r.number = n, int32(s.line)
			}
		}
		g.rows = append(g.rows, r)
	}
	g.rows = append(g.rows, row{g.base + uint32(end), noFile, 0})
	return nil
}

// file numbers a path.
func (g *gathering) file(path string) (int32, error) {
	if path == "" {
		return noFile, nil
	}
	n, known := g.files[path]
	if !known {
		if len(g.paths) == MaxFiles {
			return 0, fmt.Errorf("the section .debug_line has lines of more than %d files: %s", MaxFiles, remedy)
		}
		n = int32(len(g.paths))
		g.files[path] = n
		g.paths = append(g.paths, path)
	}
	return n, nil
}

// lines names the files and arranges the rows.
func (g *gathering) lines() *Lines {
	// The end of a sequence must not hide the beginning of another that was added before.
	slices.SortStableFunc(g.rows, func(a, b row) int {
		if a.offset != b.offset {
			return cmp.Compare(a.offset, b.offset)
		}
		return cmp.Compare(min(a.file, 0), min(b.file, 0))
	})
	root := g.root()
	l := &Lines{root: root, rows: g.arrange(g.rows), functions: g.offsetBodies()}
	for _, p := range g.paths {
		l.files = append(l.files, named(p, root))
	}
	return l.sorted()
}

// root is the directory below which most own files of its units lie.
func (g *gathering) root() string {
	best := ""
	// The best is the same in any order.
	for directory, n := range g.below {
		if most := g.below[best]; n > most || n == most && (len(directory) < len(best) || len(directory) == len(best) && directory < best) {
			best = directory
		}
	}
	return best
}

// nextAddress is where the code of a step ends.
func nextAddress(steps []step, i int, end uint64) uint64 {
	if i+1 < len(steps) {
		return steps[i+1].address
	}
	return end
}
