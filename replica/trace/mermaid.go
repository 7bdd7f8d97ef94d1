package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Mermaid is a tree as a Mermaid sequence diagram: calls and answers as arrows between
// canisters, executions and what happened on the way as notes, in the order in which they
// happened.
func Mermaid(t *Tree, names Names) string {
	d := &diagram{names: names, ids: make(map[principal.Principal]int)}
	if t.Root != nil {
		d.call(t.Root)
	}
	var out strings.Builder
	out.WriteString("sequenceDiagram\n")
	for i, id := range d.actors {
		kind := "participant"
		if _, canister := id.CanisterNumber(); !canister && id != principal.Management {
			kind = "actor"
		}
		fmt.Fprintf(&out, "    %s p%d as %s\n", kind, i, alias(names.of(id)))
	}
	slices.SortStableFunc(d.lines, func(a, b drawn) int { return a.order - b.order })
	round := uint64(0)
	for _, l := range d.lines {
		if l.height != round && len(d.actors) > 0 {
			round = l.height
			fmt.Fprintf(&out, "    Note left of p0: round %d\n", round)
		}
		out.WriteString("    " + l.text + "\n")
	}
	return out.String()
}

// diagram gathers the lines of a sequence diagram.
type diagram struct {
	names  Names
	actors []principal.Principal
	ids    map[principal.Principal]int
	lines  []drawn
}

type drawn struct {
	order  int
	height uint64
	text   string
}

func (d *diagram) actor(id principal.Principal) string {
	n, ok := d.ids[id]
	if !ok {
		n = len(d.actors)
		d.ids[id], d.actors = n, append(d.actors, id)
	}
	return fmt.Sprintf("p%d", n)
}

func (d *diagram) draw(at Point, format string, args ...any) {
	if at.Recorded() {
		d.lines = append(d.lines, drawn{at.Order, at.Height, fmt.Sprintf(format, args...)})
	}
}

func (d *diagram) note(at Point, of principal.Principal, text string) {
	d.draw(at, "Note over %s: %s", d.actor(of), mermaid(text))
}

func (d *diagram) call(c *Call) {
	if c.Source == intercanister.SourceTasks {
		d.note(c.Begun, c.Canister, c.title(d.names))
	} else {
		from, to := d.actor(c.Caller), d.actor(c.Canister)
		label := strings.Join(append([]string{c.title(d.names)}, c.details()...), ", ")
		d.draw(c.Begun, "%s->>%s: %s", from, to, mermaid(label))
		arrow := "-->>"
		if c.Reject != nil {
			arrow = "--x"
		}
		d.draw(c.Ended, "%s%s%s: %s", to, arrow, from, mermaid(c.reference()+c.answer()))
	}
	for i := range c.Notes {
		d.note(c.Notes[i].At, c.Canister, c.reference()+c.Notes[i].line())
	}
	for _, x := range c.Executions {
		d.execution(c, x)
	}
}

// reference says which call an arrow belongs to, empty for an ingress message.
func (c *Call) reference() string {
	if c.Source == intercanister.SourceRequests {
		return fmt.Sprintf("#%d ", c.Number)
	}
	return ""
}

func (d *diagram) execution(c *Call, x *Execution) {
	d.note(x.Parked, c.Canister, x.title()+", paused")
	d.note(x.Ended, c.Canister, fmt.Sprintf("%s, %s instructions", x.title(), grouped(x.Instructions)))
	last := x.Ended
	for i := range x.Logs {
		last = x.Logs[i].At
		d.note(last, c.Canister, "log: "+x.Logs[i].line())
	}
	if x.Trap != nil {
		d.note(last, c.Canister, "trapped: "+rejected(x.Trap))
	}
	for _, made := range x.Calls {
		d.call(made)
	}
}

// mermaid is printable text as a label of a diagram: whatever has a meaning to Mermaid or
// to HTML stands as the number of its character.
func mermaid(text string) string { return numbered(text, "#;<>&\"{}%\\`$") }

// alias is printable text as the name of an actor, where more has a meaning.
func alias(text string) string { return numbered(text, "#;<>&\"{}%\\`$:@[]()") }

func numbered(text, special string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(special, r) {
			fmt.Fprintf(&out, "#%d;", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
