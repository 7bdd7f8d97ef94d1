package sourcelines

import (
	"bytes"
	"fmt"
)

// Option is one more source of lines than the module itself.
type Option func(*sources)

type sources struct{ debugFile, sourceMap []byte }

// DebugFile gives the content of a separate file with debug information: a Wasm module with sections .debug_*. It takes
// the place of the module's own. nil: there is none.
func DebugFile(file []byte) Option { return func(s *sources) { s.debugFile = file } }

// SourceMap gives the content of a source map (version 3) whose columns are offsets in the file of the module. It takes
// the place of all debug information. nil: there is none.
func SourceMap(text []byte) Option { return func(s *sources) { s.sourceMap = text } }

// Read reads the lines of a module. If there are none, the Lines are empty. An error names the section that is damaged,
// does not fit the module, or is too large, and what to do.
func Read(file []byte, options ...Option) (*Lines, error) {
	var given sources
	for _, option := range options {
		option(&given)
	}
	if err := given.check(len(file)); err != nil {
		return nil, err
	}
	m, err := parse(file, "module")
	if err != nil {
		return nil, err
	}
	if given.sourceMap != nil {
		return readMap(m, len(file), given.sourceMap)
	}
	debug := m
	if given.debugFile != nil {
		if debug, err = parse(given.debugFile, "debug file"); err != nil {
			return nil, err
		}
		if debug.code != nil && !bytes.Equal(debug.code, m.code) {
			return nil, fmt.Errorf("the debug file has other code than the module: give the debug file of the same build")
		}
	}
	return readDebug(m, debug.custom)
}

func (s *sources) check(size int) error {
	for _, f := range []struct {
		what        string
		size, limit int
	}{
		{"module", size, MaxModuleBytes},
		{"debug file", len(s.debugFile), MaxDebugFileBytes},
		{"source map", len(s.sourceMap), MaxSourceMapBytes},
	} {
		if f.size > f.limit {
			return fmt.Errorf("the %s has %d bytes, more than %d: build with fewer debug information (Rust: debug = \"line-tables-only\")", f.what, f.size, f.limit)
		}
	}
	return nil
}
