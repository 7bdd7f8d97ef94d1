package components

import (
	"slices"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// copy copies the items of a part, with new indices.
func (p *part) copy() {
	l, to := p.linker, p.renumbering()
	for _, g := range p.m.Globals {
		l.globals = append(l.globals, wasmfile.NewReader(g[2:]).Expression(g[:2:2], to))
	}
	for _, e := range p.m.Elements {
		l.elements = append(l.elements, wasmfile.NewReader(e).Element(nil, to))
	}
	for _, s := range p.segments {
		switch {
		case p == l.runtime: // where its memory is, is known when it starts
			s.Offset = nil
		case s.Offset != nil:
			s.Offset = wasmfile.NewReader(s.Offset).Expression(nil, to)
		}
		l.data = append(l.data, wasmfile.AppendSegment(nil, s))
	}
	for _, b := range p.m.Bodies {
		l.bodies = append(l.bodies, wasmfile.NewReader(b).Body(make([]byte, 0, len(b)+len(b)/8), to))
		p.assigned = append(p.assigned, p.assigns)
		p.assigns = nil
	}
	// The order has no effect: each name has its own index.
	for i, name := range p.m.Names {
		if i >= uint32(len(p.m.Imports)) {
			l.names[p.function(i)] = name
		}
	}
}

func (p *part) renumbering() *wasmfile.Renumbering {
	l := p.linker
	return &wasmfile.Renumbering{
		Function: p.refer,
		Global:   p.global,
		Type:     func(i uint32) uint32 { return l.typeOf(p.m.Types[i]) },
		Table: func(i uint32) uint32 {
			if p.table(i) != 0 {
				refuse("core module %d of the component has instructions on a table, which is not the first one", p.number)
			}
			return 0
		},
		Base:     p.table,
		Element:  func(i uint32) uint32 { return p.elements + i },
		Data:     func(i uint32) uint32 { return p.data + i },
		Constant: func(i uint32) []byte { value := l.globals[p.global(i)][2:]; return value[:len(value)-1] },
		Replace:  p.replace,
	}
}

// refer is function for a function that something refers to.
func (p *part) refer(i uint32) uint32 {
	p.referred[i] = true
	return p.function(i)
}

// replace replaces indirect calls, and notes which globals the function that is copied assigns.
func (p *part) replace(out []byte, i wasmfile.Instruction) ([]byte, bool) {
	if i.Op == wasmfile.OpGlobalSet && !slices.Contains(p.assigns, p.global(i.Index)) {
		p.assigns = append(p.assigns, p.global(i.Index))
	}
	return p.indirect(out, i)
}

// indirect calls through a table that begins further back in the table of the linked module.
func (p *part) indirect(out []byte, i wasmfile.Instruction) ([]byte, bool) {
	if i.Op != wasmfile.OpCallIndirect && i.Op != wasmfile.OpReturnCallIndirect {
		return out, false
	}
	if base := p.table(i.Table); base != 0 {
		out = code(out).i32(int32(base)).op(opI32Add)
	}
	out = wasmfile.AppendU32(append(out, i.Op), p.linker.typeOf(p.m.Types[i.Index]))
	return append(out, 0), true
}
