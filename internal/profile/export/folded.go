package export

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/internal/profile"
)

// Folded writes the instructions of a profile as lines "a;b;c 123", one for each path, for FlameGraph, inferno and
// Speedscope. If functions of several canisters ran, each has its canister in front: "bank: bank::withdraw". A semicolon
// in a name becomes a colon, as in stackcollapse-perf.pl: the format has no escapes. The error is that of the writer.
func Folded(w io.Writer, p *profile.Profile, names Names) error {
	p = unnumbered(p)
	labels := foldedLabels(p, names)
	p = shallow(p, func(symbol int32) int { return len(labels[symbol]) + 1 }, MaxFoldedBytes)
	labels = foldedLabels(p, names) // a profile with moved nodes has its own symbols
	var out bytes.Buffer
	var stack []int32
	for i := range p.Nodes {
		if p.Nodes[i].Instructions == 0 {
			continue
		}
		stack = path(p, int32(i), stack)
		if i == int(profile.Root) {
			stack = append(stack, 0)
		}
		for at, symbol := range stack {
			if at > 0 {
				out.WriteByte(';')
			}
			out.WriteString(labels[symbol])
		}
		out.WriteByte(' ')
		out.WriteString(strconv.FormatUint(p.Nodes[i].Instructions, 10))
		out.WriteByte('\n')
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write folded stacks: %w", err)
	}
	return nil
}

// unnumbered returns a profile without the indices of functions: those of one name are one.
func unnumbered(p *profile.Profile) *profile.Profile {
	p = opened(p)
	joined := opened(&profile.Profile{Messages: p.Messages, Folded: p.Folded})
	places := make([]int32, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Parent >= 0 {
			s := p.Symbols[n.Symbol]
			s.Index = 0
			places[i] = joined.Below(places[n.Parent], s)
		}
		joined.Nodes[places[i]].Weights.Add(&n.Weights)
	}
	return joined
}

// foldedLabels returns the text of each symbol. The first symbol is that of the root.
func foldedLabels(p *profile.Profile, names Names) []string {
	several := false
	var first *profile.Symbol
	for i := 1; i < len(p.Symbols); i++ {
		if s := &p.Symbols[i]; s.Kind == profile.Function {
			if first == nil {
				first = s
			}
			several = several || s.Canister != first.Canister
		}
	}
	labels := make([]string, len(p.Symbols))
	for i := range labels {
		s := &p.Symbols[i]
		label := names.frame(s).label()
		switch {
		case i == 0:
			label = unplaced
		case several && s.Kind == profile.Function:
			label = names.of(s.Canister) + ": " + label
		}
		labels[i] = shortened(strings.ReplaceAll(label, ";", ":"), MaxFoldedLabel)
	}
	return labels
}

// shortened returns at most so many characters of a text.
func shortened(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + "…"
}
