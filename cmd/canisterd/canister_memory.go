package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterRead() *cobra.Command {
	var offset, length uint64
	cmd := &cobra.Command{
		Use:   "read CANISTER heap|stable",
		Short: "Write a canister's memory to standard output, as a hex dump on a terminal",
		Example: `  canisterd canister read bank stable > bank.stable
  canisterd canister read bank heap --offset 65536 --length 256`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			kind, ok := controlv1.MemoryKind_value["MEMORY_KIND_"+strings.ToUpper(args[1])]
			if !ok || kind == 0 {
				return fmt.Errorf("invalid memory %q: expected heap or stable", args[1])
			}
			to := c.out
			if terminal(c.out) {
				dump := hex.Dumper(c.out)
				defer func() { _ = dump.Close() }() // it writes to a terminal
				to = dump
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				stream, err := d.Canisters.ReadMemory(ctx, &controlv1.ReadMemoryRequest{
					Instance: c.instance, CanisterId: id, Memory: controlv1.MemoryKind(kind), Offset: offset, Length: length,
				})
				if err != nil {
					return err
				}
				for {
					part, err := stream.Recv()
					if errors.Is(err, io.EOF) {
						return nil
					}
					if err != nil {
						return err
					}
					if c.json {
						if err := c.print("", part); err != nil {
							return err
						}
						continue
					}
					if _, err := to.Write(part.GetChunk()); err != nil {
						return fmt.Errorf("writing the memory: %w", err)
					}
				}
			})
		},
	}
	cmd.Flags().Uint64Var(&offset, "offset", 0, "first byte")
	cmd.Flags().Uint64Var(&length, "length", 0, "number of bytes (default: to the end)")
	return cmd
}
