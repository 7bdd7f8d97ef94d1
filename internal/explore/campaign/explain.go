package campaign

import (
	"fmt"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/replica"
)

// Explain describes a finding: the violation, the operations, the order in which their messages were delivered, and the
// differences from a serial run.
func (f *Finding) Explain(setup *harness.Setup) string {
	setup = f.setup(setup)
	var all strings.Builder
	fmt.Fprintf(&all, "%s.\n", strings.TrimRight(oneLine(f.Text), ".")) // texts of rejects end with a period
	if !f.hasRun() {
		return all.String()
	}
	for _, text := range f.Also {
		fmt.Fprintf(&all, "  The same run is suspicious: %s.\n", strings.TrimRight(oneLine(text), "."))
	}
	for _, title := range f.before() {
		fmt.Fprintf(&all, "  before: %s\n", title)
	}
	for _, position := range f.Schedule.Operations {
		fmt.Fprintf(&all, "  %s: %s\n", harness.OperationName(position), setup.Operations[position].Title)
	}
	all.WriteString(f.Schedule.Words(setup, f.Steps))
	for i, s := range f.shown(setup) {
		fmt.Fprintf(&all, "  %2d  %s\n", i+1, f.line(setup, s))
	}
	return all.String() + f.foldedLine(setup) + f.differenceTable()
}

// hasRun reports whether a finding is about one run: neither about all runs nor about a schedule of another network.
func (f *Finding) hasRun() bool { return len(f.Schedule.Operations) > 0 && len(f.Steps) > 0 }

// listed returns the messages that a finding lists: the first maxListed of a run that does not come to rest, else all.
func listed(v *property.Violation, steps []*harness.Step) []*harness.Step {
	if v.Property == (property.NeverRests{}).Name() {
		return steps[:min(len(steps), maxListed)]
	}
	return steps
}

// oneLine joins the lines of a text, such as the message of a reject.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "..", ".")
}

// Words say how a schedule differs from FIFO, one line for each deviation and fault.
func (s Schedule) Words(setup *harness.Setup, steps []*harness.Step) string {
	if len(s.Deviations) == 0 && len(s.Plan) == 0 {
		return "  The messages are delivered in FIFO order, without faults:\n"
	}
	var all strings.Builder
	all.WriteString("  FIFO, except:\n")
	number := 0
	say := func(format string, args ...any) {
		number++
		fmt.Fprintf(&all, "  (%d) %s\n", number, fmt.Sprintf(format, args...))
	}
	for _, b := range s.Deviations {
		say("%s comes before %s", message(setup, steps, b.First), message(setup, steps, b.Later))
	}
	for _, f := range s.Plan {
		say("fault %s: %s %s", f.Kind, message(setup, steps, f.At), f.Words())
	}
	return all.String()
}

// message returns a message for people: the answer to op1/1 (transfer) at bank.
func message(setup *harness.Setup, steps []*harness.Step, name string) string {
	for _, s := range steps {
		if s.Move != name {
			continue
		}
		canister := setup.NameOf(s.Canister)
		switch s.Kind {
		case replica.MoveIngress:
			return fmt.Sprintf("%s (%s.%s)", name, canister, s.Method)
		case replica.MoveRequest:
			return fmt.Sprintf("the call %s (%s.%s)", harness.CallOf(name), canister, s.Method)
		case replica.MoveResponse:
			return fmt.Sprintf("the answer to %s (%s) at %s", harness.CallOf(name), s.Method, canister)
		}
		return fmt.Sprintf("%s of %s", name, canister)
	}
	for i := range steps {
		for _, c := range steps[i].Calls {
			if harness.RequestOf(c.Name) == name {
				return fmt.Sprintf("the call %s (%s.%s)", c.Name, setup.NameOf(c.Callee), c.Method)
			}
		}
	}
	return name
}

// line returns a step of the run as a line of a list, with what is known of its continuations.
func (f *Finding) line(setup *harness.Setup, s *harness.Step) string {
	text := line(setup, s)
	if p := f.pointAt(s.Move); p != nil {
		text += "  <- " + p.Words()
	}
	return text
}

// line returns a step as a line of a list.
func line(setup *harness.Setup, s *harness.Step) string {
	text := fmt.Sprintf("%s at %s", s.Move, setup.NameOf(s.Canister))
	switch s.Kind {
	case replica.MoveResponse:
		text += fmt.Sprintf(": the answer to %s", s.Method)
		if s.Rejected != nil {
			text += fmt.Sprintf(", a reject (%s)", s.Rejected.Code)
		}
	case replica.MoveTask:
	default:
		text += ": " + s.Method
	}
	if s.Waited > 0 {
		text += fmt.Sprintf(", %s later", time.Duration(s.Waited).Round(time.Millisecond))
	}
	if s.Fault != harness.NoFault {
		text += fmt.Sprintf(" [%s: %s %s]", s.Fault, s.Move, s.Fault.Words())
	}
	if s.Failure != nil {
		text += " traps"
	}
	for _, c := range callsShown(s, setup.Generated) {
		text += fmt.Sprintf(", calls %s.%s (%s)", setup.NameOf(c.Callee), c.Method, c.Name)
	}
	return text
}

// Mermaid returns the run of a finding as a sequence diagram for mermaid.js.
func (f *Finding) Mermaid(setup *harness.Setup) string {
	var body strings.Builder
	actors, order := map[principal.Principal]string{}, []principal.Principal(nil)
	actor := func(id principal.Principal) string {
		if actors[id] == "" {
			actors[id] = fmt.Sprintf("c%d", len(actors)+1)
			order = append(order, id)
		}
		return actors[id]
	}
	for _, s := range f.shown(setup) {
		arrows(&body, s, actor)
	}
	var all strings.Builder
	all.WriteString("sequenceDiagram\n  participant user\n")
	for _, id := range order {
		fmt.Fprintf(&all, "  participant %s as %s\n", actors[id], plain(setup.NameOf(id)))
	}
	return all.String() + body.String()
}

// arrows draws one step.
func arrows(body *strings.Builder, s *harness.Step, actor func(principal.Principal) string) {
	own := actor(s.Canister)
	switch s.Kind {
	case replica.MoveIngress:
		fmt.Fprintf(body, "  user->>%s: %s %s\n", own, s.Move, plain(s.Method))
	case replica.MoveRequest:
		fmt.Fprintf(body, "  %s->>%s: %s %s\n", actor(s.Peer), own, harness.CallOf(s.Move), plain(s.Method))
	case replica.MoveResponse:
		what := "reply"
		if s.Rejected != nil {
			what = "reject"
		}
		fmt.Fprintf(body, "  %s-->>%s: %s of %s\n", actor(s.Peer), own, what, harness.CallOf(s.Move))
	default:
		fmt.Fprintf(body, "  note over %s: %s\n", own, plain(s.Move))
	}
	if s.Fault != harness.NoFault {
		fmt.Fprintf(body, "  note over %s: %s %s\n", own, s.Move, plain(s.Fault.Words()))
	}
	if s.Failure != nil {
		fmt.Fprintf(body, "  note over %s: traps\n", own)
	}
}

// plain replaces the characters that have a meaning for mermaid.js.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("#;<>&\"{}%\\`$:\n", r) {
			return ' '
		}
		return r
	}, text)
}
