package canister

import (
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

// SourceLine is a line of a source file. The zero value is none.
type SourceLine = sourcelines.Line

// sources finds the source lines of code for profiles and backtraces, and keeps what it needed last.
type sources struct {
	mu      sync.Mutex // guards what follows
	lines   recent[*sourcelines.Lines]
	offsets recent[*rewrite.Offsets] // by the hash of the rewritten binary
}

func newSources() sources {
	return sources{lines: recent[*sourcelines.Lines]{room: maxLineBytes}, offsets: recent[*rewrite.Offsets]{room: maxOffsetBytes}}
}

// recent keeps what was used last, by hash: at most maxLineModules values, and more than one only if they fit the room.
type recent[V interface{ Bytes() int }] struct {
	kept  []recentValue[V] // the most recently used last
	bytes int
	room  int
}

type recentValue[V any] struct {
	hash  [32]byte
	value V
}

func (r *recent[V]) find(hash [32]byte) (value V, ok bool) {
	at := slices.IndexFunc(r.kept, func(k recentValue[V]) bool { return k.hash == hash })
	if at < 0 {
		return value, false
	}
	found := r.kept[at]
	r.kept = append(slices.Delete(r.kept, at, at+1), found)
	return found.value, true
}

func (r *recent[V]) keep(hash [32]byte, value V) {
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
	s := &e.sources
	s.mu.Lock()
	defer s.mu.Unlock()
	if lines, ok := s.lines.find(m.m.Hash); ok {
		return lines
	}
	lines := new(sourcelines.Lines)
	uploaded, err := e.uploaded(m)
	if err != nil {
		return lines // not kept: a canister may have the module again
	}
	if raw, err := rewrite.Raw(uploaded); err == nil {
		if read, err := sourcelines.Read(raw); err == nil {
			lines = read
		}
	}
	s.lines.keep(m.m.Hash, lines)
	return lines
}

// offsetsOf returns where the code of a form of a module comes from, or nil.
func (e *Engine) offsetsOf(m *Module, form *rewrite.Module) *rewrite.Offsets {
	s := &e.sources
	s.mu.Lock()
	defer s.mu.Unlock()
	if offsets, ok := s.offsets.find(form.BinaryHash); ok {
		return offsets
	}
	uploaded, err := e.uploaded(m)
	if err != nil {
		return nil
	}
	offsets, err := form.Locate(uploaded, e.rewriting(false))
	if err != nil {
		return nil
	}
	s.offsets.keep(form.BinaryHash, offsets)
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
