package replicatest

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/replica/introspect"
)

// paged prints a list in pages of the size that the words give.
func paged[T any](p *performer, words []string, page func(introspect.Page) ([]T, *introspect.Cursor), show func(*T) string) {
	var asked introspect.Page
	for len(words) > 0 {
		if words[0] == "of" {
			asked.Canister, words = p.principal(words[1]), words[2:]
			continue
		}
		asked.Limit, words = p.number(words[0]), words[1:]
	}
	for {
		all, next := page(asked)
		for i := range all {
			p.say("%s", show(&all[i]))
		}
		if next == nil {
			return
		}
		p.say("more")
		asked.After = *next
	}
}

// calls formats futures, with the subnet if it is not the last.
func (p *performer) calls(refs []introspect.CallRef) string {
	var all []string
	for _, ref := range refs {
		name := fmt.Sprintf("#%d", ref.Call)
		if subnets := p.stage.View().Subnets; ref.Subnet != subnets[len(subnets)-1].ID {
			for i := range subnets {
				if subnets[i].ID == ref.Subnet {
					name += fmt.Sprintf(" on %d", i)
				}
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// waits returns why something waits.
func (p *performer) waits(w *introspect.Waiting) string {
	line := w.Reason.String()
	if w.Rule != 0 {
		line += fmt.Sprintf(" by rule %d", w.Rule)
	}
	if w.Held != 0 {
		line += fmt.Sprintf(" as %d", w.Held)
	}
	if len(w.Awaits) > 0 {
		line += " " + p.calls(w.Awaits)
	}
	text := w.Text
	for _, s := range p.stage.View().Subnets {
		text = strings.ReplaceAll(text, s.ID.String(), "S")
	}
	for n := range 10 {
		text = strings.ReplaceAll(text, p.stage.ID(n).String(), fmt.Sprintf("c%d", n))
	}
	return line + ": " + text
}
