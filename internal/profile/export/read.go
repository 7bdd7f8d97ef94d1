package export

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/textwidth"
)

// Read reads a file that Pprof wrote, also after go tool pprof -proto merged or filtered it. The profile has the nodes
// with a weight and those above them. The error names the part of the file that is wrong, or the limit.
func Read(r io.Reader) (Named, error) {
	unpacked, err := unpack(r)
	if err != nil {
		return Named{}, err
	}
	named, err := decode(unpacked)
	if err != nil {
		return Named{}, fmt.Errorf("read profile: %w", err)
	}
	return named, nil
}

// decode reads a file without compression.
func decode(unpacked []byte) (Named, error) {
	read := &reading{functions: map[uint64]function{}, locations: map[uint64]location{}, canisters: map[uint64]mapping{}}
	whole := message{unpacked, 0, "Profile"}
	if err := whole.fields(read.table); err != nil {
		return Named{}, err
	}
	if err := read.header(); err != nil {
		return Named{}, err
	}
	err := whole.fields(func(f field) error {
		if f.number != profileSample {
			return nil
		}
		if err := read.sample(f); err != nil {
			return fmt.Errorf("sample %d: %w", read.samples, err)
		}
		read.samples++
		return nil
	})
	if err != nil {
		return Named{}, err
	}
	read.profile.Messages, read.profile.Folded = read.messages, read.folded
	return Named{opened(&read.profile), read.names()}, nil
}

// unpack decompresses a file of at most MaxFileBytes to at most MaxUnpackedBytes.
func unpack(r io.Reader) ([]byte, error) {
	limited := &io.LimitedReader{R: r, N: MaxFileBytes + 1}
	unzipped, err := gzip.NewReader(limited)
	if err != nil {
		return nil, fmt.Errorf("read profile: it is not a compressed pprof file: give one that canisterd wrote: %w", err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(unzipped, MaxUnpackedBytes+1))
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("read profile: the file has more than %s bytes: profile less at a time", grouped(MaxFileBytes))
	case err != nil:
		return nil, fmt.Errorf("read profile: decompress: %w", err)
	case len(unpacked) > MaxUnpackedBytes:
		return nil, fmt.Errorf("read profile: the file has more than %s bytes without compression: profile less at a time", grouped(MaxUnpackedBytes))
	}
	return unpacked, nil
}

// The fields of profile.proto that are read.
const (
	profileSampleType, profileSample, profileMapping, profileLocation = 1, 2, 3, 4
	profileFunction, profileString, profileComment                    = 5, 6, 13
	valueTypeName                                                     = 1
	sampleLocation, sampleValue                                       = 1, 2
	mappingID, mappingFile, mappingBuildID                            = 1, 5, 6
	locationID, locationMapping, locationLine                         = 1, 2, 4
	lineFunction                                                      = 1
	functionID, functionSystemName, functionFile, functionLine        = 1, 3, 4, 5
)

// reading is what was read so far. Tables refer to strings that may come later.
type reading struct {
	strings   [][]byte
	types     []uint64 // names of the types of values
	comments  []uint64
	functions map[uint64]function
	locations map[uint64]location
	canisters map[uint64]mapping
	entries   int

	places           [len(valueTypes)]int // of the values of a sample
	messages, folded uint64
	samples, frames  int
	stack            []uint64
	values           []uint64
	sums             profile.Weights
	profile          profile.Profile
}

type location struct {
	mapping, function uint64
	symbol            profile.Symbol
	isRoot, known     bool
}

type mapping struct{ file, buildID uint64 }

// function has the places of strings, and the line where the source begins, 0 if the file is that of the canister.
type function struct{ systemName, file, line uint64 }

