package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the canisters of an instance",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				all := &controlv1.ListCanistersResponse{}
				t := c.table("CANISTER", "NAME", "STATUS", "CYCLES", "MEMORY", "MODULE")
				for token := ""; ; {
					page, err := d.Canisters.ListCanisters(ctx, &controlv1.ListCanistersRequest{Instance: c.instance, PageSize: pageSize, PageToken: token})
					if err != nil {
						return err
					}
					for _, s := range page.GetCanisters() {
						name := c.nameOf(s.GetCanisterId())
						if name == s.GetCanisterId() {
							name = ""
						}
						t.row(s.GetCanisterId(), name, statusText(s.GetStatus()), grouped(s.GetCycles()), size(int64(s.GetMemoryBytes())), fmt.Sprintf("%.12x", s.GetModuleHash()))
					}
					all.Canisters = append(all.Canisters, page.GetCanisters()...)
					if token = page.GetNextPageToken(); token == "" {
						return c.print(t.String(), all)
					}
				}
			})
		},
	}
}
