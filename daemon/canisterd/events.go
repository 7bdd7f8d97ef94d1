package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
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
		Short: "Follow what happens, from now on or from what is remembered",
		Example: `  canisterd events --failures
  canisterd events --from-beginning --canister bank --kind trapped,logged
  canisterd events --json | jq .kind`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			request, err := f.watch(c)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				return unlessInterrupted(ctx, d.Watch(ctx, request, func(e *controlv1.Event) error { return c.print(c.event(e), e) }))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.kinds, "kind", nil, "only of these kinds: "+strings.Join(enumNames(controlv1.EventKind_name, "EVENT_KIND_"), ", "))
	flags.StringSliceVar(&f.canisters, "canister", nil, "only of these canisters")
	flags.StringVar(&f.request, "request", "", "only of this request (hex) and what follows from it")
	flags.BoolVar(&f.failures, "failures", false, "only traps, rejects and dropped messages")
	flags.BoolVar(&f.beginning, "from-beginning", false, "begin with everything that is remembered")
	flags.StringVar(&f.after, "after", "", "go on after this resume token")
	return cmd
}

// unlessInterrupted is no error where the user ended it.
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
			return nil, fmt.Errorf("--kind %q is no kind of event: use some of %s", kind, strings.Join(enumNames(controlv1.EventKind_name, "EVENT_KIND_"), ", "))
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
	if f.request != "" {
		id, err := requestID(f.request)
		if err != nil {
			return nil, err
		}
		filter.RequestId = id
	}
	return &controlv1.WatchRequest{Instance: c.instance, ResumeToken: f.after, FromBeginning: f.beginning, Filter: filter}, nil
}

// event is an event in one line.
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
		say("reject", c.paint(red, fmt.Sprintf("%q", (&remote.Reject{Reject: r}).Error())))
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

func (c *cli) logs() *cobra.Command {
	var follow bool
	var last uint32
	var from uint64
	cmd := &cobra.Command{
		Use:   "logs CANISTER",
		Short: "Print the log of a canister",
		Example: `  canisterd logs bank --last 20
  canisterd logs -f bank`,
		Args: cobra.ExactArgs(1),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			stream, err := d.Canisters.ReadLogs(ctx, &controlv1.ReadLogsRequest{Instance: c.instance, CanisterId: id, Follow: follow, Last: last, FromIndex: from})
			if err != nil {
				return err
			}
			for {
				record, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return unlessInterrupted(ctx, err)
				}
				if err := c.print(c.logged(record), record); err != nil {
					return err
				}
			}
		}),
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with new records as they come")
	cmd.Flags().Uint32Var(&last, "last", 0, "only so many of those there are (default: all)")
	cmd.Flags().Uint64Var(&from, "from", 0, "only records from this index on")
	return cmd
}

// logged is a record of a log as people read it: text where it is text, else hex.
func (c *cli) logged(r *controlv1.ReadLogsResponse) string {
	text := string(r.GetContent())
	if strings.ToValidUTF8(text, "") != text {
		text = fmt.Sprintf("(bytes) %x", text)
	}
	return fmt.Sprintf("%s %s", c.paint(faint, fmt.Sprintf("[%d] %s", r.GetIndex(), stamp(r.GetTime()))), oneLine(text))
}
