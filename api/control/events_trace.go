package control

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/trace"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// traceUnknown takes a description of the requested root.
var traceUnknown = reason("TRACE_UNKNOWN", codes.NotFound, "no trace of %s: it does not exist, or its events were discarded")

// GetTrace returns the call tree of a user's message, or of a call context.
func (s *events) GetTrace(ctx context.Context, in *controlv1.GetTraceRequest) (*controlv1.GetTraceResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	root, err := readRoot(in)
	if err != nil {
		return nil, err
	}
	names, err := readNames(in.GetNames())
	if err != nil {
		return nil, err
	}
	all, err := recordedEvents(ctx, i)
	if err != nil {
		return nil, err
	}
	what := "the message or context"
	if in.GetSince() != nil {
		return s.tracesSince(ctx, i, in, all, names)
	}
	if in.GetLast() {
		root, what = lastMessage(i, all, in.GetIncludeManagement()), "any user's message"
	}
	if prefix := in.GetRequestPrefix(); prefix != "" {
		if root.Request, err = requestWith(prefix, all); err != nil {
			return nil, err
		}
		what = "a user's message whose id begins with " + prefix
	}
	tree := trace.Build(root, all)
	if tree.Root == nil {
		return nil, traceUnknown.Refuse(what)
	}
	s.readerOf(ctx, i, names).Describe(tree)
	out := &controlv1.GetTraceResponse{Root: shownTree(tree.Root, maxTraceDepth, in.GetIncludeBytes()), Complete: tree.Complete}
	if !in.GetIncludeGenerated() {
		tree.Fold()
	}
	switch in.GetForm() {
	case controlv1.TraceForm_TRACE_FORM_TEXT:
		out.Rendered = trace.Text(tree, names)
	case controlv1.TraceForm_TRACE_FORM_MERMAID:
		out.Rendered = trace.Mermaid(tree, names)
	case controlv1.TraceForm_TRACE_FORM_TRACE_EVENTS:
		json, err := trace.TraceEvents(tree, names)
		if err != nil {
			return nil, err
		}
		out.Rendered = string(json)
	case controlv1.TraceForm_TRACE_FORM_UNSPECIFIED:
	default:
		return nil, BadField.Refuse("form", in.GetForm(), "expected one of TraceForm")
	}
	return out, nil
}

// readRoot reads the root of the requested tree. It is zero for the last message, a prefix or a range of messages.
func readRoot(in *controlv1.GetTraceRequest) (root trace.Root, err error) {
	switch of := in.GetOf().(type) {
	case *controlv1.GetTraceRequest_RequestId:
		root.Request, err = readRequestID("request_id", of.RequestId)
		return root, err
	case *controlv1.GetTraceRequest_Context:
		subnet, err := readPrincipal("context.subnet_id", of.Context.GetSubnetId())
		if err != nil {
			return root, err
		}
		if of.Context.GetContextId() == 0 {
			return root, MissingField.Refuse("context.context_id", "the id of a call context")
		}
		return trace.Root{Subnet: *subnet, Context: intercanister.ContextID(of.Context.GetContextId())}, nil
	case *controlv1.GetTraceRequest_Since:
		return root, nil
	case *controlv1.GetTraceRequest_Last:
		if !of.Last {
			return root, BadField.Refuse("last", false, "set it to true, or name a message or context")
		}
		return root, nil
	}
	if prefix, ok := in.GetOf().(*controlv1.GetTraceRequest_RequestPrefix); ok {
		return root, checkPrefix("request_prefix", prefix.RequestPrefix)
	}
	return root, MissingField.Refuse("of", "request_id, request_prefix, context, last or since")
}

// checkPrefix refuses a text that cannot be the prefix of a request id in hex.
func checkPrefix(field, prefix string) error {
	if len(prefix) == 0 || len(prefix) > hex.EncodedLen(len(replica.RequestID{})) || strings.Trim(prefix, "0123456789abcdef") != "" {
		return BadField.Refuse(field, quoted(prefix), "expected 1 to 64 hex digits in lower case")
	}
	return nil
}

