package main

import (
	"github.com/spf13/cobra"
)

func (c *cli) canisterID() *cobra.Command {
	return &cobra.Command{
		Use:   "id CANISTER",
		Short: "Print the id of a canister by its name",
		Example: `  canisterd canister id bank
  BANK=$(canisterd canister id bank)`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			return c.print(id, map[string]string{"canister_id": id, "name": c.known().names[id]})
		},
	}
}
