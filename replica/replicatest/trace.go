package replicatest

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// Event prints an event on one line.
func (p *performer) Event(e *replica.Event) {
	if p.recording.Add(e) {
		return
	}
	if e.Kind == replica.RoundEnded {
		p.say("round %d: %d messages", e.Height, e.Number)
		return
	}
	switch e.Kind {
	case replica.Trapped, replica.Logged, replica.ResponseLate:
		return // more details of a printed event
	}
	line := fmt.Sprintf("  %s: %s", p.name(e.Canister), e.Kind)
	switch e.Kind {
	case replica.MessageExecuted, replica.MessageDropped:
		line += " " + Executed(e, p.name)
	case replica.CallRegistered, replica.CallSettled:
		line += fmt.Sprintf(" #%d to %s", e.Call, p.name(e.Peer))
	case replica.IngressReceived, replica.IngressAnswered:
		line += " " + e.Method
	case replica.RuleMatched, replica.MessageHeld, replica.MessageReleased, replica.FaultInjected, replica.HoldRefused:
		line += p.interference(e)
	}
	if e.Reentrant {
		line += ", re-entrant"
	}
	if e.Reject != nil {
		line += ", " + p.short(e.Reject)
	}
	if e.CleanupRan {
		line += ", cleaned up"
	}
	p.say("%s", line)
}

// Executed returns what a canister executed or lost in an event. name returns the name of a canister in the script.
func Executed(e *replica.Event, name func(principal.Principal) string) string {
	switch e.Source {
	case intercanister.SourceTasks:
		return e.Task.String()
	case intercanister.SourceResponses:
		return fmt.Sprintf("callback #%d", e.Call)
	case intercanister.SourceRequests:
		return fmt.Sprintf("%s #%d of %s", e.Method, e.Call, name(e.Peer))
	}
	return "ingress " + e.Method
}

// interference returns the effect of a rule, or of a settlement, on a message.
func (p *performer) interference(e *replica.Event) string {
	var line string
	if e.Rule != 0 {
		line += fmt.Sprintf(" rule %d,", e.Rule)
	}
	if e.Held != 0 {
		line += fmt.Sprintf(" held as %d,", e.Held)
	}
	switch e.Source {
	case intercanister.SourceResponses:
		line += fmt.Sprintf(" response %s #%d to %s", e.Method, e.Call, p.name(e.Peer))
	case intercanister.SourceRequests:
		line += fmt.Sprintf(" %s #%d of %s", e.Method, e.Call, p.name(e.Peer))
	case intercanister.SourceIngress, intercanister.SourceTasks:
		line += " ingress " + e.Method
	}
	if e.Fault != "" {
		line += ": " + e.Fault
	}
	return line
}

// name returns a canister's number in scripts.
func (p *performer) name(id principal.Principal) string {
	if id == principal.Management {
		return "management"
	}
	number, ok := id.CanisterNumber()
	if !ok {
		return "user"
	}
	if p.stage == nil {
		return id.String()
	}
	return fmt.Sprintf("c%d", int64(number-p.stage.First))
}

func (p *performer) short(r *intercanister.Reject) string {
	text, _, _ := strings.Cut(r.Text, "\n")
	return r.Error.String() + " " + text
}
