package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterMetadata() *cobra.Command {
	return &cobra.Command{
		Use:   "metadata CANISTER [NAME]",
		Short: "List the metadata sections of a canister's module, or print one",
		Example: `  canisterd canister metadata bank
  canisterd canister metadata bank candid:service`,
		Args: cobra.RangeArgs(1, 2),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			if len(args) == 1 {
				got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
				if err != nil {
					return err
				}
				return c.print(strings.Join(got.GetCanister().GetMetadata(), "\n"), append([]string{}, got.GetCanister().GetMetadata()...))
			}
			read, err := d.Canisters.ReadMetadata(ctx, &controlv1.ReadMetadataRequest{Instance: c.instance, CanisterId: id, Name: args[1]})
			if err != nil {
				return err
			}
			return c.print(string(read.GetContent()), read)
		}),
	}
}

func (c *cli) canisterInterface() *cobra.Command {
	return &cobra.Command{
		Use:   "interface CANISTER",
		Short: "Print the Candid interface of a canister",
		Example: `  canisterd canister interface bank
  canisterd canister interface bank > bank.did`,
		Args: cobra.ExactArgs(1),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			got, err := d.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: c.instance, CanisterId: id})
			if err != nil {
				return err
			}
			return c.print(strings.TrimRight(got.GetCandid(), "\n"), got)
		}),
	}
}