// requestWith returns the id of the user's message with a prefix; zero if there is none.
func requestWith(prefix string, all []replica.Event) (found replica.RequestID, err error) {
	seen := map[replica.RequestID]bool{}
	var ids []string
	for i := range all {
		e := &all[i]
		if id := hex.EncodeToString(e.Request[:]); e.Kind == replica.IngressReceived && !seen[e.Request] && strings.HasPrefix(id, prefix) {
			seen[e.Request], found = true, e.Request
			ids = append(ids, id)
		}
	}
	if len(ids) > 1 {
		const listed = 5
		text := fmt.Sprintf("%d messages have ids that begin so: %s", len(ids), strings.Join(ids[:min(len(ids), listed)], ", "))
		return found, BadField.Refuse("request_prefix", quoted(prefix), text)
	}
	return found, nil
}

// readNames reads the names under which canisters are shown.
func readNames(in map[string]string) (trace.Names, error) {
	names := make(map[principal.Principal]string, len(in))
	for text, name := range in {
		id, err := readPrincipal("names", text)
		if err != nil {
			return nil, err
		}
		names[*id] = name
	}
	return func(id principal.Principal) string { return names[id] }, nil
}

// recordedEvents returns all events that an instance keeps, the oldest first.
func recordedEvents(ctx context.Context, i *instance.Instance) (all []replica.Event, err error) {
	reader, err := i.Driver().Events(ctx, driver.From{Beginning: true}, driver.Filter{})
	if err != nil {
		return nil, misplaced(err)
	}
	defer reader.Close()
	for {
		e, ok, err := reader.Recorded()
		if err != nil {
			return nil, misplaced(err)
		}
		if !ok {
			return all, ctx.Err()
		}
		all = append(all, e.Event)
	}
}

// shownTree returns the message for a call with its subtree, to a maximum depth.
func shownTree(c *trace.Call, depth int, withBytes bool) *controlv1.TraceCall {
	shown := &controlv1.TraceCall{
		CanisterId: c.Canister.String(), Method: c.Method, Source: sources[c.Source], ContextId: uint64(c.Context), CallId: uint64(c.Number),
		Answered: c.Answered(), Reject: shownReject(c.Reject), Reentrant: c.Reentrant, Missing: c.Missing, Deadline: moment(c.Deadline),
		Begun: moment(c.Begun.Time), Ended: moment(c.Ended.Time), Argument: c.ArgText, Reply: c.ReplyText,
	}
	if withBytes {
		shown.ArgumentBytes, shown.ArgumentSize, shown.ReplyBytes = c.Arg, uint64(c.ArgBytes), c.Reply
	}
	if c.Source != intercanister.SourceTasks {
		shown.Caller = c.Caller.String()
	} else {
		shown.Method = c.Task.String()
	}
	if c.Subnet != principal.Management {
		shown.SubnetId = c.Subnet.String()
	}
	if c.Request != (replica.RequestID{}) {
		shown.RequestId = c.Request[:]
	}
	for _, n := range c.Notes {
		shown.Notes = append(shown.Notes, n.Text)
	}
	for _, x := range c.Executions {
		shown.Executions = append(shown.Executions, shownExecution(x, c.Canister, depth-1, withBytes))
		if depth == 1 && len(x.Calls) > 0 {
			shown.Missing = append(shown.Missing, "calls that lie deeper: only the rendered tree has them")
		}
	}
	return shown
}

// shownExecution converts an execution of a canister, with the calls that it made.
func shownExecution(x *trace.Execution, of principal.Principal, depth int, withBytes bool) *controlv1.TraceExecution {
	shown := &controlv1.TraceExecution{
		Entry: x.Entry.String(), Height: x.Begun.Height, Time: moment(x.Begun.Time), Instructions: x.Instructions,
		Trap: shownReject(x.Trap), AnswersCall: uint64(x.AnswersNumber),
	}
	if !x.Cycles.IsZero() {
		shown.Cycles = x.Cycles.String()
	}
	if x.Wall != 0 {
		shown.WallTime = durationpb.New(asDuration(uint64(x.Wall)))
	}
	for _, f := range x.Backtrace {
		if f.Canister = of; shown.Trap != nil {
			shown.Trap.Backtrace = append(shown.Trap.Backtrace, frameOf(&f))
		}
	}
	for _, line := range x.Logs {
		shown.Logs = append(shown.Logs, line.Text)
	}
	for _, c := range x.Calls {
		if depth > 0 {
			shown.Calls = append(shown.Calls, shownTree(c, depth, withBytes))
		}
	}
	return shown
}