// table reads a field of the file that is not a sample.
func (r *reading) table(f field) error {
	switch f.number {
	case profileSampleType, profileMapping, profileLocation, profileFunction, profileString:
		if r.entries++; r.entries > MaxEntries {
			return fmt.Errorf("the file has more than %s strings, functions and locations: profile less at a time", grouped(MaxEntries))
		}
	case profileComment:
		return f.numbers(func(n uint64) error {
			if len(r.comments) < MaxEntries {
				r.comments = append(r.comments, n)
			}
			return nil
		})
	default:
		return nil
	}
	if f.number == profileString {
		text, err := f.message("string")
		r.strings = append(r.strings, text.bytes)
		return err
	}
	return r.entry(f)
}

// entry reads a message of one of the tables.
func (r *reading) entry(f field) error {
	const fields = 8 // more than are read
	var values [fields]uint64
	names := map[int]string{profileSampleType: "ValueType", profileMapping: "Mapping", profileLocation: "Location", profileFunction: "Function"}
	m, err := f.message(names[int(f.number)])
	if err != nil {
		return err
	}
	err = m.fields(func(inner field) error {
		if f.number == profileLocation && inner.number == locationLine {
			line, err := inner.message("Line")
			if err != nil {
				return err
			}
			return line.fields(func(of field) error {
				if of.number == lineFunction {
					values[locationLine] = of.value
				}
				return nil
			})
		}
		if inner.number < fields {
			values[inner.number] = inner.value
		}
		return nil
	})
	switch f.number {
	case profileSampleType:
		r.types = append(r.types, values[valueTypeName])
	case profileMapping:
		r.canisters[values[mappingID]] = mapping{values[mappingFile], values[mappingBuildID]}
	case profileLocation:
		r.locations[values[locationID]] = location{mapping: values[locationMapping], function: values[locationLine]}
	case profileFunction:
		r.functions[values[functionID]] = function{values[functionSystemName], values[functionFile], values[functionLine]}
	}
	return err
}

// text returns a string of the table.
func (r *reading) text(at uint64) (string, error) {
	if at >= uint64(len(r.strings)) {
		return "", fmt.Errorf("string %d is missing: the table has %d", at, len(r.strings))
	}
	return string(r.strings[at]), nil
}

// header reads the comments and the types of values.
func (r *reading) header() error {
	ours := false
	for _, at := range r.comments {
		comment, err := r.text(at)
		if err != nil {
			return fmt.Errorf("comment: %w", err)
		}
		for prefix, number := range map[string]*uint64{messagesComment: &r.messages, foldedComment: &r.folded} { // in any order
			if text, ok := strings.CutPrefix(comment, prefix); ok {
				n, err := strconv.ParseUint(text, 10, 64)
				if err != nil {
					return fmt.Errorf("comment %q: %w", textwidth.Fit(printable(comment), MaxCells), err)
				}
				*number += n
			}
		}
		ours = ours || comment == formatComment
	}
	if !ours {
		return fmt.Errorf("the file has no comment %q: give a file that this version of canisterd wrote", formatComment)
	}
	for i, t := range valueTypes {
		r.places[i] = -1
		for place, at := range r.types {
			name, err := r.text(at)
			if err != nil {
				return fmt.Errorf("sample type %d: %w", place, err)
			}
			if name == t.name {
				r.places[i] = place
			}
		}
		if r.places[i] < 0 {
			return fmt.Errorf("no sample type is called %s: give a file that canisterd wrote", t.name)
		}
	}
	return nil
}

