package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// whyInput is what why takes.
type whyInput struct {
	Request  string `json:"request,omitempty" jsonschema:"id of a request in hex, or its begin; default: the last one"`
	Instance string `json:"instance,omitempty"`
	detailed
}

// why lists what waits with its reason, and shows the trace of a request with its traps and rejects.
func (s *Server) why(ctx context.Context, in whyInput) (string, error) {
	n := s.namesOf(s.instanceOf(in.Instance))
	waiting, err := s.waiting(ctx, n)
	if err != nil {
		return "", err
	}
	of := &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Last{Last: true}}
	if in.Request != "" {
		of.Of = &controlv1.GetTraceRequest_RequestPrefix{RequestPrefix: in.Request}
	}
	trace, err := s.trace(ctx, n, of, in.Full)
	if reason, _ := remote.Reason(err); reason == "TRACE_UNKNOWN" && in.Request == "" {
		return waiting + "no request was made yet", nil
	}
	return waiting + trace, err
}

// waiting lists the calls of canisters and the messages in queues that wait.
func (s *Server) waiting(ctx context.Context, n *names) (string, error) {
	page := &controlv1.Page{Size: maxListed}
	futures, err := s.Daemon.Messages.ListFutures(ctx, &controlv1.ListFuturesRequest{Instance: n.instance, Page: page})
	if err != nil {
		return "", err
	}
	queued, err := s.Daemon.Messages.ListMessages(ctx, &controlv1.ListMessagesRequest{Instance: n.instance, Page: page})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range futures.GetFutures() {
		fmt.Fprintf(&text, "%s awaits %s.%s: %s%s\n", n.name(f.GetCaller()), n.name(f.GetCallee()), f.GetMethod(), n.shown(f.GetWaiting().GetText()), remedy(f.GetWaiting()))
		if f.GetCircular() {
			text.WriteString("  they await each other\n")
		}
	}
	for _, m := range queued.GetMessages() {
		fmt.Fprintf(&text, "%s %s of %s waits: %s%s\n", m.GetKind(), m.GetMethod(), n.name(m.GetCanisterId()), n.shown(m.GetWaiting().GetText()), remedy(m.GetWaiting()))
	}
	if futures.GetNextPageToken() != "" || queued.GetNextPageToken() != "" {
		fmt.Fprintf(&text, "and more than %d others\n", maxListed)
	}
	if text.Len() == 0 {
		return "nothing waits\n", nil
	}
	return text.String(), nil
}

// remedies say what ends a wait that does not end by itself, by its reason, beside those of rules.
var remedies = map[controlv1.WaitReason]string{
	controlv1.WaitReason_WAIT_REASON_OUTCALL:    "the user answers it: canisterd outcalls",
	controlv1.WaitReason_WAIT_REASON_NEXT_ROUND: "time with rounds: 1 runs the next round",
	controlv1.WaitReason_WAIT_REASON_STOPPED:    "its canister is stopped",
	controlv1.WaitReason_WAIT_REASON_NEVER:      "it never ends",
}

// remedy returns what ends a wait, in parentheses.
func remedy(w *controlv1.Waiting) string {
	if w.GetReason() == controlv1.WaitReason_WAIT_REASON_HELD {
		return fmt.Sprintf(" by rule %d (the user releases it: canisterd release %d)", w.GetRuleId(), w.GetHeldId())
	}
	if end := remedies[w.GetReason()]; end != "" {
		return " (" + end + ")"
	}
	return ""
}
