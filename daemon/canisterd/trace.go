package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) trace() *cobra.Command {
	var form, subnet string
	var callContext uint64
	cmd := &cobra.Command{
		Use:   "trace [REQUEST]",
		Short: "Show the call tree of a request, the last one where none is named",
		Long: `Show the call tree of a request (its id in hex, or the beginning of that), or of
the last one.

  canisterd trace                          as text
  canisterd trace --form mermaid           as a Mermaid sequence diagram
  canisterd trace --form json > trace.json for ui.perfetto.dev or chrome://tracing`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := &controlv1.GetTraceRequest{Instance: c.instance, Names: map[string]string{}}
			for name, id := range c.known().ids {
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
				return fmt.Errorf("--form %q: say text, mermaid or json", form)
			}
			switch {
			case callContext != 0 && len(args) > 0:
				return errors.New("give either REQUEST or --context, not both")
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
				got, err := c.traced(ctx, d, request, subnet, callContext)
				if err != nil {
					return err
				}
				return c.print(strings.TrimRight(got.GetRendered(), "\n"), got)
			})
		},
	}
	cmd.Flags().StringVar(&form, "form", "text", "text, mermaid or json")
	cmd.Flags().Uint64Var(&callContext, "context", 0, "the call tree of a call context (canisterd contexts)")
	cmd.Flags().StringVar(&subnet, "subnet", "", "the subnet of that context (default: the only one with such a context)")
	return cmd
}