// sample adds the weights of one sample to its node.
func (r *reading) sample(f field) error {
	m, err := f.message("Sample")
	if err != nil {
		return err
	}
	r.stack, r.values = r.stack[:0], r.values[:0]
	err = m.fields(func(f field) error {
		switch f.number {
		case sampleLocation:
			return f.numbers(func(n uint64) error {
				if r.frames++; r.frames > MaxFrames {
					return fmt.Errorf("the samples have more than %s frames: profile less at a time", grouped(MaxFrames))
				}
				r.stack = append(r.stack, n)
				return nil
			})
		case sampleValue:
			return f.numbers(func(n uint64) error {
				if len(r.values) == len(r.types) {
					return fmt.Errorf("it has more values than there are sample types, %d", len(r.types))
				}
				r.values = append(r.values, n)
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(r.values) < len(r.types) {
		return fmt.Errorf("it has %d values, and there are %d sample types", len(r.values), len(r.types))
	}
	node, err := r.node()
	if err != nil {
		return err
	}
	return r.weigh(&r.profile.Nodes[node].Weights)
}

// node returns the node of the stack.
func (r *reading) node() (int32, error) {
	r.profile = *opened(&r.profile)
	node := profile.Root
	for i := len(r.stack) - 1; i >= 0; i-- { // the innermost is first
		l, err := r.locate(r.stack[i])
		if err != nil {
			return 0, fmt.Errorf("location %d: %w", r.stack[i], err)
		}
		if l.isRoot {
			continue
		}
		node = r.profile.Below(node, l.symbol)
		if r.profile.Folded > 0 {
			return 0, fmt.Errorf("the profile has more than %s nodes or %s bytes of names: profile less at a time", grouped(profile.MaxNodes), grouped(profile.MaxAllNameBytes))
		}
	}
	return node, nil
}

// locate returns a location with its symbol.
func (r *reading) locate(id uint64) (l location, err error) {
	l, ok := r.locations[id]
	if !ok {
		return l, errors.New("it is missing")
	}
	if l.known {
		return l, nil
	}
	of, ok := r.functions[l.function]
	if !ok {
		return l, fmt.Errorf("function %d is missing", l.function)
	}
	text, err := r.text(of.systemName)
	if err != nil {
		return l, fmt.Errorf("function %d: %w", l.function, err)
	}
	l.known, l.isRoot = true, text == rootName
	if !l.isRoot {
		if l.symbol, err = parseSystemName(text); err != nil {
			return l, fmt.Errorf("function %d: %w", l.function, err)
		}
		if l.symbol.Canister, err = r.canister(l.mapping); err != nil {
			return l, fmt.Errorf("mapping %d: %w", l.mapping, err)
		}
		if of.line > 0 && of.line <= math.MaxInt32 {
			if l.symbol.File, err = r.text(of.file); err != nil {
				return l, fmt.Errorf("function %d: %w", l.function, err)
			}
			l.symbol.Line = int32(of.line)
		}
	}
	r.locations[id] = l
	return l, nil
}

func (r *reading) canister(mapping uint64) (principal.Principal, error) {
	m, ok := r.canisters[mapping]
	if !ok {
		return principal.Principal{}, errors.New("it is missing")
	}
	text, err := r.text(m.buildID)
	if err != nil {
		return principal.Principal{}, err
	}
	id, err := principal.Parse(text)
	if err != nil {
		return id, fmt.Errorf("its build id is not that of a canister: %w", err)
	}
	return id, nil
}

// weigh adds the values of a sample to a node.
func (r *reading) weigh(w *profile.Weights) error {
	var own profile.Weights
	for i, t := range valueTypes {
		value := r.values[r.places[i]]
		sum, carry := bits.Add64(*t.of(&r.sums), value, 0)
		if value > math.MaxInt64 || carry != 0 {
			return fmt.Errorf("its value of %s is negative or makes the sum too large: %d", t.name, int64(value))
		}
		*t.of(&r.sums), *t.of(&own) = sum, value
	}
	w.Add(&own)
	return nil
}

// names returns the names of canisters in the file. A canister without one has its id.
func (r *reading) names() Names {
	names := map[principal.Principal]string{}
	for _, id := range slices.Sorted(maps.Keys(r.canisters)) {
		m := r.canisters[id]
		canister, err := r.canister(id)
		if err != nil {
			continue
		}
		if name, err := r.text(m.file); err == nil && name != canister.String() {
			names[canister] = shortened(name, profile.MaxNameBytes)
		}
	}
	return func(id principal.Principal) string { return names[id] }
}
