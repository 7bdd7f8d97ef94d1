package control

import (
	"context"
	"strings"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/trace"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// toManagement reports whether a received user's message was for the management canister: its event has the canister
// that it is about.
func toManagement(i *instance.Instance, e *replica.Event) bool {
	file := managementInterface().file
	if _, is := file.Method(e.Method); !is {
		return false
	}
	module := i.Driver().Module(e.Canister)
	return module == nil || module.Method(e.Method) == canister.NoMethod
}

// lastMessage returns the newest user's message to a canister, or to the management canister if management is set or no
// other is remembered.
func lastMessage(i *instance.Instance, all []replica.Event, management bool) trace.Root {
	for at := len(all) - 1; at >= 0 && !management; at-- {
		if e := &all[at]; e.Kind == replica.IngressReceived && !toManagement(i, e) {
			return trace.Root{Request: e.Request}
		}
	}
	root, _ := trace.LastIngress(all)
	return root
}

// tracesSince returns the trees of the user's messages since a time.
func (s *events) tracesSince(ctx context.Context, i *instance.Instance, in *controlv1.GetTraceRequest, all []replica.Event, names trace.Names) (*controlv1.GetTraceResponse, error) {
	switch in.GetForm() {
	case controlv1.TraceForm_TRACE_FORM_UNSPECIFIED, controlv1.TraceForm_TRACE_FORM_TEXT:
	default:
		return nil, BadField.Refuse("form", in.GetForm(), "of several messages there is text alone")
	}
	since := uint64(max(in.GetSince().AsTime().UnixNano(), 0))
	var roots []trace.Root
	for at := len(all) - 1; at >= 0 && len(roots) < maxTraces; at-- {
		e := &all[at]
		if e.Kind == replica.IngressReceived && e.Time >= since && (in.GetIncludeManagement() || !toManagement(i, e)) {
			roots = append(roots, trace.Root{Request: e.Request})
		}
	}
	if len(roots) == 0 {
		return nil, traceUnknown.Refuse("a user's message since then")
	}
	out := &controlv1.GetTraceResponse{Complete: true}
	var texts []string
	reader := s.readerOf(ctx, i, names)
	for at := len(roots) - 1; at >= 0; at-- {
		tree := trace.Build(roots[at], all)
		if tree.Root == nil {
			continue
		}
		reader.Describe(tree)
		out.Complete = out.Complete && tree.Complete
		out.Calls = append(out.Calls, shownTree(tree.Root, maxTraceDepth, in.GetIncludeBytes()))
		if !in.GetIncludeGenerated() {
			tree.Fold()
		}
		texts = append(texts, trace.Text(tree, names))
	}
	if in.GetForm() == controlv1.TraceForm_TRACE_FORM_TEXT {
		out.Rendered = strings.Join(texts, "\n")
	}
	return out, nil
}
