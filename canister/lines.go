package canister

import (
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

// SourceLine is a line of a source file. The zero value is none.
type SourceLine = sourcelines.Line

// lineCache keeps the source lines of modules that profiles and backtraces have asked for. A module without lines has
// empty ones.
type lineCache struct {
	mu    sync.Mutex  // guards what follows
	kept  []keptLines // the most recently used last
	bytes int
}

type keptLines struct {
	module [32]byte
	lines  *sourcelines.Lines
}

// find returns the lines of a module, and false if they are not kept. Needs mu.
func (c *lineCache) find(module [32]byte) (*sourcelines.Lines, bool) {
	at := slices.IndexFunc(c.kept, func(k keptLines) bool { return k.module == module })
	if at < 0 {
		return nil, false
	}
	found := c.kept[at]
	c.kept = append(slices.Delete(c.kept, at, at+1), found)
	return found.lines, true
}

// keep adds the lines of a module, and lets go of those that were not used for longest. Needs mu.
func (c *lineCache) keep(module [32]byte, lines *sourcelines.Lines) {
	c.kept = append(c.kept, keptLines{module, lines})
	c.bytes += lines.Bytes()
	drop := 0
	for len(c.kept)-drop > maxLineModules || len(c.kept)-drop > 1 && c.bytes > maxLineBytes {
		c.bytes -= c.kept[drop].lines.Bytes()
		drop++
	}
	c.kept = slices.Delete(c.kept, 0, drop)
}

// lines returns the source lines of a module that a canister or a snapshot has. They are read when they are needed first.
// Debug information that cannot be read gives none: code fails for reasons of its own.
func (e *Engine) lines(m *Module) *sourcelines.Lines {
	c := &e.lineCache
	c.mu.Lock()
	defer c.mu.Unlock()
	if lines, ok := c.find(m.m.Hash); ok {
		return lines
	}
	uploaded, err := e.uploaded(m)
	if err != nil {
		return nil
	}
	lines := new(sourcelines.Lines)
	if raw, err := rewrite.Raw(uploaded); err == nil {
		if read, err := sourcelines.Read(raw); err == nil {
			lines = read
		}
	}
	c.keep(m.m.Hash, lines)
	return lines
}

// beginning returns where the source of a function begins, by its index in the original module.
func beginning(m *rewrite.Module, lines *sourcelines.Lines, function uint32) SourceLine {
	imported := int(m.Functions) - lines.Functions()
	line, _ := lines.OfFunction(int(function) - imported)
	return line
}
