package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterCycles() *cobra.Command {
	return &cobra.Command{
		Use:   "cycles CANISTER [AMOUNT | +AMOUNT]",
		Short: "Show, set or add to the balance of a canister; the cycles come from nowhere",
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
			amount, err := parseCycles(more)
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

// parseCycles reads an amount with or without a unit (k M G T P) as decimal digits; nothing for no text.
func parseCycles(text string) (string, error) {
	digits, zeros := text, 0
	for i, unit := range []string{"k", "M", "G", "T", "P"} {
		if before, found := strings.CutSuffix(text, unit); found {
			digits, zeros = before, 3*(i+1)
		}
	}
	whole, part, _ := strings.Cut(strings.ReplaceAll(digits, "_", ""), ".")
	part = strings.TrimRight(part, "0")
	all := whole + part
	if strings.Trim(all, "0123456789") != "" || text != "" && whole == "" || len(part) > zeros {
		return "", fmt.Errorf("invalid amount of cycles %q: expected a number, optionally followed by k, M, G, T or P, such as 1.5T", text)
	}
	if text == "" {
		return "", nil
	}
	amount := strings.TrimLeft(all+strings.Repeat("0", zeros-len(part)), "0")
	if amount == "" {
		amount = "0"
	}
	return amount, nil
}
