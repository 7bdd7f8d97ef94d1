package rewrite

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Rewrite validates and rewrites a module as uploaded, raw or gzip. For a module that cannot be installed it returns an
// *Invalid; any other error is a fault of the caller's options.
func Rewrite(uploaded []byte, options Options) (*Module, error) {
	if options.Schedule == "" {
		options.Schedule = Schedule202606
	}
	rules, ok := schedules[options.Schedule]
	if !ok {
		return nil, fmt.Errorf("rewriting a module: unknown schedule %q", options.Schedule)
	}
	if options.SystemAPI == nil && !options.Conformance {
		return nil, fmt.Errorf("rewriting a module: no System API given")
	}
	raw, bad := decodeUpload(uploaded)
	if bad != nil {
		return nil, bad
	}
	m, bad := rewriteRaw(raw, options, rules)
	if bad != nil {
		return nil, bad
	}
	m.Hash, m.UploadedSize, m.Size = Hash(uploaded), len(uploaded), len(raw)
	m.BinaryHash = Hash(m.Binary)
	return m, nil
}

// Hash returns the SHA-256 of a module. It hashes in pieces, since the runtime cannot stop the world within one.
func Hash(module []byte) (hash [32]byte) {
	h := sha256.New()
	for piece := range slices.Chunk(module, PieceBytes) {
		h.Write(piece)
	}
	h.Sum(hash[:0])
	return hash
}

func rewriteRaw(raw []byte, options Options, rules rules) (*Module, *Invalid) {
	s := &source{options: options, rules: rules}
	if !options.Conformance {
		if bad := checkCodeSize(raw, rules.codeSectionBytes); bad != nil {
			return nil, bad
		}
	}
	if bad := s.parse(raw); bad != nil {
		return nil, bad
	}
	code := &codeWriter{s: s}
	if bad := code.rewriteBodies(); bad != nil {
		return nil, bad
	}
	var refusal *Invalid
	if !options.Conformance {
		if refusal = s.checkRules(code); refusal != nil {
			if !s.admitWASI(refusal) {
				return nil, refusal
			}
			if fault := s.checkRules(code); fault != nil {
				return &Module{Refusal: refusal.Message(), Fault: fault.Message()}, nil
			}
		}
	}
	m := s.describe(code)
	if refusal != nil {
		m.Refusal = refusal.Message()
	}
	e := &emitter{s: s, code: code}
	names := s.functionNames()
	m.Binary = s.appendNames(e.emit(), names, code)
	if m.Positions {
		m.Binary = appendPositions(m.Binary)
	}
	if m.Probes || m.Coverage {
		m.Names = names
	}
	m.Blocks, m.RanGlobals = code.coverage.blocks, code.coverage.globals()
	if m.HasTable = s.trampoline(); m.HasTable {
		m.TableSize = s.tables[0].limits.min
	}
	return m, nil
}

// describe fills in everything of the result except the binary.
func (s *source) describe(code *codeWriter) *Module {
	m := &Module{
		Memory64: s.wide(), HasMemory: len(s.memories) > 0, MutatesTable: code.mutatesTable,
		Functions: uint32(len(s.functions)), Custom: s.icpSections(), Probes: s.options.Probes, Coverage: s.options.Coverage,
		Positions: s.options.Positions || s.hasLineTable(),
	}
	if m.HasMemory {
		l := lowerMemory(s.memories[0])
		m.MemoryMin, m.MemoryMax = uint32(l.min), narrowMaxPages
		if l.hasMax {
			m.MemoryMax = uint32(l.max)
		}
	}
	for i, g := range s.globals {
		if g.mutable {
			m.Globals = append(m.Globals, Global{uint32(i), globalExport(i), g.value.encoded()})
		}
	}
	m.Exposed = s.exposed()
	m.CompileTime, m.SlowestFunction, m.References = code.compileTime, code.slowest, code.references || s.hasReferences()
	m.Operators = code.operators + helperOperators + perGlobal*uint64(len(s.globals)+injectedGlobals)
	s.describeInterface(m)
	m.InstructionCost = s.rules.executionStateBase + InstructionsPerOperator*m.Operators
	return m
}

// hasReferences reports whether a global holds a reference.
func (s *source) hasReferences() bool {
	return slices.ContainsFunc(s.globals, func(g global) bool { return g.value.reference() })
}

// describeInterface fills in imports, exports, start and active data.
func (s *source) describeInterface(m *Module) {
	if s.options.Conformance {
		return
	}
	for _, item := range s.imports {
		m.Imports = append(m.Imports, item.name)
		m.Operators += s.rules.replacedImports(item.name)
	}
	slices.Sort(m.Imports)
	m.Imports = slices.Compact(m.Imports)
	for _, e := range s.exports {
		if e.kind != kindFunction {
			continue
		}
		if method, ok := s.method(e.name); ok {
			m.Methods = append(m.Methods, method)
		}
		m.Entries.set(e.name)
	}
	slices.SortFunc(m.Methods, func(a, b Method) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		return strings.Compare(a.Name, b.Name)
	})
	switch {
	case s.start >= 0:
		m.Start = StartFunction
	case s.wasi && s.exportsFunction(InitializeFunction):
		m.Start = InitializeFunction
	}
	for _, d := range s.data {
		if d.active {
			m.Data = append(m.Data, DataSegment{d.offset.bits, slices.Clone(d.bytes)})
		}
	}
}
