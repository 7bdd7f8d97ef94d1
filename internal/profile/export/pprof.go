package export

import (
	"fmt"
	"io"
	"math"
	"strconv"

	pprof "github.com/google/pprof/profile"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/profile"
)

// The comments of a file, which go tool pprof -comments shows. The first says what the file is.
const (
	formatComment   = "canisterd profile, format 1"
	messagesComment = "messages: "
	foldedComment   = "frames without room for a node: "
)

// rootName is the system name of the frame that has the weights of the root.
const rootName = "root"

// valueTypes are the types of values of a sample, and the weight of each.
var valueTypes = [...]struct {
	name, unit string
	of         func(*profile.Weights) *uint64
}{
	{"instructions", "count", func(w *profile.Weights) *uint64 { return &w.Instructions }},
	{"calls", "count", func(w *profile.Weights) *uint64 { return &w.Calls }},
	{"cycles", "count", func(w *profile.Weights) *uint64 { return &w.Cycles }},
	{"stable", "bytes", func(w *profile.Weights) *uint64 { return &w.StableBytes }},
}

// Taken is when a profile was taken, in nanoseconds: since 1970-01-01 UTC, and for how long. A zero is not written.
type Taken struct{ Since, For int64 }

// Pprof writes a profile as the compressed file that go tool pprof opens. It has a sample for each node with a weight, of
// the types instructions (the default), calls, cycles and stable; a value too large for 63 bits is the largest. The
// error is that of the writer.
//
// A mapping is a canister, its file the name and its build id the id (-focus=bank works by it). A function is a symbol:
// its name is the label for people, its file and line are where its source begins, or without debug information the name
// of the canister and none, and its system name holds the symbol for Read:
//
//	function 12 bank::withdraw       the index, then the name
//	entry "reply callback" withdraw  the kind of the message, then the method
//	host ic0.call_perform            and so charge, await
//
// A name that is not printable is quoted as in Go. System name and name must differ: pprof cuts what looks like template
// arguments out of a name that equals its system name.
func Pprof(w io.Writer, p *profile.Profile, names Names, taken Taken) error {
	if err := pprofFile(p, names, taken).Write(w); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}

func pprofFile(p *profile.Profile, names Names, taken Taken) *pprof.Profile {
	p = shallow(p, func(int32) int { return 1 }, MaxFrames)
	f := &file{of: p, names: names, mappings: map[principal.Principal]*pprof.Mapping{}}
	f.TimeNanos, f.DurationNanos = taken.Since, taken.For
	for _, t := range valueTypes {
		f.SampleType = append(f.SampleType, &pprof.ValueType{Type: t.name, Unit: t.unit})
	}
	f.DefaultSampleType = valueTypes[0].name
	f.PeriodType, f.Period = &pprof.ValueType{Type: valueTypes[0].name, Unit: valueTypes[0].unit}, 1
	f.Comments = []string{formatComment, messagesComment + strconv.FormatUint(p.Messages, 10)}
	if p.Folded > 0 {
		f.Comments = append(f.Comments, foldedComment+strconv.FormatUint(p.Folded, 10))
	}
	for i := range p.Symbols {
		f.addSymbol(&p.Symbols[i])
	}
	f.addSamples()
	return &f.Profile
}

// file is a pprof profile in the making. The location of a symbol has its index.
type file struct {
	pprof.Profile
	of       *profile.Profile
	names    Names
	mappings map[principal.Principal]*pprof.Mapping
}

// addSymbol adds the function and the location of a symbol. The first symbol is that of the root.
func (f *file) addSymbol(s *profile.Symbol) {
	id := uint64(len(f.Location) + 1)
	function := &pprof.Function{ID: id, Name: unplaced, SystemName: rootName}
	location := &pprof.Location{ID: id, Line: []pprof.Line{{Function: function}}}
	if id > 1 {
		location.Mapping = f.mapping(s.Canister)
		function.Name, function.SystemName, function.Filename = f.names.frame(s).label(), systemName(s), location.Mapping.File
		if s.File != "" {
			function.Filename, function.StartLine, location.Line[0].Line = printable(s.File), int64(s.Line), int64(s.Line)
		}
	}
	f.Function, f.Location = append(f.Function, function), append(f.Location, location)
}

func (f *file) mapping(canister principal.Principal) *pprof.Mapping {
	m := f.mappings[canister]
	if m == nil {
		m = &pprof.Mapping{ID: uint64(len(f.Mapping) + 1), File: f.names.of(canister), BuildID: canister.String(), HasFunctions: true}
		f.mappings[canister], f.Mapping = m, append(f.Mapping, m)
	}
	return m
}

// addSamples adds the nodes that have a weight, each with the canister and the entry of its message as labels.
func (f *file) addSamples() {
	entries := make([]int32, len(f.of.Nodes)) // the symbol of the entry of each node, 0 for none
	labels := map[int32]map[string][]string{} // by the symbol of the entry
	var stack []int32
	for i := range f.of.Nodes {
		n := &f.of.Nodes[i]
		if n.Parent >= 0 {
			entries[i] = entries[n.Parent]
		}
		if f.of.Symbols[n.Symbol].Kind == profile.Entry {
			entries[i] = n.Symbol
		}
		if n.Weights == (profile.Weights{}) {
			continue
		}
		s := &pprof.Sample{Value: make([]int64, len(valueTypes))}
		for v := range valueTypes {
			s.Value[v] = saturated(*valueTypes[v].of(&n.Weights))
		}
		stack = path(f.of, int32(i), stack)
		if i == int(profile.Root) {
			stack = append(stack, 0)
		}
		for at := len(stack) - 1; at >= 0; at-- { // the innermost first
			s.Location = append(s.Location, f.Location[stack[at]])
		}
		if e := entries[i]; e != 0 {
			if labels[e] == nil {
				labels[e] = map[string][]string{"canister": {f.Function[e].Filename}, "entry": {f.Function[e].Name}}
			}
			s.Label = labels[e]
		}
		f.Sample = append(f.Sample, s)
	}
}

// saturated returns a number, or the largest that pprof has.
func saturated(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
