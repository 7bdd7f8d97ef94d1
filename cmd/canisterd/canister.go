package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canister() *cobra.Command {
	cmd := group("canister", "Create, install, call and inspect canisters")
	cmd.AddCommand(
		c.canisterCreate(), c.canisterList(), c.canisterID(), c.canisterInstall(), c.canisterCall(), c.canisterQuery(), c.canisterSubmit(), c.canisterAwait(), c.canisterStatus(),
		c.canisterSettings(), c.canisterMetadata(), c.canisterInterface(), c.canisterHelp(), c.canisterSnapshot(), c.canisterRead(), c.canisterCycles(), c.canisterMove(), c.logs(),
		c.forCanister("canister start", "Start a stopped canister", "runs", func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error) {
			return d.Canisters.StartCanister(ctx, &controlv1.StartCanisterRequest{Instance: c.instance, CanisterId: id})
		}),
		c.forCanister("canister stop", "Stop a canister after its open calls have ended", "stopped", func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error) {
			defer c.whileWaiting(ctx, c.nameOf(id)+" is stopping: what it has open must end first (canisterd contexts)")()
			return d.Canisters.StopCanister(ctx, &controlv1.StopCanisterRequest{Instance: c.instance, CanisterId: id})
		}),
		c.forCanister("canister uninstall", "Remove the code and the state of a canister", "has no code any more", func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error) {
			return d.Canisters.UninstallCode(ctx, &controlv1.UninstallCodeRequest{Instance: c.instance, CanisterId: id})
		}),
		c.canisterDelete(),
	)
	return cmd
}

func (c *cli) canisterDelete() *cobra.Command {
	var stop bool
	cmd := c.forCanister("canister delete", "Delete a stopped canister", "deleted", func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error) {
		return d.Canisters.DeleteCanister(ctx, &controlv1.DeleteCanisterRequest{Instance: c.instance, CanisterId: id, Stop: stop})
	})
	cmd.Example = "  canisterd canister delete bank\n  canisterd canister delete bank --stop"
	cmd.Flags().BoolVar(&stop, "stop", false, "stop the canister first")
	return cmd
}

func (c *cli) canisterMove() *cobra.Command {
	return &cobra.Command{
		Use:   "move CANISTER SUBNET",
		Short: "Move a stopped canister to another subnet; it keeps its id",
		Example: `  canisterd canister move bank nns
  canisterd -i lab canister move bank application`,
		Args: cobra.ExactArgs(2),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			subnet, err := c.subnetOf(ctx, d, args[1])
			if err != nil {
				return err
			}
			_, err = d.Canisters.MoveCanister(ctx, &controlv1.MoveCanisterRequest{Instance: c.instance, CanisterId: id, SubnetId: subnet})
			if err != nil {
				return err
			}
			return c.done(map[string]string{"canister_id": id, "subnet_id": subnet}, "%s is on %s", args[0], args[1])
		}),
	}
}

// ofCanister returns the RunE of a command on the canister that its first argument names.
func (c *cli) ofCanister(do func(ctx context.Context, d *remote.Daemon, id string, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		id, err := c.canisterOf(args[0])
		if err != nil {
			return err
		}
		return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error { return do(ctx, d, id, args) })
	}
}

// forCanister makes the command at a path, which does one thing to one canister and prints only that it is done.
func (c *cli) forCanister(path, short, done string, do func(ctx context.Context, d *remote.Daemon, id string) (proto.Message, error)) *cobra.Command {
	return &cobra.Command{
		Use:     path[strings.LastIndex(path, " ")+1:] + " CANISTER",
		Short:   short,
		Example: fmt.Sprintf("  canisterd %[1]s bank\n  canisterd -i lab %[1]s bank", path),
		Args:    cobra.ExactArgs(1),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			if _, err := do(ctx, d, id); err != nil {
				return err
			}
			return c.done(map[string]string{"canister_id": id, "done": done}, "%s: %s", args[0], done)
		}),
	}
}
