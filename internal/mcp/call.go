package mcp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/internal/candid/generated"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/control/observe"
	"github.com/canisterd/canisterd/internal/control/request"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// callInput is what call takes.
type callInput struct {
	Calls    []string `json:"calls" jsonschema:"operations to make one after the other, such as: bank deposit 100 as alice"`
	Instance string   `json:"instance,omitempty" jsonschema:"default: the one deployed last"`
	detailed
}

// call makes calls.
func (s *Server) call(ctx context.Context, in callInput) (string, error) {
	n := s.namesOf(s.instanceOf(in.Instance))
	operations, err := operationsOf(in.Calls, n)
	if err != nil {
		return "", err
	}
	if len(operations) == 0 {
		return "", errors.New("no calls: pass some, such as: bank deposit 100")
	}
	all, _, err := s.canisters(ctx, n)
	if err != nil {
		return "", err
	}
	for _, o := range operations {
		if err := knownMethod(n, all, o.GetCall()); err != nil {
			return "", fmt.Errorf("%q: %w", o.GetTitle(), err)
		}
	}
	before := s.observe(ctx, n, all)
	var text strings.Builder
	var last []byte
	for _, o := range operations {
		outcome, err := s.perform(ctx, n, o, kindOf(all, o.GetCall()))
		answer := n.answer(outcome, err)
		fmt.Fprintf(&text, "%s: %s\n", o.GetTitle(), answer)
		if outcome.GetRequestId() != nil {
			last = outcome.GetRequestId()
		}
		if err != nil {
			break // those after it may depend on it
		}
	}
	if last != nil {
		trace, err := s.trace(ctx, n, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestId{RequestId: last}}, in.Full)
		if err != nil {
			return "", err
		}
		text.WriteString(trace)
	}
	if changed := changes(before, s.observe(ctx, n, all)); changed != "" {
		text.WriteString("changed\n" + changed)
	} else if last != nil {
		text.WriteString("no query without arguments changed\n")
	}
	return text.String(), nil
}

// operationsOf reads operations. The error names the one that is wrong.
func operationsOf(texts []string, n *names) (all []*controlv1.ExploreOperation, err error) {
	for _, text := range texts {
		o, err := request.Operation(text, n)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		all = append(all, o)
	}
	return all, nil
}

// kindOf reports whether a call is a query.
func kindOf(all []observe.Canister, call *controlv1.Call) (query bool) {
	for _, c := range all {
		for _, m := range c.Methods {
			if c.ID == call.GetCanisterId() && m.Name == call.GetMethod() {
				return m.Query
			}
		}
	}
	return false
}

// knownMethod returns an error for a method that its canister does not have.
func knownMethod(n *names, all []observe.Canister, call *controlv1.Call) error {
	for _, c := range all {
		var methods []string
		for _, m := range c.Methods {
			methods = append(methods, m.Name)
		}
		if c.ID == call.GetCanisterId() && !slices.Contains(methods, call.GetMethod()) && !generated.Method(call.GetMethod()) {
			return fmt.Errorf("canister %s has no method %s%s (methods: %s)", n.name(c.ID), call.GetMethod(), reference.Meant(call.GetMethod(), methods), strings.Join(methods, ", "))
		}
	}
	return nil
}

// perform makes one call, and records it if it may change the state.
func (s *Server) perform(ctx context.Context, n *names, o *controlv1.ExploreOperation, query bool) (*controlv1.Outcome, error) {
	call := o.GetCall()
	call.ReplyForm = controlv1.Form_FORM_TEXT
	if query {
		got, err := s.Daemon.Calls.Query(ctx, &controlv1.QueryRequest{Instance: n.instance, Call: call})
		return got.GetOutcome(), err
	}
	if d := s.deploymentOf(n.instance); d != nil {
		s.recordCall(d, o.GetTitle())
	}
	got, err := s.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{
		Instance: n.instance, Call: call, Patience: durationpb.New(answerPatience), NoWait: true,
	})
	return got.GetOutcome(), err
}

// columns are the numbers beside a line of a trace.
var columns = regexp.MustCompile(`(?m)  +round [0-9].*$`)

// trace returns the call tree of a request, short or in full.
func (s *Server) trace(ctx context.Context, n *names, of *controlv1.GetTraceRequest, full bool) (string, error) {
	of.Instance, of.Names, of.Form = n.instance, n.byPrincipal(), controlv1.TraceForm_TRACE_FORM_TEXT
	got, err := s.Daemon.Events.GetTrace(ctx, of)
	if err != nil {
		return "", err
	}
	text := n.shown(strings.TrimRight(got.GetRendered(), "\n")) + "\n"
	if full {
		return text, nil
	}
	return shortTrace(text), nil
}

// shortTrace returns the first lines of a trace without the numbers beside them.
func shortTrace(text string) string {
	lines := slices.Collect(strings.Lines(columns.ReplaceAllString(text, "")))
	if len(lines) > maxTraceLines {
		lines = append(lines[:maxTraceLines:maxTraceLines], fmt.Sprintf("… %d more lines (full: true)\n", len(lines)-maxTraceLines))
	}
	return strings.Join(lines, "")
}
