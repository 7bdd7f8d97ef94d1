package canister

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

// SourceLine is a line of a source file. The zero value is none.
type SourceLine = sourcelines.Line

// sources keeps what profiles and backtraces needed last to find the source lines of code.
type sources struct {
	lines   recent[*sourcelines.Lines]
	offsets recent[*rewrite.Offsets] // by the hash of the rewritten binary

	any   atomic.Bool // whether debug information was given for a module
	mu    sync.Mutex  // guards given
	given map[[32]byte]bool
}

// give remembers that debug information was given for a module.
func (s *sources) give(module [32]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given = map[[32]byte]bool{}
	}
	s.given[module] = true
	s.any.Store(true)
}

// givenSince reports whether debug information was given for a module after it was rewritten without positions.
func (s *sources) givenSince(m *rewrite.Module) bool {
	if m.Positions || !s.any.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given[m.Hash]
}

func newSources() *sources {
	return &sources{lines: recent[*sourcelines.Lines]{room: maxLineBytes}, offsets: recent[*rewrite.Offsets]{room: maxOffsetBytes}}
}

// recent keeps what was used last, by hash: at most maxLineModules values, and more than one only if they fit the room.
// It is safe for concurrent use. Values are made without its lock, so two goroutines may make the same.
type recent[V interface{ Bytes() int }] struct {
	room int

	mu    sync.Mutex       // guards the fields below
	kept  []recentValue[V] // the most recently used last
	bytes int
}

type recentValue[V any] struct {
	hash  [32]byte
	value V
}

func (r *recent[V]) find(hash [32]byte) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.use(hash)
}

// use finds a value and makes it the most recently used one. Needs mu.
func (r *recent[V]) use(hash [32]byte) (value V, ok bool) {
	at := slices.IndexFunc(r.kept, func(k recentValue[V]) bool { return k.hash == hash })
	if at < 0 {
		return value, false
	}
	found := r.kept[at]
	r.kept = append(slices.Delete(r.kept, at, at+1), found)
	return found.value, true
}

func (r *recent[V]) keep(hash [32]byte, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.use(hash); ok {
		r.bytes -= old.Bytes()
		r.kept = r.kept[:len(r.kept)-1]
	}
	r.kept = append(r.kept, recentValue[V]{hash, value})
	r.bytes += value.Bytes()
	drop := 0
	for len(r.kept)-drop > maxLineModules || len(r.kept)-drop > 1 && r.bytes > r.room {
		r.bytes -= r.kept[drop].value.Bytes()
		drop++
	}
	r.kept = slices.Delete(r.kept, 0, drop)
}

// linesOf returns the source lines of a module that a canister or a snapshot has: empty ones, if it has no debug
// information or none that can be read. Code that fails has a reason of its own, and so this is no error.
func (e *Engine) linesOf(m *Module) *sourcelines.Lines {
	if lines, ok := e.sources.lines.find(m.m.Hash); ok {
		return lines
	}
	lines := new(sourcelines.Lines)
	uploaded, err := e.uploaded(m)
	if err != nil {
		return lines // not kept: a canister may have the module again
	}
	if read, err := readLines(uploaded, e.wasm.DebugInfo(m.m.Hash)); err == nil {
		lines = read
	}
	e.sources.lines.keep(m.m.Hash, lines)
	return lines
}

func readLines(uploaded []byte, d DebugInfo) (*sourcelines.Lines, error) {
	raw, err := rewrite.Raw(uploaded)
	if err != nil {
		return nil, err
	}
	return sourcelines.Read(raw, sourcelines.SourceMap(d.SourceMap), sourcelines.DebugFile(d.DebugFile))
}

// DebugInfo is debug information beside a module: a source map, which takes the place of everything else, and a file with
// the sections .debug_* that the module does not have. nil: there is none.
type DebugInfo = wasm.DebugInfo

// MaxSourceMapBytes and MaxDebugFileBytes are the largest parts of a DebugInfo.
const (
	MaxSourceMapBytes = sourcelines.MaxSourceMapBytes
	MaxDebugFileBytes = sourcelines.MaxDebugFileBytes
)

// AddDebugInfo keeps debug information for a module as uploaded. It is no part of any state: backtraces and profiles use
// it, those of canisters that have the module already from their next message on, which waits until the module is
// compiled again (Warm). The error says why it does not fit the module, or is that of the folder in which it is kept.
func (e *Engine) AddDebugInfo(uploaded []byte, d DebugInfo) error {
	lines, err := readLines(uploaded, d)
	if err != nil {
		return err
	}
	hash := rewrite.Hash(uploaded)
	if err := e.wasm.KeepDebugInfo(hash, d); err != nil {
		return err
	}
	e.sources.lines.keep(hash, lines)
	if d.HasDebugInfo() {
		e.sources.give(hash)
	}
	return nil
}

// offsetsOf returns where the code of a form of a module comes from, or nil.
func (e *Engine) offsetsOf(m *Module, of *rewrite.Module) *rewrite.Offsets {
	if offsets, ok := e.sources.offsets.find(of.BinaryHash); ok {
		return offsets
	}
	uploaded, err := e.uploaded(m)
	if err != nil {
		return nil
	}
	offsets, err := of.Locate(uploaded, e.rewriting(m.m.Hash, form{}))
	if err != nil {
		return nil
	}
	e.sources.offsets.keep(of.BinaryHash, offsets)
	return offsets
}

// beginning returns where the source of a function begins, by its index in the original module.
func beginning(m *rewrite.Module, lines *sourcelines.Lines, function uint32) SourceLine {
	imported := int(m.Functions) - lines.Functions()
	line, _ := lines.OfFunction(int(function) - imported)
	return line
}

// located returns the source lines of frames of a form of a module; nil if none has one.
func (m *Module) located(form *rewrite.Module, frames []wasm.Frame) []SourceLine {
	if !form.Positions {
		return nil
	}
	lines := m.engine.linesOf(m)
	if lines.Empty() {
		return nil
	}
	offsets := m.engine.offsetsOf(m, form)
	if offsets == nil {
		return nil
	}
	all := make([]SourceLine, len(frames))
	known := false
	for i, f := range frames {
		if at, ok := offsets.Original(f.Offset); ok && f.Offset != 0 {
			all[i], ok = lines.At(at)
			known = known || ok
		}
	}
	if !known {
		return nil
	}
	return all
}
