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

func (c *cli) logs() *cobra.Command {
	var follow bool
	var last uint32
	var from uint64
	cmd := &cobra.Command{
		Use:   "logs CANISTER",
		Short: "Print the log of a canister",
		Example: `  canisterd logs bank --last 20
  canisterd canister logs bank --from 1
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
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new records")
	cmd.Flags().Uint32Var(&last, "last", 0, "show only the newest `N` records (default: all)")
	cmd.Flags().Uint64Var(&from, "from", 0, "show only records from this index on")
	return cmd
}

// logged formats a record of a log for people.
func (c *cli) logged(r *controlv1.ReadLogsResponse) string {
	return fmt.Sprintf("%s %s", c.paint(faint, fmt.Sprintf("[%d] %s", r.GetIndex(), stamp(r.GetTime()))), logText(r.GetContent()))
}

// logText formats a line of a log: as text if it is text, else hex.
func logText(content []byte) string {
	text := string(content)
	if strings.ToValidUTF8(text, "") != text {
		text = fmt.Sprintf("(bytes) %x", text)
	}
	return oneLine(text)
}
