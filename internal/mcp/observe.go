package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/observe"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// canisters returns the named canisters of an instance with their methods, by name, and how many more there are.
func (s *Server) canisters(ctx context.Context, n *names) (all []observe.Canister, more int, err error) {
	listed, more := n.listed()
	for _, name := range listed {
		one, err := observe.Describe(ctx, s.Daemon, n.instance, name, n.ids[name])
		if err != nil {
			return nil, 0, err
		}
		all = append(all, one)
	}
	return all, more, nil
}

// listed returns the names of the canisters that answers list, and how many more there are.
func (n *names) listed() (listed []string, more int) {
	listed = slices.Sorted(maps.Keys(n.ids))
	if more = len(listed) - maxCanisters; more > 0 {
		return listed[:maxCanisters], more
	}
	return listed, 0
}

// observe makes the queries without arguments of canisters.
func (s *Server) observe(ctx context.Context, n *names, all []observe.Canister) observe.State {
	return observe.Read(all, func(call *controlv1.Call) string {
		call.Sender = n.sender
		return s.query(ctx, n, call)
	})
}

// query makes a query, and returns its result as text.
func (s *Server) query(ctx context.Context, n *names, call *controlv1.Call) string {
	call.ReplyForm = controlv1.Form_FORM_TEXT
	got, err := s.Daemon.Calls.Query(ctx, &controlv1.QueryRequest{Instance: n.instance, Call: call})
	return n.answer(got.GetOutcome(), err)
}

// answer returns the answer to a call as text.
func (n *names) answer(outcome *controlv1.Outcome, err error) string {
	switch reason, of := remote.Reason(err); {
	case reason == unansweredReason:
		return "still open, " + n.shown(of["waits_for"]) + " (" + advice[reason] + ")"
	case err != nil:
		return "not called: " + n.shown(explained(err))
	}
	reply, err := remote.Reply(outcome)
	if reject, is := err.(*remote.Reject); is {
		return n.shown(reject.Summary() + reject.Backtrace(n.name))
	}
	if text := reply.GetText(); text != "" {
		return text
	}
	return "bytes, not Candid"
}

// changes says which values differ between two states.
func changes(before, after observe.State) string {
	var text strings.Builder
	for _, query := range after.Queries {
		if was := before.Results[query]; after.Results[query] != was {
			text.WriteString("  " + query + "  " + short(after.Results[query]) + ", before " + short(was) + "\n")
		}
	}
	return text.String()
}
