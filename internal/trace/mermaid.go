package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Mermaid returns a tree as a Mermaid sequence diagram: calls and answers as arrows between canisters, executions and
// other events as notes, in the order in which they happened. A tree that is too large for Mermaid is cut, with a note.
func Mermaid(t *Tree, names Names) string {
	d := &diagram{names: names, ids: make(map[principal.Principal]int)}
	if t.Root != nil {
		d.call(t.Root)
	}
	slices.SortStableFunc(d.lines, func(a, b drawn) int { return a.order - b.order })
	return d.render()
}

// render writes the lines that fit, after the actors that occur in them.
func (d *diagram) render() string {
	var body strings.Builder
	heads := make([]string, len(d.actors))
	size, round := 0, uint64(0)
	if len(d.actors) > 0 {
		heads[0] = d.head(0) // the actor of notes about rounds
		size = len(heads[0])
	}
	for i, l := range d.lines {
		text := "    " + l.text + "\n"
		if l.height != round {
			text = fmt.Sprintf("    Note left of p0: round %d\n", l.height) + text
		}
		from, to := "", "" // heads that are missing
		if heads[l.from] == "" {
			from = d.head(l.from)
		}
		if heads[l.to] == "" && l.to != l.from {
			to = d.head(l.to)
		}
		if size += len(text) + len(from) + len(to); size > MaxDiagram {
			fmt.Fprintf(&body, "    Note left of p0: %s more are left out\n", grouped(uint64(len(d.lines)-i)))
			break
		}
		heads[l.from] += from
		heads[l.to] += to
		round = l.height
		body.WriteString(text)
	}
	return "sequenceDiagram\n" + strings.Join(heads, "") + body.String()
}

// head declares an actor.
func (d *diagram) head(n int) string {
	kind, id := "participant", d.actors[n]
	if _, canister := id.CanisterNumber(); !canister && id != principal.Management {
		kind = "actor"
	}
	return fmt.Sprintf("    %s p%d as %s\n", kind, n, alias(d.names.of(id)))
}

// diagram collects the lines of a sequence diagram.
type diagram struct {
	names  Names
	actors []principal.Principal
	ids    map[principal.Principal]int
	lines  []drawn
}

type drawn struct {
	order    int
	height   uint64
	from, to int // actors
	text     string
}

func (d *diagram) actor(id principal.Principal) int {
	n, ok := d.ids[id]
	if !ok {
		n = len(d.actors)
		d.ids[id], d.actors = n, append(d.actors, id)
	}
	return n
}

func (d *diagram) note(at Point, of principal.Principal, text string) {
	n := d.actor(of)
	d.draw(at, drawn{from: n, to: n, text: fmt.Sprintf("Note over p%d: %s", n, label(text))})
}

func (d *diagram) arrow(at Point, from int, arrow string, to int, text string) {
	d.draw(at, drawn{from: from, to: to, text: fmt.Sprintf("p%d%sp%d: %s", from, arrow, to, label(text))})
}

func (d *diagram) draw(at Point, line drawn) {
	if at.Recorded() {
		line.order, line.height = at.Order, at.Height
		d.lines = append(d.lines, line)
	}
}

func (d *diagram) call(c *Call) {
	if c.Source == intercanister.SourceTasks {
		d.note(c.Begun, c.Canister, c.title(d.names))
	} else {
		from, to := d.actor(c.Caller), d.actor(c.Canister)
		d.arrow(c.Begun, from, "->>", to, strings.Join(append([]string{c.title(d.names)}, c.details()...), ", "))
		arrow := "-->>"
		if c.Reject != nil {
			arrow = "--x"
		}
		d.arrow(c.Ended, to, arrow, from, c.reference()+c.answer())
	}
	for i := range c.Notes {
		d.note(c.Notes[i].At, c.Canister, c.reference()+c.Notes[i].line())
	}
	for _, x := range c.Executions {
		d.execution(c, x)
	}
}

// reference returns the call of an arrow, empty for an ingress message.
func (c *Call) reference() string {
	if c.Source == intercanister.SourceRequests {
		return fmt.Sprintf("#%d ", c.Number)
	}
	return ""
}

func (d *diagram) execution(c *Call, x *Execution) {
	why := "paused"
	if x.WaitsUntil != 0 {
		why = x.waits()
	}
	d.note(x.Parked, c.Canister, x.title()+", "+why)
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

// label returns printable text for an arrow or a note, in lines that fit a picture. Characters with a meaning in
// Mermaid or HTML are replaced by their numbers.
func label(text string) string { return numbered(text, "#;<>&\"{}%\\`$") }

// alias returns printable text for the name of an actor, where more characters have a meaning.
func alias(text string) string { return numbered(text, "#;<>&\"{}%\\`$:@[]()") }

func numbered(text, special string) string {
	var out strings.Builder
	for i, line := range broken(text, MaxLabel) {
		if i > 0 {
			out.WriteString("<br/>")
		}
		for _, r := range line {
			if strings.ContainsRune(special, r) {
				fmt.Fprintf(&out, "#%d;", r)
			} else {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// broken splits text into lines of a maximum number of runes, after spaces if it has any.
func broken(text string, most int) (lines []string) {
	runes := []rune(text)
	for len(runes) > most {
		at := most
		for i := most; i > most/2; i-- {
			if runes[i] == ' ' {
				at = i
				break
			}
		}
		lines = append(lines, string(runes[:at]))
		runes = []rune(strings.TrimLeft(string(runes[at:]), " "))
	}
	return append(lines, string(runes))
}
