package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/quantity"
	"github.com/canisterd/canisterd/internal/textwidth"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) trace() *cobra.Command {
	var form, subnet, since string
	var all bool
	var callContext uint64
	cmd := &cobra.Command{
		Use:   "trace [REQUEST]",
		Short: "Show the call tree of a request (default: the last one)",
		Long: `Show the call tree of a request (its id in hex, or a prefix of it), by default of the
last one that involves more than the management canister. Messages to that canister are
hidden, and asynchronous blocks of Motoko are folded into the messages around them;
--all shows both. --form json writes trace events for ui.perfetto.dev and chrome://tracing.

The time of a response is network time (canisterd time), counted from the arrival of the
message or from the call. The time of code is wall time on the daemon's machine.`,
		Example: `  canisterd trace
  canisterd trace --since 5m
  canisterd trace --form mermaid
  canisterd trace --form json > trace.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := &controlv1.GetTraceRequest{Instance: c.instance, Names: map[string]string{}, IncludeManagement: all, IncludeGenerated: all}
			for id, name := range c.known().names {
				request.Names[id] = name
			}
			switch form {
			case "text":
				request.Form = controlv1.TraceForm_TRACE_FORM_TEXT
			case "mermaid":
				request.Form = controlv1.TraceForm_TRACE_FORM_MERMAID
			case "json":
				request.Form = controlv1.TraceForm_TRACE_FORM_TRACE_EVENTS
			default:
				return fmt.Errorf("invalid --form %q: expected text, mermaid or json", form)
			}
			switch {
			case callContext != 0 && len(args) > 0, since != "" && (callContext != 0 || len(args) > 0):
				return errors.New("use only one of REQUEST, --context and --since")
			case callContext != 0:
			case len(args) > 0:
				prefix, err := requestPrefix(args[0])
				if err != nil {
					return err
				}
				request.Of = &controlv1.GetTraceRequest_RequestPrefix{RequestPrefix: prefix}
			default:
				request.Of = &controlv1.GetTraceRequest_Last{Last: true}
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if since != "" {
					from, err := c.moment(ctx, d, since)
					if err != nil {
						return err
					}
					request.Of = &controlv1.GetTraceRequest_Since{Since: from}
				}
				got, err := c.traced(ctx, d, request, subnet, callContext)
				if err != nil {
					return c.withReplay(ctx, d, err)
				}
				text := strings.TrimRight(got.GetRendered(), "\n")
				if form == "text" {
					text = c.coloured(text)
				}
				return c.print(text, got)
			})
		},
	}
	cmd.Flags().StringVar(&form, "form", "text", "format: text, mermaid (a sequence diagram) or json (trace events)")
	cmd.Flags().StringVar(&since, "since", "", "show all requests since a time, such as 2030-01-01T00:00:00Z, or in the last 5m")
	cmd.Flags().BoolVar(&all, "all", false, "include messages to the management canister and of methods that compilers add")
	cmd.Flags().Uint64Var(&callContext, "context", 0, "show the call tree of a call context (canisterd contexts)")
	cmd.Flags().StringVar(&subnet, "subnet", "", "subnet of that context (default: the only one with such a context)")
	return cmd
}

// withReplay adds to an error about forgotten messages how the journal of a kept instance shows them. A daemon starts
// without the events of the last one.
func (c *cli) withReplay(ctx context.Context, d *remote.Daemon, err error) error {
	if reason, _ := remote.Reason(err); reason != "TRACE_UNKNOWN" {
		return err
	}
	got, failed := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.instance})
	if failed != nil || got.GetInstance().GetEphemeral() {
		return err
	}
	export := "canisterd instance export --journal FILE"
	if c.instance != "" {
		export = "canisterd -i " + c.instance + " instance export --journal FILE"
	}
	return fmt.Errorf("%w; for messages from before a restart, run %s and then canisterd replay --traces 10 FILE", err, export)
}

// moment parses a time of the network, or a duration before its present.
func (c *cli) moment(ctx context.Context, d *remote.Daemon, text string) (*timestamppb.Timestamp, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return timestamppb.New(at), nil
	}
	before, err := quantity.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("invalid --since %q: expected a time, such as 2030-01-01T00:00:00Z, or a duration, such as 5m", text)
	}
	now, err := d.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: c.instance})
	if err != nil {
		return nil, err
	}
	return timestamppb.New(now.GetTime().AsTime().Add(-before)), nil
}

// columns are the columns next to a line of a tree.
var columns = regexp.MustCompile(`  +round [0-9].*$`)

// branches are the lines drawn before it.
var branches = regexp.MustCompile(`^[│├└─ ]*`)

// coloured formats a tree for a terminal: in its width, with faults in red and the columns next to the lines faint.
func (c *cli) coloured(text string) string {
	cells := c.cells()
	if cells == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = textwidth.Fit(line, cells)
		at := len(line)
		if place := columns.FindStringIndex(line); place != nil {
			at = place[0]
		}
		drawn := branches.FindString(line[:at])
		body, as := line[len(drawn):at], plainText
		switch {
		case strings.HasPrefix(body, "rejected"), strings.HasPrefix(body, "trapped"):
			as = red
		case strings.HasPrefix(body, "replied"):
			as = green
		case strings.HasPrefix(body, "log: "), strings.HasPrefix(body, "  at "):
			as = faint
		case strings.HasPrefix(body, "ingress "), strings.HasPrefix(body, "call #"):
			as = cyan
		}
		lines[i] = c.paint(faint, drawn) + c.paint(as, body) + c.paint(faint, line[at:])
	}
	return strings.Join(lines, "\n")
}

// cells returns the width of the terminal that shows results; 0 if there is none.
func (c *cli) cells() int {
	f, ok := c.out.(*os.File)
	if !ok || !terminal(c.out) {
		return 0
	}
	cells, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return cells
}
