package real

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// Event prints an event on one line, except rounds in which nothing was executed.
func (p *performer) Event(e *replica.Event) {
	if p.recording.Add(e) {
		return
	}
	if e.Kind == replica.RoundEnded {
		if e.Number > 0 {
			p.say("round: %d messages", e.Number)
		}
		return
	}
	switch e.Kind {
	case replica.Trapped, replica.Logged, replica.ResponseLate:
		return // more details of a printed event
	}
	line := fmt.Sprintf("  %s: %s", p.name(e.Canister), e.Kind)
	switch e.Kind {
	case replica.MessageExecuted, replica.MessageDropped, replica.MessageShed:
		line += " " + replicatest.Executed(e, p.name)
	case replica.CanisterMoved:
		line += " as " + p.name(e.Peer)
	case replica.CallRegistered, replica.CallSettled:
		line += fmt.Sprintf(" #%d to %s", e.Call, p.name(e.Peer))
	case replica.IngressReceived, replica.IngressAnswered:
		line += " " + e.Method
	}
	if e.Reentrant {
		line += ", re-entrant"
	}
	switch {
	case e.Reject == nil:
	case e.Reject.Error == 0:
		line += ", " + e.Reject.Code.String()
	default:
		line += ", " + e.Reject.Error.String()
	}
	if e.CleanupRan {
		line += ", cleaned up"
	}
	p.say("%s", line)
}

// name returns the name of a canister in a script.
func (p *performer) name(id principal.Principal) string {
	if p.Stage != nil {
		for name, known := range p.Names {
			if known == id {
				return name
			}
		}
	}
	return id.String()
}

// shown formats an answer on one line.
func (p *performer) shown(a Answer) string {
	if a.Status == "replied" && p.decoded {
		values, _, err := candid.Decode(a.Reply)
		if err != nil {
			p.t.Errorf("reply %x: %v", a.Reply, err)
		}
		return "replied: " + p.labelled(candid.FormatArgs(values))
	}
	if a.Status == "replied" {
		return "replied: " + readable(a.Reply)
	}
	return printable(a.String())
}

// readable returns bytes as text if most of them are ASCII, else in hexadecimal.
func readable(b []byte) string {
	text := 0
	for _, c := range b {
		if c >= ' ' && c <= '~' {
			text++
		}
	}
	if text <= len(b)/2 {
		return "0x" + hex.EncodeToString(b)
	}
	return printable(string(b))
}

// printable returns text in which invisible characters are escaped.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
