package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterCreate() *cobra.Command {
	var amount, subnet, exactly string
	var s settingsFlags
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an empty canister and print its id",
		Example: `  id=$(canisterd canister create)
  canisterd canister create --cycles 5T --env STAGE=test
  canisterd canister create --id rwlgt-iiaaa-aaaaa-aaaaa-cai`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			request := &controlv1.CreateCanisterRequest{Instance: c.instance, SubnetId: subnet, CanisterId: exactly}
			var err error
			if request.Cycles, err = parseCycles(amount); err != nil {
				return err
			}
			if request.Sender, err = c.sender(); err != nil {
				return err
			}
			if request.Settings, err = s.settings(cmd); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				created, err := d.Canisters.CreateCanister(ctx, request)
				if err != nil {
					return err
				}
				return c.print(created.GetCanisterId(), created)
			})
		},
	}
	cmd.Flags().StringVar(&amount, "cycles", "", "cycles to start with, such as 5T (default: what the daemon gives, 100T)")
	cmd.Flags().StringVar(&subnet, "subnet", "", "id of the subnet to create it on (default: an application subnet)")
	cmd.Flags().StringVar(&exactly, "id", "", "the id to give it")
	s.add(cmd)
	return cmd
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
		return "", fmt.Errorf("%q is no amount of cycles: write decimal digits, with k, M, G, T or P after them if you like, such as 1.5T", text)
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

func statusText(s controlv1.CanisterStatus) string {
	return word(s, "CANISTER_STATUS_")
}
