package profile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
)

// Symbol is what a frame stands for, in every tree of a profile.
type Symbol struct {
	Kind     Kind
	Canister principal.Principal // whose code ran; of an await, the callee
	Name     string              // of a function, a method, a charge
	Entry    string              // of an entry, the kind of the message: "update", "reply callback"
	Index    uint32              // of a function, as a replica numbers it: modules have several without a name
	File     string              // of a function, where its source begins; empty if that is not known
	Line     int32               // from 1
}

// Profile is the joined call tree of any number of messages. The zero value is empty. It is for one goroutine.
type Profile struct {
	Symbols []Symbol
	// Nodes have their parents before them; Nodes[0] is the root, without a symbol of its own.
	Nodes []Place
	// Messages is how many runs were added, and Folded how many frames have no node of their own: their weights are
	// those of the node above.
	Messages, Folded uint64
	// Charged is what the owner of the runs is charged for: the sum of the instructions, unless there is a bug.
	Charged uint64

	symbols   map[Symbol]int32
	children  map[edge]int32
	nameBytes int // of Symbols
}

// Place is a node of a profile.
type Place struct {
	Symbol int32 // index in Symbols
	Parent int32 // index in Nodes; -1 of the root
	Weights
}

type edge struct{ parent, symbol int32 }

// Root is the parent of messages that no profiled message caused.
const Root int32 = 0

// Below returns the node of a symbol below another node, which it makes if there is none. If the profile has no room for
// the node or its name, it returns the node above.
func (p *Profile) Below(parent int32, s Symbol) int32 {
	p.open()
	symbol, known := p.symbols[s]
	if !known {
		s.Name, s.Entry, s.File = cut(s.Name), cut(s.Entry), cut(s.File)
		if symbol, known = p.symbols[s]; !known {
			symbol = int32(len(p.Symbols))
		}
	}
	if at, ok := p.children[edge{parent, symbol}]; ok && known {
		return at
	}
	if len(p.Nodes) >= MaxNodes || !known && p.nameBytes+s.nameBytes() > MaxAllNameBytes {
		p.Folded++
		return parent
	}
	if !known {
		p.Symbols = append(p.Symbols, s)
		p.symbols[s] = symbol
		p.nameBytes += s.nameBytes()
	}
	at := int32(len(p.Nodes))
	p.Nodes = append(p.Nodes, Place{Symbol: symbol, Parent: parent})
	p.children[edge{parent, symbol}] = at
	return at
}

// open makes the root of an empty profile, and finds the nodes of one that was copied or read.
func (p *Profile) open() {
	if p.children != nil {
		return
	}
	if len(p.Nodes) == 0 {
		p.Symbols, p.Nodes = []Symbol{{}}, []Place{{Parent: -1}}
	}
	p.symbols, p.children = make(map[Symbol]int32, len(p.Symbols)), make(map[edge]int32, len(p.Nodes))
	for i := range p.Symbols {
		p.symbols[p.Symbols[i]] = int32(i)
		p.nameBytes += p.Symbols[i].nameBytes()
	}
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Parent >= 0 {
			p.children[edge{n.Parent, n.Symbol}] = int32(i)
		}
	}
}

func (s *Symbol) nameBytes() int { return len(s.Name) + len(s.Entry) + len(s.File) }

// cut returns a name as valid UTF-8 of at most MaxNameBytes, without a part of its last character.
func cut(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= MaxNameBytes {
		return name
	}
	at := MaxNameBytes
	for !utf8.RuneStart(name[at]) {
		at--
	}
	return strings.Clone(name[:at])
}

// Add adds a run below a node and returns the node of each await of the run.
func (p *Profile) Add(parent int32, t *Tree, symbol func(Frame) Symbol) (awaits []int32) {
	p.open()
	p.Messages++
	p.Folded += t.Folded
	places := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		above := parent
		if n.Parent >= 0 {
			above = places[n.Parent]
		}
		if n.Weights == (Weights{}) && n.child == 0 {
			places[i] = above // of a function that began again elsewhere
			continue
		}
		places[i] = p.Below(above, symbol(n.Frame))
		own := n.Weights
		if places[i] == above {
			own.Calls = 0 // there was no room: the frame above was not entered again
		}
		p.Nodes[places[i]].Weights.Add(&own)
	}
	for _, at := range t.Awaits {
		awaits = append(awaits, places[at])
	}
	return awaits
}

// Instructions returns the instructions of all nodes.
func (p *Profile) Instructions() (n uint64) {
	for i := range p.Nodes {
		n += p.Nodes[i].Instructions
	}
	return n
}

// Clone returns a copy.
func (p *Profile) Clone() *Profile {
	return &Profile{
		Symbols: slices.Clone(p.Symbols), Nodes: slices.Clone(p.Nodes), Messages: p.Messages, Folded: p.Folded, Charged: p.Charged,
	}
}

// Totals returns the weights of each node together with the nodes below it; Calls are the node's own.
func (p *Profile) Totals() []Weights {
	totals := make([]Weights, len(p.Nodes))
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		own := p.Nodes[i].Weights
		totals[i].Add(&own)
		if parent := p.Nodes[i].Parent; parent >= 0 {
			below := totals[i]
			below.Calls = 0
			totals[parent].Add(&below)
		}
	}
	return totals
}
