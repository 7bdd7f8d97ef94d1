package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterCreate() *cobra.Command {
	var amount, subnet, exactly string
	var addSubnet bool
	var s settingsFlags
	cmd := &cobra.Command{
		Use:   "create [NAME]",
		Short: "Create an empty canister and print its id",
		Long: `Create an empty canister and print its id. With NAME, other commands accept that name,
and canisterd deploy installs the canister of that name in ` + project.File + ` into it.`,
		Example: `  canisterd canister create vault
  canisterd canister create --cycles 5T --env STAGE=test
  canisterd canister create --id rdmx6-jaaaa-aaaaa-aaadq-cai --add-subnet
  id=$(canisterd canister create)`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := &controlv1.CreateCanisterRequest{Instance: c.instance, CanisterId: exactly, AddSubnet: addSubnet}
			var err error
			if request.Cycles, err = quantity.ParseCycles(amount); err != nil {
				return err
			}
			if request.Sender, err = c.sender(); err != nil {
				return err
			}
			if request.Settings, err = s.settings(c, cmd); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if request.SubnetId, err = c.subnetOf(ctx, d, subnet); err != nil {
					return err
				}
				name, err := c.freeName(ctx, d, first(args))
				if err != nil {
					return err
				}
				created, err := d.Canisters.CreateCanister(ctx, request)
				if err != nil {
					return err
				}
				if err := name.take(ctx, c, d, created.GetCanisterId()); err != nil {
					return err
				}
				return c.print(created.GetCanisterId(), created)
			})
		},
	}
	cmd.Flags().StringVar(&amount, "cycles", "", "initial cycles, such as 5T (default: 100T)")
	cmd.Flags().StringVar(&subnet, "subnet", "", "subnet for the canister, by id or kind (default: an application subnet)")
	cmd.Flags().StringVar(&exactly, "id", "", "canister id to use")
	cmd.Flags().BoolVar(&addSubnet, "add-subnet", false, "with --id: if no subnet has this id in its range, add one that has it, of mainnet's kind")
	s.add(cmd)
	return sending(cmd)
}
