package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/candid/generated"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// described is a canister with its methods.
type described struct {
	name, id string
	methods  []method
}

// method is a method of a canister that its author wrote.
type method struct {
	name      string
	query     bool
	plain     bool   // takes no arguments
	signature string // "" if the canister has no interface
}

// canisters returns the named canisters of an instance with their methods, by name, and how many more there are.
func (s *Server) canisters(ctx context.Context, n *names) (all []described, more int, err error) {
	listed, more := n.listed()
	for _, name := range listed {
		one, err := s.describe(ctx, n.instance, n.ids[name])
		if err != nil {
			return nil, 0, err
		}
		one.name = name
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

// describe returns a canister with its methods: those of its interface, or without one those that its module exports.
func (s *Server) describe(ctx context.Context, instance, id string) (described, error) {
	one := described{id: id}
	if got, err := s.Daemon.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: instance, CanisterId: id}); err == nil {
		if file, err := did.Parse(got.GetCandid()); err == nil {
			for _, m := range file.Methods() {
				if !generated.Method(m.Name) {
					one.methods = append(one.methods, method{
						name: m.Name, query: m.Annotation&(candid.Query|candid.CompositeQuery) != 0, plain: len(m.Args) == 0,
						signature: did.FormatTypes(m.Args) + " -> " + did.FormatTypes(m.Results),
					})
				}
			}
			return one, nil
		}
	}
	got, err := s.Daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: instance, CanisterId: id})
	if err != nil {
		return one, err
	}
	for _, m := range got.GetCanister().GetMethods() {
		if !generated.Method(m.GetName()) {
			one.methods = append(one.methods, method{name: m.GetName(), query: m.GetKind() != "update"})
		}
	}
	return one, nil
}

// values are the results of queries without arguments, in the order of the queries.
type values struct {
	queries []string          // CANISTER METHOD
	results map[string]string // in Candid text, or why there is none
}

// observe makes the queries without arguments of canisters.
func (s *Server) observe(ctx context.Context, n *names, all []described) values {
	seen := values{results: map[string]string{}}
	for _, call := range observable(all) {
		call.Sender = n.sender
		query := n.name(call.GetCanisterId()) + " " + call.GetMethod()
		seen.queries = append(seen.queries, query)
		seen.results[query] = s.query(ctx, n, call)
	}
	return seen
}

// observable returns the queries without arguments whose values are compared.
func observable(all []described) (calls []*controlv1.Call) {
	for _, c := range all {
		for _, m := range c.methods {
			if m.query && m.plain && len(calls) < maxObserved {
				calls = append(calls, &controlv1.Call{CanisterId: c.id, Method: m.name})
			}
		}
	}
	return calls
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

// changes says which values differ from those before.
func (v values) changes(before values) string {
	var text strings.Builder
	for _, query := range v.queries {
		if was := before.results[query]; v.results[query] != was {
			text.WriteString("  " + query + "  " + short(v.results[query]) + ", before " + short(was) + "\n")
		}
	}
	return text.String()
}
