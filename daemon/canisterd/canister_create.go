package main

import (
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/candid/principal"
)

func (c *cli) canisterCreate() *cobra.Command {
	var cycles, near, exactly string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an empty canister and print its id",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			arg, err := creation(cycles, exactly)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			connection, err := c.dial(ctx)
			if err != nil {
				return err
			}
			defer connection.Close()
			var effective principal.Principal
			switch {
			case arg.Specified != nil:
				effective = *arg.Specified
			case near != "":
				effective, err = canisterID(near)
			default:
				effective, err = connection.Home(ctx)
			}
			if err != nil {
				return err
			}
			var created named
			if err := manage(ctx, connection, effective, "provisional_create_canister_with_cycles", arg, &created); err != nil {
				return err
			}
			return c.print(created.Canister.String(), map[string]principal.Principal{"canister_id": created.Canister})
		},
	}
	cmd.Flags().StringVar(&cycles, "cycles", "", "cycles to start with (default: what the daemon gives, 100 T)")
	cmd.Flags().StringVar(&near, "near", "", "a canister id of the subnet to create it on (default: an application subnet)")
	cmd.Flags().StringVar(&exactly, "id", "", "the id to give it")
	return cmd
}

// creationArg is the argument of provisional_create_canister_with_cycles.
type creationArg struct {
	Amount    *big.Int             `ic:"amount"`
	Specified *principal.Principal `ic:"specified_id"`
}

func creation(cycles, exactly string) (creationArg, error) {
	var arg creationArg
	if cycles != "" {
		n, ok := new(big.Int).SetString(cycles, 10)
		if !ok || n.Sign() < 0 {
			return arg, fmt.Errorf("--cycles %q is not a number of cycles: give decimal digits", cycles)
		}
		arg.Amount = n
	}
	if exactly != "" {
		id, err := canisterID(exactly)
		if err != nil {
			return arg, err
		}
		arg.Specified = &id
	}
	return arg, nil
}
