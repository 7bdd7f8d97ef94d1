package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterCycles() *cobra.Command {
	return &cobra.Command{
		Use:   "cycles CANISTER [AMOUNT | +AMOUNT]",
		Short: "Show, set or top up the cycles balance of a canister; no account is charged",
		Example: `  canisterd canister cycles bank
  canisterd canister cycles bank +5T
  canisterd canister cycles bank 0`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			more, add := strings.CutPrefix(first(args[1:]), "+")
			amount, err := quantity.ParseCycles(more)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				var balance string
				switch {
				case amount == "":
					got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
					if err != nil {
						return err
					}
					balance = got.GetCanister().GetCycles()
				case add:
					added, err := d.Canisters.AddCycles(ctx, &controlv1.AddCyclesRequest{Instance: c.instance, CanisterId: id, Cycles: amount})
					if err != nil {
						return err
					}
					balance = added.GetCycles()
				default:
					set, err := d.Canisters.SetCycles(ctx, &controlv1.SetCyclesRequest{Instance: c.instance, CanisterId: id, Cycles: amount})
					if err != nil {
						return err
					}
					balance = set.GetCycles()
				}
				return c.print(grouped(balance), map[string]json.Number{"cycles": json.Number(balance)})
			})
		},
	}
}
