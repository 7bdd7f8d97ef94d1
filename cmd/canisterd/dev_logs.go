package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// trapLine begins the line that a trap adds to the log of its canister.
const trapLine = "[TRAP]: "

// installEntry is what runs in the events of installations: the line of a deployment has their traps.
const installEntry = "init"

// follow prints the logs and traps of the canisters of the project until the context ends.
func (x *development) follow(ctx context.Context) error {
	kinds := []controlv1.EventKind{controlv1.EventKind_EVENT_KIND_LOGGED, controlv1.EventKind_EVENT_KIND_TRAPPED}
	request := &controlv1.WatchRequest{Instance: x.cli.instance, Filter: &controlv1.EventFilter{Kinds: kinds}}
	return x.daemon.Watch(ctx, request, func(e *controlv1.Event) error {
		name, ours := x.known()[e.GetCanisterId()]
		switch {
		case !ours:
			return nil
		case e.GetKind() == controlv1.EventKind_EVENT_KIND_LOGGED && !bytes.HasPrefix(e.GetLog(), []byte(trapLine)):
			return x.print(x.cli.paint(cyan, "["+name+"]")+" "+logText(e.GetLog()), e)
		case e.GetKind() == controlv1.EventKind_EVENT_KIND_TRAPPED && e.GetEntry() != installEntry:
			return x.print(x.cli.paint(red, trapText(e, name)), e)
		}
		return nil
	})
}

// trapText formats a trap with the backtrace of the canister, a function in each line. The text of the reject goes on with
// the same backtrace, and with advice.
func trapText(e *controlv1.Event, name string) string {
	reason, _, _ := strings.Cut(e.GetReject().GetText(), "\n")
	reject := &remote.Reject{Reject: &controlv1.Reject{Code: e.GetReject().GetCode(), ErrorCode: e.GetReject().GetErrorCode(), Text: reason}}
	var text strings.Builder
	fmt.Fprintf(&text, "[%s] trapped in %s: %s", name, oneLine(e.GetMethod()), reject.Summary())
	for line := range strings.Lines(strings.TrimSpace(e.GetText())) {
		text.WriteString("\n  " + oneLine(strings.TrimSpace(line)))
	}
	return text.String()
}
