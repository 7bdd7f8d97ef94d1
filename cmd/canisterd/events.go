package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

type eventFlags struct {
	kinds, canisters    []string
	request, after      string
	failures, beginning bool
}

func (c *cli) events() *cobra.Command {
	var f eventFlags
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Follow the events of an instance",
		Example: `  canisterd events --failures
  canisterd events --from-beginning --canister bank --kind trapped,logged
  canisterd events --json | jq .kind`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			request, err := f.watch(c)
			if err != nil {
				return err
			}
			prefix := ""
			if f.request != "" {
				if prefix, err = requestPrefix(f.request); err != nil {
					return err
				}
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if prefix != "" {
					if request.Filter.RequestId, err = c.requestOf(ctx, d, prefix); err != nil {
						return err
					}
				}
				return unlessInterrupted(ctx, d.Watch(ctx, request, func(e *controlv1.Event) error { return c.print(c.event(e), e) }))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.kinds, "kind", nil, "only events of these kinds: "+strings.Join(request.EnumNames(controlv1.EventKind_name, "EVENT_KIND_"), ", "))
	flags.StringSliceVar(&f.canisters, "canister", nil, "only events of these canisters")
	flags.StringVar(&f.request, "request", "", "only events of this request (its id in hex, or a prefix of it) and of the calls it leads to")
	flags.BoolVar(&f.failures, "failures", false, "only traps, rejects and dropped messages")
	flags.BoolVar(&f.beginning, "from-beginning", false, "begin with the oldest available event")
	flags.StringVar(&f.after, "after", "", "resume after this token (resume_token of the RPC Events.Watch)")
	return cmd
}

// unlessInterrupted drops the error if the user ended it.
func unlessInterrupted(ctx context.Context, err error) error {
	if context.Cause(ctx) == nil {
		return err
	}
	return nil
}

func (f *eventFlags) watch(c *cli) (*controlv1.WatchRequest, error) {
	filter := &controlv1.EventFilter{OnlyFailures: f.failures}
	for _, kind := range f.kinds {
		k, ok := controlv1.EventKind_value["EVENT_KIND_"+strings.ToUpper(kind)]
		if !ok || k == 0 {
			return nil, fmt.Errorf("invalid --kind %q: expected one of %s", kind, strings.Join(request.EnumNames(controlv1.EventKind_name, "EVENT_KIND_"), ", "))
		}
		filter.Kinds = append(filter.Kinds, controlv1.EventKind(k))
	}
	for _, canister := range f.canisters {
		id, err := c.canisterOf(canister)
		if err != nil {
			return nil, err
		}
		filter.CanisterIds = append(filter.CanisterIds, id)
	}
	return &controlv1.WatchRequest{Instance: c.instance, ResumeToken: f.after, FromBeginning: f.beginning, Filter: filter}, nil
}

// event formats an event on one line.
func (c *cli) event(e *controlv1.Event) string {
	var text strings.Builder
	kind := strings.ReplaceAll(word(e.GetKind(), "EVENT_KIND_"), "_", " ")
	fmt.Fprintf(&text, "%s %s", c.paint(faint, stamp(e.GetTime())), c.paint(eventColour(e), kind))
	say := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, " %s=%s", name, oneLine(value))
		}
	}
	tally := func(name string, n uint64) {
		if n != 0 {
			fmt.Fprintf(&text, " %s=%d", name, n)
		}
	}
	say("canister", c.nameOf(e.GetCanisterId()))
	say("method", e.GetMethod())
	say("peer", c.nameOf(e.GetPeer()))
	say("source", e.GetSource())
	say("task", e.GetTask())
	if len(e.GetRequestId()) > 0 {
		say("request", fmt.Sprintf("%x", e.GetRequestId()[:4]))
	}
	tally("context", e.GetContextId())
	tally("call", e.GetCallId())
	tally("instructions", e.GetInstructions())
	say("cycles", e.GetCycles())
	tally("dirty_pages", e.GetDirtyPages())
	tally("number", e.GetNumber())
	tally("rule", e.GetRuleId())
	tally("held", e.GetHeldId())
	say("fault", e.GetFault())
	if e.GetReentrant() {
		text.WriteString(" reentrant")
	}
	if len(e.GetLog()) > 0 {
		say("log", fmt.Sprintf("%q", e.GetLog()))
	}
	if r := e.GetReject(); r != nil {
		say("reject", c.paint(red, fmt.Sprintf("%q", (&remote.Reject{Reject: r}).Summary())))
	}
	return text.String()
}

func eventColour(e *controlv1.Event) colour {
	switch {
	case e.GetReject() != nil, e.GetKind() == controlv1.EventKind_EVENT_KIND_TRAPPED:
		return red
	case e.GetFault() != "":
		return yellow
	}
	return cyan
}
